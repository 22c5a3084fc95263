//! The shape of `[shortage]`, as serde reads it. `mod.rs` and `settings.rs` check what it means.

use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::reader::Texts;

/// What may be cancelled when memory runs short (docs/shortage.md).
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(transform = crate::shape::with_dry_run))]
pub(crate) struct ShortageSection {
    /// Decide and record, and touch nothing. [default: true]
    #[serde(alias = "dry-run")]
    pub(super) dry_run: Option<bool>,
    /// Methods that ask at their entry and in their loops whether they are cancelled.
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::Method>"))]
    pub(super) checkpoints: Texts,
    /// Methods that may run again from their start after an `OutOfMemoryError`.
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::Method>"))]
    pub(super) retry: Texts,
    /// What is a shortage.
    pub(super) when: When,
    /// Who holds the memory.
    pub(super) candidates: Candidates,
    /// What may be cancelled; nothing else is.
    pub(super) permit: Permit,
    /// How it is cancelled.
    pub(super) cancel: Cancel,
    /// What has to wait, or is refused.
    pub(super) admit: Admit,
}

/// What is a shortage.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct When {
    /// After a collection, the old generation is so full. [default: "90%"]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::PercentOrOff>"))]
    pub(super) old_generation: Option<Spanned<String>>,
    /// So many bytes are allocated a second. [default: "off"]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::SizeOrOff>"))]
    pub(super) allocation: Option<Spanned<String>>,
    /// The process uses so much of the memory limit of its control group. [default: "off"]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::PercentOrOff>"))]
    pub(super) container: Option<Spanned<String>>,
    /// An `OutOfMemoryError` is about to be thrown. [default: true]
    pub(super) exhausted: Option<bool>,
}

/// Who holds the memory.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(transform = crate::shape::candidate_rules))]
pub(super) struct Candidates {
    /// The order of candidates. [default: "allocated"]
    #[cfg_attr(test, schemars(with = "Option<CandidateOrder>"))]
    pub(super) by: Option<Spanned<CandidateOrder>>,
    /// How it is found what a candidate holds. [default: "cheap"]
    #[cfg_attr(test, schemars(with = "Option<How>"))]
    pub(super) measure: Option<Spanned<How>>,
    /// The absolute path of the program `weighbridge`; `measure = "exact"` needs it.
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Program>"))]
    pub(super) analyser: Option<Spanned<String>>,
    /// What holds less is no candidate: a part of the heap, or bytes. [default: "2%"]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::PercentOrSize>"))]
    pub(super) least: Option<Spanned<String>>,
    /// Which frames of a thread make it a candidate. [default: "any"]
    pub(super) frame: Option<Frame>,
}

/// What may be cancelled.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Permit {
    /// Patterns of thread names.
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::Thread>"))]
    pub(super) threads: Texts,
    /// Scopes `key=value`; `*` stands for any characters.
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::Scope>"))]
    pub(super) scopes: Texts,
    /// A thread that executes one of these methods may be cancelled.
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::Method>"))]
    pub(super) methods: Texts,
}

/// How it is cancelled.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Cancel {
    /// Interrupt the thread of what is cancelled, so that a wait ends. [default: true]
    pub(super) interrupt: Option<bool>,
    /// Stop a thread that does not end by itself. [default: false]
    pub(super) force: Option<bool>,
    /// Class patterns: frames of system code. [default: those of the JDK]
    #[cfg_attr(test, schemars(with = "Option<Vec<crate::shape::Class>>"))]
    pub(super) fixed: Option<Texts>,
    /// How long what is cancelled may take to end. [default: "2s"]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Duration>"))]
    pub(super) wait: Option<Spanned<String>>,
    /// Cancellations a minute at most, 1 to 600. [default: 6]
    #[cfg_attr(test, schemars(with = "Option<i64>", range(min = 1, max = 600)))]
    pub(super) per_minute: Option<Spanned<i64>>,
}

/// What has to wait, or is refused.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Admit {
    /// While memory is short, these methods wait at their entry.
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::Method>"))]
    pub(super) methods: Texts,
    /// How long they wait before they are refused; "0s" refuses at once. [default: "1s"]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Wait>"))]
    pub(super) wait: Option<Spanned<String>>,
}

/// By which figure candidates are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) enum CandidateOrder {
    /// Who has allocated most.
    Allocated,
    /// Who holds most that nothing else holds; needs `measure = "exact"`.
    Proprietary,
    /// Whose end frees most; needs `measure = "exact"`.
    Releasable,
    /// Who runs longest.
    Oldest,
    /// Whose thread has the lowest priority.
    Priority,
}

/// How it is found what a candidate holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) enum How {
    /// By what threads have allocated.
    Cheap,
    /// By a heap dump that the analyser reads.
    Exact,
}

/// Which frames of a thread make it a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) enum Frame {
    /// All.
    Any,
    /// Those that differ between threads.
    Variable,
}
