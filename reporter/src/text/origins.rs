//! The tables about objects rather than classes: how old they are and who constructed them.

use super::rows::{Trust, bytes_cell, bytes_column, column, live, name, optional, shown, with_rest};
use super::table::{Column, render};
use super::{Options, Section};
use crate::ages::{Ages, Bucket};
use crate::aggregate::Aggregate;
use crate::estimate::Estimate;
use crate::figures::ClassFigures;
use crate::headings::HEADINGS;
use crate::units::{ByteUnit, count};

/// Classes shown by age when `--top` does not say: those with the most ages.
const AGE_ROWS: usize = 10;

pub(super) fn by_age(aggregate: &Aggregate, options: &Options) -> Section {
    let with_buckets = |row: &&ClassFigures| row.ages.as_ref().is_some_and(|ages| !ages.buckets.is_empty());
    let mut all: Vec<(&ClassFigures, &Ages)> =
        aggregate.classes.iter().filter(with_buckets).filter_map(|row| Some((row, row.ages.as_ref()?))).collect();
    // Stable: the order by deep size decides among equals.
    all.sort_by_key(|(_, ages)| std::cmp::Reverse(ages.generations));
    let Some(&(_, first)) = all.first() else { return Section::new("", String::new()) };
    // JVMs with other buckets have rows in the JSON report only.
    let bounds: Vec<u64> = first.buckets.iter().map(|bucket| bucket.from).collect();
    all.retain(|(_, ages)| ages.buckets.iter().map(|bucket| bucket.from).eq(bounds.iter().copied()));
    let mut columns =
        vec![name(HEADINGS.class), column(HEADINGS.generations_first).spare(2), column(HEADINGS.generations)];
    columns.extend(first.buckets.iter().map(|bucket| Column::number(&title(bucket))));
    columns.push(column(HEADINGS.most_full).spare(1));
    let top = shown(&all, options).min(options.top.unwrap_or(AGE_ROWS));
    let rows = all[..top].iter().map(|(row, ages)| {
        let mut cells = vec![row.class.clone(), optional(ages.generations_first), optional(ages.generations)];
        let trust = if row.exact == Some(true) { Trust::Exact } else { Trust::About };
        cells.extend(ages.buckets.iter().map(|bucket| match bucket.live {
            0 => "0".to_owned(),
            live => trust.mark(Some(count(live))),
        }));
        cells.push(optional(ages.max_full));
        cells
    });
    let table = render(&columns, rows.collect(), options);
    Section::new("By age, live objects by collections survived", with_rest(table, all.len(), top))
}

fn title(bucket: &Bucket) -> String {
    match bucket.to {
        None => format!("{}+", bucket.from),
        Some(to) if to == bucket.from => to.to_string(),
        Some(to) => format!("{}-{to}", bucket.from),
    }
}

pub(super) fn by_thread(aggregate: &Aggregate, options: &Options) -> Section {
    let all = &aggregate.threads;
    if all.is_empty() {
        return Section::new("", String::new());
    }
    let unit = ByteUnit::of(all.iter().map(|row| row.shallow_bytes));
    let columns = [
        name(HEADINGS.threads),
        column(HEADINGS.allocated),
        column(HEADINGS.live),
        bytes_column(HEADINGS.shallow, unit),
    ];
    let top = shown(all, options);
    let rows = all[..top].iter().map(|row| {
        let exact = row.live_error.map(|error| error == 0.0);
        vec![
            row.name.clone(),
            optional(row.allocated),
            live(Estimate { live: row.live, error: row.live_error, exact, ..Estimate::default() }),
            bytes_cell(unit, row.shallow_bytes, if exact == Some(true) { Trust::Exact } else { Trust::About }),
        ]
    });
    Section::new("By thread", with_rest(render(&columns, rows.collect(), options), all.len(), top))
}

pub(super) fn by_tag(aggregate: &Aggregate, options: &Options) -> Section {
    let all = &aggregate.tags;
    if all.is_empty() {
        return Section::new("", String::new());
    }
    let unit = ByteUnit::of(all.iter().map(|row| row.own_bytes.max(row.shallow_bytes)));
    let columns = [
        name(HEADINGS.tag),
        name(HEADINGS.value),
        column(HEADINGS.allocated),
        column(HEADINGS.live),
        bytes_column(HEADINGS.shallow, unit),
        bytes_column(HEADINGS.own, unit).only_if(all.iter().any(|row| row.own_bytes.is_some())),
    ];
    let top = shown(all, options);
    let rows = all[..top].iter().map(|row| {
        let exact = row.live_error.map(|error| error == 0.0);
        let trust = if exact == Some(true) { Trust::Exact } else { Trust::About };
        vec![
            row.key.clone(),
            row.value.clone(),
            live(Estimate { live: row.allocated, error: row.allocated_error, ..Estimate::default() }),
            live(Estimate { live: row.live, error: row.live_error, exact, ..Estimate::default() }),
            bytes_cell(unit, row.shallow_bytes, trust),
            bytes_cell(unit, row.own_bytes, trust),
        ]
    });
    Section::new("By tag", with_rest(render(&columns, rows.collect(), options), all.len(), top))
}
