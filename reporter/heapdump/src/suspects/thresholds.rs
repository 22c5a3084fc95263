//! From where on something is a suspect: all limits, with their reasons.

/// The limits of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Percent of the reachable bytes that one object, a group, a thread or the values of a thread local must retain.
    ///
    /// At most five such things are in a heap. Eclipse MAT's leak suspects report takes 10, and names the JDK's own classes
    /// in a heap at rest.
    pub share_percent: u64,
    /// Percent that must be wasted (equal contents, unused slots, objects that wait for a finalizer, copies of
    /// applications). Half of the other share: what is wasted is gained by a change that takes nothing away.
    pub waste_percent: u64,
    /// Bytes that anything must have.
    ///
    /// 4 MiB: what the JDK and a framework keep at rest. In a small heap a fifth is no more than that: sessions of an idle
    /// Tomcat, the pages of a small H2.
    pub least_bytes: u64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds { share_percent: 20, waste_percent: 10, least_bytes: 4 << 20 }
    }
}

/// Loaders that define the same classes: from so many on, if none says that it was stopped. Two are two applications with
/// the same library, or a new one beside the old one while it ends.
pub const LOADERS: usize = 3;

/// A holder is common to a group if it is on the paths to so many percent of its objects.
pub const COMMON_PERCENT: u64 = 80;

impl Thresholds {
    /// Bytes that something must retain, of a heap with so many reachable bytes.
    pub fn retained(&self, reachable_bytes: u64) -> u64 {
        part(reachable_bytes, self.share_percent).max(self.least_bytes).max(1)
    }

    /// Bytes that must be wasted.
    pub fn wasted(&self, reachable_bytes: u64) -> u64 {
        part(reachable_bytes, self.waste_percent).max(self.least_bytes).max(1)
    }
}

fn part(whole: u64, percent: u64) -> u64 {
    (u128::from(whole) * u128::from(percent) / 100) as u64
}
