//! Budgets from the figures of a first run.

use weighbridge_check::compared::Compared;
use weighbridge_config::{Pattern, PatternSet};
use weighbridge_ending::Failure;
use weighbridge_reporter::units::{bytes, count};
use weighbridge_reporter::{ReportRow, SavedReport};

use crate::proposal::Proposal;

/// Classes that get a budget of their own, the largest first.
const MOST_CLASSES: usize = 5;
const KIB: u64 = 1024;

/// Budgets, and what they were made of.
pub struct Budgets {
    /// The run.
    pub(crate) from: String,
    pub(crate) margin: u32,
    pub(crate) budgets: Vec<ProposedBudget>,
}

/// A limit of a component or a class.
pub(crate) struct ProposedBudget {
    /// `component` or `class`.
    pub(crate) key: &'static str,
    pub(crate) name: String,
    pub(crate) figure: &'static str,
    /// As the file has it.
    pub(crate) max: String,
    /// What was measured, and how.
    pub(crate) comment: String,
}

/// Limits of the own bytes and live objects of the proposed components, and of the largest classes.
pub fn propose(measured: &Compared, proposal: &Proposal, margin: u32) -> Result<Budgets, Failure> {
    let report: &SavedReport = &measured.report;
    let mut budgets = Vec::new();
    for component in &proposal.components {
        let row = report.components.iter().find(|row| row.component == component.name);
        let Some(row) = row else { continue };
        budgets.extend(budget("component", &component.name, "own_bytes", row, margin));
        budgets.extend(budget("component", &component.name, "live", row, margin));
    }
    let patterns = proposal.include.iter().filter_map(|text| Pattern::parse(text).ok()).collect();
    let included = PatternSet::new(patterns);
    let mut classes: Vec<_> = report
        .classes
        .iter()
        // What a loader follows is no name that a budget could have.
        .filter(|row| Pattern::parse(&row.class).is_ok() && included.matches_class(&row.class))
        .collect();
    classes.sort_by_key(|row| std::cmp::Reverse(row.value("own_bytes").count()));
    classes.dedup_by_key(|row| row.class.clone());
    for row in classes.into_iter().filter(|row| row.value("own_bytes").count() > Some(0)).take(MOST_CLASSES) {
        budgets.extend(budget("class", &row.class, "own_bytes", row, margin));
    }
    if budgets.is_empty() {
        return Err(Failure::input(format!(
            "{}: it has no figure of a class or component that is proposed, so no budget follows from it",
            measured.name
        )));
    }
    Ok(Budgets { from: measured.name.clone(), margin, budgets })
}

fn budget<R: ReportRow>(
    key: &'static str,
    name: &str,
    figure: &'static str,
    row: &R,
    margin: u32,
) -> Option<ProposedBudget> {
    let value = row.value(figure).count()?;
    let in_bytes = figure == "own_bytes";
    let limit = value.saturating_add(value.saturating_mul(u64::from(margin)).div_ceil(100));
    let max = match in_bytes {
        true => format!("\"{}\"", size(limit)),
        false => limit.to_string(),
    };
    let how = match row.value("exact").flag() {
        Some(true) => "",
        _ => ", of a sample",
    };
    let written = if in_bytes { bytes(value) } else { count(value) };
    Some(ProposedBudget { key, name: name.to_owned(), figure, max, comment: format!("{written} measured{how}") })
}

/// A size that is not less, in the largest unit that changes it by less than a hundredth.
fn size(limit: u64) -> String {
    match limit {
        0..=KIB => format!("{} KiB", limit.div_ceil(KIB)),
        _ if limit < 100 * KIB * KIB => format!("{} KiB", limit.div_ceil(KIB)),
        _ => format!("{} MiB", limit.div_ceil(KIB * KIB)),
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn a_limit_is_never_rounded_down() {
        let sizes = [0, 1, 1024, 1025, 5 << 20, (200 << 20) + 1].map(size);
        assert_eq!(sizes, ["0 KiB", "1 KiB", "1 KiB", "2 KiB", "5120 KiB", "201 MiB"]);
    }
}
