//! The `snapshot` line and its rows.

use serde::{Deserialize, Serialize};

use crate::holders::Holders;

/// One measurement of one JVM.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Number of the snapshot in its recording, from 1.
    pub seq: u64,
    /// Milliseconds since the Unix epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_ms: Option<u64>,
    /// Milliseconds since the JVM started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uptime_ms: Option<u64>,
    /// `exit`, `interval`, `request` or `sigterm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The label a request gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Whether a full collection was forced right before. Without one, objects that died since the
    /// last collection still count as live.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collected: Option<bool>,
    /// How measurements at an interval are put off at that moment; absent if they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// The JVM's own heap figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heap: Option<Heap>,
    /// Collections since the JVM started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collections: Option<Collections>,
    /// Lower bounds of the buckets of ages, ascending from 0; the last bucket is open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub age_from: Vec<u64>,
    /// One row per class that allocated anything.
    #[serde(default)]
    pub classes: Vec<ClassRow>,
    /// One row per component.
    #[serde(default)]
    pub components: Vec<ComponentRow>,
    /// One row per group of threads that constructed anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<ThreadRow>,
    /// One row per tag.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<TagRow>,
    /// Every reached object once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<Total>,
    /// Bytes reached from several components, each object once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_once_bytes: Option<u64>,
    /// How the walk went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub walk: Option<Walk>,
}

/// An interval that was stretched, because a measurement cost more than its share of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Interval {
    /// The interval that the options ask for, milliseconds.
    pub asked_ms: u64,
    /// From the measurement that cost so much to the next one at the interval, milliseconds.
    pub stretched_ms: u64,
    /// Its CPU time, or elapsed time where the JVM does not tell that, milliseconds.
    pub cost_ms: u64,
    /// The share of one core that measuring at an interval may take, percent.
    pub cpu_percent: u64,
}

/// The JVM's own figures of its heap, bytes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Heap {
    /// Used, garbage included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_bytes: Option<u64>,
    /// Committed by the JVM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub committed_bytes: Option<u64>,
    /// Allowed at most; absent if unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Of the used bytes, what the runtime itself holds: counted object by object. Absent in recordings of older runtimes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime_bytes: Option<u64>,
}

/// Collections since the JVM started.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Collections {
    /// Young collections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub young: Option<u64>,
    /// Full (or major) collections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full: Option<u64>,
    /// The collectors' own accumulated time, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause_ms: Option<u64>,
}

/// Why a class has objects without a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SampledFor {
    /// It constructed more objects between two collections than may be registered.
    Rate,
    /// More of its objects live than its share of the references.
    Share,
    /// An object could not be registered: memory or stack ran out, or counting was switched off.
    Lost,
    /// Of a newer runtime.
    #[serde(other)]
    Other,
}

/// The figures of one class.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassRow {
    /// Id of its `class` line.
    pub id: u64,
    /// Objects whose constructor returned normally, exact.
    pub allocated: u64,
    /// Live objects: exact if `live_error` is 0, else estimated without bias.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<u64>,
    /// One standard error of `live`, objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live_error: Option<f64>,
    /// Whether every live object is tracked: then all that the row says is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
    /// Whether `live` and `shallow_bytes` are the JVM's own count, right after a full collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted: Option<bool>,
    /// Why some objects are not tracked, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled_for: Option<SampledFor>,
    /// Weak references behind the figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tracked: Option<u64>,
    /// Shallow bytes of the live objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shallow_bytes: Option<u64>,
    /// Bytes that the tracked objects hold without passing an object of another class, and that no other class holds so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_bytes: Option<u64>,
    /// Bytes that they hold so and that other classes hold so, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_shared_bytes: Option<u64>,
    /// Bytes reached from the tracked objects, each object once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deep_bytes: Option<u64>,
    /// Objects reached from the tracked objects, each once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deep_objects: Option<u64>,
    /// Part of `deep_bytes` reached from no other tracked class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclusive_bytes: Option<u64>,
    /// The rest of `deep_bytes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_bytes: Option<u64>,
    /// Memory outside the heap that direct buffers among the reached objects own, bytes; in no other figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off_heap_bytes: Option<u64>,
    /// What holds the tracked objects, if that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holders: Option<Holders>,
    /// Collections survived by the oldest tracked object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest: Option<u64>,
    /// Full collections that a tracked object survived at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_full: Option<u64>,
    /// Different ages among the tracked objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generations: Option<u64>,
    /// Live objects by collections survived, side by side with the snapshot's `age_from`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ages: Option<Vec<u64>>,
    /// The same by full collections alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_ages: Option<Vec<u64>>,
    /// Shallow bytes of an instance of the class itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_bytes: Option<u64>,
    /// Objects allocated since the last collection that was seen, exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_collection: Option<u64>,
    /// Objects allocated between the last two collections that were seen, exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_cycle: Option<u64>,
}

/// What a group of threads, or the program under a tag, constructed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OriginRow {
    /// Objects constructed: exact by thread, estimated by tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocated: Option<u64>,
    /// One standard error of `allocated`, if it is estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocated_error: Option<f64>,
    /// Live objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<u64>,
    /// One standard error of `live`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live_error: Option<f64>,
    /// Weak references behind `live`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tracked: Option<u64>,
    /// Shallow bytes of the live objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shallow_bytes: Option<u64>,
    /// Of a tag: bytes that its objects hold without passing objects of others, and that no other value of its key holds so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_bytes: Option<u64>,
}

/// One group of threads.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ThreadRow {
    /// Its name.
    pub name: String,
    /// What it constructed.
    #[serde(flatten)]
    pub figures: OriginRow,
}

/// One tag.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TagRow {
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: String,
    /// What was constructed under it.
    #[serde(flatten)]
    pub figures: OriginRow,
}

/// The figures of one component.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ComponentRow {
    /// Its name; `(none)` holds the classes that no component claims.
    pub name: String,
    /// Live objects of its classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<u64>,
    /// One standard error of `live`, objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live_error: Option<f64>,
    /// Whether `live` is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
    /// Shallow bytes of its live objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shallow_bytes: Option<u64>,
    /// Bytes that its objects hold without passing an object of another component, and that no other component holds so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_bytes: Option<u64>,
    /// Bytes that they hold so and that other components hold so, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_shared_bytes: Option<u64>,
    /// Bytes reached from its tracked objects, each object once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deep_bytes: Option<u64>,
    /// Part of `deep_bytes` reached from no other component.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclusive_bytes: Option<u64>,
    /// Part of `deep_bytes` reached from another component too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_bytes: Option<u64>,
    /// Its part of the shared bytes when they are split evenly; the column adds up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_even_bytes: Option<u64>,
    /// Memory outside the heap that direct buffers among the reached objects own, bytes; in no other figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off_heap_bytes: Option<u64>,
}

/// Every object reached from any tracked object, once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Total {
    /// Objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_objects: Option<u64>,
    /// Bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_bytes: Option<u64>,
    /// Memory outside the heap that direct buffers among them own, bytes; in no other figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off_heap_bytes: Option<u64>,
}

/// How the walk over the objects went.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Walk {
    /// Objects visited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objects: Option<u64>,
    /// Elapsed nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ns: Option<u64>,
    /// Objects that were counted but could not be entered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_objects: Option<u64>,
    /// Why the walk ended early; deep figures are then absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}
