//! The rows of each table, with a mark on every figure that is not exact.

use super::table::{Column, render};
use super::{Options, Section};
use crate::aggregate::Aggregate;
use crate::estimate::{Estimate, Judged};
use crate::headings::{HEADINGS, Heading};
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
    /// `counted`: the live objects and their shallow bytes are known exactly.
    fn of(aggregate: &Aggregate, exact: Option<bool>, counted: bool) -> Self {
        let formula = aggregate.jvms.iter().any(|jvm| jvm.header.sizes.as_deref() == Some("formula"));
        let closed = aggregate.totals.closed_objects.is_some_and(|n| n > 0);
        let sampled = exact == Some(false);
        let about_if = |inexact| if inexact { Trust::About } else { Trust::Exact };
        RowTrust {
            shallow: about_if(!counted && (sampled || formula)),
            deep: match (sampled || closed, formula) {
                (true, _) => Trust::AtLeast,
                (false, true) => Trust::About,
                (false, false) => Trust::Exact,
            },
            split: about_if(aggregate.totals.exact == Some(false) || closed || formula),
        }
    }
}

/// A column of numbers.
pub(super) fn column(heading: Heading) -> Column {
    Column::number(&heading.lines(None))
}

/// A column of bytes.
pub(super) fn bytes_column(heading: Heading, unit: ByteUnit) -> Column {
    Column::number(&heading.lines(Some(unit.name())))
}

/// A column of names.
pub(super) fn name(heading: Heading) -> Column {
    Column::name(&heading.lines(None))
}

/// A live figure; with half of its 95 % interval when it is an estimate, and as a bound when that is wider than it.
pub(super) fn live(estimate: Estimate) -> String {
    match estimate.judged() {
        Judged::Nothing => NOT_MEASURED.to_owned(),
        Judged::Exact(n) => count(n),
        Judged::Within(n, half) => format!("{} \u{b1}{}", count(n), count(half)),
        Judged::AtMost(n) => format!("at most {}", count(n)),
        Judged::AtLeast(n) => format!("at least {}", count(n)),
        Judged::Unknown(n) => format!("~{}", count(n)),
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
    let owns = all.iter().any(|row| row.own_bytes.is_some());
    let bytes = |heading| bytes_column(heading, unit);
    let columns = [
        name(HEADINGS.component),
        column(HEADINGS.live),
        bytes(HEADINGS.shallow).spare(4),
        bytes(HEADINGS.own).only_if(owns),
        bytes(HEADINGS.deep),
        bytes(HEADINGS.exclusive).spare(1),
        bytes(HEADINGS.shared).spare(2),
        bytes(HEADINGS.shared_even).spare(5),
        bytes(HEADINGS.peak_deep).spare(3),
    ];
    let top = shown(all, options);
    let rows = all[..top].iter().map(|row| {
        let trust = RowTrust::of(aggregate, row.exact, row.live_error == Some(0.0) && row.exact != Some(true));
        vec![
            row.component.clone(),
            live(row.into()),
            bytes_cell(unit, row.shallow_bytes, trust.shallow),
            bytes_cell(unit, row.own_bytes, trust.split),
            bytes_cell(unit, row.deep_bytes, trust.deep),
            bytes_cell(unit, row.exclusive_bytes, trust.split),
            bytes_cell(unit, row.shared_bytes, trust.split),
            bytes_cell(unit, row.shared_even_bytes, trust.split),
            bytes_cell(unit, row.peak_deep_bytes, RowTrust::of(aggregate, row.peak_exact, false).deep),
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
    let owns = all.iter().any(|row| row.own_bytes.is_some());
    let bytes = |heading| bytes_column(heading, unit);
    let columns = [
        name(HEADINGS.class),
        name(HEADINGS.component).spare(2),
        column(HEADINGS.allocated).spare(1),
        column(HEADINGS.live),
        column(HEADINGS.peak_live).spare(7),
        column(HEADINGS.oldest).spare(5),
        bytes(HEADINGS.shallow).spare(3),
        bytes(HEADINGS.own).only_if(owns),
        bytes(HEADINGS.deep),
        bytes(HEADINGS.exclusive).spare(4),
        bytes(HEADINGS.shared).spare(6),
    ];
    let top = shown(all, options);
    let rows = all[..top].iter().map(|row| {
        let trust = RowTrust::of(aggregate, row.exact, row.live_error == Some(0.0) && row.exact != Some(true));
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
            live(row.into()),
            match row.peak_exact {
                Some(true) => optional(row.peak_live),
                _ => Trust::About.mark(row.peak_live.map(count)),
            },
            optional(row.ages.as_ref().map(|ages| ages.max)),
            bytes_cell(unit, row.shallow_bytes, trust.shallow),
            bytes_cell(unit, row.own_bytes, trust.split),
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
        column(HEADINGS.jvm),
        name(HEADINGS.recording),
        name(HEADINGS.program).spare(1),
        column(HEADINGS.pid).spare(4),
        column(HEADINGS.run).spare(3),
        name(HEADINGS.end),
        column(HEADINGS.snapshots).spare(5),
        bytes_column(HEADINGS.used_heap, unit).spare(2),
        bytes_column(HEADINGS.measured, unit),
    ];
    let top = shown(all, options);
    let deep = RowTrust::of(aggregate, aggregate.totals.exact, false).deep;
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
    // The page has charts instead: what only this table has is named here.
    let mut columns = vec![
        Column::number("Uptime"),
        Column::name("Snapshot"),
        Column::number("Collections\nyoung + full").spare(2),
        column(HEADINGS.allocated).spare(3),
        bytes_column(HEADINGS.used_heap, unit).spare(1),
        bytes_column(HEADINGS.measured, unit),
    ];
    let owns = points.iter().flat_map(|point| &point.components).any(|component| component.own_bytes.is_some());
    let held = if owns { "own" } else { "deep" };
    columns.extend(names.iter().map(|name| Column::number(&format!("{name}, {held}\n{}", unit.name())).spare(4)));
    let chosen = evenly(points, HISTORY_ROWS);
    let rows = chosen.iter().map(|point| {
        let collections = [point.young_collections, point.full_collections];
        let trust = |exact: bool| RowTrust::of(aggregate, Some(exact), false).deep;
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
            let figure = component.and_then(|component| if owns { component.own_bytes } else { component.deep_bytes });
            let trust = if owns { RowTrust::of(aggregate, Some(exact), false).split } else { trust(exact) };
            bytes_cell(unit, figure, trust)
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
