//! The rows of a report: the figures of a class and of a component over all JVMs.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use weighbridge_recording::{ClassHolders, ClassRow, ComponentRow, SampledFor, Track};

use crate::ages::{AgeSum, Ages, Bucket};
use crate::headings::{HEADINGS, Heading};
use crate::holders;
use crate::row::{NO_COMPONENT, ReportRow as _, RowField, RowValue, rows};
use crate::trust::{Estimate, Trust, TrustMarks};
use weighbridge_table::units::count;

rows! {
    /// One class in one component, over all JVMs and all its definitions in them.
    ///
    /// Objects of different JVMs are different objects, so bytes add up exactly. If two loaders of a JVM define a class, the
    /// rows of both are added.
    pub struct ClassFigures of ClassRow {
        /// Dotted binary name.
        pub class: String = |_| String::new() => name().with_heading(HEADINGS.class, 0).with_text(ClassFigures::with_fields);
        /// Its component, if it has one.
        pub component: Option<String> = |_| None => name().with_heading(HEADINGS.component, 2);
        /// Objects whose constructor returned normally: exact.
        pub allocated: u64 => objects().with_heading(HEADINGS.allocated, 1).parquet("allocated")
            .counter("weighbridge_object_allocated", "Objects constructed: exact.");
        /// Objects that were there when the native agent came; dead ones that were not collected yet included.
        pub before: Option<u64> => objects()
            .shown_if_known(
                Heading::new("Before").unit("objects")
                    .hint("Objects that were there when measuring began, those included that were dead and not collected yet"),
            ).parquet("before")
            .counter("weighbridge_object_before", "Objects that were there when measuring began.");
        /// Objects made without a constructor, which the native agent has found.
        pub unannounced: Option<u64> => objects()
            .shown_if_known(
                Heading::new("Unannounced").unit("objects")
                    .hint("Objects made without a constructor: deserialised, by JNI or by Unsafe"),
            ).parquet("unannounced")
            .counter("weighbridge_object_unannounced", "Objects made without a constructor.");
        /// Shallow bytes of all objects allocated; instances of uninstrumented subclasses count as if they were of the class.
        pub allocated_bytes: Option<u64> = |row| shallow(row, Some(row.allocated)) => bytes().parquet("allocated_bytes")
            .counter("weighbridge_object_allocated_bytes", "Shallow bytes of the objects constructed.");
        /// Objects allocated since the last collection that was seen: exact.
        pub since_collection: Option<u64> => objects();
        /// Their shallow bytes.
        pub since_collection_bytes: Option<u64> = |row| shallow(row, row.since_collection) => bytes();
        /// Objects allocated between the last two collections that were seen: exact.
        pub last_cycle: Option<u64> => objects();
        /// Their shallow bytes.
        pub last_cycle_bytes: Option<u64> = |row| shallow(row, row.last_cycle) => bytes();
        /// Objects that lived at the last full marking. Where none is known (`marked` of the totals): those that no collection
        /// has removed, dead ones among them.
        pub live: Option<u64> = ClassRow::objects => objects().with_heading(HEADINGS.live, 0).parquet("live")
            .trusted(|row, blur| Estimate {
                count: row.live,
                error: row.live_error,
                exact: row.exact,
                seen: row.tracked,
                allocated: Some(row.allocated + row.before.unwrap_or(0) + row.unannounced.unwrap_or(0)),
                garbage: blur.garbage,
            }.trust())
            .gauge("weighbridge_object_live", "Objects that lived at the last full marking; without one at most so many live.");
        /// One standard error of `live`, objects; 0 if exact.
        pub live_error: Option<f64> = ClassRow::objects_error => error().parquet("live_error")
            .gauge("weighbridge_object_live_stderr", "One standard error of the live objects; 0 if exact.");
        /// Objects that no collection has removed, dead ones among them: no more can live.
        pub not_collected: Option<u64> => objects().shown_if_not("live", HEADINGS.not_collected).parquet("not_collected")
            .trusted(|row, _| Estimate {
                count: row.not_collected,
                error: row.not_collected_error,
                exact: row.exact,
                ..Estimate::default()
            }.trust())
            .gauge("weighbridge_object_not_collected", "Objects that no collection has removed: no more can live.");
        /// One standard error of `not_collected`, objects.
        pub not_collected_error: Option<f64> => error().parquet("not_collected_error");
        /// Whether every live object is tracked. If not, deep figures are lower bounds.
        pub exact: Option<bool> => flag().parquet("exact");
        /// Whether `live` and `shallow_bytes` are the JVM's count.
        pub counted: Option<bool> => flag();
        /// Why some objects are not tracked, in any JVM.
        pub sampled_for: BTreeSet<SampledFor> = |row| row.sampled_for.into_iter().collect() => nested();
        /// Weak references behind `live`.
        pub tracked: Option<u64> => objects().parquet("tracked");
        /// Live objects that the measurement met, tracked or not: deep, exclusive and shared bytes are of these; own bytes are scaled to all.
        pub met: Option<u64> => objects().parquet("met");
        /// Shallow bytes of the live objects.
        pub shallow_bytes: Option<u64> => bytes().with_heading(HEADINGS.shallow, 3).parquet("shallow_bytes")
            .trusted(|row, blur| blur.shallow(row.exact, row.live_error))
            .gauge("weighbridge_object_live_bytes", "Shallow bytes of the live objects.");
        /// Bytes that the objects hold without passing an object of another class, and that no other class holds so.
        pub own_bytes: Option<u64> => bytes().shown_if_known(HEADINGS.own).parquet("own_bytes")
            .trusted(|_, blur| blur.split())
            .gauge(
                "weighbridge_object_own_bytes",
                "Held without passing an object of another class, and by no other class so.",
            );
        /// Bytes that they hold so and other classes hold so too.
        pub own_shared_bytes: Option<u64> => bytes().parquet("own_shared_bytes");
        /// Bytes of everything reached from the objects met, each object once.
        pub deep_bytes: Option<u64> => bytes().with_heading(HEADINGS.deep, 0).parquet("deep_bytes")
            .trusted(|row, blur| blur.deep(row.exact))
            .overlapping(
                "weighbridge_object_deep_bytes",
                "Everything reached from the objects met; those of different classes overlap.",
            );
        /// Objects reached from the objects met, each once.
        pub deep_objects: Option<u64> => objects().parquet("deep_objects");
        /// Part of `deep_bytes` reached from no other class's objects.
        pub exclusive_bytes: Option<u64> => bytes().with_heading(HEADINGS.exclusive, 4).parquet("exclusive_bytes")
            .trusted(|_, blur| blur.split())
            .gauge("weighbridge_object_exclusive_bytes", "Part of the deep bytes reached from no other class.");
        /// The rest of `deep_bytes`.
        pub shared_bytes: Option<u64> => bytes().with_heading(HEADINGS.shared, 6).parquet("shared_bytes")
            .trusted(|_, blur| blur.split());
        /// Memory outside the heap that direct buffers among the reached objects own, bytes; in no other figure.
        pub off_heap_bytes: Option<u64> => bytes().parquet("off_heap_bytes");
        /// What holds the live objects, if asked for.
        pub holders: Option<ClassHolders> = |row| holders::merge_chains(row.holders.as_ref()) => nested();
        /// The largest `live` of any snapshot; over several JVMs the sum of their peaks.
        pub peak_live: Option<u64> = |_| None => objects()
            .with_heading(
                Heading::new("Peak live").unit("objects")
                    .hint("The largest figure of any snapshot; between snapshots it may have been higher"),
                7,
            )
            .trusted(|row, _| Trust::unless(row.peak_exact));
        /// Whether `live` was exact at its peak.
        pub peak_exact: Option<bool> = |_| None => flag();
        /// Ages of the live objects.
        #[serde(rename = "age")]
        pub ages: Option<Ages> = |_| None => nested(), with {
            "age_median": |row| row.ages.as_ref().and_then(Ages::median).map(|bucket| bucket.from).value(), |_| RowValue::Unknown =>
                collections()
                    .only_on_page(
                        Heading::new("Median age").unit("collections")
                            .hint("Half of the live objects survived at least so many collections"),
                        false,
                    )
                    .with_text(|row| row.ages.as_ref().and_then(Ages::median).map(Bucket::title).unwrap_or_default());
            "age_max": |row| row.ages.as_ref().map(|ages| ages.max).value(), |row| row.oldest.value() =>
                collections()
                    .with_heading(
                        Heading::new("Oldest").unit("collections")
                            .hint("Collections, young and full, that the oldest tracked object survived"),
                        5,
                    ).parquet("oldest")
                    .with_text(|row| match (row.live, &row.ages) {
                        (Some(0), _) | (_, None) => TrustMarks::PAGE.unknown.to_owned(),
                        (_, Some(ages)) => count(ages.max),
                    })
                    .overlapping(
                        "weighbridge_object_oldest_collections",
                        "Collections that the oldest tracked object survived.",
                    );
            "age_max_full": |row| row.ages.as_ref().and_then(|ages| ages.max_full).value(), |row| row.oldest_full.value() =>
                collections().parquet("oldest_full");
            "age_generations": |row| row.ages.as_ref().and_then(|ages| ages.generations).value(), |row| row.generations.value() =>
                objects().parquet("generations");
            "age_more_generations": |row| row.ages.as_ref().and_then(Ages::more_generations).value(), |_| RowValue::Unknown =>
                objects()
                    .only_on_page(
                        Heading::new("Generations").unit("gained")
                            .hint("Different ages of its live objects now, less those in the first snapshot: what leaks has ever more"),
                        true,
                    );
        };
        /// How it is measured, if all JVMs agree.
        pub track: Option<Track> = |_| None => name();
        /// JVMs and definitions behind the row.
        pub definitions: u64 = |_| 1 => objects();
        /// The loader that `class` ends with, where several loaders of a JVM define the name.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub loader: Option<String> = |_| None => nested();
        /// Jars it came from, in alphabetical order.
        pub jars: BTreeSet<String> = |_| BTreeSet::new() => nested();
        /// The fields that are measured, if not all.
        pub fields: BTreeSet<String> = |_| BTreeSet::new() => nested();
    }
}

/// Shallow bytes of constructed objects.
fn shallow(row: &ClassRow, objects: Option<u64>) -> Option<u64> {
    Some(objects?.saturating_mul(row.instance_bytes?))
}

/// Adds rows of classes with the same name and component.
#[derive(Debug, Default)]
pub struct ClassSums(BTreeMap<(String, Option<String>), (Option<ClassFigures>, AgeSum)>);

impl ClassSums {
    /// Adds the figures of a recording's row, and its ages, whose buckets have these lower bounds.
    pub fn add(&mut self, class: ClassFigures, row: &ClassRow, age_from: &[u64], generations_first: Option<u64>) {
        let (sum, ages) = self.0.entry((class.class.clone(), class.component.clone())).or_default();
        ages.add(row, age_from, generations_first);
        match sum {
            None => *sum = Some(class),
            Some(sum) => sum.add(class),
        }
    }

    /// The rows by name, then component.
    pub fn finish(self) -> impl Iterator<Item = ClassFigures> {
        let sums = self.0.into_values();
        sums.filter_map(|(sum, ages)| Some(ClassFigures { ages: ages.finish(), ..sum? }))
    }
}

impl ClassFigures {
    /// The name of its component, or `(none)`.
    pub fn component_or_none(&self) -> &str {
        self.component.as_deref().unwrap_or(NO_COMPONENT)
    }

    /// The name without the loader that may follow it.
    pub fn name(&self) -> &str {
        let before = |loader: &str| self.class.strip_suffix(')')?.strip_suffix(loader)?.strip_suffix(" (");
        self.loader.as_deref().and_then(before).unwrap_or(&self.class)
    }

    /// Its name, with the fields that are measured, if not all.
    fn with_fields(&self) -> String {
        if self.fields.is_empty() {
            return self.class.clone();
        }
        let fields: Vec<&str> = self.fields.iter().map(String::as_str).collect();
        format!("{} {{{}}}", self.class, fields.join(", "))
    }
}

rows! {
    /// One component over all JVMs.
    pub struct ComponentFigures of ComponentRow {
        /// Its name; `(none)` is of the classes without a component.
        pub component: String = |row| row.name.clone() => name().with_heading(HEADINGS.component, 0).parquet("component");
        /// Objects of its classes that lived at the last full marking, or at most, as in rows of classes.
        pub live: Option<u64> = ComponentRow::objects => objects().with_heading(HEADINGS.live, 0).parquet("live")
            .trusted(|row, blur| Estimate {
                count: row.live,
                error: row.live_error,
                exact: row.exact,
                garbage: blur.garbage,
                ..Estimate::default()
            }.trust())
            .gauge(
                "weighbridge_component_live",
                "Objects of its classes that lived at the last full marking; without one at most so many live.",
            );
        /// One standard error of `live`, objects.
        pub live_error: Option<f64> = ComponentRow::objects_error => error().parquet("live_error")
            .gauge("weighbridge_component_live_stderr", "One standard error of the live objects; 0 if exact.");
        /// Objects that no collection has removed, dead ones among them: no more can live.
        pub not_collected: Option<u64> => objects().shown_if_not("live", HEADINGS.not_collected).parquet("not_collected")
            .trusted(|row, _| Estimate {
                count: row.not_collected,
                error: row.not_collected_error,
                exact: row.exact,
                ..Estimate::default()
            }.trust())
            .gauge("weighbridge_component_not_collected", "Objects that no collection has removed: no more can live.");
        /// One standard error of `not_collected`, objects.
        pub not_collected_error: Option<f64> => error().parquet("not_collected_error");
        /// Whether `live` is exact. If not, deep figures are lower bounds.
        pub exact: Option<bool> => flag().parquet("exact");
        /// Shallow bytes of its live objects.
        pub shallow_bytes: Option<u64> => bytes().with_heading(HEADINGS.shallow, 4).parquet("shallow_bytes")
            .trusted(|row, blur| blur.shallow(row.exact, row.live_error))
            .gauge("weighbridge_component_live_bytes", "Shallow bytes of the live objects.");
        /// Bytes that its objects hold without passing an object of another component, and that no other component holds so.
        pub own_bytes: Option<u64> => bytes().shown_if_known(HEADINGS.own).parquet("own_bytes")
            .trusted(|_, blur| blur.split())
            .gauge(
                "weighbridge_component_own_bytes",
                "Held without passing an object of another component, and by no other component so.",
            );
        /// Bytes that they hold so and other components hold so too.
        pub own_shared_bytes: Option<u64> => bytes().parquet("own_shared_bytes");
        /// Bytes of everything reached from its tracked objects, each object once.
        pub deep_bytes: Option<u64> => bytes().with_heading(HEADINGS.deep, 0).parquet("deep_bytes")
            .trusted(|row, blur| blur.deep(row.exact))
            .overlapping(
                "weighbridge_component_deep_bytes",
                "Everything reached from the tracked objects; those of different components overlap.",
            );
        /// Part of `deep_bytes` reached from no other component.
        pub exclusive_bytes: Option<u64> => bytes().with_heading(HEADINGS.exclusive, 1).parquet("exclusive_bytes")
            .trusted(|_, blur| blur.split())
            .gauge("weighbridge_component_exclusive_bytes", "Part of the deep bytes reached from no other component.");
        /// Part of `deep_bytes` reached from another component too.
        pub shared_bytes: Option<u64> => bytes().with_heading(HEADINGS.shared, 2).parquet("shared_bytes")
            .trusted(|_, blur| blur.split());
        /// Its part of the shared bytes if they are split evenly.
        pub shared_even_bytes: Option<u64> => bytes()
            .with_heading(
                Heading::new("Shared, split evenly")
                    .hint("The shared bytes split evenly among the components that reach them"),
                5,
            ).parquet("shared_even_bytes")
            .trusted(|_, blur| blur.split())
            .gauge(
                "weighbridge_component_shared_even_bytes",
                "Its part of the shared bytes when they are split evenly.",
            );
        /// Memory outside the heap that direct buffers among the reached objects own, bytes; in no other figure.
        pub off_heap_bytes: Option<u64> => bytes().parquet("off_heap_bytes");
        /// The largest `live` of any snapshot; over several JVMs the sum of their peaks.
        pub peak_live: Option<u64> = |_| None => objects();
        /// The largest `deep_bytes` of any snapshot; over several JVMs the sum of their peaks.
        pub peak_deep_bytes: Option<u64> = |_| None => bytes()
            .with_heading(
                Heading::new("Peak deep")
                    .hint("The largest figure of any snapshot; between snapshots it may have been higher"),
                3,
            )
            .trusted(|row, blur| blur.deep(row.peak_exact));
        /// Whether `live` was exact at the peak of `deep_bytes`. If not, the peak is a lower bound.
        pub peak_exact: Option<bool> = |_| None => flag();
    }
}

/// The figures of all JVMs together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// Whether a full collection was forced right before every JVM's last snapshot.
    pub collected: Option<bool>,
    /// Whether the figures of every JVM are of objects that lived at a full marking. If not, dead ones may be among them.
    pub marked: Option<bool>,
    /// Whether every tracked class is exact in every JVM.
    pub exact: Option<bool>,
    /// Used heap, garbage included, bytes.
    pub heap_used_bytes: Option<u64>,
    /// Committed heap, bytes.
    pub heap_committed_bytes: Option<u64>,
    /// Largest heap allowed, bytes.
    pub heap_max_bytes: Option<u64>,
    /// Bytes of the used heap that the measuring runtime holds: counted.
    pub heap_runtime_bytes: Option<u64>,
    /// Bytes reached from any tracked object, each object once: the exclusive bytes of all components plus
    /// `shared_once_bytes`.
    pub measured_bytes: Option<u64>,
    /// Objects reached from any tracked object.
    pub measured_objects: Option<u64>,
    /// Bytes reached from several components, each object once.
    pub shared_once_bytes: Option<u64>,
    /// Used heap that no tracked object reaches, garbage included: the used heap before the walk minus `measured_bytes`.
    pub not_reached_bytes: Option<u64>,
    /// Memory outside the heap that direct buffers among the reached objects own, bytes.
    pub off_heap_bytes: Option<u64>,
    /// Objects that were counted but could not be entered.
    pub closed_objects: Option<u64>,
}
