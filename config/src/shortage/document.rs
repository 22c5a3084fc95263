//! The shape of `[shortage]`, as serde reads it. `mod.rs` and `settings.rs` check what it means.

use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::reader::Texts;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Shortage {
    #[serde(alias = "dry-run")]
    pub(super) dry_run: Option<bool>,
    pub(super) checkpoints: Texts,
    pub(super) retry: Texts,
    pub(super) when: When,
    pub(super) candidates: Candidates,
    pub(super) permit: Permit,
    pub(super) cancel: Cancel,
    pub(super) admit: Admit,
}

/// What is a shortage.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct When {
    pub(super) old_generation: Option<Spanned<String>>,
    pub(super) allocation: Option<Spanned<String>>,
    pub(super) container: Option<Spanned<String>>,
    pub(super) exhausted: Option<bool>,
}

/// Who holds the memory.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Candidates {
    pub(super) by: Option<Spanned<By>>,
    pub(super) measure: Option<Spanned<How>>,
    pub(super) analyser: Option<Spanned<String>>,
    pub(super) least: Option<Spanned<String>>,
    pub(super) frame: Option<Frame>,
}

/// What may be cancelled.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Permit {
    pub(super) threads: Texts,
    pub(super) scopes: Texts,
    pub(super) methods: Texts,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Cancel {
    pub(super) interrupt: Option<bool>,
    pub(super) force: Option<bool>,
    pub(super) fixed: Option<Texts>,
    pub(super) wait: Option<Spanned<String>>,
    pub(super) per_minute: Option<Spanned<i64>>,
}

/// What has to wait, or is refused.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Admit {
    pub(super) methods: Texts,
    pub(super) wait: Option<Spanned<String>>,
}

/// By which figure candidates are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum By {
    Allocated,
    Proprietary,
    Releasable,
    Oldest,
    Priority,
}

/// How it is found what a candidate holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum How {
    Cheap,
    Exact,
}

/// Which frames of a thread make it a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Frame {
    Any,
    Variable,
}
