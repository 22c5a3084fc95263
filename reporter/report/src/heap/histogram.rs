//! Classes by the bytes of their objects.

use std::io::{self, Write};

use serde::Serialize;
use weighbridge_heapdump::{Census, Class, ClassIndex, Graph, Heap, Histogram, NodeSet, SizeSource};

use super::{FORMAT, Facts};
use crate::text::TextOptions;
use weighbridge_table::page::{Page, escaped};
use weighbridge_table::section::{heading, opening};
use weighbridge_table::text_table::{TextColumn, more, render};
use weighbridge_table::units::{ByteUnit, bytes, count, count_with_noun, percent};

/// The histogram of a dump.
#[derive(Debug, Clone, Serialize)]
pub struct HistogramReport {
    format: u32,
    dump: Facts,
    /// `reachable`, or `all`.
    counted: &'static str,
    summary: HistogramSummary,
    /// The counted objects by class, most bytes first.
    classes: Vec<HistogramRow>,
    /// The unreachable objects by class, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    unreachable: Option<Vec<HistogramRow>>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum HistogramSummary {
    Reachable {
        reachable_objects: u64,
        reachable_bytes: u64,
        /// The part of these of headers, padding and injected fields.
        administrative_bytes: u64,
        /// The part of these of static fields.
        static_bytes: u64,
        unreachable_objects: u64,
        unreachable_bytes: u64,
    },
    All {
        objects: u64,
        bytes: u64,
        administrative_bytes: u64,
        static_bytes: u64,
    },
}

#[derive(Debug, Clone, Serialize)]
struct HistogramRow {
    class: String,
    loader: String,
    instances: u64,
    shallow_bytes: u64,
    administrative_bytes: u64,
    /// How the size of an object was got: `calibrated`, `formula` or `raw`.
    size: &'static str,
}

impl HistogramReport {
    /// Counts the objects that the graph's root reaches, and the others.
    pub fn from_graph(heap: &Heap, graph: &Graph, facts: Facts, unreachable: bool) -> Self {
        let reachable = graph.reachable();
        let mut garbage = NodeSet::new(graph.len());
        for object in heap.objects().filter(|object| !reachable.has(*object)) {
            garbage.insert(object.into());
        }
        let (live, dead) = (Histogram::from_heap(heap, Some(&reachable)), Histogram::from_heap(heap, Some(&garbage)));
        let summary = HistogramSummary::Reachable {
            reachable_objects: live.instances(),
            reachable_bytes: live.bytes(),
            administrative_bytes: live.administrative_bytes(),
            static_bytes: live.static_bytes,
            unreachable_objects: dead.instances(),
            unreachable_bytes: dead.bytes(),
        };
        let rows = |histogram| rows(histogram, |class| heap.classes().get(class), |class| heap.loader_name(class));
        let unreachable = unreachable.then(|| rows(&dead));
        HistogramReport {
            format: FORMAT,
            dump: facts,
            counted: "reachable",
            summary,
            classes: rows(&live),
            unreachable,
        }
    }

    /// The figures of all objects, reachable or not.
    pub fn of_census(census: &Census, facts: Facts) -> Self {
        let all = census.histogram();
        let summary = HistogramSummary::All {
            objects: all.instances(),
            bytes: all.bytes(),
            administrative_bytes: all.administrative_bytes(),
            static_bytes: all.static_bytes,
        };
        let classes = rows(all, |class| census.class(class), |class| census.loader_name(class));
        HistogramReport { format: FORMAT, dump: facts, counted: "all", summary, classes, unreachable: None }
    }

    /// Writes tables for people.
    pub fn text(&self, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
        opening("Heap histogram", self.dump.lines().into_iter().chain(self.statements()), options, output)?;
        writeln!(output)?;
        heading(self.title(), options, output)?;
        writeln!(output, "{}", table(&self.classes, options))?;
        if let Some(rows) = &self.unreachable {
            writeln!(output)?;
            heading("Unreachable objects by class", options, output)?;
            writeln!(output, "{}", table(rows, options))?;
        }
        Ok(())
    }

    /// Writes one page that needs no other file.
    pub fn html(&self, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
        let mut page = Page::new("Heap histogram");
        page.lines(self.dump.lines().into_iter().chain(self.statements()));
        page.table(self.title(), &HEAD, cells(&self.classes, options));
        if let Some(rows) = &self.unreachable {
            page.table("Unreachable objects by class", &HEAD, cells(rows, options));
        }
        page.write(output)
    }

    fn title(&self) -> &'static str {
        match self.summary {
            HistogramSummary::Reachable { .. } => "Reachable objects by class",
            HistogramSummary::All { .. } => "All objects by class",
        }
    }

    fn statements(&self) -> Vec<String> {
        let (what, all, objects, administrative, statics) = match self.summary {
            HistogramSummary::Reachable {
                reachable_objects: objects,
                reachable_bytes: all,
                administrative_bytes,
                static_bytes,
                ..
            } => ("reachable", all, objects, administrative_bytes, static_bytes),
            HistogramSummary::All { objects, bytes: all, administrative_bytes, static_bytes } => {
                ("counted", all, objects, administrative_bytes, static_bytes)
            }
        };
        let share = |part| percent(part, all).map_or(String::new(), |share| format!(" ({share})"));
        let mut lines = vec![format!("{} {what}: {}", count_with_noun(objects, "object", "objects"), bytes(all))];
        if self.dump.sizes != "raw" {
            lines.push(format!(
                "of these headers, padding and injected fields: {}{}",
                bytes(administrative),
                share(administrative)
            ));
        }
        lines.push(format!("static fields: {}{}", bytes(statics), share(statics)));
        if let HistogramSummary::Reachable { unreachable_objects, unreachable_bytes, .. } = self.summary {
            let objects = count_with_noun(unreachable_objects, "object", "objects");
            lines.push(format!("{objects} not reachable: {}", bytes(unreachable_bytes)));
        }
        lines
    }
}

const HEAD: [&str; 6] = ["class", "loader", "instances", "bytes", "administrative bytes", "size by"];

fn rows<'a>(
    histogram: &Histogram,
    class: impl Fn(ClassIndex) -> &'a Class,
    loader: impl Fn(ClassIndex) -> String,
) -> Vec<HistogramRow> {
    let row = |row: &weighbridge_heapdump::ClassRow| HistogramRow {
        class: class(row.class).name.clone(),
        loader: loader(row.class),
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

fn table(rows: &[HistogramRow], options: &TextOptions) -> String {
    let all = rows.iter().map(|row| row.shallow_bytes).sum();
    let shown = options.top_rows(rows);
    let unit = ByteUnit::from_cells(shown.iter().map(|row| Some(row.shallow_bytes)));
    let bytes = format!("bytes\n{}", unit.name());
    let columns = [
        TextColumn::name("class"),
        TextColumn::name("loader").spare(2),
        TextColumn::number("instances"),
        TextColumn::number(&bytes),
        TextColumn::number("share").spare(1),
        TextColumn::number(&format!("administrative\n{}", unit.name())).spare(3),
        TextColumn::name("size by").spare(4),
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

fn cells(rows: &[HistogramRow], options: &TextOptions) -> Vec<Vec<String>> {
    let cells = options.top_rows(rows).iter().map(|row| {
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
