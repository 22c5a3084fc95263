//! The lines of mark-and-count: counts of live bytes, and where live objects were constructed.

use serde::{Deserialize, Serialize};

keys! {
    /// Live bytes were counted (option `peak`).
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct LiveCount {
        /// Milliseconds since the Unix epoch.
        pub at_ms: Option<u64>,
        /// Milliseconds since the JVM started.
        pub uptime_ms: Option<u64>,
        /// `peak-only`, `threshold`, `peak-with-tolerance` or `interval`.
        pub mode: Option<String>,
        /// What was counted: `walk`, `histogram` or `usage`.
        pub source: Option<String>,
        /// Where allocated bytes come from: `jvm` (exact) or `threads` (a lower bound: the last bytes of ended threads
        /// are missing).
        pub volume: Option<String>,
        /// The tolerance, bytes; absent in mode `interval`.
        pub tolerance_bytes: Option<u64>,
        /// The interval, milliseconds; in mode `interval` only.
        pub interval_ms: Option<u64>,
        /// A count below this is no peak.
        pub floor_bytes: Option<u64>,
        /// Whether a full collection ran right before; without one garbage counts as live.
        pub collected: Option<bool>,
        /// The count.
        pub live_bytes: Option<u64>,
        /// Bytes allocated since counting began, live or dead, and those in use then.
        pub allocated_bytes: Option<u64>,
        /// The greatest count so far.
        pub peak_bytes: Option<u64>,
        /// Live bytes were never more than this; absent if no ceiling is proven.
        pub ceiling_bytes: Option<u64>,
        /// What proves it: `allocated` (bytes) or `pools` (the greatest usage of the heap's pools). Absent in recordings
        /// of older runtimes: see [`LiveCount::proven_ceiling`].
        pub ceiling_by: Option<String>,
        /// Whether this count is a new peak.
        pub peak: Option<bool>,
        /// Path of the heap dump made of this peak.
        pub dump: Option<String>,
    }
}

impl LiveCount {
    /// The ceiling, if it is proven. Runtimes without `ceiling_by` also wrote ceilings that were too low: from the bytes
    /// of living threads alone, and from walks, whose counts can grow without any allocation.
    pub fn proven_ceiling(&self) -> Option<u64> {
        let sound = self.ceiling_by.is_some()
            || self.volume.as_deref() == Some("jvm") && self.source.as_deref() != Some("walk");
        self.ceiling_bytes.filter(|_| sound)
    }
}

keys! {
    /// Where the objects of a snapshot were constructed (option `sites`).
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Sites {
        /// The snapshot's number.
        pub seq: u64,
        /// Objects whose site is not known.
        pub unknown_objects: Option<u64>,
        /// The call tree, callers before callees.
        pub nodes: Vec<SiteNode>,
        /// The objects constructed at its nodes.
        pub objects: Vec<SiteObjects>,
    }

    /// A method in the call tree.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub struct SiteNode {
        /// The same for a method in all `sites` lines of a JVM.
        pub id: u64,
        /// The caller; absent for the outermost frame kept.
        pub parent: Option<u64>,
        /// Dotted class name and method.
        pub frame: String,
        /// Whether the stack was longer: callers of this outermost frame were not kept.
        #[serde(default)]
        pub cut: bool,
    }
}

/// Live objects of one class that were constructed at one node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiteObjects {
    /// Id of the node.
    pub site: u64,
    /// Id of the class.
    pub class: u64,
    /// Objects: exact or estimated, like the live count of the class.
    pub objects: u64,
    /// Their shallow bytes.
    pub bytes: u64,
}
