//! Classes by the bytes of their objects.

use std::io::{self, Write};

use serde::Serialize;
use weighbridge_heapdump::{Graph, Heap, Histogram, NodeSet, SizeSource};

use super::html::{Page, escaped};
use super::{FORMAT, Facts, heading, more};
use crate::text::Options;
use crate::text::table::{Column, render};
use crate::units::{ByteUnit, bytes, count, counted, percent};

/// The histogram of a dump.
#[derive(Debug, Clone, Serialize)]
pub struct Figures {
    format: u32,
    dump: Facts,
    summary: Summary,
    /// Reachable objects by class, most bytes first.
    classes: Vec<Row>,
    /// The same of the others, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    unreachable: Option<Vec<Row>>,
}

#[derive(Debug, Clone, Serialize)]
struct Summary {
    reachable_objects: u64,
    reachable_bytes: u64,
    /// Of these headers, padding and injected fields.
    administrative_bytes: u64,
    /// Of these the static fields of classes.
    static_bytes: u64,
    unreachable_objects: u64,
    unreachable_bytes: u64,
}

#[derive(Debug, Clone, Serialize)]
struct Row {
    class: String,
    loader: String,
    instances: u64,
    shallow_bytes: u64,
    administrative_bytes: u64,
    /// How the size of an object was got: `calibrated`, `formula` or `raw`.
    size: &'static str,
}

impl Figures {
    /// Counts the objects that the graph's root reaches, and the others.
    pub fn of(heap: &Heap, graph: &Graph, facts: Facts, unreachable: bool) -> Self {
        let reachable = graph.reachable();
        let mut garbage = NodeSet::new(graph.len());
        for object in heap.objects().filter(|object| !reachable.has(*object)) {
            garbage.insert(object.into());
        }
        let (live, dead) = (Histogram::of(heap, Some(&reachable)), Histogram::of(heap, Some(&garbage)));
        let summary = Summary {
            reachable_objects: live.instances(),
            reachable_bytes: live.bytes(),
            administrative_bytes: live.administrative_bytes(),
            static_bytes: live.static_bytes,
            unreachable_objects: dead.instances(),
            unreachable_bytes: dead.bytes(),
        };
        let unreachable = unreachable.then(|| rows(heap, &dead));
        Figures { format: FORMAT, dump: facts, summary, classes: rows(heap, &live), unreachable }
    }

    /// Writes tables for people.
    pub fn text(&self, options: &Options, output: &mut impl Write) -> io::Result<()> {
        heading("Heap histogram", options, output)?;
        for line in self.dump.lines().into_iter().chain(self.statements()) {
            writeln!(output, "  {}", crate::text::printable(&line))?;
        }
        writeln!(output)?;
        heading("Reachable objects by class", options, output)?;
        writeln!(output, "{}", table(&self.classes, self.summary.reachable_bytes, options))?;
        if let Some(rows) = &self.unreachable {
            writeln!(output)?;
            heading("Unreachable objects by class", options, output)?;
            writeln!(output, "{}", table(rows, self.summary.unreachable_bytes, options))?;
        }
        Ok(())
    }

    /// Writes one page that needs nothing else.
    pub fn html(&self, options: &Options, output: &mut impl Write) -> io::Result<()> {
        let mut page = Page::new("Heap histogram");
        page.lines(self.dump.lines().into_iter().chain(self.statements()));
        page.table("Reachable objects by class", &HEAD, cells(&self.classes, options));
        if let Some(rows) = &self.unreachable {
            page.table("Unreachable objects by class", &HEAD, cells(rows, options));
        }
        page.write(output)
    }

    fn statements(&self) -> Vec<String> {
        let summary = &self.summary;
        let share = |part| percent(part, summary.reachable_bytes).map_or(String::new(), |share| format!(" ({share})"));
        let mut lines = vec![format!(
            "{} reachable: {}",
            counted(summary.reachable_objects, "object", "objects"),
            bytes(summary.reachable_bytes)
        )];
        if self.dump.sizes != "raw" {
            lines.push(format!(
                "of these headers, padding and injected fields: {}{}",
                bytes(summary.administrative_bytes),
                share(summary.administrative_bytes)
            ));
        }
        lines.push(format!("static fields: {}{}", bytes(summary.static_bytes), share(summary.static_bytes)));
        lines.push(format!(
            "{} not reachable: {}",
            counted(summary.unreachable_objects, "object", "objects"),
            bytes(summary.unreachable_bytes)
        ));
        lines
    }
}

const HEAD: [&str; 6] = ["class", "loader", "instances", "bytes", "administrative bytes", "size by"];

fn rows(heap: &Heap, histogram: &Histogram) -> Vec<Row> {
    let row = |row: &weighbridge_heapdump::ClassRow| Row {
        class: heap.classes().get(row.class).name.clone(),
        loader: heap.loader_name(row.class),
        instances: row.instances,
        shallow_bytes: row.bytes,
        administrative_bytes: row.administrative_bytes,
        size: match row.source {
            SizeSource::Calibrated => "calibrated",
            SizeSource::Formula => "formula",
            SizeSource::Raw => "raw",
        },
    };
    histogram.rows.iter().map(row).collect()
}

fn shown<'a>(rows: &'a [Row], options: &Options) -> &'a [Row] {
    &rows[..options.top.unwrap_or(usize::MAX).min(rows.len())]
}

fn table(rows: &[Row], all: u64, options: &Options) -> String {
    let shown = shown(rows, options);
    let unit = ByteUnit::of(shown.iter().map(|row| Some(row.shallow_bytes)));
    let bytes = format!("bytes\n{}", unit.name());
    let columns = [
        Column::name("class"),
        Column::name("loader").spare(2),
        Column::number("instances"),
        Column::number(&bytes),
        Column::number("share").spare(1),
        Column::number(&format!("administrative\n{}", unit.name())).spare(3),
        Column::name("size by").spare(4),
    ];
    let cells = shown.iter().map(|row| {
        vec![
            row.class.clone(),
            row.loader.clone(),
            count(row.instances),
            unit.cell(row.shallow_bytes),
            percent(row.shallow_bytes, all).unwrap_or_default(),
            unit.cell(row.administrative_bytes),
            row.size.to_owned(),
        ]
    });
    render(&columns, cells.collect(), options) + &more(rows.len(), shown.len())
}

fn cells(rows: &[Row], options: &Options) -> Vec<Vec<String>> {
    let cells = shown(rows, options).iter().map(|row| {
        vec![
            escaped(&row.class),
            escaped(&row.loader),
            count(row.instances),
            count(row.shallow_bytes),
            count(row.administrative_bytes),
            row.size.to_owned(),
        ]
    });
    cells.collect()
}
