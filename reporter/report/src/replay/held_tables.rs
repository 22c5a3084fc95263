//! What lived at the peak, and at the moments that were asked for, for people.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::figures::{Entered, MethodEntry, Peak};
use super::held::{HeldRow, HeldSite};
use weighbridge_table::sheet::{SheetCell, SheetTable};
use weighbridge_table::units::{bytes, count, percent};

/// Titles and rows of classes. `all`: bytes of what lives, of classes that are not shown, too.
fn held_rows(rows: &[HeldRow], all: u64) -> (Vec<&'static str>, Vec<Vec<SheetCell>>) {
    let existed = rows.iter().any(|row| row.existed_objects > 0);
    let mut head = vec!["class", "size", "share", "objects"];
    if existed {
        head.push("existed before");
    }
    let cells = rows.iter().map(|row| {
        let share = percent(row.bytes, all).unwrap_or_default();
        let mut cells = vec![
            SheetCell::text(&row.class),
            SheetCell::Bytes(row.bytes),
            SheetCell::text(share),
            SheetCell::Count(row.objects),
        ];
        if existed {
            cells.push(SheetCell::Count(row.existed_objects));
        }
        cells
    });
    (head, cells.collect())
}

/// Classes at the peak.
pub(super) fn at_peak(peak: &Peak) -> SheetTable {
    let (head, rows) = held_rows(&peak.classes, peak.live_bytes);
    SheetTable {
        title: "At the peak, by class".to_owned(),
        head,
        rows,
        may_be_cut: true,
        none: "nothing lived",
        ..SheetTable::default()
    }
}

/// A tree of sites at the peak: class, method, line.
pub(super) fn sites_at_peak(peak: &Peak) -> SheetTable {
    let (mut rows, mut levels) = (Vec::new(), Vec::new());
    let mut push = |level: usize, name: &str, objects: u64, bytes: u64| {
        levels.push(level);
        rows.push(vec![
            SheetCell::text(name),
            SheetCell::Bytes(bytes),
            SheetCell::Count(objects),
            SheetCell::text(percent(bytes, peak.live_bytes).unwrap_or_default()),
        ]);
    };
    let with_site: Vec<&HeldSite> = peak.sites.iter().collect();
    for (class, of_class) in grouped(&with_site, |site| &site.class) {
        push(0, class, objects(&of_class), sum(&of_class));
        for (method, of_method) in grouped(&of_class, |site| &site.method) {
            push(1, method, objects(&of_method), sum(&of_method));
            if of_method.len() > 1 || of_method[0].line.is_some() {
                for site in of_method {
                    let line = site.line.map_or_else(|| "line not known".to_owned(), |line| format!("line {line}"));
                    push(2, &line, site.objects, site.bytes);
                }
            }
        }
    }
    SheetTable {
        title: "At the peak, by allocation site".to_owned(),
        lines: vec!["class, method, line; callers are not in a trace".to_owned()],
        head: vec!["site", "size", "objects", "of all"],
        rows,
        levels,
        may_be_cut: true,
        none: "no object that lived has a site",
        ..SheetTable::default()
    }
}

type Group<'a> = (&'a str, Vec<&'a HeldSite>);

/// Sites by a name, most bytes first.
fn grouped<'a>(sites: &[&'a HeldSite], name: fn(&HeldSite) -> &String) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut at = HashMap::new();
    for site in sites {
        let site: &'a HeldSite = site;
        let index = *at.entry(name(site).as_str()).or_insert(groups.len());
        if index == groups.len() {
            groups.push((name(site), Vec::new()));
        }
        groups[index].1.push(site);
    }
    groups.sort_by_key(|(_, sites)| Reverse(sum(sites)));
    groups
}

fn sum(sites: &[&HeldSite]) -> u64 {
    sites.iter().fold(0, |sum, site| sum.saturating_add(site.bytes))
}

fn objects(sites: &[&HeldSite]) -> u64 {
    sites.iter().map(|site| site.objects).sum()
}

/// What lived when a method was entered.
pub(super) fn entry(entered: &Entered, entry: &MethodEntry) -> SheetTable {
    let (head, rows) = held_rows(&entry.classes, entry.live_bytes);
    SheetTable {
        title: format!("Entry {} of {} into {}", count(entry.number), count(entered.entries), entered.method),
        lines: vec![format!(
            "event {}: {} live, {} allocated",
            count(entry.event),
            bytes(entry.live_bytes),
            bytes(entry.allocated_bytes)
        )],
        head,
        rows,
        may_be_cut: true,
        none: "nothing lived",
        ..SheetTable::default()
    }
}
