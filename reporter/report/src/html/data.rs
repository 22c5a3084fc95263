//! What the page's program reads: the report as JSON, with its long lists shortened, and its tables laid out.

use std::io::{self, Write};

use serde::Serialize;

use super::calls::{self, PrunedCalls};
use super::counts::{self, ThinnedCounts};
use super::series::{self, Series};
use super::tables::{self, SumMarks, Tables};
use crate::aggregate::Aggregate;
use crate::findings;
use crate::headings::{HEADINGS, Headings};
use crate::json::{self, JsonReport};
use crate::text::{legend, peaks};

/// Suspects on the page; the JSON report has more.
const MOST_SUSPECTS: usize = 100;

/// What the page's program reads.
#[derive(Serialize)]
pub(super) struct PageData<'a> {
    title: &'a str,
    /// The JSON report without growth and history, and with shortened lists; the keys below say how they were shortened.
    report: JsonReport<'a>,
    tables: Tables,
    marks: SumMarks,
    /// What the figures say beside the suspects.
    findings: Vec<String>,
    /// Replace the report's history.
    series: Vec<Series>,
    /// The series of a JVM have one of this many snapshots.
    history_every: u64,
    thinned_counts: Vec<ThinnedCounts>,
    pruned_calls: Vec<PrunedCalls>,
    peak_sentences: Vec<PeakSentence>,
    /// Of each decision in a memory shortage.
    shortage_texts: Vec<ShortageText>,
    legend: Vec<&'static str>,
    headings: Headings,
}

#[derive(Serialize)]
struct PeakSentence {
    jvm: usize,
    text: String,
}

#[derive(Serialize)]
struct ShortageText {
    cause: String,
    done: String,
}

/// Writes it as one JSON object, for a page that asks again. The same aggregate gives the same bytes.
pub fn write_data(aggregate: &Aggregate, output: &mut impl Write) -> io::Result<()> {
    with_page_data(aggregate, &title(aggregate), |data| Ok(serde_json::to_writer(output, data)?))
}

/// Makes it, and gives it away.
pub(super) fn with_page_data<T>(aggregate: &Aggregate, title: &str, take: impl FnOnce(&PageData<'_>) -> T) -> T {
    let (peaks, thinned_counts) = counts::thinned(&aggregate.peaks);
    let (call_trees, pruned_calls) = calls::pruned(&aggregate.call_trees);
    let of_peak = |peak| peaks::sentences(peak).into_iter();
    let mut report = json::report(aggregate);
    (report.history, report.peaks, report.call_trees) = (&[], &peaks, &call_trees);
    (report.growth, report.component_growth) = (&[], &[]);
    let left_out = report.suspects.len().saturating_sub(MOST_SUSPECTS);
    report.suspects = &report.suspects[..report.suspects.len() - left_out];
    report.suspects_left_out += left_out as u64;
    let data = PageData {
        title,
        report,
        tables: tables::build_tables(aggregate),
        marks: tables::marks(aggregate),
        findings: findings::beside_suspects(aggregate),
        series: series::of_runs(aggregate),
        history_every: aggregate.history_every,
        thinned_counts,
        pruned_calls,
        peak_sentences: peaks
            .iter()
            .flat_map(|peak| of_peak(peak).map(|text| PeakSentence { jvm: peak.jvm, text }))
            .collect(),
        shortage_texts: aggregate
            .shortages
            .iter()
            .map(|decision| ShortageText { cause: decision.cause(), done: decision.describe_action() })
            .collect(),
        legend: legend::sentences(aggregate),
        headings: HEADINGS,
    };
    take(&data)
}

/// The program or the recording of a single JVM, or the number of JVMs.
pub(super) fn title(aggregate: &Aggregate) -> String {
    match aggregate.jvms.as_slice() {
        [one] => one.header.jvm.main.clone().unwrap_or_else(|| one.file.clone()),
        jvms => format!("{} JVMs", jvms.len()),
    }
}
