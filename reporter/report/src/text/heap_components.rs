//! Components in heap dumps of programs that were recorded.

use super::section::{Options, Section};
use super::table::{Column, known, more, render};
use crate::aggregate::Aggregate;
use crate::heap_components::HeapComponent;
use crate::units::{bytes, count, signed};

pub(super) fn section(aggregate: &Aggregate, options: &Options) -> Section {
    let found = &aggregate.heap_components;
    let all: Vec<(usize, &HeapComponent)> =
        found.iter().flat_map(|found| found.components.iter().map(|one| (found.jvm, one))).collect();
    if all.is_empty() {
        return Section::new("", String::new());
    }
    let columns = [
        Column::number("JVM").only_if(aggregate.jvms.len() > 1),
        Column::name("Component"),
        Column::number("Semantic"),
        Column::number("Since the\nfirst dump").only_if(found.iter().any(|found| found.dumps > 1)),
        Column::number("True"),
        Column::number("Objects").spare(1),
    ];
    let shown = options.shown(&all);
    let rows = shown.iter().map(|(jvm, one)| {
        let since = one.semantic_bytes.zip(one.first_semantic_bytes);
        vec![
            (jvm + 1).to_string(),
            one.component.clone(),
            known(one.semantic_bytes, bytes),
            since.map_or_else(|| "-".to_owned(), |(last, first)| signed(i128::from(last) - i128::from(first), bytes)),
            known(one.true_bytes, bytes),
            known(one.instances, count),
        ]
    });
    let table = render(&columns, rows.collect(), options) + &more(all.len(), shown.len());
    Section::new("Components in heap dumps", table)
}
