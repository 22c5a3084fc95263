//! Class files that the first pass inflated, kept for the second one.
//!
//! Which classes can be rewritten decides the ids and the bridge's name, so all classes are read before the first is
//! written. Inflating all twice would be a tenth of a run's work, but keeping all would make the memory depend on the jar.
//! So the first ones are kept until the room is used up.

use std::collections::HashMap;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use super::tree::InputTree;

/// What a kept class file takes beside its bytes.
const BESIDE: usize = 64;

/// The kept class files of a run, for all threads.
#[derive(Debug)]
pub(super) struct Keeper(Mutex<KeeperState>);

#[derive(Debug)]
struct KeeperState {
    left: usize,
    /// By the address of the open archive, which stays until the end of the run, and the entry.
    files: HashMap<(usize, usize), Vec<u8>>,
}

impl Keeper {
    /// Keeps at most this many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        Keeper(Mutex::new(KeeperState { left: bytes, files: HashMap::new() }))
    }

    /// Keeps a class file if there is room for it.
    pub(super) fn keep(&self, tree: &InputTree, entry: usize, content: Vec<u8>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(left) = state.left.checked_sub(content.capacity() + BESIDE) {
            state.left = left;
            state.files.insert((ptr::from_ref(tree).addr(), entry), content);
        }
    }

    /// The content, if it was kept; only the first call returns it.
    pub(super) fn take(&self, tree: &InputTree, entry: usize) -> Option<Vec<u8>> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.files.remove(&(ptr::from_ref(tree).addr(), entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> InputTree {
        InputTree::open(tempfile::tempdir().unwrap().path()).unwrap()
    }

    #[test]
    fn a_class_that_does_not_fit_is_not_kept_and_uses_no_room() {
        let (tree, keeper) = (tree(), Keeper::new(10 + 2 * BESIDE));
        for (entry, length) in [6, 5, 4, 1].into_iter().enumerate() {
            keeper.keep(&tree, entry, vec![1; length]);
        }
        let kept = [0, 1, 2, 3].map(|entry| keeper.take(&tree, entry).map(|content| content.len()));
        assert_eq!(kept, [Some(6), None, Some(4), None]);
    }

    #[test]
    fn a_kept_class_is_taken_once_and_from_its_own_archive() {
        let (tree, other, keeper) = (tree(), tree(), Keeper::new(100));
        keeper.keep(&tree, 3, vec![7]);
        assert_eq!(keeper.take(&other, 3), None);
        assert_eq!(keeper.take(&tree, 3), Some(vec![7]));
        assert_eq!(keeper.take(&tree, 3), None);
    }
}
