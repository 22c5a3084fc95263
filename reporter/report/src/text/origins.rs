//! The tables about objects rather than classes: how old they are and what constructed them.

use super::rows::{column, name, optional, table};
use crate::ages::Ages;
use crate::aggregate::Aggregate;
use crate::figures::ClassFigures;
use crate::headings::HEADINGS;
use crate::trust::{Trust, TrustMarks};
use weighbridge_table::section::{Section, TextOptions};
use weighbridge_table::text_table::{TextColumn, more, render};
use weighbridge_table::units::count;

/// Classes shown by age without `--top`: those with the most ages.
const AGE_ROWS: usize = 10;

pub(super) fn by_age(aggregate: &Aggregate, options: &TextOptions) -> Section {
    let with_buckets = |row: &&ClassFigures| row.ages.as_ref().is_some_and(|ages| !ages.buckets.is_empty());
    let mut all: Vec<(&ClassFigures, &Ages)> =
        aggregate.classes.iter().filter(with_buckets).filter_map(|row| Some((row, row.ages.as_ref()?))).collect();
    // Stable: the order by deep size decides among equals.
    all.sort_by_key(|(_, ages)| std::cmp::Reverse(ages.generations));
    let Some(&(_, first)) = all.first() else { return Section::new("", String::new()) };
    // Classes with other buckets are in the JSON report only.
    let bounds: Vec<u64> = first.buckets.iter().map(|bucket| bucket.from).collect();
    all.retain(|(_, ages)| ages.buckets.iter().map(|bucket| bucket.from).eq(bounds.iter().copied()));
    let mut columns =
        vec![name(HEADINGS.class), column(HEADINGS.generations_first).spare(2), column(HEADINGS.generations)];
    columns.extend(first.buckets.iter().map(|bucket| TextColumn::number(&bucket.title())));
    columns.push(column(HEADINGS.most_full).spare(1));
    let top = options.top.unwrap_or(AGE_ROWS).min(all.len());
    let rows = all[..top].iter().map(|(row, ages)| {
        let mut cells = vec![row.class.clone(), optional(ages.generations_first), optional(ages.generations)];
        let trust = Trust::unless(row.exact);
        cells.extend(ages.buckets.iter().map(|bucket| match bucket.live {
            0 => "0".to_owned(),
            live => trust.marked(Some(live), count, &TrustMarks::TEXT),
        }));
        cells.push(optional(ages.max_full));
        cells
    });
    let rendered = render(&columns, rows.collect(), options);
    Section::new("By age, live objects by collections survived", rendered + &more(all.len(), top))
}

pub(super) fn by_thread(aggregate: &Aggregate, options: &TextOptions) -> Section {
    table("By thread", &aggregate.threads, aggregate, options)
}

pub(super) fn by_tag(aggregate: &Aggregate, options: &TextOptions) -> Section {
    table("By tag", &aggregate.tags, aggregate, options)
}
