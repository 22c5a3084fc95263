//! One table as comma-separated values (RFC 4180), for spreadsheets and data frames.

use std::io::{self, Write};

use crate::aggregate::Aggregate;
use crate::row::{ReportRow, RowField as _};
use crate::text::ReportGrouping;
use weighbridge_table::cells::{Cells, CsvWriter};

/// Writes the table of one dimension with a header line, in the order of the report. Bytes and objects are integers without
/// separators; unknown cells are empty.
pub fn write(aggregate: &Aggregate, by: ReportGrouping, cells: Cells, output: &mut impl Write) -> io::Result<()> {
    match by {
        ReportGrouping::Class => table(&aggregate.classes, cells, output),
        ReportGrouping::Component => table(&aggregate.components, cells, output),
        ReportGrouping::Thread => table(&aggregate.threads, cells, output),
        ReportGrouping::Tag => table(&aggregate.tags, cells, output),
        ReportGrouping::Site => sites(aggregate, cells, output),
    }
}

fn table<R: ReportRow>(rows: &[R], cells: Cells, output: &mut impl Write) -> io::Result<()> {
    let columns = || R::COLUMNS.iter().filter(|column| column.in_csv);
    let mut sheet = CsvWriter::new(cells, output);
    sheet.record(columns().map(|column| column.key))?;
    for row in rows {
        sheet.record(columns().map(|column| (column.value)(row).plain()))?;
    }
    sheet.finish()
}

fn sites(aggregate: &Aggregate, cells: Cells, output: &mut impl Write) -> io::Result<()> {
    let mut sheet = CsvWriter::new(cells, output);
    sheet.record([
        "jvm",
        "seq",
        "reason",
        "id",
        "parent",
        "depth",
        "frame",
        "own_objects",
        "own_bytes",
        "cumulative_objects",
        "cumulative_bytes",
    ])?;
    for tree in &aggregate.call_trees {
        for node in &tree.nodes {
            sheet.record([
                tree.jvm.map_or_else(String::new, |jvm| jvm.to_string()),
                tree.seq.to_string(),
                tree.reason.clone().unwrap_or_default(),
                node.id.to_string(),
                node.parent.value().plain(),
                node.depth.to_string(),
                node.frame.clone(),
                node.own_objects.to_string(),
                node.own_bytes.to_string(),
                node.cumulative_objects.to_string(),
                node.cumulative_bytes.to_string(),
            ])?;
        }
    }
    sheet.finish()
}
