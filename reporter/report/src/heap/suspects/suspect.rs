//! One suspect: what it says in words and figures.

use serde::Serialize;

use super::super::path::{self, PathStep};
use weighbridge_table::sheet::SheetTable;

/// Something that stands out in a heap.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Suspect {
    /// `accumulation`, `group`, `thread_local`, `thread`, `duplicates`, `loaders`, `collections`, `finalizers` or `soft`.
    pub(super) kind: &'static str,
    /// The first sentence.
    pub(super) title: String,
    /// Bytes that it holds or wastes.
    pub(super) bytes: u64,
    /// Of the reachable bytes; those of `finalizers` are not reachable.
    pub(super) share_percent: f64,
    /// Address of the object, or of one of them.
    pub(super) object: Option<String>,
    /// Its class.
    pub(super) class: Option<String>,
    /// What holds it, in words: the field or frame that leads to it.
    pub(super) held_by: Option<String>,
    /// What is in it, by class, the most bytes first.
    pub(super) contains: Vec<Contained>,
    /// More sentences.
    pub(super) explanation: Vec<String>,
    /// How its bytes were computed, and what they miss.
    pub(super) computed: &'static str,
    /// The shortest path from a root to it.
    pub(super) path: Vec<PathStep>,
    /// Commands that tell more.
    pub(super) next: Vec<String>,
}

/// Objects of a class in a suspect.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Contained {
    pub(super) class: String,
    pub(super) objects: u64,
    pub(super) retained_bytes: u64,
}

impl Suspect {
    /// As a table of its path, with sentences above.
    pub(super) fn table(&self, number: usize) -> SheetTable {
        let mut lines = self.explanation.clone();
        lines.push(format!("computed: {}", self.computed));
        lines.extend(self.next.iter().map(|command| format!("next: {command}")));
        if !self.path.is_empty() {
            lines.push("the shortest path from a root:".to_owned());
        }
        SheetTable { none: "", ..path::table(format!("{number}. {}", self.title), lines, &self.path) }
    }
}

/// A part in percent, in tenths.
pub(super) fn percent(part: u64, whole: u64) -> f64 {
    (part as f64 * 1000.0 / whole.max(1) as f64).round() / 10.0
}
