//! Counts of live and allocated bytes, and the two bounds of the peak.

use serde::Serialize;
use weighbridge_recording::LiveCount;

/// What mark-and-count found in one JVM.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PeakFigures {
    /// Index of the JVM in the report.
    pub jvm: usize,
    /// `peak-only`, `threshold`, `peak-with-tolerance` or `interval`.
    pub mode: Option<String>,
    /// What was counted: `walk`, `histogram` or `usage`.
    pub source: Option<String>,
    /// Where allocated bytes come from: `jvm` (exact) or `threads` (at least).
    pub volume: Option<String>,
    /// The tolerance, bytes; `None` in mode `interval`.
    pub tolerance_bytes: Option<u64>,
    /// The interval, milliseconds; in mode `interval` only.
    pub interval_ms: Option<u64>,
    /// Smaller peaks were not searched for.
    pub floor_bytes: Option<u64>,
    /// The greatest count: live bytes were this much at least once.
    pub peak_bytes: Option<u64>,
    /// When it was counted, milliseconds since the JVM started.
    pub peak_uptime_ms: Option<u64>,
    /// Live bytes were never more than this, as of the last count; `None` if nothing proves it.
    pub ceiling_bytes: Option<u64>,
    /// When that count was, milliseconds since the JVM started: the ceiling says nothing of later times. `None` without one.
    pub ceiling_uptime_ms: Option<u64>,
    /// What proves it: `allocated` or `pools`.
    pub ceiling_by: Option<String>,
    /// The heap dump of the greatest peak that has one.
    pub dump: Option<String>,
    /// The command that shows what the dump holds.
    pub dump_command: Option<String>,
    /// Every count.
    pub counts: Vec<LivePoint>,
}

/// One count of live bytes.
#[derive(Debug, Clone, Serialize)]
pub struct LivePoint {
    /// Milliseconds since the JVM started.
    pub uptime_ms: Option<u64>,
    /// Bytes allocated by then, live or dead.
    pub allocated_bytes: Option<u64>,
    /// Live bytes.
    pub live_bytes: Option<u64>,
    /// Whether a full collection ran right before; without one garbage counts as live.
    pub collected: Option<bool>,
    /// Whether it was a new peak.
    pub peak: bool,
}

impl PeakFigures {
    /// Adds the next count of the same JVM.
    pub(crate) fn add(figures: &mut Option<PeakFigures>, count: LiveCount) {
        let figures = figures.get_or_insert_default();
        if count.peak_bytes > figures.peak_bytes {
            figures.peak_bytes = count.peak_bytes;
            figures.peak_uptime_ms = count.uptime_ms;
        }
        figures.ceiling_bytes = count.proven_ceiling();
        figures.ceiling_uptime_ms = count.uptime_ms.filter(|_| figures.ceiling_bytes.is_some());
        figures.ceiling_by = count.ceiling_by;
        figures.mode = count.mode;
        figures.source = count.source;
        figures.volume = count.volume;
        figures.tolerance_bytes = count.tolerance_bytes;
        figures.interval_ms = count.interval_ms;
        figures.floor_bytes = count.floor_bytes;
        figures.dump = count.dump.or(figures.dump.take());
        figures.dump_command = figures.dump.as_deref().map(dominators_of);
        figures.counts.push(LivePoint {
            uptime_ms: count.uptime_ms,
            allocated_bytes: count.allocated_bytes,
            live_bytes: count.live_bytes,
            collected: count.collected,
            peak: count.peak == Some(true),
        });
    }

    /// Whether every count follows a full collection.
    pub(crate) fn collected(&self) -> bool {
        self.counts.iter().all(|point| point.collected == Some(true))
    }
}

/// The command that shows what a dump holds, for a shell.
fn dominators_of(file: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/\\:._-+@%".contains(c);
    match file.chars().all(plain) {
        true => format!("weighbridge heap dominators {file}"),
        false => format!("weighbridge heap dominators '{}'", file.replace('\'', "'\\''")),
    }
}
