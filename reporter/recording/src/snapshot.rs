//! The `snapshot` line and its rows.

use serde::{Deserialize, Serialize};

use crate::class_rows::ClassRow;

keys! {
    /// One measurement of one JVM.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub struct Snapshot {
        /// Number of the snapshot in its recording, from 1.
        pub seq: u64,
        /// Milliseconds since the Unix epoch.
        pub at_ms: Option<u64>,
        /// Milliseconds since the JVM started.
        pub uptime_ms: Option<u64>,
        /// `exit`, `interval`, `request` or `sigterm`.
        pub reason: Option<String>,
        /// The label that the request gave.
        pub label: Option<String>,
        /// Whether a full collection was forced right before.
        pub collected: Option<bool>,
        /// The last full marking of the heap; absent if none is known, and in old recordings.
        #[serde(default)]
        pub marking: Option<Marking>,
        /// How measurements at an interval are delayed at that moment; absent if they are not.
        #[serde(default)]
        pub interval: Option<Interval>,
        /// The JVM's own heap figures.
        pub heap: Option<JvmHeap>,
        /// Collections since the JVM started.
        pub collections: Option<Collections>,
        /// Lower bounds of the buckets of ages, ascending from 0; the last bucket is open.
        #[serde(default)]
        pub age_from: Vec<u64>,
        /// One row per class that allocated anything.
        #[serde(default)]
        pub classes: Vec<ClassRow>,
        /// One row per component.
        #[serde(default)]
        pub components: Vec<ComponentRow>,
        /// One row per group of threads that constructed anything.
        #[serde(default)]
        pub threads: Vec<ThreadRow>,
        /// One row per tag.
        #[serde(default)]
        pub tags: Vec<TagRow>,
        /// Every reached object once.
        pub total: Option<Total>,
        /// Bytes reached from several components, each object once.
        pub shared_once_bytes: Option<u64>,
        /// How the walk went.
        pub walk: Option<WalkOutcome>,
        /// The heap dump that the figures are from; absent if they are those of a walk.
        #[serde(default)]
        pub dump: Option<Dumped>,
    }
}

/// A heap dump that was read for a snapshot: its figures are of all objects of the classes, whatever is registered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Dumped {
    /// Objects that can be reached.
    pub objects: Option<u64>,
    /// Their bytes.
    pub bytes: Option<u64>,
    /// How long the program was stopped for it, at most: the collection before it is in that.
    pub stopped_ns: Option<u64>,
}

/// A full collection, or a cycle of a concurrent collector: what it left was live when it began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Marking {
    /// When it began, or a little earlier, milliseconds since the JVM started.
    pub uptime_ms: Option<u64>,
    /// When it had certainly begun; absent if `uptime_ms` is known to the millisecond, and in older recordings.
    pub until_ms: Option<u64>,
}

impl Snapshot {
    /// Whether the figures of its rows are of objects that lived at a full marking. Otherwise no collection has removed them,
    /// and dead ones may be among them.
    pub fn is_live(&self) -> bool {
        self.marking.is_some() || self.collected == Some(true)
    }

    /// When the objects of its rows were found alive, milliseconds since the JVM started; `None` if they were not.
    pub fn live_at_ms(&self) -> Option<u64> {
        match self.marking {
            Some(marking) => marking.uptime_ms,
            None => self.uptime_ms.filter(|_| self.collected == Some(true)),
        }
    }
}

/// An interval that was stretched because a measurement cost more than its share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Interval {
    /// The interval that the options ask for, milliseconds.
    pub asked_ms: u64,
    /// From that measurement to the next one at the interval, milliseconds.
    pub stretched_ms: u64,
    /// Its CPU time, or elapsed time if the JVM does not give CPU time, milliseconds.
    pub cost_ms: u64,
    /// The share of one core that measuring at an interval may take, percent.
    pub cpu_percent: u64,
}

keys! {
    /// The JVM's own figures of its heap, bytes.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct JvmHeap {
        /// Used, garbage included.
        pub used_bytes: Option<u64>,
        /// Committed by the JVM.
        pub committed_bytes: Option<u64>,
        /// Allowed at most; absent if unlimited.
        pub max_bytes: Option<u64>,
        /// The part of the used bytes that the runtime itself holds, counted object by object. Absent in recordings of
        /// older runtimes.
        pub runtime_bytes: Option<u64>,
    }

    /// Collections since the JVM started.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Collections {
        /// Young collections.
        pub young: Option<u64>,
        /// Full (or major) collections.
        pub full: Option<u64>,
        /// The collectors' own accumulated time, milliseconds.
        pub pause_ms: Option<u64>,
    }
}

keys! {
    /// What a group of threads, or the program under a tag, constructed.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    pub struct OriginRow {
        /// Objects constructed: exact by thread, estimated by tag.
        pub allocated: Option<u64>,
        /// One standard error of `allocated`, if it is estimated.
        pub allocated_error: Option<f64>,
        /// Live objects, at the snapshot's marking. In old recordings without a marking: objects that no collection has
        /// removed.
        pub live: Option<u64>,
        /// One standard error of `live`, objects.
        pub live_error: Option<f64>,
        /// Objects that no collection has removed, dead ones among them.
        pub not_collected: Option<u64>,
        /// One standard error of `not_collected`, objects.
        pub not_collected_error: Option<f64>,
        /// Weak references behind them.
        pub tracked: Option<u64>,
        /// Shallow bytes of the live objects.
        pub shallow_bytes: Option<u64>,
        /// Of a tag: bytes that its objects hold without passing objects of others, and that no other value of its key
        /// holds so.
        pub own_bytes: Option<u64>,
    }
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

keys! {
    /// The figures of one component.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    pub struct ComponentRow {
        /// Its name; `(none)` is of the classes without a component.
        pub name: String,
        /// Live objects of its classes, at the snapshot's marking. In old recordings without a marking: objects that no collection has
        /// removed.
        pub live: Option<u64>,
        /// One standard error of `live`, objects.
        pub live_error: Option<f64>,
        /// Objects of its classes that no collection has removed, dead ones among them.
        pub not_collected: Option<u64>,
        /// One standard error of `not_collected`, objects.
        pub not_collected_error: Option<f64>,
        /// Whether they are exact.
        pub exact: Option<bool>,
        /// Shallow bytes of its live objects.
        pub shallow_bytes: Option<u64>,
        /// Bytes that its objects hold without passing an object of another component, and that no other component holds
        /// so.
        pub own_bytes: Option<u64>,
        /// Bytes that they hold so and other components hold so too.
        pub own_shared_bytes: Option<u64>,
        /// Bytes reached from its tracked objects, each object once.
        pub deep_bytes: Option<u64>,
        /// Part of `deep_bytes` reached from no other component.
        pub exclusive_bytes: Option<u64>,
        /// Part of `deep_bytes` reached from another component too.
        pub shared_bytes: Option<u64>,
        /// Its part of the shared bytes if they are split evenly; the column adds up.
        pub shared_even_bytes: Option<u64>,
        /// Memory outside the heap that direct buffers among the reached objects own, bytes; in no other figure.
        pub off_heap_bytes: Option<u64>,
    }

    /// Every object reached from any tracked object, once.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Total {
        /// Objects.
        pub measured_objects: Option<u64>,
        /// Bytes.
        pub measured_bytes: Option<u64>,
        /// Memory outside the heap that direct buffers among them own, bytes; in no other figure.
        pub off_heap_bytes: Option<u64>,
    }

    /// How the walk over the objects went.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct WalkOutcome {
        /// Objects visited.
        pub objects: Option<u64>,
        /// Elapsed nanoseconds.
        pub ns: Option<u64>,
        /// Objects that were counted but could not be entered.
        pub closed_objects: Option<u64>,
        /// It began at one in so many registered objects, for it had no memory for more; absent if at each.
        pub roots_every: Option<u64>,
        /// Why the walk ended early; deep figures are then absent.
        pub stopped: Option<String>,
    }
}

/// The number of objects that a row's other figures are of.
macro_rules! objects {
    ($($row:ident)*) => {$(
        impl $row {
            /// Objects that lived at the marking; without one, those that no collection has removed.
            pub fn objects(&self) -> Option<u64> {
                self.live.or(self.not_collected)
            }

            /// One standard error of `objects`.
            pub fn objects_error(&self) -> Option<f64> {
                if self.live.is_some() { self.live_error } else { self.not_collected_error }
            }
        }
    )*};
}

objects!(ClassRow ComponentRow OriginRow);
