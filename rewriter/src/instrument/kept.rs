//! Class files that the first pass inflated, kept for the second one.
//!
//! Which classes can be rewritten decides the ids and the bridge's name, so all classes are read before the first is
//! written. Inflating all twice would be a tenth of a run's work, but keeping all would make the memory depend on the jar.
//! So the first ones are kept until the room is used up.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Most bytes that are kept: enough for most applications, and a tenth of the memory that a run may use.
pub(super) const KEPT_BYTES: usize = 8 << 20;

/// The memory for kept class files, over all threads of a run.
#[derive(Debug)]
pub(super) struct Keeper {
    left: AtomicUsize,
}

impl Keeper {
    /// Keeps at most this many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Keeper { left: AtomicUsize::new(bytes) }
    }

    /// Keeps a class file if there is room for it.
    pub(super) fn keep(&self, content: Vec<u8>) -> Kept {
        let room = |left: usize| left.checked_sub(content.len());
        let has_room = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room).is_ok();
        Kept(Mutex::new(has_room.then_some(content)))
    }
}

/// A class file, if it was kept.
#[derive(Debug, Default)]
pub(super) struct Kept(Mutex<Option<Vec<u8>>>);

impl Kept {
    /// The content; only the first call returns it.
    pub(super) fn take(&self) -> Option<Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_that_does_not_fit_is_not_kept_and_uses_no_room() {
        let keeper = Keeper::new(10);
        let kept = [6, 5, 4, 1].map(|length| keeper.keep(vec![1; length]).take().map(|content| content.len()));
        assert_eq!(kept, [Some(6), None, Some(4), None]);
    }

    #[test]
    fn a_kept_class_is_taken_once() {
        let kept = Keeper::new(10).keep(vec![7]);
        assert_eq!(kept.take(), Some(vec![7]));
        assert_eq!(kept.take(), None);
    }
}
