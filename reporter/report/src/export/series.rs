//! The aggregate as metrics: named families of labelled series, for [`super::openmetrics`] and [`super::otlp`].
//!
//! Cardinality is bounded: only the largest classes, components and groups of threads have series. The others are summed as
//! `other`, with the figures that can be summed. Tags have no series, because the program chooses their values.

use weighbridge_recording::Collections;

use crate::aggregate::Aggregate;
use crate::jvm_run::Ending;
use crate::row::{self, ColumnUnit, MetricKind, ReportRow, RowColumn, merged};
use crate::sum::Sum;
use crate::{ClassFigures, ComponentFigures, ShortageCounts, ThreadFigures};

/// The label value of the sum of rows without series.
const OTHER: &str = "other";

/// A family, and its series of one aggregate.
pub(super) struct Metric<'a> {
    /// Ends with the unit.
    pub(super) name: &'static str,
    pub(super) kind: MetricKind,
    /// `bytes`, `seconds`, `collections` or nothing.
    pub(super) unit: &'static str,
    pub(super) help: &'static str,
    /// At least one.
    pub(super) series: Vec<Series<'a>>,
}

/// The labels of a row and its value.
pub(super) type Series<'a> = (Vec<(&'static str, &'a str)>, f64);

/// A family with one figure for all rows together.
struct Family {
    name: &'static str,
    kind: MetricKind,
    unit: &'static str,
    help: &'static str,
    figure: fn(&Aggregate) -> Option<f64>,
}

/// The families of which an aggregate has series, always in the same order. Each has at most `top` series beside `other`,
/// or all with `None`.
pub(super) fn metrics(aggregate: &Aggregate, top: Option<usize>) -> Vec<Metric<'_>> {
    let single = SINGLE.iter().filter_map(|&Family { name, kind, unit, help, figure }| {
        Some(Metric { name, kind, unit, help, series: vec![(Vec::new(), figure(aggregate)?)] })
    });
    let class =
        rows(&aggregate.classes, top, &["class", "component"], |row| vec![row.class.as_str(), row.component_or_none()]);
    let component = rows(&aggregate.components, top, &["component"], |row| vec![row.component.as_str()]);
    let thread = rows(&aggregate.threads, top, &["thread"], |row| vec![row.name.as_str()]);
    single.chain(shortages(aggregate)).chain(class).chain(component).chain(thread).collect()
}

/// The names of all families, in that order.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let single = SINGLE.iter().map(|family| family.name);
    let shortages = SHORTAGES.map(|(name, ..)| name).into_iter();
    single
        .chain(shortages)
        .chain(family_names::<ClassFigures>())
        .chain(family_names::<ComponentFigures>())
        .chain(family_names::<ThreadFigures>())
}

/// Of the control on memory shortage: name, kind, unit, help.
const SHORTAGES: [(&str, MetricKind, &str, &str); 5] = [
    ("weighbridge_shortage_unresolved", MetricKind::Gauge, "", "JVMs whose last decision left memory short."),
    ("weighbridge_shortage_decisions", MetricKind::Counter, "", "Decisions in memory shortages, by what was done."),
    ("weighbridge_shortage_freed_bytes", MetricKind::Counter, "bytes", "Freed by work that was cancelled."),
    ("weighbridge_shortage_delayed", MetricKind::Counter, "", "Work that gates delayed, as of the last decision."),
    ("weighbridge_shortage_refused", MetricKind::Counter, "", "Work that gates refused, as of the last decision."),
];

/// Nothing if nothing was decided: whether somebody looked is not known then.
fn shortages<'a>(aggregate: &Aggregate) -> impl Iterator<Item = Metric<'a>> + use<'a> {
    let counts = &aggregate.shortage_counts;
    let alone = |figure: u64| vec![(Vec::new(), figure as f64)];
    let decisions = ShortageCounts::ACTIONS.into_iter().zip(counts.decisions);
    let series: [Vec<Series<'a>>; 5] = [
        counts.unresolved.map(alone).unwrap_or_default(),
        decisions.map(|(action, count)| (vec![("action", action)], count as f64)).collect(),
        alone(counts.freed_bytes),
        alone(counts.delayed),
        alone(counts.refused),
    ];
    let metrics = SHORTAGES.into_iter().zip(series).filter(|(_, series)| !series.is_empty());
    let metrics = metrics.map(|((name, kind, unit, help), series)| Metric { name, kind, unit, help, series });
    let any = counts.any();
    metrics.filter(move |_| any)
}

fn family_names<R: ReportRow>() -> impl Iterator<Item = &'static str> {
    families::<R>().into_iter().map(|(_, family)| family.name)
}

/// Gauges, then counters.
fn families<R: ReportRow>() -> Vec<(&'static RowColumn<R>, row::Metric)> {
    let mut families: Vec<_> = R::COLUMNS.iter().filter_map(|column| Some((column, column.metric?))).collect();
    families.sort_by_key(|(_, family)| family.kind == MetricKind::Counter);
    families
}

fn rows<'a, R: ReportRow>(
    rows: &'a [R],
    top: Option<usize>,
    keys: &'static [&'static str],
    labels: fn(&R) -> Vec<&str>,
) -> impl Iterator<Item = Metric<'a>> {
    // If there is only one more row than `top`, `other` would be that row.
    let own = top.filter(|top| rows.len() > top.saturating_add(1)).unwrap_or(rows.len());
    let (own, rest) = rows.split_at(own);
    families::<R>().into_iter().filter_map(move |(column, row::Metric { name, kind, help, overlaps })| {
        let figure = |row| (column.value)(row).real();
        let own = own.iter().filter_map(|row| Some((labels(row), figure(row)?)));
        let other =
            (if overlaps { &[] } else { rest }).iter().map(column.value).reduce(merged).and_then(|sum| sum.real());
        let named = |(values, figure): (Vec<&'a str>, f64)| (keys.iter().copied().zip(values).collect(), figure);
        let other = other.map(|figure| (vec![OTHER; keys.len()], figure));
        let series: Vec<Series> = own.chain(other).map(named).collect();
        let unit = match column.unit {
            ColumnUnit::Bytes => "bytes",
            ColumnUnit::Collections => "collections",
            _ => "",
        };
        (!series.is_empty()).then_some(Metric { name, kind, unit, help, series })
    })
}

fn figure(n: Option<u64>) -> Option<f64> {
    n.map(|n| n as f64)
}

macro_rules! families {
    ($($name:literal $kind:ident $unit:literal $figure:expr, $help:literal;)*) => {
        &[$(Family { name: $name, kind: MetricKind::$kind, unit: $unit, help: $help, figure: $figure }),*]
    };
}

const SINGLE: &[Family] = families! {
    "weighbridge_heap_used_bytes" Gauge "bytes" |all| figure(all.totals.heap_used_bytes),
        "Used heap, garbage included.";
    "weighbridge_heap_committed_bytes" Gauge "bytes" |all| figure(all.totals.heap_committed_bytes), "Committed heap.";
    "weighbridge_heap_max_bytes" Gauge "bytes" |all| figure(all.totals.heap_max_bytes), "Largest heap allowed.";
    "weighbridge_measured_bytes" Gauge "bytes" |all| figure(all.totals.measured_bytes),
        "Heap reached from registered objects.";
    "weighbridge_off_heap_bytes" Gauge "bytes" |all| figure(all.totals.off_heap_bytes),
        "Memory of direct buffers reached.";
    "weighbridge_snapshot_timestamp_seconds" Gauge "seconds" |all| newest(all), "When the newest snapshot was taken.";
    "weighbridge_jvms_ended" Gauge "" |all| Some(all.jvms.iter().filter(|jvm| jvm.ending != Ending::Open).count() as f64),
        "JVMs among them that ended in order.";
    "weighbridge_young_collections" Counter "" |all| collections(all, |of| of.young), "Young collections.";
    "weighbridge_full_collections" Counter "" |all| collections(all, |of| of.full), "Full collections.";
    "weighbridge_collection_pause_seconds" Counter "seconds"
        |all| collections(all, |of| of.pause_ms).map(|ms| ms / 1_000.0), "The collectors' own accumulated time.";
};

/// A sum over the last snapshots.
fn collections(all: &Aggregate, figure: fn(&Collections) -> Option<u64>) -> Option<f64> {
    let last = all.jvms.iter().filter_map(|jvm| jvm.last.as_ref());
    Sum::sum_parts(last.map(|last| last.collections.as_ref().and_then(figure))).map(|sum| sum as f64)
}

fn newest(all: &Aggregate) -> Option<f64> {
    let at_ms = all.jvms.iter().filter_map(|jvm| jvm.last.as_ref()?.at_ms).max()?;
    Some(at_ms as f64 / 1_000.0)
}
