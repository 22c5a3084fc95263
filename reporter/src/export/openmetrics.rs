//! The aggregate as OpenMetrics text, for Prometheus and what reads its format.
//!
//! Cardinality is bounded: of classes, components and groups of threads the largest have series of their own, the rest
//! is summed up as `other`, with the figures that can be summed. Tags have no series: their values are the program's own.
//! <https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md>

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::aggregate::Aggregate;
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

/// Writes all families and `# EOF`. At most `top` series a family beside `other`; all of them with `None`.
///
/// `version` is that of the program, for `weighbridge_build_info`.
pub fn write(aggregate: &Aggregate, top: Option<usize>, version: &str, output: &mut impl Write) -> io::Result<()> {
    let mut text = String::new();
    head(&mut text, "weighbridge_build_info", Kind::Gauge, "", "1, with the version of the program.");
    sample(&mut text, "weighbridge_build_info", &[("version", version)], 1.0);
    single(&mut text, aggregate);
    rows(&mut text, CLASS, &aggregate.classes, top, &["class", "component"], |row| {
        vec![row.class.as_str(), row.component.as_deref().unwrap_or("(none)")]
    });
    rows(&mut text, COMPONENT, &aggregate.components, top, &["component"], |row| vec![row.component.as_str()]);
    rows(&mut text, THREAD, &aggregate.threads, top, &["thread"], |row| vec![row.name.as_str()]);
    text.push_str("# EOF\n");
    output.write_all(text.as_bytes())
}

fn single(text: &mut String, aggregate: &Aggregate) {
    let totals = &aggregate.totals;
    let gauges = [
        ("weighbridge_jvms", "", "JVMs whose recordings were read.", Some(aggregate.jvms.len() as u64)),
        ("weighbridge_heap_used_bytes", "bytes", "Used heap, garbage included.", totals.heap_used_bytes),
        ("weighbridge_heap_committed_bytes", "bytes", "Committed heap.", totals.heap_committed_bytes),
        ("weighbridge_heap_max_bytes", "bytes", "Largest heap allowed.", totals.heap_max_bytes),
        ("weighbridge_measured_bytes", "bytes", "Heap reached from registered objects.", totals.measured_bytes),
        ("weighbridge_off_heap_bytes", "bytes", "Memory of direct buffers reached.", totals.off_heap_bytes),
    ];
    for (name, unit, help, figure) in gauges {
        if let Some(figure) = figure {
            head(text, name, Kind::Gauge, unit, help);
            sample(text, name, &[], figure as f64);
        }
    }
}

fn rows<T>(
    text: &mut String,
    families: &[Family<T>],
    rows: &[T],
    top: Option<usize>,
    keys: &[&str],
    labels: fn(&T) -> Vec<&str>,
) {
    // A bound of one less than the rows would sum up a single one.
    let own = top.filter(|top| rows.len() > top.saturating_add(1)).unwrap_or(rows.len());
    let (own, rest) = rows.split_at(own);
    for family in families {
        let mut samples: Vec<(Vec<(&str, &str)>, f64)> = Vec::new();
        for row in own {
            if let Some(figure) = (family.figure)(row) {
                samples.push((keys.iter().copied().zip(labels(row)).collect(), figure));
            }
        }
        if let Some(figure) = family.other(rest) {
            samples.push((keys.iter().map(|key| (*key, OTHER)).collect(), figure));
        }
        if samples.is_empty() {
            continue;
        }
        head(text, family.name, family.kind, family.unit, family.help);
        let suffix = if family.kind == Kind::Counter { "_total" } else { "" };
        let name = format!("{}{suffix}", family.name);
        samples.iter().for_each(|(labels, figure)| sample(text, &name, labels, *figure));
    }
}

impl<T> Family<T> {
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

fn head(text: &mut String, name: &str, kind: Kind, unit: &str, help: &str) {
    let kind = match kind {
        Kind::Gauge => "gauge",
        Kind::Counter => "counter",
    };
    let _ = writeln!(text, "# TYPE {name} {kind}");
    if !unit.is_empty() {
        let _ = writeln!(text, "# UNIT {name} {unit}");
    }
    let _ = writeln!(text, "# HELP {name} {help}");
}

fn sample(text: &mut String, name: &str, labels: &[(&str, &str)], figure: f64) {
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
