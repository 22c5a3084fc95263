//! The rows of each table, with a mark on every figure that is not exact.

use super::table::{Column, render};
use super::{Options, Section};
use crate::aggregate::Aggregate;
use crate::history::Point;
use crate::jvm_run::Ending;
use crate::units::{ByteUnit, count, elapsed};

/// What stands for a figure that was not measured.
const NOT_MEASURED: &str = "-";

/// Snapshots shown of a run; the others are in the JSON report.
const HISTORY_ROWS: usize = 12;

/// Components shown in the history, the largest first.
const HISTORY_COMPONENTS: usize = 3;

/// How far a figure can be trusted.
#[derive(Clone, Copy)]
pub(super) enum Trust {
    Exact,
    AtLeast,
    /// May err either way.
    About,
}

impl Trust {
    pub(super) fn mark(self, figure: Option<String>) -> String {
        match (figure, self) {
            (None, _) => NOT_MEASURED.to_owned(),
            (Some(figure), Trust::Exact) => figure,
            (Some(figure), Trust::AtLeast) => format!("\u{2265}{figure}"),
            (Some(figure), Trust::About) => format!("~{figure}"),
        }
    }
}

/// How far the figures of a row can be trusted.
struct RowTrust {
    shallow: Trust,
    deep: Trust,
    /// Which part is exclusive depends on all other rows: one sampled class blurs them all.
    split: Trust,
}

impl RowTrust {
    fn of(aggregate: &Aggregate, exact: Option<bool>) -> Self {
        let formula = aggregate.jvms.iter().any(|jvm| jvm.header.sizes.as_deref() == Some("formula"));
        let closed = aggregate.totals.closed_objects.is_some_and(|n| n > 0);
        let sampled = exact == Some(false);
        let about_if = |inexact| if inexact { Trust::About } else { Trust::Exact };
        RowTrust {
            shallow: about_if(sampled || formula),
            deep: match (sampled || closed, formula) {
                (true, _) => Trust::AtLeast,
                (false, true) => Trust::About,
                (false, false) => Trust::Exact,
            },
            split: about_if(aggregate.totals.exact == Some(false) || closed || formula),
        }
    }
}

pub(super) fn column(title: &str) -> Column {
    Column::number(title)
}

pub(super) fn name(title: &str) -> Column {
    Column::name(title)
}

/// A live figure; with half of its 95 % interval when it is an estimate.
pub(super) fn live(live: Option<u64>, error: Option<f64>, exact: Option<bool>) -> String {
    match (live, exact, error) {
        (None, _, _) => NOT_MEASURED.to_owned(),
        (Some(live), Some(true), _) => count(live),
        (Some(live), _, Some(error)) => format!("{} \u{b1}{}", count(live), count((1.96 * error).ceil() as u64)),
        (Some(live), _, None) => format!("~{}", count(live)),
    }
}

pub(super) fn bytes_cell(unit: ByteUnit, figure: Option<u64>, trust: Trust) -> String {
    trust.mark(figure.map(|n| unit.cell(n)))
}

pub(super) fn optional(n: Option<u64>) -> String {
    Trust::Exact.mark(n.map(count))
}

pub(super) fn shown<T>(rows: &[T], options: &Options) -> usize {
    options.top.unwrap_or(usize::MAX).min(rows.len())
}

pub(super) fn with_rest(table: String, rows: usize, shown: usize) -> String {
    match rows - shown {
        0 => table,
        rest => format!("{table}\n  ... and {} more (--top)", count(rest as u64)),
    }
}

pub(super) fn by_component(aggregate: &Aggregate, options: &Options) -> Section {
    match aggregate.components.as_slice() {
        // One row that repeats the totals says nothing.
        [only] if only.component == "(none)" => Section::new("", String::new()),
        _ => component_table(aggregate, options),
    }
}

pub(super) fn component_table(aggregate: &Aggregate, options: &Options) -> Section {
    let all = &aggregate.components;
    if all.is_empty() {
        return Section::new("", String::new());
    }
    let unit = ByteUnit::of(all.iter().map(|row| row.deep_bytes.max(row.peak_deep_bytes)));
    let bytes = |title: &str| column(&format!("{title}\n{}", unit.name()));
    let columns = [
        name("Component"),
        column("Live\nobjects"),
        bytes("Shallow").spare(4),
        bytes("Deep"),
        bytes("Exclusive").spare(1),
        bytes("Shared").spare(2),
        bytes("Shared,\nsplit evenly").spare(5),
        bytes("Peak deep").spare(3),
    ];
    let top = shown(all, options);
    let rows = all[..top].iter().map(|row| {
        let trust = RowTrust::of(aggregate, row.exact);
        vec![
            row.component.clone(),
            live(row.live, row.live_error, row.exact),
            bytes_cell(unit, row.shallow_bytes, trust.shallow),
            bytes_cell(unit, row.deep_bytes, trust.deep),
            bytes_cell(unit, row.exclusive_bytes, trust.split),
            bytes_cell(unit, row.shared_bytes, trust.split),
            bytes_cell(unit, row.shared_even_bytes, trust.split),
            bytes_cell(unit, row.peak_deep_bytes, RowTrust::of(aggregate, row.peak_exact).deep),
        ]
    });
    Section::new("By component", with_rest(render(&columns, rows.collect(), options), all.len(), top))
}

pub(super) fn by_class(aggregate: &Aggregate, options: &Options) -> Section {
    let all = &aggregate.classes;
    if all.is_empty() {
        let text = "  no instrumented class allocated an object, or none was loaded".to_owned();
        return Section::new("By class", text);
    }
    let unit = ByteUnit::of(all.iter().map(|row| row.deep_bytes.max(row.shallow_bytes)));
    let bytes = |title: &str| column(&format!("{title}\n{}", unit.name()));
    let columns = [
        name("Class"),
        name("Component").spare(2),
        column("Allocated\nobjects").spare(1),
        column("Live\nobjects"),
        column("Peak live\nobjects").spare(7),
        column("Oldest\ncollections").spare(5),
        bytes("Shallow").spare(3),
        bytes("Deep"),
        bytes("Exclusive").spare(4),
        bytes("Shared").spare(6),
    ];
    let top = shown(all, options);
    let rows = all[..top].iter().map(|row| {
        let trust = RowTrust::of(aggregate, row.exact);
        let class = match row.fields.is_empty() {
            true => row.class.clone(),
            false => {
                let fields: Vec<&str> = row.fields.iter().map(String::as_str).collect();
                format!("{} {{{}}}", row.class, fields.join(", "))
            }
        };
        vec![
            class,
            row.component_or_none().to_owned(),
            count(row.allocated),
            live(row.live, row.live_error, row.exact),
            match row.peak_exact {
                Some(true) => optional(row.peak_live),
                _ => Trust::About.mark(row.peak_live.map(count)),
            },
            optional(row.ages.as_ref().map(|ages| ages.max)),
            bytes_cell(unit, row.shallow_bytes, trust.shallow),
            bytes_cell(unit, row.deep_bytes, trust.deep),
            bytes_cell(unit, row.exclusive_bytes, trust.split),
            bytes_cell(unit, row.shared_bytes, trust.split),
        ]
    });
    Section::new("By class", with_rest(render(&columns, rows.collect(), options), all.len(), top))
}

pub(super) fn by_jvm(aggregate: &Aggregate, options: &Options) -> Section {
    let all = &aggregate.jvms;
    if all.len() < 2 {
        return Section::new("", String::new());
    }
    let used = |jvm: &crate::JvmRun| jvm.last.as_ref()?.heap.as_ref()?.used_bytes;
    let unit = ByteUnit::of(all.iter().map(used));
    let columns = [
        column("JVM"),
        name("Recording"),
        name("Program").spare(1),
        column("Pid").spare(4),
        column("Run").spare(3),
        name("End"),
        column("Snapshots").spare(5),
        column(&format!("Used heap\n{}", unit.name())).spare(2),
        column(&format!("Measured\n{}", unit.name())),
    ];
    let top = shown(all, options);
    let deep = RowTrust::of(aggregate, aggregate.totals.exact).deep;
    let rows = all[..top].iter().enumerate().map(|(index, jvm)| {
        vec![
            count(index as u64 + 1),
            jvm.file.clone(),
            jvm.header.jvm.main.clone().unwrap_or_default(),
            jvm.header.jvm.pid.map_or_else(|| NOT_MEASURED.to_owned(), |pid| pid.to_string()),
            jvm.uptime_ms().map_or_else(|| NOT_MEASURED.to_owned(), elapsed),
            match &jvm.ending {
                Ending::Footer { reason, .. } => reason.clone().unwrap_or_else(|| "in order".to_owned()),
                Ending::Open => "open".to_owned(),
            },
            count(jvm.snapshots),
            bytes_cell(unit, used(jvm), Trust::Exact),
            bytes_cell(unit, jvm.total().and_then(|total| total.measured_bytes), deep),
        ]
    });
    Section::new("By JVM", with_rest(render(&columns, rows.collect(), options), all.len(), top))
}

/// The run of a single JVM; several do not share a time line.
pub(super) fn history(aggregate: &Aggregate, options: &Options) -> Section {
    let points = &aggregate.history;
    if aggregate.jvms.len() != 1 || points.len() < 2 {
        return Section::new("", String::new());
    }
    let names: Vec<&str> = aggregate
        .components
        .iter()
        .filter(|row| row.deep_bytes.is_some())
        .map(|row| row.component.as_str())
        .take(HISTORY_COMPONENTS)
        .collect();
    let unit = ByteUnit::of(points.iter().flat_map(|point| [point.heap_used_bytes, point.measured_bytes]));
    let bytes = |title: &str| column(&format!("{title}\n{}", unit.name()));
    let mut columns = vec![
        column("Uptime"),
        name("Snapshot"),
        column("Collections\nyoung + full").spare(2),
        column("Allocated\nobjects").spare(3),
        bytes("Used heap").spare(1),
        bytes("Measured"),
    ];
    columns.extend(names.iter().map(|name| bytes(&format!("{name}, deep")).spare(4)));
    let chosen = evenly(points, HISTORY_ROWS);
    let rows = chosen.iter().map(|point| {
        let collections = [point.young_collections, point.full_collections];
        let trust = |exact: bool| RowTrust::of(aggregate, Some(exact)).deep;
        let all_exact = point.components.iter().all(|component| component.exact != Some(false));
        let mut row = vec![
            point.uptime_ms.map_or_else(|| NOT_MEASURED.to_owned(), elapsed),
            occasion(point),
            match collections {
                [None, None] => NOT_MEASURED.to_owned(),
                _ => collections.map(optional).join(" + "),
            },
            count(point.allocated),
            bytes_cell(unit, point.heap_used_bytes, Trust::Exact),
            bytes_cell(unit, point.measured_bytes, trust(all_exact)),
        ];
        row.extend(names.iter().map(|name| {
            let component = point.components.iter().find(|component| component.component == *name);
            let exact = component.is_none_or(|component| component.exact != Some(false));
            bytes_cell(unit, component.and_then(|component| component.deep_bytes), trust(exact))
        }));
        row
    });
    let title = match chosen.len() == points.len() {
        true => "History".to_owned(),
        false => format!("History ({} of {} snapshots)", chosen.len(), count(points.len() as u64)),
    };
    Section::new(title, render(&columns, rows.collect(), options))
}

/// Why a snapshot was taken, its label, and whether a full collection ran before it.
fn occasion(point: &Point) -> String {
    let mut text = point.reason.clone().unwrap_or_else(|| NOT_MEASURED.to_owned());
    if let Some(label) = &point.label {
        text += &format!(" \"{label}\"");
    }
    if point.collected == Some(true) {
        text += ", collected";
    }
    text
}

/// At most `most` of the points: the first, the last, and evenly chosen ones between.
fn evenly(points: &[Point], most: usize) -> Vec<&Point> {
    if points.len() <= most {
        return points.iter().collect();
    }
    (0..most).map(|i| &points[i * (points.len() - 1) / (most - 1)]).collect()
}
