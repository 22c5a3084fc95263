//! The shape of the TOML text, as serde reads it. `reader.rs` and `settings.rs` check what it means.

use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::budget::BudgetEntry;
use crate::components::document::Components;
use crate::reader::Texts;
use crate::shortage::document::Shortage;
use crate::trace::document::Trace;

/// The version alone: a newer configuration is refused for its version, not for its new keys.
#[derive(Deserialize)]
pub(super) struct VersionOnly {
    pub(super) version: Option<Spanned<i64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    #[serde(rename = "version")]
    pub(super) _version: i64,
    pub(super) frameworks: Option<bool>,
    #[serde(default)]
    pub(super) instrument: Instrument,
    #[serde(default)]
    pub(super) target: Vec<Target>,
    #[serde(default)]
    pub(super) measure: Measure,
    #[serde(default)]
    pub(super) components: Components,
    #[serde(default)]
    pub(super) budget: Vec<Spanned<BudgetEntry>>,
    pub(super) shortage: Option<Shortage>,
    #[serde(default)]
    pub(super) trace: Vec<Spanned<Trace>>,
    #[serde(default)]
    pub(super) runtime: Runtime,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Instrument {
    pub(super) include: Texts,
    pub(super) exclude: Texts,
    pub(super) annotated: Texts,
    pub(super) extends: Texts,
    pub(super) nested: Nested,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Target {
    pub(super) class: Spanned<String>,
    #[serde(default)]
    pub(super) fields: Texts,
    #[serde(default)]
    pub(super) track: Track,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Measure {
    pub(super) exclude: Texts,
    pub(super) hubs: Option<bool>,
    pub(super) stop: Texts,
    pub(super) at: Option<Texts>,
    pub(super) budget: Budget,
    pub(super) gc: Option<Gc>,
    pub(super) soft: Option<bool>,
    pub(super) holders: Option<bool>,
    pub(super) ages: Option<Spanned<Vec<i32>>>,
    pub(super) threads: Texts,
    pub(super) sites: Option<Spanned<i64>>,
    pub(super) peak: Option<Peak>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Peak {
    pub(super) mode: PeakMode,
    pub(super) source: Option<PeakSource>,
    pub(super) tolerance: Option<Spanned<String>>,
    pub(super) floor: Option<Spanned<String>>,
    pub(super) interval: Option<Spanned<String>>,
    pub(super) dump: Option<Spanned<String>>,
    pub(super) dumps: Option<Spanned<i64>>,
    pub(super) dump_growth: Option<Spanned<i64>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Budget {
    pub(super) references: Option<Spanned<i64>>,
    pub(super) cpu_percent: Option<Spanned<i64>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Runtime {
    pub(super) enabled: Option<bool>,
    pub(super) destfile: Option<Spanned<String>>,
    pub(super) dumponexit: Option<bool>,
    pub(super) jmx: Option<bool>,
    pub(super) sessionid: Option<String>,
    pub(super) output: Option<RecordingOutput>,
}

/// Which archives in an archive are opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
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
pub(super) enum Gc {
    Auto,
    Never,
}

/// When live bytes are counted in search of their peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PeakMode {
    Off,
    PeakWithTolerance,
    PeakOnly,
    Threshold,
    Interval,
}

/// Where a count of live bytes comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PeakSource {
    Walk,
    Histogram,
    Usage,
}

/// Where the recording goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RecordingOutput {
    File,
    None,
}
