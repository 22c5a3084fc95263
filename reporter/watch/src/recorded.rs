//! The recording so far: the last snapshot, and a short history of every row.

use std::collections::{BTreeMap, VecDeque};

use weighbridge_recording::{ClassLine, Collections, Footer, Header, Interval, JvmHeap, Line, Snapshot};
use weighbridge_reporter::Decision;

use crate::rows::{RowKey, WatchRow, WatchTable, rows};
use crate::trend::{MOMENTS, Moments, Trend};

/// Decisions that are kept; a screen shows fewer.
const DECISIONS: usize = 10;

/// The newest JVM of a recording: its last snapshot, and a short history of its rows.
///
/// Memory grows with the number of different rows, by about a kilobyte each, not with the snapshots.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    header: Option<Header>,
    classes: BTreeMap<u64, ClassLine>,
    last: Option<Moment>,
    end: Option<Footer>,
    snapshots: u64,
    /// The last snapshots that are not in the tables yet: as many as any figure needs.
    pending: VecDeque<Box<Snapshot>>,
    moments: Moments,
    heap: Trend,
    /// The last in memory shortages, the newest last.
    decisions: VecDeque<Decision>,
    rows: [Vec<WatchRow>; 4],
    trends: [BTreeMap<RowKey, Trend>; 4],
}

/// The last snapshot without its rows.
#[derive(Debug, Clone)]
pub(crate) struct Moment {
    pub(crate) seq: u64,
    pub(crate) at_ms: Option<u64>,
    pub(crate) uptime_ms: Option<u64>,
    pub(crate) reason: Option<String>,
    pub(crate) collected: Option<bool>,
    /// When its objects were found alive, milliseconds since the JVM started.
    pub(crate) live_at_ms: Option<u64>,
    pub(crate) heap: JvmHeap,
    pub(crate) collections: Collections,
    pub(crate) measured_bytes: Option<u64>,
    pub(crate) walk_stopped: Option<String>,
    pub(crate) interval: Option<Interval>,
}

impl Recorded {
    /// Adds a line. A header starts another JVM and drops the one before.
    pub fn line(&mut self, line: Line) {
        match line {
            Line::Header(header) => *self = Recorded { header: Some(header), ..Recorded::default() },
            Line::Class(class) => {
                self.classes.insert(class.id, class);
            }
            Line::Snapshot(snapshot) => {
                self.snapshots += 1;
                // One more than a trend has: the first of a trend is compared with the one before.
                if self.pending.len() > MOMENTS {
                    self.pending.pop_front();
                }
                self.pending.push_back(snapshot);
            }
            Line::Shortage(line) => {
                if self.decisions.len() == DECISIONS {
                    self.decisions.pop_front();
                }
                self.decisions.push_back(Decision { jvm: 0, line: *line });
            }
            Line::Footer(footer) => self.end = Some(footer),
            _ => {}
        }
    }

    /// Updates the tables and their history from the new snapshots. It takes longer than a line, so the caller calls it once
    /// after all new lines.
    pub fn update_tables(&mut self) {
        for snapshot in std::mem::take(&mut self.pending) {
            self.snapshot(&snapshot);
        }
        for (rows, trends) in self.rows.iter_mut().zip(&self.trends) {
            for row in rows {
                row.trend = trends.get(&row.key()).cloned().unwrap_or_default();
                row.growth = row.trend.per_minute(&self.moments);
            }
        }
    }

    /// The JVM's header.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// The last line of a JVM that ended in order.
    pub fn end(&self) -> Option<&Footer> {
        self.end.as_ref()
    }

    /// Snapshots read of the JVM.
    pub fn snapshots(&self) -> u64 {
        self.snapshots
    }

    /// The rows of the last snapshot, in no order, with their history, as of the last [`Recorded::update_tables`].
    pub fn rows(&self, table: WatchTable) -> &[WatchRow] {
        &self.rows[table as usize]
    }

    /// Whether a rewritten class was loaded.
    pub(crate) fn has_classes(&self) -> bool {
        !self.classes.is_empty()
    }

    pub(crate) fn last(&self) -> Option<&Moment> {
        self.last.as_ref()
    }

    /// The last decisions in memory shortages, the newest last.
    pub(crate) fn decisions(&self) -> &VecDeque<Decision> {
        &self.decisions
    }

    /// Used heap in the last snapshots.
    pub(crate) fn heap(&self) -> &Trend {
        &self.heap
    }

    fn snapshot(&mut self, snapshot: &Snapshot) {
        let seconds = self.seconds_since_last(snapshot);
        self.moments.push(snapshot.uptime_ms, snapshot.is_live());
        let heap = snapshot.heap.clone().unwrap_or_default();
        self.heap.push(heap.used_bytes);
        let formula = self.header.as_ref().is_some_and(|header| header.sizes.as_deref() == Some("formula"));
        for table in WatchTable::ALL {
            let index = table as usize;
            let before: BTreeMap<RowKey, Option<u64>> =
                self.rows[index].drain(..).map(|row| (row.key(), row.allocated)).collect();
            let mut rows = rows(table, snapshot, &self.classes, formula);
            let trends = &mut self.trends[index];
            let mut now: BTreeMap<RowKey, Option<u64>> = rows.iter().map(|row| (row.key(), row.bytes)).collect();
            for (key, trend) in trends.iter_mut() {
                trend.push(now.remove(key).flatten());
            }
            for (key, bytes) in now {
                trends.entry(key).or_default().push(bytes);
            }
            trends.retain(|_, trend| !trend.is_empty());
            for row in &mut rows {
                row.per_second = seconds.and_then(|seconds| {
                    // A row that is new had constructed nothing at the snapshot before.
                    let past = before.get(&row.key()).copied().unwrap_or(Some(0))?;
                    Some(row.allocated?.checked_sub(past)? as f64 / seconds)
                });
            }
            self.rows[index] = rows;
        }
        self.last = Some(Moment {
            seq: snapshot.seq,
            at_ms: snapshot.at_ms,
            uptime_ms: snapshot.uptime_ms,
            reason: snapshot.reason.clone(),
            collected: snapshot.collected,
            live_at_ms: snapshot.live_at_ms(),
            heap,
            collections: snapshot.collections.clone().unwrap_or_default(),
            measured_bytes: snapshot.total.as_ref().and_then(|total| total.measured_bytes),
            walk_stopped: snapshot.walk.as_ref().and_then(|walk| walk.stopped.clone()),
            interval: snapshot.interval,
        });
    }

    fn seconds_since_last(&self, snapshot: &Snapshot) -> Option<f64> {
        let ms = snapshot.uptime_ms?.checked_sub(self.last.as_ref()?.uptime_ms?)?;
        (ms > 0).then_some(ms as f64 / 1_000.0)
    }
}
