//! Decisions of the control on memory shortage.

use serde::{Deserialize, Serialize};
use weighbridge_recording::ShortageDecision;

use weighbridge_table::units::{bytes, count_with_noun};

/// A decision in one JVM.
#[derive(Debug, Clone, Serialize)]
pub struct Decision {
    /// Index of the JVM in the report.
    pub jvm: usize,
    /// What the recording says.
    #[serde(flatten)]
    pub line: ShortageDecision,
}

/// What a running JVM says of its control on memory shortage (docs/control.md).
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ShortageState {
    /// `off`, `observe` or `act`.
    pub mode: String,
    /// Memory is short now.
    pub short: bool,
    /// How often gates have delayed work.
    pub delayed: u64,
    /// How often gates have refused work.
    pub refused: u64,
    /// Pieces of work that are under way.
    pub works: u64,
    /// The last decisions, the oldest first.
    pub decisions: Vec<ShortageDecision>,
}

impl Decision {
    /// Whether a piece of work was cancelled, and has ended.
    pub fn has_cancelled(&self) -> bool {
        self.line.ended == Some(true) && self.line.dry_run != Some(true)
    }

    /// How memory was afterwards, for people. A dry run does not look.
    pub(crate) fn memory(&self) -> &'static str {
        match (self.line.dry_run, self.line.resolved) {
            (Some(true), _) => "-",
            (_, Some(true)) => "free again",
            _ => "still short",
        }
    }

    /// Why memory was short, for people.
    pub fn cause(&self) -> String {
        let (used, limit) = (self.line.used_bytes.unwrap_or(0), self.line.limit_bytes.unwrap_or(0));
        match self.line.cause.as_deref() {
            Some("old_generation") => format!("old generation {} of at most {}", bytes(used), bytes(limit)),
            Some("allocation") => format!("{} a second allocated, at most {}", bytes(used), bytes(limit)),
            Some("container") => format!("container {} of at most {}", bytes(used), bytes(limit)),
            _ => "heap exhausted".to_owned(),
        }
    }

    /// What was done, for people.
    pub fn describe_action(&self) -> String {
        let name = self.line.chosen.as_deref().unwrap_or("?");
        match (self.line.action.as_deref(), self.line.ended) {
            (Some("would_cancel"), _) => format!("dry run: would cancel {name}"),
            (Some("cooperative"), Some(true)) => format!("cancelled {name}"),
            (Some("forced"), Some(true)) => format!("stopped {name} by force"),
            (Some("cooperative" | "forced"), _) => format!("{name} did not end"),
            _ => "nothing".to_owned(),
        }
    }
}

/// What metrics tell of decisions: counters, which only grow, whatever becomes of the decisions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShortageCounts {
    /// Decisions by [`ShortageCounts::ACTIONS`].
    pub decisions: [u64; 4],
    /// Freed by what was cancelled.
    pub freed_bytes: u64,
    /// How often gates had delayed work, as of the last decision.
    pub delayed: u64,
    /// How often they had refused work, as of the last decision.
    pub refused: u64,
    /// JVMs whose last decision left memory short; `None` after dry runs alone, which do not look.
    pub unresolved: Option<u64>,
}

impl ShortageCounts {
    /// The keys `action` of recordings.
    pub const ACTIONS: [&str; 4] = ["none", "would_cancel", "cooperative", "forced"];

    /// Adds the next decision of a JVM.
    pub fn add(&mut self, line: &ShortageDecision) {
        let action = Self::ACTIONS.iter().position(|known| line.action.as_deref() == Some(known)).unwrap_or(0);
        self.decisions[action] += 1;
        self.freed_bytes = self.freed_bytes.saturating_add(line.freed_bytes.unwrap_or(0));
        self.delayed = line.delayed.unwrap_or(self.delayed);
        self.refused = line.refused.unwrap_or(self.refused);
        if line.dry_run != Some(true) {
            self.unresolved = Some((line.resolved != Some(true)).into());
        }
    }

    /// Adds those of another JVM.
    pub(crate) fn merge(&mut self, other: &ShortageCounts) {
        for (sum, count) in self.decisions.iter_mut().zip(other.decisions) {
            *sum += count;
        }
        self.freed_bytes = self.freed_bytes.saturating_add(other.freed_bytes);
        self.delayed += other.delayed;
        self.refused += other.refused;
        self.unresolved = [self.unresolved, other.unresolved].into_iter().flatten().reduce(|a, b| a + b);
    }

    /// Whether there was a decision.
    pub(crate) fn any(&self) -> bool {
        self.decisions.iter().any(|count| *count > 0)
    }
}

/// The sentence of a report's summary.
pub(crate) fn sentence(decisions: &[Decision]) -> Option<String> {
    let (last, count) = (decisions.last()?, decisions.len() as u64);
    let cancelled: Vec<&Decision> = decisions.iter().filter(|decision| decision.has_cancelled()).collect();
    let freed = cancelled.iter().filter_map(|decision| decision.line.freed_bytes).sum();
    let decided = count_with_noun(count, "decision", "decisions");
    Some(match (last.line.dry_run, cancelled.len()) {
        (Some(true), _) => format!("Memory was short: {decided} in a dry run, nothing was touched."),
        (_, 0) => format!("Memory was short: {decided}, nothing was cancelled."),
        (_, some) => format!(
            "Memory was short: {decided}, {} cancelled, {} freed.",
            count_with_noun(some as u64, "piece of work was", "pieces of work were"),
            bytes(freed)
        ),
    })
}
