//! Reads the recordings and reports that are compared, judges budgets and round trips on them, and writes the verdicts in the
//! forms of build servers.
//!
//! It knows what a configuration allows and what a report says. It knows no flag, no exit code, and not how a figure is made.

mod aggregate;
pub mod compared;
pub mod foreign;
mod judge;
pub mod markdown;
mod round_trips;
pub mod sarif;
pub mod verdicts;

pub use aggregate::aggregate;
pub use judge::{Outcome, Verdict};

use weighbridge_config::Config;
use weighbridge_reporter::SavedReport;

/// The verdicts of all budgets and round trips of a configuration.
pub fn judge_all(config: &Config, report: &SavedReport, baseline: Option<&SavedReport>) -> Vec<Verdict> {
    let of_budgets = config.budgets.iter().flat_map(|budget| judge::judge(budget, report, baseline));
    of_budgets.chain(config.round_trips.iter().flat_map(|allowed| round_trips::judge(allowed, report))).collect()
}
