//! Classes by the bytes of their objects.

use serde::Serialize;
use weighbridge_heapdump::{Census, Class, ClassIndex, Graph, Heap, Histogram, NodeSet, SizeSource};
use weighbridge_table::sheet::SheetCell;
use weighbridge_table::units::{bytes, count_with_noun, percent};
use weighbridge_table::{Column, Rows, Sheet, TableRow};

use super::{FORMAT, Facts};

/// The histogram of a dump.
#[derive(Debug, Clone, Serialize)]
pub struct HistogramReport {
    format: u32,
    dump: Facts,
    /// `reachable`, or `all`.
    counted: &'static str,
    summary: HistogramSummary,
    /// The counted objects by class, most bytes first.
    classes: Rows<HistogramRow>,
    /// The unreachable objects by class, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    unreachable: Option<Rows<HistogramRow>>,
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

#[derive(Debug, Clone)]
struct HistogramRow {
    class: String,
    loader: String,
    instances: u64,
    shallow_bytes: u64,
    administrative_bytes: u64,
    size: &'static str,
    /// Bytes of all rows of the table.
    all_bytes: u64,
}

impl TableRow for HistogramRow {
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("class", "class", |row: &Self| SheetCell::text(row.class.as_str()))
            .with_meaning("its name, dotted"),
        Column::new("loader", "loader", |row: &Self| SheetCell::text(row.loader.as_str()))
            .with_meaning("`boot`, `platform`, `app`, or class and address of the loader")
            .with_rank(2),
        Column::new("instances", "instances", |row: &Self| SheetCell::Count(row.instances)).with_meaning("objects"),
        Column::new("shallow_bytes", "bytes", |row: &Self| SheetCell::Bytes(row.shallow_bytes))
            .with_meaning("their bytes"),
        Column::new("share", "share", |row: &Self| SheetCell::Share(row.shallow_bytes, row.all_bytes))
            .with_rank(1)
            .only_for_people(),
        Column::new("administrative_bytes", "administrative", |row: &Self| SheetCell::Bytes(row.administrative_bytes))
            .with_meaning("of these headers, padding and injected fields")
            .with_rank(3),
        Column::new("size", "size by", |row: &Self| SheetCell::text(row.size))
            .with_meaning("how the size of an object was found: `calibrated`, `formula` or `raw`")
            .with_rank(4),
    ];
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

    /// As tables.
    pub fn sheet(&self) -> Sheet {
        let unreachable = self.unreachable.as_ref();
        let unreachable = unreachable.map(|rows| rows.table("unreachable", "Unreachable objects by class"));
        Sheet {
            title: "Heap histogram",
            lines: self.dump.lines().into_iter().chain(self.statements()).collect(),
            tables: [self.classes.table("classes", self.title())].into_iter().chain(unreachable).collect(),
        }
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

fn rows<'a>(
    histogram: &Histogram,
    class: impl Fn(ClassIndex) -> &'a Class,
    loader: impl Fn(ClassIndex) -> String,
) -> Rows<HistogramRow> {
    let all_bytes = histogram.rows.iter().map(|row| row.bytes).sum();
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
        all_bytes,
    };
    Rows(histogram.rows.iter().map(row).collect())
}

#[cfg(test)]
mod tests {
    use weighbridge_table::columns::keys_table;
    use weighbridge_tests::assert_table;

    use super::HistogramRow;

    #[test]
    fn the_document_has_the_columns() {
        assert_table("docs/heap-json.md", "columns of the histogram", &keys_table::<HistogramRow>());
    }
}
