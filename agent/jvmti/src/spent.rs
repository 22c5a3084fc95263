//! What it took to look at the classes that were loaded.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A number of classes, and the time of all threads in all.
#[derive(Debug, Default)]
pub(crate) struct Spent {
    classes: AtomicU64,
    nanos: AtomicU64,
}

impl Spent {
    /// One class more, since `start`.
    pub(crate) fn add_class(&self, start: Instant) {
        self.classes.fetch_add(1, Ordering::Relaxed);
        self.nanos.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }

    pub(crate) fn numbers(&self) -> (u64, Duration) {
        (self.classes.load(Ordering::Relaxed), Duration::from_nanos(self.nanos.load(Ordering::Relaxed)))
    }
}
