//! The rows of a report: what is known of a class and of a component over all JVMs.

use std::collections::BTreeSet;

use weighbridge_recording::{ClassLine, ClassRow, ComponentRow, SampledFor, Track};

use crate::ages::{AgeSum, Ages};
use crate::holders::{HolderFigures, HolderSum};
use crate::jvm_run::{ComponentRun, Peak};
use crate::sum::{Quadrature, Sum};

/// One class in one component, over all JVMs and all its definitions in them.
///
/// Objects of different JVMs are different objects, so all bytes add up exactly. A class that is
/// defined twice in one JVM (two loaders) counts as two classes whose rows are added.
#[derive(Debug, Clone)]
pub struct ClassFigures {
    /// Dotted binary name.
    pub class: String,
    /// Its component; `None` if none claims it.
    pub component: Option<String>,
    /// How it is measured, if all JVMs agree.
    pub track: Option<Track>,
    /// Jars it came from, in alphabetical order.
    pub jars: BTreeSet<String>,
    /// The fields that are measured, if not all.
    pub fields: BTreeSet<String>,
    /// JVMs and definitions behind the row.
    pub definitions: u64,
    /// Objects whose constructor returned normally: exact.
    pub allocated: u64,
    /// Live objects.
    pub live: Option<u64>,
    /// One standard error of `live`, objects; 0 if exact.
    pub live_error: Option<f64>,
    /// Whether every live object is tracked. If not, deep figures are lower bounds.
    pub exact: Option<bool>,
    /// Whether `live` and `shallow_bytes` are the JVM's own count.
    pub counted: Option<bool>,
    /// Why some objects are not tracked, in any JVM.
    pub sampled_for: BTreeSet<SampledFor>,
    /// Weak references behind `live`.
    pub tracked: Option<u64>,
    /// Shallow bytes of the live objects.
    pub shallow_bytes: Option<u64>,
    /// Bytes that the objects hold without passing an object of another class, and that no other class holds so.
    pub own_bytes: Option<u64>,
    /// Bytes that they hold so and that other classes hold so, too.
    pub own_shared_bytes: Option<u64>,
    /// Bytes of everything reached from the tracked objects, each object once.
    pub deep_bytes: Option<u64>,
    /// Objects reached from the tracked objects, each once.
    pub deep_objects: Option<u64>,
    /// Part of `deep_bytes` reached from no other class's tracked objects.
    pub exclusive_bytes: Option<u64>,
    /// The rest of `deep_bytes`.
    pub shared_bytes: Option<u64>,
    /// Memory outside the heap that direct buffers among the reached objects own, bytes; in no other figure.
    pub off_heap_bytes: Option<u64>,
    /// What holds the live objects, if that was asked.
    pub holders: Option<HolderFigures>,
    /// The largest `live` of any snapshot; over several JVMs the sum of their peaks.
    pub peak_live: Option<u64>,
    /// Whether `live` was exact at its peak.
    pub peak_exact: Option<bool>,
    /// Ages of the live objects.
    pub ages: Option<Ages>,
    /// Shallow bytes of all objects allocated: instances of uninstrumented subclasses count as the class's own.
    pub allocated_bytes: Option<u64>,
    /// Objects allocated since the last collection that was seen: exact.
    pub since_collection: Option<u64>,
    /// Their shallow bytes.
    pub since_collection_bytes: Option<u64>,
    /// Objects allocated between the last two collections that were seen: exact.
    pub last_cycle: Option<u64>,
    /// Their shallow bytes.
    pub last_cycle_bytes: Option<u64>,
}

/// The component of classes that none claims, in tables that name one for each class.
pub(crate) const NO_COMPONENT: &str = "(none)";

impl ClassFigures {
    /// The name of its component, or the one for classes that none claims.
    pub fn component_or_none(&self) -> &str {
        self.component.as_deref().unwrap_or(NO_COMPONENT)
    }
}

/// One component over all JVMs.
#[derive(Debug, Clone)]
pub struct ComponentFigures {
    /// Its name; `(none)` holds the classes that no component claims.
    pub component: String,
    /// Live objects of its classes.
    pub live: Option<u64>,
    /// One standard error of `live`, objects.
    pub live_error: Option<f64>,
    /// Whether `live` is exact. If not, deep figures are lower bounds.
    pub exact: Option<bool>,
    /// Shallow bytes of its live objects.
    pub shallow_bytes: Option<u64>,
    /// Bytes that its objects hold without passing an object of another component, and that no other component holds so.
    pub own_bytes: Option<u64>,
    /// Bytes that they hold so and that other components hold so, too.
    pub own_shared_bytes: Option<u64>,
    /// Bytes of everything reached from its tracked objects, each object once.
    pub deep_bytes: Option<u64>,
    /// Part of `deep_bytes` reached from no other component.
    pub exclusive_bytes: Option<u64>,
    /// Part of `deep_bytes` reached from another component too.
    pub shared_bytes: Option<u64>,
    /// Its part of the shared bytes when they are split evenly.
    pub shared_even_bytes: Option<u64>,
    /// Memory outside the heap that direct buffers among the reached objects own, bytes; in no other figure.
    pub off_heap_bytes: Option<u64>,
    /// The largest `live` of any snapshot; over several JVMs the sum of their peaks.
    pub peak_live: Option<u64>,
    /// The largest `deep_bytes` of any snapshot; over several JVMs the sum of their peaks.
    pub peak_deep_bytes: Option<u64>,
    /// Whether `live` was exact at the peak of `deep_bytes`; if not, that is a lower bound.
    pub peak_exact: Option<bool>,
}

/// The figures of all JVMs together.
#[derive(Debug, Clone, Default)]
pub struct Totals {
    /// Used heap, garbage included, bytes.
    pub heap_used_bytes: Option<u64>,
    /// Committed heap, bytes.
    pub heap_committed_bytes: Option<u64>,
    /// Largest heap allowed, bytes.
    pub heap_max_bytes: Option<u64>,
    /// Of the used heap, what the runtime that measures holds itself, bytes: counted.
    pub heap_runtime_bytes: Option<u64>,
    /// Objects reached from any tracked object, each once.
    pub measured_objects: Option<u64>,
    /// Their bytes: every component's exclusive bytes plus `shared_once_bytes`.
    pub measured_bytes: Option<u64>,
    /// Bytes reached from several components, each object once.
    pub shared_once_bytes: Option<u64>,
    /// Used heap that no tracked object reaches, garbage included: the used heap before the walk less `measured_bytes`.
    pub not_reached_bytes: Option<u64>,
    /// Memory outside the heap that direct buffers among the reached objects own, bytes.
    pub off_heap_bytes: Option<u64>,
    /// Objects that were counted but could not be entered.
    pub closed_objects: Option<u64>,
    /// Whether a full collection was forced right before every JVM's last snapshot.
    pub collected: Option<bool>,
    /// Whether every tracked class is exact in every JVM.
    pub exact: Option<bool>,
}

/// What a row's snapshot and the ones before it say of its ages.
#[derive(Clone, Copy)]
pub(crate) struct AgeContext<'a> {
    pub(crate) from: &'a [u64],
    pub(crate) generations_first: Option<u64>,
}

/// Adds rows of one class.
#[derive(Debug, Default)]
pub(crate) struct ClassSum {
    track: Option<Option<Track>>,
    jars: BTreeSet<String>,
    fields: BTreeSet<String>,
    definitions: u64,
    allocated: u64,
    live: Sum,
    live_error: Quadrature,
    exact: Option<Option<bool>>,
    counted: Option<Option<bool>>,
    sampled_for: BTreeSet<SampledFor>,
    tracked: Sum,
    shallow: Sum,
    own: Sum,
    own_shared: Sum,
    deep: Sum,
    deep_objects: Sum,
    exclusive: Sum,
    shared: Sum,
    off_heap: Sum,
    holders: HolderSum,
    peak_live: Sum,
    peak_exact: Option<Option<bool>>,
    ages: AgeSum,
    allocated_bytes: Sum,
    since_collection: Sum,
    since_collection_bytes: Sum,
    last_cycle: Sum,
    last_cycle_bytes: Sum,
}

impl ClassSum {
    pub(crate) fn add(&mut self, line: Option<&ClassLine>, row: &ClassRow, peak: Option<Peak>, ages: AgeContext) {
        let track = line.and_then(|line| line.track);
        self.track = Some(match self.track {
            None => track,
            Some(known) => known.filter(|known| Some(*known) == track),
        });
        if let Some(line) = line {
            self.jars.extend(line.jar.clone());
            self.fields.extend(line.fields.iter().flatten().cloned());
        }
        self.definitions += 1;
        self.allocated = self.allocated.saturating_add(row.allocated);
        self.live.add(row.live);
        self.live_error.add(row.live_error);
        self.exact = Some(all_exact(self.exact, row.exact));
        self.counted = Some(all_exact(self.counted, row.counted));
        self.sampled_for.extend(row.sampled_for);
        self.tracked.add(row.tracked);
        self.shallow.add(row.shallow_bytes);
        self.own.add(row.own_bytes);
        self.own_shared.add(row.own_shared_bytes);
        self.deep.add(row.deep_bytes);
        self.deep_objects.add(row.deep_objects);
        self.exclusive.add(row.exclusive_bytes);
        self.shared.add(row.shared_bytes);
        self.off_heap.add(row.off_heap_bytes);
        self.holders.add(row.holders.as_ref());
        self.peak_live.add(peak.map(|peak| peak.value));
        self.peak_exact = Some(all_exact(self.peak_exact, peak.map(|peak| peak.exact)));
        self.ages.add(row, ages.from, ages.generations_first);
        let bytes = |objects: Option<u64>| Some(objects?.saturating_mul(row.instance_bytes?));
        self.allocated_bytes.add(bytes(Some(row.allocated)));
        self.since_collection.add(row.since_collection);
        self.since_collection_bytes.add(bytes(row.since_collection));
        self.last_cycle.add(row.last_cycle);
        self.last_cycle_bytes.add(bytes(row.last_cycle));
    }

    pub(crate) fn finish(self, class: String, component: Option<String>) -> ClassFigures {
        ClassFigures {
            class,
            component,
            track: self.track.flatten(),
            jars: self.jars,
            fields: self.fields,
            definitions: self.definitions,
            allocated: self.allocated,
            live: self.live.value(),
            live_error: self.live_error.value(),
            exact: self.exact.flatten(),
            counted: self.counted.flatten(),
            sampled_for: self.sampled_for,
            tracked: self.tracked.value(),
            shallow_bytes: self.shallow.value(),
            own_bytes: self.own.value(),
            own_shared_bytes: self.own_shared.value(),
            deep_bytes: self.deep.value(),
            deep_objects: self.deep_objects.value(),
            exclusive_bytes: self.exclusive.value(),
            shared_bytes: self.shared.value(),
            off_heap_bytes: self.off_heap.value(),
            holders: self.holders.finish(),
            peak_live: self.peak_live.value(),
            peak_exact: self.peak_exact.flatten(),
            ages: self.ages.finish(),
            allocated_bytes: self.allocated_bytes.value(),
            since_collection: self.since_collection.value(),
            since_collection_bytes: self.since_collection_bytes.value(),
            last_cycle: self.last_cycle.value(),
            last_cycle_bytes: self.last_cycle_bytes.value(),
        }
    }
}

/// Adds rows of one component.
#[derive(Debug, Default)]
pub(crate) struct ComponentSum {
    live: Sum,
    live_error: Quadrature,
    exact: Option<Option<bool>>,
    shallow: Sum,
    own: Sum,
    own_shared: Sum,
    deep: Sum,
    exclusive: Sum,
    shared: Sum,
    off_heap: Sum,
    shared_even: Sum,
    peak_live: Sum,
    peak_deep: Sum,
    peak_exact: Option<Option<bool>>,
}

impl ComponentSum {
    pub(crate) fn add(&mut self, row: &ComponentRow, run: &ComponentRun) {
        self.live.add(row.live);
        self.live_error.add(row.live_error);
        self.exact = Some(all_exact(self.exact, row.exact));
        self.shallow.add(row.shallow_bytes);
        self.own.add(row.own_bytes);
        self.own_shared.add(row.own_shared_bytes);
        self.deep.add(row.deep_bytes);
        self.exclusive.add(row.exclusive_bytes);
        self.shared.add(row.shared_bytes);
        self.off_heap.add(row.off_heap_bytes);
        self.shared_even.add(row.shared_even_bytes);
        self.peak_live.add(run.peak_live.map(|peak| peak.value));
        self.peak_deep.add(run.peak_deep_bytes.map(|peak| peak.value));
        self.peak_exact = Some(all_exact(self.peak_exact, run.peak_deep_bytes.map(|peak| peak.exact)));
    }

    pub(crate) fn finish(self, component: String) -> ComponentFigures {
        ComponentFigures {
            component,
            live: self.live.value(),
            live_error: self.live_error.value(),
            exact: self.exact.flatten(),
            shallow_bytes: self.shallow.value(),
            own_bytes: self.own.value(),
            own_shared_bytes: self.own_shared.value(),
            deep_bytes: self.deep.value(),
            exclusive_bytes: self.exclusive.value(),
            shared_bytes: self.shared.value(),
            off_heap_bytes: self.off_heap.value(),
            shared_even_bytes: self.shared_even.value(),
            peak_live: self.peak_live.value(),
            peak_deep_bytes: self.peak_deep.value(),
            peak_exact: self.peak_exact.flatten(),
        }
    }
}

/// One inexact part makes the whole inexact, whatever is unknown; otherwise one unknown part makes
/// it unknown.
fn all_exact(so_far: Option<Option<bool>>, part: Option<bool>) -> Option<bool> {
    match (so_far, part) {
        (None, part) => part,
        (Some(Some(false)), _) | (_, Some(false)) => Some(false),
        (Some(Some(true)), Some(true)) => Some(true),
        (Some(_), _) => None,
    }
}
