//! The run as a series of snapshots, without their class rows.

use serde::{Deserialize, Serialize};
use weighbridge_recording::{Collections, Snapshot};

/// One snapshot of one JVM.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Point {
    /// Index of its JVM in the report.
    pub jvm: usize,
    /// Number of the snapshot in its recording, from 1.
    pub seq: u64,
    /// Milliseconds since the Unix epoch.
    pub at_ms: Option<u64>,
    /// Milliseconds since the JVM started.
    pub uptime_ms: Option<u64>,
    /// Why it was taken.
    pub reason: Option<String>,
    /// The label of a request.
    pub label: Option<String>,
    /// Whether a full collection was forced right before.
    pub collected: Option<bool>,
    /// When the last full marking began, milliseconds since the JVM started: the figures are of what lived then.
    pub live_at_ms: Option<u64>,
    /// Used heap, garbage included, bytes.
    pub heap_used_bytes: Option<u64>,
    /// Objects reached from any tracked object, each once.
    pub measured_objects: Option<u64>,
    /// Their bytes.
    pub measured_bytes: Option<u64>,
    /// Objects allocated so far, of all instrumented classes: exact.
    pub allocated: u64,
    /// Young collections since the JVM started.
    pub young_collections: Option<u64>,
    /// Full collections since the JVM started.
    pub full_collections: Option<u64>,
    /// The collectors' own accumulated time, milliseconds.
    pub pause_ms: Option<u64>,
    /// The components at that moment.
    pub components: Vec<ComponentPoint>,
}

/// One component in one snapshot.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ComponentPoint {
    /// Its name.
    pub component: String,
    /// Objects of its classes that lived at the last full marking; without one, at most so many.
    pub live: Option<u64>,
    /// Bytes that its objects hold without passing those of another component, and that no other component holds so.
    pub own_bytes: Option<u64>,
    /// Bytes of everything reached from its tracked objects.
    pub deep_bytes: Option<u64>,
    /// Part of `deep_bytes` reached from no other component.
    pub exclusive_bytes: Option<u64>,
    /// Whether `live` is exact. If not, the bytes are lower bounds.
    pub exact: Option<bool>,
}

/// At most `most` of the items: the first, the last, and evenly chosen ones between.
pub(crate) fn evenly<T>(items: &[T], most: usize) -> Vec<&T> {
    if items.len() <= most {
        return items.iter().collect();
    }
    (0..most).map(|i| &items[i * (items.len() - 1) / (most - 1)]).collect()
}

impl ComponentPoint {
    pub(crate) fn held_bytes(&self) -> Option<u64> {
        self.own_bytes.or(self.deep_bytes)
    }
}

impl Point {
    pub(crate) fn from_snapshot(jvm: usize, snapshot: &Snapshot) -> Self {
        let Collections { young, full, pause_ms } = snapshot.collections.clone().unwrap_or_default();
        let total = snapshot.total.clone().unwrap_or_default();
        Point {
            jvm,
            seq: snapshot.seq,
            at_ms: snapshot.at_ms,
            uptime_ms: snapshot.uptime_ms,
            reason: snapshot.reason.clone(),
            label: snapshot.label.clone(),
            collected: snapshot.collected,
            live_at_ms: snapshot.live_at_ms(),
            heap_used_bytes: snapshot.heap.as_ref().and_then(|heap| heap.used_bytes),
            measured_objects: total.measured_objects,
            measured_bytes: total.measured_bytes,
            allocated: snapshot.classes.iter().fold(0, |sum, row| sum.saturating_add(row.allocated)),
            young_collections: young,
            full_collections: full,
            pause_ms,
            components: snapshot
                .components
                .iter()
                .map(|row| ComponentPoint {
                    component: row.name.clone(),
                    live: row.objects(),
                    own_bytes: row.own_bytes,
                    deep_bytes: row.deep_bytes,
                    exclusive_bytes: row.exclusive_bytes,
                    exact: row.exact,
                })
                .collect(),
        }
    }

    /// The deep bytes of a component at that moment.
    pub(crate) fn deep_bytes(&self, component: &str) -> Option<u64> {
        self.component(component)?.deep_bytes
    }

    /// The bytes that a component holds at that moment: own ones, or deep ones if the recording has no own ones.
    pub(crate) fn held_bytes(&self, component: &str) -> Option<u64> {
        self.component(component)?.held_bytes()
    }

    fn component(&self, name: &str) -> Option<&ComponentPoint> {
        self.components.iter().find(|point| point.component == name)
    }
}
