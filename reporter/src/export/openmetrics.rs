//! The aggregate as OpenMetrics text, for Prometheus and what reads its format.
//!
//! Cardinality is bounded: of classes, components and groups of threads the largest have series of their own, the rest
//! is summed up as `other`, with the figures that can be summed. Tags have no series: their values are the program's own.
//! <https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md>

use std::fmt::Write as _;
use std::io::{self, Write};

use weighbridge_recording::Collections;

use crate::aggregate::Aggregate;
use crate::jvm_run::Ending;
use crate::sum::{Quadrature, Sum};

/// The label value that sums up what has no series of its own.
const OTHER: &str = "other";

/// How a family's values behave.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Gauge,
    /// Its samples' names end in `_total`.
    Counter,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Gauge => "gauge",
            Kind::Counter => "counter",
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            Kind::Gauge => "",
            Kind::Counter => "_total",
        }
    }
}

/// Which of the two text formats that Prometheus reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// OpenMetrics 1.0.0, `application/openmetrics-text`: counters' families are named without `_total`, units are told,
    /// and `# EOF` ends it.
    OpenMetrics,
    /// Prometheus' own 0.0.4, `text/plain`.
    Plain,
}

/// What was written so far.
struct Page {
    text: String,
    dialect: Dialect,
}

/// What is written of a row.
struct Family<T> {
    /// Without the suffix of counters; ends in the unit.
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

/// An aggregate whose series have labels that tell it from others.
#[derive(Debug, Clone, Copy)]
pub struct Labelled<'a> {
    /// Names and values; the same names for all that are written together.
    pub labels: &'a [(&'a str, &'a str)],
    /// The figures.
    pub aggregate: &'a Aggregate,
}

/// Writes all families and `# EOF`. At most `top` series a family beside `other`; all of them with `None`.
///
/// `version` is that of the program, for `weighbridge_build_info`.
pub fn write(aggregate: &Aggregate, top: Option<usize>, version: &str, output: &mut impl Write) -> io::Result<()> {
    write_each(&[Labelled { labels: &[], aggregate }], top, version, Dialect::OpenMetrics, output)
}

/// The same for several aggregates side by side: `top` holds for each of them, families stand together as the format
/// wants it.
pub fn write_each(
    all: &[Labelled],
    top: Option<usize>,
    version: &str,
    dialect: Dialect,
    output: &mut impl Write,
) -> io::Result<()> {
    let mut page = Page { text: String::new(), dialect };
    head(&mut page, "weighbridge_build_info", Kind::Gauge, "", "1, with the version of the program.");
    sample(&mut page, "weighbridge_build_info", &[("version", version)], 1.0);
    head(&mut page, "weighbridge_jvms", Kind::Gauge, "", "JVMs whose recordings were read.");
    sample(&mut page, "weighbridge_jvms", &[], all.iter().map(|one| one.aggregate.jvms.len() as f64).sum());
    single(&mut page, all);
    rows(
        &mut page,
        CLASS,
        all,
        |aggregate| &aggregate.classes,
        top,
        &["class", "component"],
        |row| vec![row.class.as_str(), row.component.as_deref().unwrap_or("(none)")],
    );
    let component: Labels<crate::ComponentFigures> = |row| vec![row.component.as_str()];
    rows(&mut page, COMPONENT, all, |aggregate| &aggregate.components, top, &["component"], component);
    rows(&mut page, THREAD, all, |aggregate| &aggregate.threads, top, &["thread"], |row| vec![row.name.as_str()]);
    if dialect == Dialect::OpenMetrics {
        page.text.push_str("# EOF\n");
    }
    output.write_all(page.text.as_bytes())
}

fn single(page: &mut Page, all: &[Labelled]) {
    for family in SINGLE {
        let figures = all.iter().filter_map(|one| Some((one.labels.to_vec(), (family.figure)(one.aggregate)?)));
        family.write(page, &figures.collect::<Vec<_>>());
    }
}

/// The values of a row's labels.
type Labels<T> = fn(&T) -> Vec<&str>;

fn rows<T>(
    page: &mut Page,
    families: &[Family<T>],
    all: &[Labelled],
    rows: fn(&Aggregate) -> &[T],
    top: Option<usize>,
    keys: &[&str],
    labels: Labels<T>,
) {
    for family in families {
        let mut samples: Vec<Sample> = Vec::new();
        for one in all {
            let rows = rows(one.aggregate);
            // A bound of one less than the rows would sum up a single one.
            let own = top.filter(|top| rows.len() > top.saturating_add(1)).unwrap_or(rows.len());
            let (own, rest) = rows.split_at(own);
            let own = own.iter().filter_map(|row| Some((labels(row), (family.figure)(row)?)));
            let other = family.other(rest).map(|figure| (vec![OTHER; keys.len()], figure));
            for (values, figure) in own.chain(other) {
                let labels = one.labels.iter().copied().chain(keys.iter().copied().zip(values));
                samples.push((labels.collect(), figure));
            }
        }
        family.write(page, &samples);
    }
}

/// Labels and a value.
type Sample<'a> = (Vec<(&'a str, &'a str)>, f64);

impl<T> Family<T> {
    fn write(&self, page: &mut Page, samples: &[Sample]) {
        if samples.is_empty() {
            return;
        }
        head(page, self.name, self.kind, self.unit, self.help);
        let name = format!("{}{}", self.name, self.kind.suffix());
        samples.iter().for_each(|(labels, figure)| sample(page, &name, labels, *figure));
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

fn head(page: &mut Page, name: &str, kind: Kind, unit: &str, help: &str) {
    let (word, text) = (kind.word(), &mut page.text);
    let _ = match page.dialect {
        Dialect::OpenMetrics if unit.is_empty() => writeln!(text, "# TYPE {name} {word}\n# HELP {name} {help}"),
        Dialect::OpenMetrics => writeln!(text, "# TYPE {name} {word}\n# UNIT {name} {unit}\n# HELP {name} {help}"),
        Dialect::Plain => {
            let suffix = kind.suffix();
            writeln!(text, "# HELP {name}{suffix} {help}\n# TYPE {name}{suffix} {word}")
        }
    };
}

fn sample(page: &mut Page, name: &str, labels: &[(&str, &str)], figure: f64) {
    let text = &mut page.text;
    text.push_str(name);
    for (index, (key, value)) in labels.iter().enumerate() {
        let _ = write!(text, "{}{key}=\"{}\"", if index == 0 { '{' } else { ',' }, escaped(value));
    }
    let _ = writeln!(text, "{} {figure}", if labels.is_empty() { "" } else { "}" });
}

/// The three characters that a label value escapes.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
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
