//! Class files that the first pass inflated and the second one rewrites.
//!
//! Whether a class can be rewritten decides its neighbours' ids and the bridge's name, so all classes are looked at before
//! the first is written. Inflating them twice would be a tenth of a run's work; keeping them all would make memory
//! depend on the jar. So those that come first are kept, as far as they fit.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Most bytes that wait between the passes: all of most applications, and a tenth of the memory that a run may have.
pub(super) const KEPT_BYTES: usize = 8 << 20;

/// The memory for kept class files, over all threads of a run.
#[derive(Debug)]
pub(super) struct Keeper {
    left: AtomicUsize,
}

impl Keeper {
    /// Keeps so many bytes at most.
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

/// A class file that was kept, perhaps.
#[derive(Debug, Default)]
pub(super) struct Kept(Mutex<Option<Vec<u8>>>);

impl Kept {
    /// The content, the first time that it is asked for.
    pub(super) fn take(&self) -> Option<Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_not_kept_and_takes_no_room() {
        let keeper = Keeper::new(10);
        let kept = [6, 5, 4, 1].map(|length| keeper.keep(vec![1; length]).take().map(|content| content.len()));
        assert_eq!(kept, [Some(6), None, Some(4), None]);
    }

    #[test]
    fn a_kept_class_is_given_once() {
        let kept = Keeper::new(10).keep(vec![7]);
        assert_eq!(kept.take(), Some(vec![7]));
        assert_eq!(kept.take(), None);
    }
}
