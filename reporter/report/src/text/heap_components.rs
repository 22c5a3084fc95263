//! Components in heap dumps of programs that were recorded.

use crate::aggregate::Aggregate;
use crate::heap_components::HeapComponent;
use weighbridge_table::section::{Section, TextOptions};
use weighbridge_table::text_table::{TextColumn, format_or_dash, more, render};
use weighbridge_table::units::{bytes, count, signed};

pub(super) fn section(aggregate: &Aggregate, options: &TextOptions) -> Section {
    let found = &aggregate.heap_components;
    let all: Vec<(usize, &HeapComponent)> =
        found.iter().flat_map(|found| found.components.iter().map(|one| (found.jvm, one))).collect();
    if all.is_empty() {
        return Section::new("", String::new());
    }
    let columns = [
        TextColumn::number("JVM").only_if(aggregate.jvms.len() > 1),
        TextColumn::name("Component"),
        TextColumn::number("Semantic"),
        TextColumn::number("Since the\nfirst dump").only_if(found.iter().any(|found| found.dumps > 1)),
        TextColumn::number("True"),
        TextColumn::number("Objects").spare(1),
    ];
    let shown = options.top_rows(&all);
    let rows = shown.iter().map(|(jvm, one)| {
        let since = one.semantic_bytes.zip(one.first_semantic_bytes);
        vec![
            (jvm + 1).to_string(),
            one.component.clone(),
            format_or_dash(one.semantic_bytes, bytes),
            since.map_or_else(|| "-".to_owned(), |(last, first)| signed(i128::from(last) - i128::from(first), bytes)),
            format_or_dash(one.true_bytes, bytes),
            format_or_dash(one.instances, count),
        ]
    });
    let table = render(&columns, rows.collect(), options) + &more(all.len(), shown.len());
    Section::new("Components in heap dumps", table)
}
