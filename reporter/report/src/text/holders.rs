//! Why the objects of the largest classes are alive, and what they keep outside the heap.

use weighbridge_recording::ClassHolders;

use crate::aggregate::Aggregate;
use weighbridge_table::section::{Section, TextOptions};
use weighbridge_table::units::{bytes, count, count_with_noun};

/// Classes shown without `--top`.
const CLASSES: usize = 5;

pub(super) fn section(aggregate: &Aggregate, options: &TextOptions) -> Section {
    let asked = aggregate.classes.iter().filter_map(|row| Some((&row.class, row.holders.as_ref()?)));
    let shown = asked.take(options.top.unwrap_or(CLASSES));
    Section::lines("Why alive", shown.flat_map(|(class, holders)| of_class(class, holders)).collect())
}

fn of_class(class: &str, holders: &ClassHolders) -> Vec<String> {
    let figures = holders.chains.iter().map(|chain| chain.objects).chain([holders.outside, holders.others]);
    let width = figures.map(|n| count(n).len()).max().unwrap_or_default();
    let line = |objects: u64, text: &str| format!("  {:>width$}  {text}", count(objects));
    let mut lines =
        vec![format!("{class}, {} asked", count_with_noun(holders.examined, "live object", "live objects"))];
    lines.extend(holders.chains.iter().map(|chain| line(chain.objects, &chain.steps.join(" -> "))));
    if holders.others > 0 {
        lines.push(line(holders.others, "held through other chains"));
    }
    if holders.outside > 0 {
        lines.push(line(holders.outside, "held from outside: no other registered object reaches them"));
    }
    lines
}

pub(super) fn off_heap(aggregate: &Aggregate, options: &TextOptions) -> Section {
    let held = |bytes: Option<u64>| bytes.filter(|bytes| *bytes > 0);
    let components = aggregate.components.iter().filter(|row| row.component != "(none)");
    let rows = components
        .filter_map(|row| Some((row.component.as_str(), held(row.off_heap_bytes)?)))
        .chain(aggregate.classes.iter().filter_map(|row| Some((row.class.as_str(), held(row.off_heap_bytes)?))));
    let shown = rows.take(options.top.unwrap_or(usize::MAX));
    let lines = shown.map(|(name, n)| format!("{}  {name}", bytes(n))).collect();
    Section::lines("Outside the heap: memory of direct buffers that are reached, in no other figure", lines)
}
