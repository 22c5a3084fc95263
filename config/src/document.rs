//! The shape of the TOML text, as serde reads it; meaning is checked in `lib.rs` and `settings.rs`, where positions are still known.

use toml::Spanned;

use crate::budget::Amount;
use crate::components::document::Components;

/// Texts with their byte range.
pub(super) type Texts = Vec<Spanned<String>>;

/// Only the version, so that a newer configuration is refused by name and not for its new keys.
#[derive(serde::Deserialize)]
pub(super) struct VersionOnly {
    pub(super) version: Option<Spanned<i64>>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    #[serde(rename = "version")]
    pub(super) _version: i64,
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
    #[serde(default)]
    pub(super) runtime: Runtime,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BudgetEntry {
    pub(super) class: Option<Spanned<String>>,
    pub(super) component: Option<String>,
    pub(super) tag: Option<Spanned<String>>,
    pub(super) figure: Spanned<crate::budget::Figure>,
    pub(super) max: Option<Spanned<Amount>>,
    pub(super) max_increase: Option<Spanned<Amount>>,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Instrument {
    pub(super) include: Texts,
    pub(super) exclude: Texts,
    pub(super) annotated: Texts,
    pub(super) extends: Texts,
    pub(super) nested: super::Nested,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Target {
    pub(super) class: Spanned<String>,
    #[serde(default)]
    pub(super) fields: Texts,
    #[serde(default)]
    pub(super) track: super::Track,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Measure {
    pub(super) exclude: Texts,
    pub(super) hubs: Option<bool>,
    pub(super) stop: Texts,
    pub(super) at: Option<Texts>,
    pub(super) budget: Budget,
    pub(super) gc: Option<super::Gc>,
    pub(super) soft: Option<bool>,
    pub(super) holders: Option<bool>,
    pub(super) ages: Option<Spanned<Vec<i32>>>,
    pub(super) threads: Texts,
    pub(super) sites: Option<Spanned<i64>>,
    pub(super) peak: Option<Peak>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Peak {
    pub(super) mode: super::PeakMode,
    pub(super) source: Option<super::PeakSource>,
    pub(super) tolerance: Option<Spanned<String>>,
    pub(super) floor: Option<Spanned<String>>,
    pub(super) interval: Option<Spanned<String>>,
    pub(super) dump: Option<Spanned<String>>,
    pub(super) dumps: Option<Spanned<i64>>,
    pub(super) dump_growth: Option<Spanned<i64>>,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Budget {
    pub(super) references: Option<Spanned<i64>>,
    pub(super) cpu_percent: Option<Spanned<i64>>,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Runtime {
    pub(super) enabled: Option<bool>,
    pub(super) destfile: Option<Spanned<String>>,
    pub(super) dumponexit: Option<bool>,
    pub(super) jmx: Option<bool>,
    pub(super) sessionid: Option<String>,
    pub(super) output: Option<super::RecordingOutput>,
}
