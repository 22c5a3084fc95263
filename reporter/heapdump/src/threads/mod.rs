//! What stack frames and threads hold.
//!
//! [`exact`] finds what only one frame, one thread or several threads reach. It gives a row for each frame, an entry for
//! each shared object whose holder is not shared in the same way, and the references between rows and entries.

pub mod exact;
mod holdings;

pub use holdings::{Holdings, Part, TreeOfGraph};

/// Indices of shared entries in their tables, from 0, in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// Indices among the frame-shared.
    pub frame: Vec<u32>,
    /// Indices among the thread-shared.
    pub thread: Vec<u32>,
}

/// What one frame holds alone, and the shared entries to which it refers directly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameHolding {
    /// Bytes.
    pub bytes: u64,
    /// The entries.
    pub refers: Shared,
}

/// A shared object, what is held through it alone, and the other shared entries to which it refers directly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedHolding {
    /// The object.
    pub root: u32,
    /// Its own bytes and those held through it alone.
    pub bytes: u64,
    /// The entries.
    pub refers: Shared,
}

/// The bytes of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Freed when the thread ends.
    pub proprietary: u64,
    /// Freed when the last thread that holds them ends.
    pub shared: u64,
}

impl Usage {
    /// The most that may be freed.
    pub fn total(self) -> u64 {
        self.proprietary + self.shared
    }
}

/// Every entry that the given ones reach, themselves included. `refers` gives the entries to which a frame-shared
/// (`false`) or thread-shared (`true`) entry refers directly.
pub fn developed(from: &Shared, refers: impl Fn(bool, u32) -> Shared) -> Shared {
    let mut all = [std::collections::BTreeSet::new(), std::collections::BTreeSet::new()];
    let list = |shared: &Shared| -> Vec<(bool, u32)> {
        shared.frame.iter().map(|&id| (false, id)).chain(shared.thread.iter().map(|&id| (true, id))).collect()
    };
    let mut open = list(from);
    while let Some((by_threads, id)) = open.pop() {
        if all[usize::from(by_threads)].insert(id) {
            open.extend(list(&refers(by_threads, id)));
        }
    }
    let [frame, thread] = all.map(|ids| ids.into_iter().collect());
    Shared { frame, thread }
}
