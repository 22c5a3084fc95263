//! Questions for the state that the host has not answered in time: its thread may be busy, or wait for memory.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Those of one client, by a key that no other of its questions has. At most as many as it may have open requests.
#[derive(Default)]
pub(crate) struct Unanswered {
    last: u64,
    asked: BTreeMap<u64, (Instant, u64)>,
}

impl Unanswered {
    /// One with this id was asked; gives its key.
    pub(crate) fn add_question(&mut self, id: u64) -> u64 {
        self.last += 1;
        self.asked.insert(self.last, (Instant::now(), id));
        self.last
    }

    /// It gets an answer; false if it has had one.
    pub(crate) fn mark_answered(&mut self, key: u64) -> bool {
        self.asked.remove(&key).is_some()
    }

    /// The ids of those that have waited so long. They count as answered.
    pub(crate) fn take(&mut self, patience: Duration) -> Vec<u64> {
        let late = |_: &u64, (since, _): &mut (Instant, u64)| since.elapsed() >= patience;
        self.asked.extract_if(.., late).map(|(_, (_, id))| id).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }
}
