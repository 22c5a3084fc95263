//! The report as one page that needs no other file and no network: the JSON report, and a program that draws it.
//!
//! The program and its style are bundled from `reporter/web` and committed (`docs/decisions/0019-charts-of-the-page.md`).
//! The page's policy allows exactly these two, by their digests, and loads nothing. A name in a recording that looks like
//! markup stays text.

mod calls;
mod counts;
mod series;
mod tables;

use std::io::{self, Write};

use serde::Serialize;

use crate::aggregate::Aggregate;
use crate::findings;
use crate::headings::{HEADINGS, Headings};
use crate::json::{self, Report};
use crate::page::{PROGRAM, STYLE, embedded, escaped, policy};
use crate::text::{legend, peaks};
use calls::PrunedCalls;
use counts::ThinnedCounts;
use series::Series;
use tables::{SumMarks, Tables};

/// Suspects on the page; the JSON report has more.
const MOST_SUSPECTS: usize = 100;

/// What the program reads.
#[derive(Serialize)]
struct PageData<'a> {
    title: &'a str,
    /// The JSON report without growth and history, and with shortened lists; the keys below say how they were shortened.
    report: Report<'a>,
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

/// Writes the page. The same aggregate gives the same bytes.
pub fn write(aggregate: &Aggregate, output: &mut impl Write) -> io::Result<()> {
    let title = title(aggregate);
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
        title: &title,
        report,
        tables: tables::of(aggregate),
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
            .map(|decision| ShortageText { cause: decision.cause(), done: decision.done() })
            .collect(),
        legend: legend::sentences(aggregate),
        headings: HEADINGS,
    };
    let data = embedded(&data)?;
    let sentences = findings::statements(aggregate);
    let sentences: String = sentences.iter().map(|text| format!("<p>{}</p>\n", escaped(text))).collect();
    write!(
        output,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"generator\" content=\"Weighbridge {version}\">\n\
         <title>{title}: Weighbridge report</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <noscript>\n<h1>{title}</h1>\n{sentences}<p>Tables and charts need JavaScript.</p>\n</noscript>\n\
         <script type=\"application/json\" id=\"report\">{data}</script>\n<script>{PROGRAM}</script>\n</body>\n</html>\n",
        policy = policy(),
        version = env!("CARGO_PKG_VERSION"),
        title = escaped(&title),
    )
}

/// The program or the recording of a single JVM, or the number of JVMs.
fn title(aggregate: &Aggregate) -> String {
    match aggregate.jvms.as_slice() {
        [one] => one.header.jvm.main.clone().unwrap_or_else(|| one.file.clone()),
        jvms => format!("{} JVMs", jvms.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_and_the_style_end_no_element_that_holds_them() {
        let program = PROGRAM.to_lowercase();
        assert!(!program.contains("</script") && !program.contains("<!--"));
        assert!(!STYLE.to_lowercase().contains("</style"));
    }

    #[test]
    fn the_program_and_the_style_load_nothing() {
        let addresses = |text: &str| text.matches("http://").count() + text.matches("https://").count();
        // Names of namespaces and addresses in licences; anything more needs a look.
        let code = PROGRAM.split_once("*/").expect("licences").1;
        assert_eq!(addresses(code), code.matches("http://www.w3.org/2000/svg").count(), "the program");
        assert_eq!(addresses(STYLE) + STYLE.matches("url(").count(), 0, "the style");
    }
}
