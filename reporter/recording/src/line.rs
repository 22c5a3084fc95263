//! The lines of a recording except snapshots, as `docs/recording-format.md` names them.
//!
//! Optional keys are `Option`: `None` means "not measured", never 0. Unknown keys are ignored.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::heap_components::HeapComponents;
use crate::live_count::{LiveCount, Sites};
use crate::shortage::ShortageDecision;
use crate::snapshot::Snapshot;

/// One line of a recording.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Line {
    /// The first line of a JVM's recording. Another one later in the file starts another JVM's.
    Header(Header),
    /// A rewritten jar registered with the runtime.
    Link(LinkLine),
    /// An instrumented class and its id.
    Class(ClassLine),
    /// One measurement.
    Snapshot(Box<Snapshot>),
    /// Live bytes were counted, for the peak.
    LiveCount(Box<LiveCount>),
    /// Where the objects of the snapshot before were constructed.
    Sites(Sites),
    /// A decision in a memory shortage.
    Shortage(Box<ShortageDecision>),
    /// What components held in a heap dump.
    HeapComponents(Box<HeapComponents>),
    /// What a run of traces has found (docs/traces.md); its keys are those of the reporter.
    Traces(Box<serde_json::Map<String, serde_json::Value>>),
    /// Something the reader of a report should know.
    Note(Note),
    /// The last line of a JVM that ended in order.
    Footer(Footer),
    /// A kind that this version does not know, to be ignored.
    Unknown,
}

/// The key that every line has.
#[derive(Deserialize)]
pub(crate) struct KindKey<'a> {
    #[serde(borrow)]
    pub(crate) kind: Cow<'a, str>,
}

impl Line {
    /// Reads a line whose kind is known. Not by the tag, for that would copy all values first, and errors would not tell
    /// the column.
    pub(crate) fn of_kind(kind: &str, text: &[u8]) -> serde_json::Result<Line> {
        Ok(match kind {
            "header" => Line::Header(serde_json::from_slice(text)?),
            "link" => Line::Link(serde_json::from_slice(text)?),
            "class" => Line::Class(serde_json::from_slice(text)?),
            "snapshot" => Line::Snapshot(serde_json::from_slice(text)?),
            "live_count" => Line::LiveCount(serde_json::from_slice(text)?),
            "sites" => Line::Sites(serde_json::from_slice(text)?),
            "shortage" => Line::Shortage(serde_json::from_slice(text)?),
            "heap_components" => Line::HeapComponents(serde_json::from_slice(text)?),
            "traces" => {
                let mut keys: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(text)?;
                keys.remove("kind");
                Line::Traces(Box::new(keys))
            }
            "note" => Line::Note(serde_json::from_slice(text)?),
            "footer" => Line::Footer(serde_json::from_slice(text)?),
            _ => {
                // A line of unknown kind must be complete too.
                serde_json::from_slice::<KindKey>(text)?;
                Line::Unknown
            }
        })
    }
}

keys! {
    /// The JVM, the layout of its objects, and how figures were read in it.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    pub struct Header {
        /// Version of the format.
        pub format: u32,
        /// Version of the runtime that wrote the file.
        pub version: Option<String>,
        /// Random UUID of this recording.
        pub recording: Option<String>,
        /// The `sessionid` option.
        pub session: Option<String>,
        /// When the runtime started, milliseconds since the Unix epoch.
        pub started_ms: Option<u64>,
        /// The JVM.
        #[serde(default)]
        pub jvm: Jvm,
        /// What distinguishes the JVM's process from others with the same number.
        pub process: Option<ProcessIdentity>,
        /// Where shallow sizes come from: `instrumentation` (exact) or `formula` (estimated).
        pub sizes: Option<String>,
        /// How fields of JDK classes are read: `instrumentation`, `opened`, `unsafe` or `none`.
        pub access: Option<String>,
    }
}

impl Header {
    /// A header of the current format that says nothing about its JVM.
    pub fn new(version: &str, recording: &str) -> Self {
        Header {
            format: crate::FORMAT,
            version: Some(version.to_owned()),
            recording: Some(recording.to_owned()),
            ..Header::default()
        }
    }
}

keys! {
    /// The JVM that wrote the recording.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Jvm {
        /// Process id.
        pub pid: Option<u64>,
        /// `java.version`.
        pub version: Option<String>,
        /// `java.vendor`.
        pub vendor: Option<String>,
        /// `java.vm.name`.
        pub name: Option<String>,
        /// `G1`, `Parallel`, `Serial`, `ZGC`, `Shenandoah` or `Epsilon`.
        pub collector: Option<String>,
        /// The largest heap allowed, bytes.
        pub max_heap_bytes: Option<u64>,
        /// Whether references to objects are compressed.
        pub compressed_oops: Option<bool>,
        /// Whether class pointers in headers are compressed.
        pub compressed_class_pointers: Option<bool>,
        /// Whether headers are compact (JEP 450, JEP 519).
        pub compact_headers: Option<bool>,
        /// Objects start at multiples of this many bytes.
        pub object_alignment: Option<u64>,
        /// Bytes of an object's header.
        pub header_bytes: Option<u64>,
        /// Bytes of a reference in the heap.
        pub reference_bytes: Option<u64>,
        /// First word of `sun.java.command`, without its path.
        pub main: Option<String>,
    }

    /// What distinguishes a process from earlier and later ones with its number, and from those of other machines.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct ProcessIdentity {
        /// The machine's name for itself.
        pub host: Option<String>,
        /// The namespace of process numbers (`/proc/self/ns/pid`, Linux); each container has one.
        pub pid_namespace: Option<String>,
        /// When the process started, clock ticks since the machine's start (field 22 of proc_pid_stat(5), Linux).
        pub start_ticks: Option<u64>,
    }

    /// A rewritten jar, as its bridge class described it to the runtime.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct LinkLine {
        /// File name, `outer.jar!/lib/inner.jar` when nested.
        pub jar: Option<String>,
        /// SHA-256 of the configuration text, hex.
        pub config: Option<String>,
        /// Version of the rewriter.
        pub tool: Option<String>,
        /// First class id of this jar in this JVM.
        pub base: Option<u64>,
        /// Matched classes that were not rewritten, and why.
        pub skipped: Option<Vec<UnrewrittenClass>>,
        /// How many were skipped in all; `skipped` may be a part of them.
        pub skipped_total: Option<u64>,
    }
}

/// A matched class that was not rewritten.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnrewrittenClass {
    /// Dotted name.
    pub class: String,
    /// Why.
    pub reason: String,
}

/// How a class is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Track {
    /// Counter, live population and sizes.
    Live,
    /// Exact counter only.
    Count,
    /// A mode that this version does not know.
    #[serde(other)]
    Unknown,
}

keys! {
    /// An instrumented class and its id in snapshots.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub struct ClassLine {
        /// The id, unique in this JVM's recording.
        pub id: u64,
        /// Dotted binary name.
        pub class: String,
        /// The component it belongs to.
        pub component: Option<String>,
        /// How it is measured.
        pub track: Option<Track>,
        /// File name of its jar.
        pub jar: Option<String>,
        /// Its loader, if the native agent saw it: `boot`, `app`, `collected`, or the loader's class and identity hash.
        pub loader: Option<String>,
        /// The fields that are measured, if not all.
        pub fields: Option<Vec<String>>,
    }

    /// Something the reader of a report should know, written once.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Note {
        /// Milliseconds since the Unix epoch.
        pub at_ms: Option<u64>,
        /// A sentence.
        pub text: String,
    }

    /// The end of a JVM that ended in order.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Footer {
        /// Milliseconds since the Unix epoch.
        pub at_ms: Option<u64>,
        /// Milliseconds since the JVM started.
        pub uptime_ms: Option<u64>,
        /// `exit`, `sigterm` or another reason.
        pub reason: Option<String>,
        /// What measuring cost this JVM.
        pub cost: Option<Cost>,
    }

    /// What measuring cost a JVM.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Cost {
        /// CPU time of the probes, milliseconds, estimated.
        pub probe_cpu_ms: Option<f64>,
        /// How long the agent or the runtime took to start, milliseconds.
        pub start_ms: Option<f64>,
        /// What the agent took for classes that were loaded later, milliseconds of all threads.
        pub classes_ms: Option<f64>,
        /// Of measurements: CPU time that is not of the runtime's own thread, milliseconds.
        pub elsewhere_cpu_ms: Option<f64>,
        /// Weak references made.
        pub registrations: Option<u64>,
        /// CPU time of the runtime's own thread, milliseconds.
        pub thread_cpu_ms: Option<f64>,
        /// Time of the collectors in forced full collections, milliseconds.
        pub forced_pause_ms: Option<f64>,
        /// CPU time of measurements, milliseconds; of one by a heap dump, how long that and its reader took.
        pub measuring_cpu_ms: Option<f64>,
        /// Elapsed time of its measurements, milliseconds.
        pub measuring_wall_ms: Option<f64>,
        /// Snapshots written.
        pub snapshots: Option<u64>,
        /// Sweeps of the registry.
        pub sweeps: Option<u64>,
        /// Elapsed time of the sweeps, milliseconds.
        pub sweep_ms: Option<f64>,
        /// Heap held by the registry, bytes, estimated from the number of references.
        pub registry_bytes: Option<u64>,
        /// Forced full collections.
        pub forced_collections: Option<u64>,
        /// Bytes written to the recording.
        pub recording_bytes: Option<u64>,
    }
}
