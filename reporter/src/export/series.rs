//! The aggregate as metrics: named families of labelled series, for [`super::openmetrics`] and [`super::otlp`].
//!
//! Cardinality is bounded: of classes, components and groups of threads the largest have series of their own, the rest
//! is summed up as `other`, with the figures that can be summed. Tags have no series: their values are the program's own.

use weighbridge_recording::Collections;

use crate::aggregate::Aggregate;
use crate::jvm_run::Ending;
use crate::sum::{Quadrature, Sum};

/// The label value that sums up what has no series of its own.
const OTHER: &str = "other";

/// How a family's values behave.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Gauge,
    Counter,
}

/// A family, and its series of one aggregate.
pub(super) struct Metric<'a> {
    /// Ends in the unit.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// `bytes`, `seconds`, `collections` or nothing.
    pub(super) unit: &'static str,
    pub(super) help: &'static str,
    /// At least one.
    pub(super) series: Vec<Series<'a>>,
}

/// The labels of a row and its value.
pub(super) type Series<'a> = (Vec<(&'static str, &'a str)>, f64);

/// What is told of a row.
struct Family<T> {
    name: &'static str,
    kind: Kind,
    unit: &'static str,
    help: &'static str,
    figure: fn(&T) -> Option<f64>,
    /// Whether the figure of `other` is the sum of its rows'; deep figures of several rows overlap.
    adds_up: Adds,
}

#[derive(Clone, Copy)]
enum Adds {
    Sum,
    Quadrature,
    Never,
}

/// The families that an aggregate has series of, always in the same order: at most `top` series each beside `other`; all
/// of them with `None`.
pub(super) fn metrics(aggregate: &Aggregate, top: Option<usize>) -> Vec<Metric<'_>> {
    let single = SINGLE.iter().filter_map(|family| {
        let figure = (family.figure)(aggregate)?;
        Some(family.metric(vec![(Vec::new(), figure)]))
    });
    let class = rows(CLASS, &aggregate.classes, top, &["class", "component"], |row| {
        vec![row.class.as_str(), row.component_or_none()]
    });
    let component = rows(COMPONENT, &aggregate.components, top, &["component"], |row| vec![row.component.as_str()]);
    let thread = rows(THREAD, &aggregate.threads, top, &["thread"], |row| vec![row.name.as_str()]);
    single.chain(class).chain(component).chain(thread).collect()
}

/// The names of all families, in that order.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let single = SINGLE.iter().map(|family| family.name);
    let (class, component) = (CLASS.iter().map(|family| family.name), COMPONENT.iter().map(|family| family.name));
    single.chain(class).chain(component).chain(THREAD.iter().map(|family| family.name))
}

fn rows<'a, T>(
    families: &'static [Family<T>],
    rows: &'a [T],
    top: Option<usize>,
    keys: &'static [&'static str],
    labels: fn(&T) -> Vec<&str>,
) -> impl Iterator<Item = Metric<'a>> {
    // A bound of one less than the rows would sum up a single one.
    let own = top.filter(|top| rows.len() > top.saturating_add(1)).unwrap_or(rows.len());
    let (own, rest) = rows.split_at(own);
    families.iter().filter_map(move |family| {
        let own = own.iter().filter_map(|row| Some((labels(row), (family.figure)(row)?)));
        let other = family.other(rest).map(|figure| (vec![OTHER; keys.len()], figure));
        let named = |(values, figure): (Vec<&'a str>, f64)| (keys.iter().copied().zip(values).collect(), figure);
        let series: Vec<Series> = own.chain(other).map(named).collect();
        (!series.is_empty()).then(|| family.metric(series))
    })
}

impl<T> Family<T> {
    fn metric<'a>(&self, series: Vec<Series<'a>>) -> Metric<'a> {
        Metric { name: self.name, kind: self.kind, unit: self.unit, help: self.help, series }
    }

    fn other(&self, rest: &[T]) -> Option<f64> {
        let figures = rest.iter().map(self.figure);
        match self.adds_up {
            Adds::Sum => Sum::of(figures.map(|figure| figure.map(|figure| figure as u64))).map(|sum| sum as f64),
            Adds::Quadrature => {
                let mut sum = Quadrature::default();
                figures.for_each(|figure| sum.add(figure));
                sum.value()
            }
            Adds::Never => None,
        }
    }
}

fn figure(n: Option<u64>) -> Option<f64> {
    n.map(|n| n as f64)
}

macro_rules! families {
    ($($name:literal $kind:ident $unit:literal $adds:ident $figure:expr, $help:literal;)*) => {
        &[$(Family { name: $name, kind: Kind::$kind, unit: $unit, help: $help, figure: $figure, adds_up: Adds::$adds }),*]
    };
}

const SINGLE: &[Family<Aggregate>] = families! {
    "weighbridge_heap_used_bytes" Gauge "bytes" Sum |all| figure(all.totals.heap_used_bytes),
        "Used heap, garbage included.";
    "weighbridge_heap_committed_bytes" Gauge "bytes" Sum |all| figure(all.totals.heap_committed_bytes), "Committed heap.";
    "weighbridge_heap_max_bytes" Gauge "bytes" Sum |all| figure(all.totals.heap_max_bytes), "Largest heap allowed.";
    "weighbridge_measured_bytes" Gauge "bytes" Sum |all| figure(all.totals.measured_bytes),
        "Heap reached from registered objects.";
    "weighbridge_off_heap_bytes" Gauge "bytes" Sum |all| figure(all.totals.off_heap_bytes),
        "Memory of direct buffers reached.";
    "weighbridge_snapshot_timestamp_seconds" Gauge "seconds" Never |all| newest(all), "When the newest snapshot was taken.";
    "weighbridge_jvms_ended" Gauge "" Sum |all| Some(all.jvms.iter().filter(|jvm| jvm.ending != Ending::Open).count() as f64),
        "JVMs among them that ended in order.";
    "weighbridge_young_collections" Counter "" Sum |all| collections(all, |of| of.young), "Young collections.";
    "weighbridge_full_collections" Counter "" Sum |all| collections(all, |of| of.full), "Full collections.";
    "weighbridge_collection_pause_seconds" Counter "seconds" Sum
        |all| collections(all, |of| of.pause_ms).map(|ms| ms / 1_000.0), "The collectors' own accumulated time.";
};

/// Of the last snapshots.
fn collections(all: &Aggregate, figure: fn(&Collections) -> Option<u64>) -> Option<f64> {
    let last = all.jvms.iter().filter_map(|jvm| jvm.last.as_ref());
    Sum::of(last.map(|last| last.collections.as_ref().and_then(figure))).map(|sum| sum as f64)
}

fn newest(all: &Aggregate) -> Option<f64> {
    let at_ms = all.jvms.iter().filter_map(|jvm| jvm.last.as_ref()?.at_ms).max()?;
    Some(at_ms as f64 / 1_000.0)
}

const CLASS: &[Family<crate::ClassFigures>] = families! {
    "weighbridge_object_live" Gauge "" Sum |row| figure(row.live), "Live objects.";
    "weighbridge_object_live_stderr" Gauge "" Quadrature |row| row.live_error,
        "One standard error of the live objects; 0 if exact.";
    "weighbridge_object_live_bytes" Gauge "bytes" Sum |row| figure(row.shallow_bytes), "Shallow bytes of the live objects.";
    "weighbridge_object_own_bytes" Gauge "bytes" Sum |row| figure(row.own_bytes),
        "Held without passing an object of another class, and by no other class so.";
    "weighbridge_object_deep_bytes" Gauge "bytes" Never |row| figure(row.deep_bytes),
        "Everything reached from the tracked objects; those of different classes overlap.";
    "weighbridge_object_exclusive_bytes" Gauge "bytes" Sum |row| figure(row.exclusive_bytes),
        "Part of the deep bytes reached from no other class.";
    "weighbridge_object_oldest_collections" Gauge "collections" Never |row| row.ages.as_ref().map(|ages| ages.max as f64),
        "Collections that the oldest tracked object survived.";
    "weighbridge_object_allocated" Counter "" Sum |row| figure(Some(row.allocated)), "Objects constructed: exact.";
    "weighbridge_object_allocated_bytes" Counter "bytes" Sum |row| figure(row.allocated_bytes),
        "Shallow bytes of the objects constructed.";
};

const COMPONENT: &[Family<crate::ComponentFigures>] = families! {
    "weighbridge_component_live" Gauge "" Sum |row| figure(row.live), "Live objects of the component's classes.";
    "weighbridge_component_live_stderr" Gauge "" Quadrature |row| row.live_error,
        "One standard error of the live objects; 0 if exact.";
    "weighbridge_component_live_bytes" Gauge "bytes" Sum |row| figure(row.shallow_bytes), "Shallow bytes of the live objects.";
    "weighbridge_component_own_bytes" Gauge "bytes" Sum |row| figure(row.own_bytes),
        "Held without passing an object of another component, and by no other component so.";
    "weighbridge_component_deep_bytes" Gauge "bytes" Never |row| figure(row.deep_bytes),
        "Everything reached from the tracked objects; those of different components overlap.";
    "weighbridge_component_exclusive_bytes" Gauge "bytes" Sum |row| figure(row.exclusive_bytes),
        "Part of the deep bytes reached from no other component.";
    "weighbridge_component_shared_even_bytes" Gauge "bytes" Sum |row| figure(row.shared_even_bytes),
        "Its part of the shared bytes when they are split evenly.";
};

const THREAD: &[Family<crate::ThreadFigures>] = families! {
    "weighbridge_thread_live" Gauge "" Sum |row| figure(row.live), "Live objects that the group of threads constructed.";
    "weighbridge_thread_live_bytes" Gauge "bytes" Sum |row| figure(row.shallow_bytes), "Their shallow bytes.";
    "weighbridge_thread_allocated" Counter "" Sum |row| figure(row.allocated), "Objects constructed: exact.";
};
