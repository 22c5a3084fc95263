//! The report for people: header, summary, tables, what to know, and a legend.

mod header;
mod holders;
mod legend;
mod origins;
mod peaks;
mod rows;
pub(crate) mod table;

use std::io::{self, Write};

use crate::aggregate::Aggregate;
use crate::findings;
use crate::units::{bytes, count, counted, elapsed};

/// How the text is laid out. The default suits a file or a pipe.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Columns of the terminal; tables are as wide as they need without it.
    pub width: Option<u16>,
    /// Whether headings are set off by terminal codes.
    pub colour: bool,
    /// Rows of the class and component tables and of lists; all without it.
    pub top: Option<usize>,
}

/// Writes the report. The same aggregate and options give the same bytes.
pub fn write(aggregate: &Aggregate, options: &Options, output: &mut impl Write) -> io::Result<()> {
    let mut sections = vec![header::section(aggregate)];
    sections.push(Section::lines("Summary", findings::statements(aggregate)));
    sections.push(damaged(aggregate));
    sections.push(rows::by_component(aggregate, options));
    sections.push(rows::by_class(aggregate, options));
    sections.push(holders::section(aggregate, options));
    sections.push(holders::off_heap(aggregate, options));
    sections.push(origins::by_age(aggregate, options));
    sections.push(origins::by_thread(aggregate, options));
    sections.push(origins::by_tag(aggregate, options));
    sections.push(rows::by_jvm(aggregate, options));
    sections.push(rows::history(aggregate, options));
    sections.push(peaks::section(aggregate));
    sections.push(peaks::call_tree(aggregate, options));
    sections.push(skipped(aggregate, options));
    sections.push(Section::lines("Notes", aggregate.notes.clone()));
    sections.push(cost(aggregate));
    sections.push(legend::section(aggregate));
    let mut first = true;
    for section in sections.iter().filter(|section| !section.body.is_empty()) {
        if !first {
            writeln!(output)?;
        }
        first = false;
        match options.colour {
            true => writeln!(output, "\x1b[1m{}\x1b[0m", section.title)?,
            false => writeln!(output, "{}", section.title)?,
        }
        writeln!(output, "{}", section.body)?;
    }
    Ok(())
}

/// A heading and what stands below it; without a body it is left out.
struct Section {
    title: String,
    body: String,
}

impl Section {
    fn new(title: impl Into<String>, body: String) -> Self {
        Section { title: title.into(), body }
    }

    fn lines(title: impl Into<String>, lines: Vec<String>) -> Self {
        let body: Vec<String> = lines.iter().map(|line| format!("  {}", printable(line))).collect();
        Section::new(title, body.join("\n"))
    }
}

/// A recording is foreign text: its control characters must not reach the terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn damaged(aggregate: &Aggregate) -> Section {
    let lines = aggregate.damaged.iter();
    let lines = lines.map(|row| format!("{}: {}; what stands before it is used", row.file, row.damage));
    Section::lines("Damaged recordings", lines.collect())
}

fn skipped(aggregate: &Aggregate, options: &Options) -> Section {
    if aggregate.skipped_total == 0 && aggregate.skipped.is_empty() {
        return Section::new("", String::new());
    }
    let shown = options.top.unwrap_or(usize::MAX).min(aggregate.skipped.len());
    let mut lines: Vec<String> = aggregate.skipped[..shown]
        .iter()
        .map(|row| match &row.jar {
            Some(jar) => format!("{} ({jar}): {}", row.class, row.reason),
            None => format!("{}: {}", row.class, row.reason),
        })
        .collect();
    let total = aggregate.skipped_total.max(aggregate.skipped.len() as u64);
    if total > shown as u64 {
        lines.push(format!("... and {} more", count(total - shown as u64)));
    }
    let title =
        format!("Skipped: {}", counted(total, "matched class was not rewritten", "matched classes were not rewritten"));
    Section::lines(title, lines)
}

fn cost(aggregate: &Aggregate) -> Section {
    let cost = &aggregate.cost;
    let ms = |ms: f64| elapsed(ms.round() as u64);
    let figures = [
        cost.probe_cpu_ms.map(|n| format!("probes {} of CPU (estimated)", ms(n))),
        cost.thread_cpu_ms.map(|n| format!("the runtime's thread {} of CPU", ms(n))),
        cost.measuring_cpu_ms.map(|n| match cost.thread_cpu_ms {
            Some(_) => format!("measurements {} of CPU", ms(n)),
            None => format!("{} of CPU", ms(n)),
        }),
        cost.measuring_wall_ms.map(|n| format!("{} elapsed", ms(n))),
        cost.snapshots.map(|n| counted(n, "snapshot", "snapshots")),
        cost.sweeps.map(|n| {
            let time = cost.sweep_ms.map_or_else(String::new, |n| format!(" ({})", ms(n)));
            counted(n, "sweep", "sweeps") + &time
        }),
        cost.forced_collections.map(|n| {
            let time = cost.forced_pause_ms.map_or_else(String::new, |n| format!(" ({})", ms(n)));
            counted(n, "forced full collection", "forced full collections") + &time
        }),
        cost.registry_bytes.map(|n| format!("registry {} (estimated)", bytes(n))),
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
    Section::lines(title, vec![line])
}
