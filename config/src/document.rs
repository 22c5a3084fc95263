//! The shape of the TOML text, as serde reads it. `reader.rs` and `settings.rs` check what it means.

use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::budget::BudgetEntry;
use crate::components::document::Components;
use crate::reader::Texts;
use crate::round_trip::RoundTripEntry;
use crate::shortage::document::ShortageSection;
use crate::trace::document::TraceEntry;

/// The version alone: a newer configuration is refused for its version, not for its new keys.
#[derive(Deserialize)]
pub(super) struct VersionOnly {
    pub(super) version: Option<Spanned<i64>>,
}

/// The configuration of Weighbridge: `weighbridge.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ConfigDocument {
    /// The version of this form: 1.
    #[cfg_attr(test, schemars(with = "crate::shape::Version"))]
    #[serde(rename = "version")]
    pub(super) _version: i64,
    /// Whether heap dumps are also read by the shipped rules of frameworks. [default: true]
    pub(super) frameworks: Option<bool>,
    /// Which classes register their objects.
    #[serde(default)]
    pub(super) instrument: Instrument,
    /// Settings for single classes; the first that matches decides.
    #[serde(default)]
    pub(super) target: Vec<TargetEntry>,
    /// What is not measured, and when to measure.
    #[serde(default)]
    pub(super) measure: Measure,
    /// Who a class belongs to: the first component with a matching pattern.
    #[serde(default)]
    pub(super) components: Components,
    /// Limits of what may be live, for `weighbridge check`.
    #[cfg_attr(test, schemars(with = "Vec<BudgetEntry>"))]
    #[serde(default)]
    pub(super) budget: Vec<Spanned<BudgetEntry>>,
    /// What may remain of operations that are done again and again, for `weighbridge check`.
    #[cfg_attr(test, schemars(with = "Vec<RoundTripEntry>"))]
    #[serde(default)]
    pub(super) round_trip: Vec<Spanned<RoundTripEntry>>,
    /// What may be cancelled when memory runs short.
    pub(super) shortage: Option<ShortageSection>,
    /// Runs of traces by probes that begin with the session of the native agent.
    #[cfg_attr(test, schemars(with = "Vec<TraceEntry>"))]
    #[serde(default)]
    pub(super) trace: Vec<Spanned<TraceEntry>>,
    /// Where recordings go.
    #[serde(default)]
    pub(super) runtime: Runtime,
}

/// Which classes register their objects.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Instrument {
    /// Classes by name: `*` within a segment, `**` across packages, `?` one character.
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::Class>"))]
    pub(super) include: Texts,
    /// Classes that never register; has priority over everything else in the file.
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::Class>"))]
    pub(super) exclude: Texts,
    /// Classes with an annotation whose type matches.
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::Class>"))]
    pub(super) annotated: Texts,
    /// Classes below a type that matches: subclasses and implementors.
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::Class>"))]
    pub(super) extends: Texts,
    /// Which archives inside an archive are read.
    pub(super) nested: Nested,
}

/// Settings for the classes that a pattern selects.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct TargetEntry {
    /// A pattern; a matching class is selected even if `include` does not name it.
    #[cfg_attr(test, schemars(with = "crate::shape::Class"))]
    pub(super) class: Spanned<String>,
    /// Measure only what these fields of the class reach. [default: all]
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::Field>"))]
    #[serde(default)]
    pub(super) fields: Texts,
    /// What is kept about the objects.
    #[serde(default)]
    pub(super) track: Track,
}

/// What is not measured, and when to measure.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Measure {
    /// Classes whose objects are never measured or entered. A pattern without wildcards means that class and its subtypes.
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::Class>"))]
    pub(super) exclude: Texts,
    /// Whether own bytes stop at the hubs of the shipped list. [default: true]
    pub(super) hubs: Option<bool>,
    /// Further classes at which own bytes stop.
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::Class>"))]
    pub(super) stop: Texts,
    /// When to measure: "exit", "every 10s", "request". [default: ["exit"]]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Moments>"))]
    pub(super) at: Option<Texts>,
    /// What measuring may cost.
    pub(super) budget: MeasureBudget,
    /// No single stop of the program by Weighbridge is meant to be longer, such as `"500ms"`. What would take longer is
    /// left out, and named. At the JVM's end nothing is. [default: "100ms"]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Duration>"))]
    pub(super) pause: Option<Spanned<String>>,
    /// Whether the runtime asks for a full collection before it measures at exit and on request. [default: "auto"]
    pub(super) gc: Option<Gc>,
    /// Whether soft references are followed as if they were strong. [default: false]
    pub(super) soft: Option<bool>,
    /// Whether it is told, of the ten largest classes, what holds their objects. [default: true]
    pub(super) holders: Option<bool>,
    /// Lower bounds of the buckets of ages, in collections survived; they rise from 0. [default: [0, 1, 2, 3, 4, 8, 16]]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Ages>"))]
    pub(super) ages: Option<Spanned<Vec<i32>>>,
    /// Patterns of thread names that group what threads construct.
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::Thread>"))]
    pub(super) threads: Texts,
    /// Frames kept of the call stack of each object that gets a weak reference, 0 to 1000. [default: 0]
    #[cfg_attr(test, schemars(with = "Option<i64>", range(min = 0, max = 1000)))]
    pub(super) sites: Option<Spanned<i64>>,
    /// What a walk over the objects may take.
    pub(super) walk: MeasureWalk,
    /// The search for the peak of live bytes.
    pub(super) peak: Option<Peak>,
}

/// What a walk over the objects may take.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct MeasureWalk {
    /// Bytes of the heap for its tables. A walk that needs more begins at a part of the objects. [default: 1/100 of the largest
    /// heap, 4 MiB at least]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Size>"))]
    pub(super) memory: Option<Spanned<String>>,
}

/// The search for the peak of live bytes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Peak {
    /// When live bytes are counted.
    pub(super) mode: PeakMode,
    /// Where a count comes from. [default: "walk"]
    pub(super) source: Option<PeakSource>,
    /// By how much a peak may be missed. [default: 1/32 of the largest heap]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Size>"))]
    pub(super) tolerance: Option<Spanned<String>>,
    /// Smaller peaks are ignored. [default: four tolerances]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Size>"))]
    pub(super) floor: Option<Spanned<String>>,
    /// Of the mode `interval`. [default: "10s"]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Duration>"))]
    pub(super) interval: Option<Spanned<String>>,
    /// The path of a heap dump at the peak; `%p` is the process, `%t` the time.
    #[cfg_attr(test, schemars(with = "Option<crate::shape::FileName>"))]
    pub(super) dump: Option<Spanned<String>>,
    /// Dumps made at most. [default: 3]
    #[cfg_attr(test, schemars(with = "Option<i64>", range(min = 1, max = 1000)))]
    pub(super) dumps: Option<Spanned<i64>>,
    /// A peak is dumped only if it exceeds the dumped one by so many percent. [default: 10]
    #[cfg_attr(test, schemars(with = "Option<i64>", range(min = 0, max = 1000)))]
    pub(super) dump_growth: Option<Spanned<i64>>,
}

/// What measuring may cost.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct MeasureBudget {
    /// Weak references per class. More mean smaller errors and longer pauses. [default: 5000]
    #[cfg_attr(test, schemars(with = "Option<i64>", range(min = 1, max = 10000000)))]
    pub(super) references: Option<Spanned<i64>>,
    /// Percent of one core that measuring at an interval may take. [default: 2]
    #[cfg_attr(test, schemars(with = "Option<i64>", range(min = 1, max = 100)))]
    pub(super) cpu_percent: Option<Spanned<i64>>,
}

/// Where recordings go.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Runtime {
    /// Whether probes do anything. [default: true]
    pub(super) enabled: Option<bool>,
    /// The path of the recording; `%p` is the process, `%t` the time. [default: "weighbridge-%p.wbr"]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::FileName>"))]
    pub(super) destfile: Option<Spanned<String>>,
    /// Whether it is measured when the JVM ends. [default: true, or what `measure.at` says]
    pub(super) dumponexit: Option<bool>,
    /// Whether the managed bean `io.weighbridge:type=Runtime` is registered. [default: false]
    pub(super) jmx: Option<bool>,
    /// A text that the recording carries, for telling runs apart.
    pub(super) sessionid: Option<String>,
    /// Where the recording goes. [default: "file"]
    pub(super) output: Option<RecordingOutput>,
}

/// Which archives in an archive are opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Nested {
    /// Those from which a class loader takes classes; others are data.
    #[default]
    Loaded,
    /// All of them.
    All,
}

/// What is kept about the objects of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Track {
    /// Exact counters and the live objects.
    #[default]
    Live,
    /// Exact counters only; escape analysis keeps working.
    Count,
}

/// Whether the runtime asks for a collection before it measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) enum Gc {
    /// Before measurements at exit and on request, so that only reachable objects count.
    Auto,
    /// Objects that died since the last collection count as live.
    Never,
}

/// When live bytes are counted in search of their peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) enum PeakMode {
    /// Never.
    Off,
    /// When what may be live exceeds the peak by more than the tolerance.
    PeakWithTolerance,
    /// When what may be live exceeds the peak.
    PeakOnly,
    /// When more than the tolerance was allocated since the last count.
    Threshold,
    /// At an interval.
    Interval,
}

/// Where a count of live bytes comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) enum PeakSource {
    /// Bytes reached from registered objects.
    Walk,
    /// The JVM's class histogram of the whole heap.
    Histogram,
    /// Heap in use after a full collection.
    Usage,
}

/// Where the recording goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) enum RecordingOutput {
    /// A file.
    File,
    /// Nowhere.
    None,
}
