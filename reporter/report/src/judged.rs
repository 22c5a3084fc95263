//! Whether a run's snapshots can show what grows, and what is missing if they cannot. A report without suspects means
//! something only if the run was judged.

use serde::{Deserialize, Serialize};
use weighbridge_recording::Snapshot;

use crate::growth::LEAST_SNAPSHOTS;
use weighbridge_table::units::{count_with_noun, elapsed};

/// A JVM whose run was too short, or was measured too seldom, to show what grows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NotJudged {
    /// Index of the JVM in the report.
    pub jvm: usize,
    /// Snapshots that it left.
    pub snapshots: u64,
    /// How many different full markings they tell of.
    pub collected: u64,
    /// When the last was taken, milliseconds since the JVM started.
    pub uptime_ms: Option<u64>,
    /// Snapshots that are needed.
    pub needed: u64,
    /// What is missing, in words.
    pub reason: String,
}

/// A JVM's full markings, and its snapshots without one: the two are never compared (`growth`).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SnapshotCounts {
    collected: u64,
    uncollected: u64,
    /// Whether the last one is of a full marking, so that it confirms the others.
    confirms: bool,
    /// The last marking.
    marking_ms: Option<u64>,
    uptime_ms: Option<u64>,
}

impl SnapshotCounts {
    pub(crate) fn add(&mut self, snapshot: &Snapshot) {
        // Growth is a rate: a snapshot without a time is of no use.
        let Some(uptime_ms) = snapshot.uptime_ms else { return };
        self.uptime_ms = Some(uptime_ms);
        let marking_ms = snapshot.live_at_ms();
        self.confirms = marking_ms.is_some();
        if self.confirms {
            self.collected += u64::from(self.marking_ms != marking_ms);
            self.marking_ms = marking_ms;
        } else {
            self.uncollected += 1;
        }
    }

    /// Whether it was judged by upper bounds: there were too few full markings to see a growth that is smaller than the garbage
    /// between them.
    pub(crate) fn by_bounds(self) -> bool {
        self.collected < LEAST_SNAPSHOTS
    }

    /// What is missing, if anything is.
    pub(crate) fn not_judged(self, jvm: usize) -> Option<NotJudged> {
        let SnapshotCounts { collected, uncollected, confirms, uptime_ms, .. } = self;
        if collected >= LEAST_SNAPSHOTS || confirms && uncollected >= LEAST_SNAPSHOTS {
            return None;
        }
        let snapshots = collected + uncollected;
        let time = uptime_ms.map_or_else(String::new, |ms| format!(" in {}", elapsed(ms)));
        let needed = LEAST_SNAPSHOTS + 1;
        let has = format!("{}{time}", count_with_noun(snapshots, "snapshot", "snapshots"));
        let reason = if uncollected >= LEAST_SNAPSHOTS {
            format!("{has}, but no full marking of the heap behind them, which shows whether what grew was garbage")
        } else {
            format!(
                "{has}, {needed} are needed: {LEAST_SNAPSHOTS} and a full marking of the heap behind them (or {LEAST_SNAPSHOTS} full markings)"
            )
        };
        Some(NotJudged { jvm, snapshots, collected, uptime_ms, needed, reason })
    }
}
