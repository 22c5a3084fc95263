//! What is wrong with a running program, in sentences, with the figures that say so (docs/doctor.md).
//!
//! [`looks`] reads what a JVM says of itself, [`judge`] decides. A figure that was not taken is judged by nobody: the report says
//! what was looked at.

mod judge;
mod looks;

use serde::Serialize;

use weighbridge_table::sheet::{Sheet, SheetCell, SheetTable};
use weighbridge_table::units::elapsed;

pub use judge::{deadlocks, few, flight, forgotten, growth, loaders, path};
pub use looks::{Histogram, Look, lists_loaders, locked};

/// Version of the JSON keys, raised if the meaning of a key changes.
const FORMAT: u32 = 1;

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// `deadlock`, `lock_contention`, `slow_io`, `exception_storm`, `hot_allocation`, `collections`, `leak`, `map_without_bound`,
    /// `thread_local_leak`, `forgotten_objects` or `class_loader_leak`.
    pub kind: &'static str,
    /// One sentence.
    pub says: String,
    /// The figures and stacks behind it.
    pub because: Vec<String>,
    /// What to do next: a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// What was looked at.
#[derive(Debug, Clone, Serialize)]
pub struct DoctorStep {
    /// What it was.
    pub what: &'static str,
    /// What it cost, as far as that was measured; or why it was not done.
    pub note: String,
    /// Whether it was done.
    pub done: bool,
}

/// The whole examination.
#[derive(Debug, Clone, Serialize)]
pub struct DoctorReport {
    format: u32,
    /// The process.
    pub pid: u32,
    /// Its main class or jar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// How long it took.
    pub took_ms: u64,
    /// What was looked at, in order.
    pub steps: Vec<DoctorStep>,
    /// What was found; nothing if it is empty.
    pub findings: Vec<Finding>,
}

impl DoctorReport {
    /// Of a process, before anything was looked at.
    pub fn new(pid: u32, program: Option<String>) -> Self {
        DoctorReport { format: FORMAT, pid, program, took_ms: 0, steps: Vec::new(), findings: Vec::new() }
    }

    /// For people.
    pub fn sheet(&self) -> Sheet {
        let program = self.program.as_deref().map_or_else(String::new, |program| format!(", {program}"));
        let mut lines = vec![format!("process {}{program}, {}", self.pid, elapsed(self.took_ms))];
        lines.extend(self.steps.iter().map(|step| match step.done {
            true => format!("{}: {}", step.what, step.note),
            false => format!("{}: not done, {}", step.what, step.note),
        }));
        let not_done = self.steps.iter().any(|step| !step.done);
        if self.findings.is_empty() {
            lines.push(if not_done { "Nothing found so far." } else { "Nothing found." }.to_owned());
        }
        let tables = self.findings.iter().enumerate().map(|(index, finding)| {
            let mut because: Vec<Vec<SheetCell>> =
                finding.because.iter().map(|line| vec![SheetCell::text(line)]).collect();
            because.extend(finding.next.iter().map(|next| vec![SheetCell::text(format!("next: {next}"))]));
            SheetTable {
                title: format!("{}. {}", index + 1, finding.says),
                head: vec!["because"],
                rows: because,
                none: "",
                ..SheetTable::default()
            }
        });
        Sheet { title: "Examination", lines, tables: tables.collect() }
    }
}
