//! What the components of a running program hold, by a heap dump that a client took.

use serde::{Deserialize, Serialize};

keys! {
    /// A heap dump's components, the largest of them.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct HeapComponents {
        /// When the dump was taken, milliseconds since the Unix epoch.
        pub at_ms: Option<u64>,
        /// The same, milliseconds since the JVM started.
        pub uptime_ms: Option<u64>,
        /// How long the dump stopped the program, by the JVM's own count.
        pub stopped_ms: Option<u64>,
        /// Bytes of all reachable objects.
        pub reachable_bytes: Option<u64>,
        /// The frameworks whose shipped rules were used.
        pub frameworks: Vec<String>,
        /// How many components there were.
        pub components_total: Option<u64>,
        /// The largest of them, each before its parts.
        pub components: Vec<HeapComponent>,
    }

    /// A component of a heap dump.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct HeapComponent {
        /// Its whole name.
        pub component: Option<String>,
        /// How many components are above it.
        pub depth: Option<u64>,
        /// Objects that a rule assigned to it, without those of its parts.
        pub instances: Option<u64>,
        /// Bytes under it in the semantic tree, including those of its parts.
        pub semantic_bytes: Option<u64>,
        /// Bytes that would be freed if its objects and those of its parts were gone.
        pub true_bytes: Option<u64>,
    }
}
