//! One table as comma-separated values (RFC 4180), for spreadsheets and data frames.

use std::fmt::Display;
use std::io::{self, Write};

use serde::Serialize;

use crate::aggregate::Aggregate;
use crate::call_tree::{CallNode, CallTree};
use crate::export::sheet::{Cells, Sheet};
use crate::figures::{ClassFigures, ComponentFigures};
use crate::origins::{TagFigures, ThreadFigures};
use crate::text::By;

/// A column: its name, which is the key of the JSON report, and its cell of a row.
type Column<T> = (&'static str, fn(&T) -> String);

/// Writes the table of one dimension with a header line. The order is that of the report; bytes and objects are
/// integers without separators, unknown cells are empty.
pub fn write(aggregate: &Aggregate, by: By, cells: Cells, output: &mut impl Write) -> io::Result<()> {
    match by {
        By::Class => table(CLASS, &aggregate.classes, cells, output),
        By::Component => table(COMPONENT, &aggregate.components, cells, output),
        By::Thread => table(THREAD, &aggregate.threads, cells, output),
        By::Tag => table(TAG, &aggregate.tags, cells, output),
        By::Site => {
            let nodes = aggregate.call_trees.iter().flat_map(|tree| tree.nodes.iter().map(move |node| (tree, node)));
            table(&site(), &nodes.collect::<Vec<_>>(), cells, output)
        }
    }
}

fn table<T>(columns: &[Column<T>], rows: &[T], cells: Cells, output: &mut impl Write) -> io::Result<()> {
    let mut sheet = Sheet::new(cells, output);
    sheet.record(columns.iter().map(|(name, _)| *name))?;
    for row in rows {
        sheet.record(columns.iter().map(|(_, cell)| cell(row)))?;
    }
    sheet.finish()
}

fn known<T: Display>(figure: Option<T>) -> String {
    figure.map_or_else(String::new, |figure| figure.to_string())
}

/// The word that the JSON report has for it.
fn word<T: Serialize>(value: Option<T>) -> String {
    let value = value.and_then(|value| serde_json::to_value(value).ok());
    value.as_ref().and_then(|value| value.as_str()).unwrap_or_default().to_owned()
}

const CLASS: &[Column<ClassFigures>] = &[
    ("class", |row| row.class.clone()),
    ("component", |row| row.component_or_none().to_owned()),
    ("allocated", |row| row.allocated.to_string()),
    ("allocated_bytes", |row| known(row.allocated_bytes)),
    ("since_collection", |row| known(row.since_collection)),
    ("since_collection_bytes", |row| known(row.since_collection_bytes)),
    ("last_cycle", |row| known(row.last_cycle)),
    ("last_cycle_bytes", |row| known(row.last_cycle_bytes)),
    ("live", |row| known(row.live)),
    ("live_error", |row| known(row.live_error)),
    ("exact", |row| known(row.exact)),
    ("counted", |row| known(row.counted)),
    ("tracked", |row| known(row.tracked)),
    ("shallow_bytes", |row| known(row.shallow_bytes)),
    ("own_bytes", |row| known(row.own_bytes)),
    ("own_shared_bytes", |row| known(row.own_shared_bytes)),
    ("deep_bytes", |row| known(row.deep_bytes)),
    ("deep_objects", |row| known(row.deep_objects)),
    ("exclusive_bytes", |row| known(row.exclusive_bytes)),
    ("shared_bytes", |row| known(row.shared_bytes)),
    ("off_heap_bytes", |row| known(row.off_heap_bytes)),
    ("peak_live", |row| known(row.peak_live)),
    ("peak_exact", |row| known(row.peak_exact)),
    ("age_max", |row| known(row.ages.as_ref().map(|ages| ages.max))),
    ("age_max_full", |row| known(row.ages.as_ref().and_then(|ages| ages.max_full))),
    ("age_generations", |row| known(row.ages.as_ref().and_then(|ages| ages.generations))),
    ("track", |row| word(row.track)),
    ("definitions", |row| row.definitions.to_string()),
];

const COMPONENT: &[Column<ComponentFigures>] = &[
    ("component", |row| row.component.clone()),
    ("live", |row| known(row.live)),
    ("live_error", |row| known(row.live_error)),
    ("exact", |row| known(row.exact)),
    ("shallow_bytes", |row| known(row.shallow_bytes)),
    ("own_bytes", |row| known(row.own_bytes)),
    ("own_shared_bytes", |row| known(row.own_shared_bytes)),
    ("deep_bytes", |row| known(row.deep_bytes)),
    ("exclusive_bytes", |row| known(row.exclusive_bytes)),
    ("shared_bytes", |row| known(row.shared_bytes)),
    ("shared_even_bytes", |row| known(row.shared_even_bytes)),
    ("off_heap_bytes", |row| known(row.off_heap_bytes)),
    ("peak_live", |row| known(row.peak_live)),
    ("peak_deep_bytes", |row| known(row.peak_deep_bytes)),
    ("peak_exact", |row| known(row.peak_exact)),
];

const THREAD: &[Column<ThreadFigures>] = &[
    ("name", |row| row.name.clone()),
    ("allocated", |row| known(row.allocated)),
    ("live", |row| known(row.live)),
    ("live_error", |row| known(row.live_error)),
    ("shallow_bytes", |row| known(row.shallow_bytes)),
];

const TAG: &[Column<TagFigures>] = &[
    ("key", |row| row.key.clone()),
    ("value", |row| row.value.clone()),
    ("allocated", |row| known(row.allocated)),
    ("allocated_error", |row| known(row.allocated_error)),
    ("live", |row| known(row.live)),
    ("live_error", |row| known(row.live_error)),
    ("shallow_bytes", |row| known(row.shallow_bytes)),
    ("own_bytes", |row| known(row.own_bytes)),
];

/// A function, because a constant cannot borrow for less than the whole run.
fn site<'a>() -> [Column<(&'a CallTree, &'a CallNode)>; 11] {
    [
        ("jvm", |(tree, _)| known(tree.jvm)),
        ("seq", |(tree, _)| tree.seq.to_string()),
        ("reason", |(tree, _)| known(tree.reason.as_deref())),
        ("id", |(_, node)| node.id.to_string()),
        ("parent", |(_, node)| known(node.parent)),
        ("depth", |(_, node)| node.depth.to_string()),
        ("frame", |(_, node)| node.frame.clone()),
        ("own_objects", |(_, node)| node.own_objects.to_string()),
        ("own_bytes", |(_, node)| node.own_bytes.to_string()),
        ("cumulative_objects", |(_, node)| node.cumulative_objects.to_string()),
        ("cumulative_bytes", |(_, node)| node.cumulative_bytes.to_string()),
    ]
}
