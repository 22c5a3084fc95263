//! The methods that constructed the live objects, wherever they were called from.

use std::collections::{BTreeMap, BTreeSet};

use super::rows::{bytes_cell, bytes_column, column, name};
use crate::aggregate::Aggregate;
use crate::headings::HEADINGS;
use crate::trust::{Trust, TrustMarks};
use weighbridge_table::section::{Section, TextOptions};
use weighbridge_table::text_table::{more, render};
use weighbridge_table::units::{ByteUnit, count};

/// Classes named for a method.
const CLASSES: usize = 3;

#[derive(Default)]
struct MethodSums<'a> {
    objects: u64,
    bytes: u64,
    classes: BTreeSet<&'a str>,
}

/// The table of methods, as of the last snapshot with a call tree of each JVM.
pub(super) fn by_method(aggregate: &Aggregate, options: &TextOptions) -> Section {
    let mut methods: BTreeMap<&str, MethodSums> = BTreeMap::new();
    for tree in aggregate.last_call_trees() {
        for node in tree.nodes.iter().filter(|node| node.own_objects > 0) {
            let method = methods.entry(&node.frame).or_default();
            method.objects = method.objects.saturating_add(node.own_objects);
            method.bytes = method.bytes.saturating_add(node.own_bytes);
            method.classes.extend(node.classes.iter().map(|made| made.class.as_str()));
        }
    }
    if methods.is_empty() {
        return Section::new("", String::new());
    }
    let mut all: Vec<(&str, MethodSums)> = methods.into_iter().collect();
    // Stable: the map's order by name decides among equals.
    all.sort_by_key(|(_, method)| std::cmp::Reverse(method.bytes));
    let unit = ByteUnit::from_cells(all.iter().map(|(_, method)| Some(method.bytes)));
    let columns = [
        name(HEADINGS.method),
        name(HEADINGS.constructs).spare(1),
        column(HEADINGS.live),
        bytes_column(HEADINGS.shallow, unit),
    ];
    let trust = Trust::unless(aggregate.totals.exact);
    let shown = options.top_rows(&all);
    let rows = shown.iter().map(|(frame, method)| {
        let named: Vec<&str> = method.classes.iter().take(CLASSES).copied().collect();
        let more = match method.classes.len().saturating_sub(CLASSES) {
            0 => String::new(),
            more => format!(" and {} more", count(more as u64)),
        };
        vec![
            (*frame).to_owned(),
            named.join(", ") + &more,
            trust.marked(Some(method.objects), count, &TrustMarks::TEXT),
            bytes_cell(unit, Some(method.bytes), trust),
        ]
    });
    let table = render(&columns, rows.collect(), options);
    Section::new("By allocation site, the live objects constructed there", table + &more(all.len(), shown.len()))
}
