//! The lines of the control on memory shortage: what was decided, and what came of it.

use serde::{Deserialize, Serialize};

keys! {
    /// A decision (option `shortage`).
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct ShortageDecision {
        /// Milliseconds since the Unix epoch.
        pub at_ms: Option<u64>,
        /// Milliseconds since the JVM started.
        pub uptime_ms: Option<u64>,
        /// Counts the decisions of a JVM from 1.
        pub number: Option<u64>,
        /// Nothing was done.
        pub dry_run: Option<bool>,
        /// `old_generation`, `allocation`, `container` or `exhausted`.
        pub cause: Option<String>,
        /// Bytes in use, or allocated a second.
        pub used_bytes: Option<u64>,
        /// Bytes that the policy allows.
        pub limit_bytes: Option<u64>,
        /// From the moment that the shortage was first seen to the decision; of a later candidate from the one before.
        pub decided_ms: Option<u64>,
        /// How long collections stopped the program, from the decision's beginning to its end.
        pub pause_ms: Option<u64>,
        /// How long a heap dump of the exact measure stopped it, at most.
        pub dump_ms: Option<u64>,
        /// Why there was no exact measure though it was asked for.
        pub unmeasured: Option<String>,
        /// `none`, `would_cancel`, `cooperative` or `forced`.
        pub action: Option<String>,
        /// Why nothing was cancelled, or why what was cancelled did not end.
        pub reason: Option<String>,
        /// Memory is no longer short.
        pub resolved: Option<bool>,
        /// How many candidates there were.
        pub candidates_total: Option<u64>,
        /// The first of them, in the order of the policy.
        pub candidates: Vec<ShortageCandidate>,
        /// The name of the chosen one.
        pub chosen: Option<String>,
        /// The thread that ran it.
        pub chosen_thread: Option<String>,
        /// What its end was expected to free.
        pub predicted_bytes: Option<u64>,
        /// Whether it has ended.
        pub ended: Option<bool>,
        /// How long that took.
        pub ended_ms: Option<u64>,
        /// Used heap before, less the used heap after a collection.
        pub freed_bytes: Option<u64>,
        /// Used heap when the decision began, garbage included.
        pub used_before_bytes: Option<u64>,
        /// Used heap after it.
        pub used_after_bytes: Option<u64>,
        /// How often gates have delayed work so far.
        pub delayed: Option<u64>,
        /// How often gates have refused work so far.
        pub refused: Option<u64>,
    }

    /// A piece of work that could be cancelled.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct ShortageCandidate {
        /// `scope`, `method` or `thread`.
        pub what: Option<String>,
        /// `key=value`, or the thread's name.
        pub name: Option<String>,
        /// The name of its thread.
        pub thread: Option<String>,
        /// Since it began.
        pub age_ms: Option<u64>,
        /// Of its thread.
        pub priority: Option<u64>,
        /// Bytes that its thread allocated since then; of a thread as a whole in the last 10 to 20 seconds.
        pub allocated_bytes: Option<u64>,
        /// Bytes that its thread alone holds, by the exact measure.
        pub held_bytes: Option<u64>,
        /// Why it may not be cancelled; absent if it may.
        pub refused: Option<String>,
    }
}
