//! What a replay says, in figures: the JSON report. Its keys are a public interface (`docs/replay.md`).

use serde::Serialize;

use super::beside::Beside;
use super::curve::CurvePoint;
use super::groups::LifeRow;
use super::held::{HeldRow, HeldSite};
use super::modes::ModeFigures;

/// Version of the JSON keys, raised if the meaning of a key changes.
pub(super) const FORMAT: u32 = 1;

/// What a replay says. Events count from 0 in the order of the whole program; figures are exact unless `doubts` say more.
#[derive(Debug, Clone, Serialize)]
pub struct ReplayReport {
    pub(super) format: u32,
    pub(super) trace: ReplayedTrace,
    pub(super) totals: Totals,
    /// What limits the figures, in sentences.
    pub(super) doubts: Vec<String>,
    pub(super) utilization: Utilization,
    pub(super) peak: Option<Peak>,
    /// Events that changed the live bytes; `curve` has at most some 1,000 of them, with every extreme.
    pub(super) changes: u64,
    /// The tolerance of the modes that are in the curve, bytes.
    pub(super) curve_tolerance_bytes: u64,
    pub(super) curve: Vec<CurvePoint>,
    pub(super) modes: Vec<ModeFigures>,
    /// All objects together.
    pub(super) lives: LifeRow,
    pub(super) classes: Vec<LifeRow>,
    pub(super) sites: Vec<LifeRow>,
    /// Fields that code with probes wrote and never read.
    pub(super) never_read: Vec<FieldRow>,
    /// Entries of the methods that were asked for.
    pub(super) at: Vec<Entered>,
    pub(super) recording: Option<Beside>,
}

/// The trace.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ReplayedTrace {
    pub(super) file: String,
    pub(super) java_version: String,
    /// The name of the virtual machine.
    pub(super) vm: String,
    /// Whether the program ended in order; if not, why its end is missing.
    pub(super) complete: bool,
    pub(super) incomplete: Option<String>,
    /// Classes without probes, with the reason.
    pub(super) skipped: Vec<SkippedRow>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct SkippedRow {
    pub(super) class: String,
    pub(super) reason: String,
}

/// Counts of the whole trace.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Totals {
    pub(super) events: u64,
    pub(super) threads: u32,
    /// Objects that were allocated while the trace ran, `met_objects` included.
    pub(super) objects: u64,
    pub(super) allocated_bytes: u64,
    /// Objects that no probe saw being made.
    pub(super) met_objects: u64,
    pub(super) met_bytes: u64,
    /// Objects that existed before the trace and that some event named.
    pub(super) existed_objects: u64,
    pub(super) existed_bytes: u64,
    pub(super) live_at_end_objects: u64,
    pub(super) live_at_end_bytes: u64,
    /// Events that named an object which no event had introduced.
    pub(super) unknown_events: u64,
    /// Births of objects that were known already.
    pub(super) twice: u64,
    /// Objects that were named after they had been taken for dead.
    pub(super) revived: u64,
}

/// Live bytes as a part of allocated bytes. Objects that existed before the trace are in neither.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Utilization {
    /// The mean over all allocated bytes: each object weighs with its size, and has the utilization right after its birth.
    pub(super) mean: Option<f64>,
    pub(super) at_peak: Option<f64>,
    pub(super) at_end: Option<f64>,
}

/// The first moment at which most bytes lived.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Peak {
    pub(super) event: u64,
    pub(super) allocated_bytes: u64,
    pub(super) live_bytes: u64,
    pub(super) classes: Vec<HeldRow>,
    pub(super) sites: Vec<HeldSite>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct FieldRow {
    pub(super) class: String,
    pub(super) field: String,
}

/// The entries of a method.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Entered {
    pub(super) method: String,
    pub(super) entries: u64,
    /// The entries with a table: all, or evenly chosen ones.
    pub(super) shown: Vec<MethodEntry>,
}

/// An entry of a method: what lived then.
#[derive(Debug, Clone, Serialize)]
pub(super) struct MethodEntry {
    /// Its number among the entries, from 1.
    pub(super) number: u64,
    pub(super) event: u64,
    pub(super) allocated_bytes: u64,
    pub(super) live_bytes: u64,
    pub(super) classes: Vec<HeldRow>,
}
