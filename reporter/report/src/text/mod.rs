//! The report for people: header, summary, tables, notes, and a legend.

mod header;
mod heap_components;
mod holders;
pub(crate) mod legend;
mod origins;
pub(crate) mod peaks;
mod rows;
mod shortages;
mod sites;
mod suspects;

use std::io::{self, Write};

use crate::aggregate::{Aggregate, UNSEEN_COST, seen_cpu_ms};
use crate::findings;
pub use shortages::state as shortage_state;
pub use weighbridge_table::TextOptions;
use weighbridge_table::section::{Section, write_sections};
use weighbridge_table::units::{bytes, count, count_with_noun, elapsed, percent};

/// A table that is written alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportGrouping {
    /// Figures by class.
    Class,
    /// By component.
    Component,
    /// By group of threads that constructed the objects.
    Thread,
    /// By tag in force when they were constructed.
    Tag,
    /// By method that constructed them.
    Site,
}

/// Writes the report. The same aggregate and options give the same bytes.
pub fn write(aggregate: &Aggregate, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
    let sections = [
        Section::lines("Nothing was measured", findings::nothing_loaded(aggregate).into_iter().collect()),
        header::section(aggregate),
        suspects::section(aggregate, options),
        Section::lines("Summary", findings::beside_suspects(aggregate)),
        shortages::section(aggregate, options),
        heap_components::section(aggregate, options),
        damaged(aggregate),
        rows::by_component(aggregate, options),
        rows::by_class(aggregate, options),
        holders::section(aggregate, options),
        holders::off_heap(aggregate, options),
        origins::by_age(aggregate, options),
        origins::by_thread(aggregate, options),
        origins::by_tag(aggregate, options),
        rows::by_jvm(aggregate, options),
        rows::history(aggregate, options),
        peaks::section(aggregate),
        peaks::call_tree(aggregate, options),
        skipped(aggregate, options),
        Section::lines("Notes", aggregate.notes.clone()),
        cost(aggregate),
        legend::section(aggregate),
    ];
    write_sections(&sections, options, output)
}

/// Writes one table, or a sentence that says why there is none.
pub fn write_by(
    aggregate: &Aggregate,
    by: ReportGrouping,
    options: &TextOptions,
    output: &mut impl Write,
) -> io::Result<()> {
    let (section, none) = match by {
        ReportGrouping::Class => (rows::by_class(aggregate, options), "no class was measured"),
        ReportGrouping::Component => (rows::component_table(aggregate, options), "no component was measured"),
        ReportGrouping::Thread => (origins::by_thread(aggregate, options), "no thread constructed a tracked object"),
        ReportGrouping::Tag => (origins::by_tag(aggregate, options), "the program opened no scope (Weighbridge.scope)"),
        ReportGrouping::Site => (
            sites::by_method(aggregate, options),
            "sites were not recorded: set `sites` in [measure], or the option of that name",
        ),
    };
    match section.body.is_empty() {
        true => writeln!(output, "{none}"),
        false => write_sections(&[section], options, output),
    }
}

fn damaged(aggregate: &Aggregate) -> Section {
    let lines = aggregate.damaged.iter();
    let lines = lines.map(|row| format!("{}: {}; the part before it is used", row.file, row.damage));
    Section::lines("Damaged recordings", lines.collect())
}

fn skipped(aggregate: &Aggregate, options: &TextOptions) -> Section {
    if aggregate.skipped_total == 0 && aggregate.skipped.is_empty() {
        return Section::new("", String::new());
    }
    let shown = options.top_rows(&aggregate.skipped);
    let mut lines: Vec<String> = shown
        .iter()
        .map(|row| match &row.jar {
            Some(jar) => format!("{} ({jar}): {}", row.class, row.reason),
            None => format!("{}: {}", row.class, row.reason),
        })
        .collect();
    let total = aggregate.skipped_total.max(aggregate.skipped.len() as u64);
    if total > shown.len() as u64 {
        lines.push(format!("... and {} more", count(total - shown.len() as u64)));
    }
    let title = format!(
        "Skipped: {}",
        count_with_noun(total, "matched class was not rewritten", "matched classes were not rewritten")
    );
    Section::lines(title, lines)
}

fn cost(aggregate: &Aggregate) -> Section {
    let cost = &aggregate.cost;
    let totals = &aggregate.totals;
    let ms = |ms: f64| elapsed(ms.round() as u64);
    let part = |n| match totals.heap_used_bytes.and_then(|used| percent(n, used)) {
        Some(share) => format!(" ({share})"),
        None => String::new(),
    };
    let seen = seen_cpu_ms(cost);
    let figures = [
        seen.map(|n| format!("{} of CPU in all", ms(n))),
        cost.start_ms.map(|n| format!("start {}", ms(n))),
        cost.classes_ms.filter(|n| *n > 0.0).map(|n| format!("classes loaded later {}", ms(n))),
        cost.probe_cpu_ms.map(|n| format!("probes {} of CPU (estimated)", ms(n))),
        cost.thread_cpu_ms.map(|n| format!("the runtime's thread {} of CPU", ms(n))),
        cost.measuring_cpu_ms.map(|n| match cost.thread_cpu_ms {
            Some(_) => format!("measurements {} of CPU", ms(n)),
            None => format!("{} of CPU", ms(n)),
        }),
        cost.measuring_wall_ms.map(|n| format!("{} elapsed", ms(n))),
        cost.snapshots.map(|n| count_with_noun(n, "snapshot", "snapshots")),
        cost.sweeps.map(|n| {
            let time = cost.sweep_ms.map_or_else(String::new, |n| format!(" ({})", ms(n)));
            count_with_noun(n, "sweep", "sweeps") + &time
        }),
        cost.forced_collections.map(|n| {
            let time = cost.forced_pause_ms.map_or_else(String::new, |n| format!(" ({})", ms(n)));
            count_with_noun(n, "forced full collection", "forced full collections") + &time
        }),
        match totals.heap_runtime_bytes {
            Some(n) => Some(format!("{}{} of the used heap", bytes(n), part(n))),
            None => cost.registry_bytes.map(|n| format!("registry {} (estimated)", bytes(n))),
        },
        cost.recording_bytes.map(|n| format!("recording {}", bytes(n))),
    ];
    let known: Vec<String> = figures.into_iter().flatten().collect();
    let line = match known.is_empty() {
        true => "not stated: a JVM did not end in order".to_owned(),
        false => known.join(", "),
    };
    let title = match cost.probe_cpu_ms {
        Some(_) => "Cost of measuring",
        None => "Cost of measuring, without the probes",
    };
    let not_seen = seen.map(|_| UNSEEN_COST.to_owned());
    Section::lines(title, [Some(line), not_seen].into_iter().flatten().collect())
}
