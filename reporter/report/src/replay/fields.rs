//! Fields that code with probes writes and never reads.

use std::collections::{BTreeMap, BTreeSet};

use weighbridge_replay::{Names, Trace};

use super::figures::FieldRow;

/// Fields that were written and never read. Which were is written at the end of a trace, so one without its end has none.
pub(super) fn never_read(trace: &Trace) -> Vec<FieldRow> {
    if trace.incomplete().is_some() {
        return Vec::new();
    }
    let names = trace.names();
    let numbers: BTreeMap<&str, u32> = names.classes.iter().map(|(number, class)| (&*class.name, *number)).collect();
    let mut read: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for field in names.read.iter().filter_map(|number| names.fields.get(number)) {
        read.entry(&field.name).or_default().push(&field.class);
    }
    let mut rows = BTreeSet::new();
    for field in names.written.difference(&names.read).filter_map(|number| names.fields.get(number)) {
        // Code may name the same field by a subclass that inherits it.
        let readers = read.get(&*field.name).map_or(&[][..], Vec::as_slice);
        if !readers.iter().any(|class| may_be_same(names, &numbers, class, &field.class)) {
            rows.insert(FieldRow { class: field.class.clone(), field: field.name.clone() });
        }
    }
    rows.into_iter().collect()
}

/// Whether a field of this name in one class can be that in the other: one is a subclass of the other, or not known.
fn may_be_same(names: &Names, numbers: &BTreeMap<&str, u32>, a: &str, b: &str) -> bool {
    let (Some(number_a), Some(number_b)) = (numbers.get(a), numbers.get(b)) else { return true };
    let is_above = |lower: &u32, upper: &u32| names.upwards(*lower).any(|(number, _)| number == *upper);
    is_above(number_a, number_b) || is_above(number_b, number_a)
}
