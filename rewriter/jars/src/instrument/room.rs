//! The memory that a run may use, and what its inputs need of it.
//!
//! What grows with the inputs is the directories of open archives and some bytes for each entry and class. The rest is
//! buffers, whose sizes follow from what the directories leave.

use std::sync::atomic::{AtomicU64, Ordering};

use super::tree::InputTree;
use crate::error::{Error, JarErrorKind, Result};

/// What a run needs beside its buffers: code, threads, the inflaters and deflaters of two threads.
const BASE: u64 = 12 << 20;
/// What an open archive takes beside its directory.
const PER_ARCHIVE: u64 = 1 << 10;
/// What an entry takes while its archive is written.
const PER_ENTRY: u64 = 56;
/// What a selected class takes from the first pass to the end.
const PER_CLASS: u64 = 64;
/// What the names and links of a file of a folder take.
const PER_FILE: u64 = 256;
/// Buffers are not smaller, since each batch costs a change of threads, and not larger, since they would save nothing.
const BUFFER: std::ops::RangeInclusive<u64> = (64 << 10)..=(8 << 20);

/// What the inputs of a run need, over all threads.
#[derive(Debug)]
pub(super) struct Room {
    memory: u64,
    reserved: AtomicU64,
}

impl Room {
    /// So many bytes for all.
    pub(super) fn new(memory: u64) -> Self {
        Room { memory, reserved: AtomicU64::new(BASE) }
    }

    /// Takes the room for the directory of an archive, or the list of a folder.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] if there is not enough.
    pub(super) fn reserve_archive(&self, tree: &InputTree) -> Result<()> {
        let entries = tree.len() as u64;
        self.reserve(match tree {
            InputTree::Archive(archive) => PER_ARCHIVE + archive.footprint() + entries * PER_ENTRY,
            InputTree::Folder(_) => PER_ARCHIVE + entries * PER_FILE,
        })
    }

    /// Takes the room for the classes that may be selected.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] if there is not enough.
    pub(super) fn reserve_classes(&self, classes: usize) -> Result<()> {
        self.reserve(classes as u64 * PER_CLASS)
    }

    /// Bytes for each of the buffers: the class files that are kept, the nested archives that are kept, and the batches that
    /// are written, each before and after deflating.
    pub(super) fn buffer(&self) -> u64 {
        const SHARES: u64 = 6;
        let left = self.memory.saturating_sub(self.reserved.load(Ordering::Relaxed));
        (left / SHARES).clamp(*BUFFER.start(), *BUFFER.end())
    }

    fn reserve(&self, bytes: u64) -> Result<()> {
        let reserved = self.reserved.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if reserved <= self.memory {
            return Ok(());
        }
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let message = format!(
            "the directories and classes of the inputs need {} MiB of memory or more, and --memory allows {}",
            mib(reserved),
            mib(self.memory)
        );
        Err(Error::new(JarErrorKind::Limit, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_share_what_the_directories_leave() {
        let room = Room::new(BASE + (12 << 20));
        assert_eq!(room.buffer(), 2 << 20);
        room.reserve_classes((6 << 20) / PER_CLASS as usize).unwrap();
        assert_eq!(room.buffer(), 1 << 20);
        assert_eq!(Room::new(u64::MAX).buffer(), *BUFFER.end());
        assert_eq!(Room::new(0).buffer(), *BUFFER.start());
    }

    #[test]
    fn more_classes_than_there_is_room_for_are_refused() {
        let room = Room::new(BASE + 100 * PER_CLASS);
        room.reserve_classes(100).unwrap();
        let error = room.reserve_classes(1).unwrap_err();
        assert_eq!(error.kind(), JarErrorKind::Limit);
        assert!(error.to_string().ends_with("need 13 MiB of memory or more, and --memory allows 13"), "{error}");
    }
}
