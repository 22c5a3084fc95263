//! The rows of each table, with a mark on every figure that is not exact.

use crate::aggregate::Aggregate;
use crate::headings::{HEADINGS, Heading};
use crate::history::{Point, evenly};
use crate::jvm_run::Ending;
use crate::row::{self, ColumnUnit, ReportRow, RowValue};
use crate::trust::{Trust, TrustMarks};
use weighbridge_table::section::{Section, TextOptions};
use weighbridge_table::text_table::{TextColumn, more, render};
use weighbridge_table::units::{ByteUnit, count, elapsed};

/// The sign for a figure that was not measured.
const NOT_MEASURED: &str = "-";

/// Snapshots shown of a run; the others are in the JSON report.
const HISTORY_ROWS: usize = 12;

/// Components shown in the history, the largest first.
const HISTORY_COMPONENTS: usize = 3;

/// A column of numbers.
pub(super) fn column(heading: Heading) -> TextColumn {
    TextColumn::number(&heading.lines(None))
}

/// A column of bytes.
pub(super) fn bytes_column(heading: Heading, unit: ByteUnit) -> TextColumn {
    TextColumn::number(&heading.lines(Some(unit.name())))
}

/// A column of names.
pub(super) fn name(heading: Heading) -> TextColumn {
    TextColumn::name(&heading.lines(None))
}

pub(super) fn bytes_cell(unit: ByteUnit, figure: Option<u64>, trust: Trust) -> String {
    trust.marked(figure, |n| unit.cell(n), &TrustMarks::TEXT)
}

pub(super) fn optional(n: Option<u64>) -> String {
    Trust::Exact.marked(n, count, &TrustMarks::TEXT)
}

pub(super) fn by_component(aggregate: &Aggregate, options: &TextOptions) -> Section {
    match aggregate.components.as_slice() {
        // A single row would only repeat the totals.
        [only] if only.component == "(none)" => Section::new("", String::new()),
        _ => component_table(aggregate, options),
    }
}

pub(super) fn component_table(aggregate: &Aggregate, options: &TextOptions) -> Section {
    table("By component", &aggregate.components, aggregate, options)
}

pub(super) fn by_class(aggregate: &Aggregate, options: &TextOptions) -> Section {
    if aggregate.classes.is_empty() {
        let text = "  no instrumented class allocated an object, or none was loaded".to_owned();
        return Section::new("By class", text);
    }
    table("By class", &aggregate.classes, aggregate, options)
}

/// A table with the columns that the rows' definitions show; empty without rows.
pub(super) fn table<R: ReportRow>(title: &str, all: &[R], aggregate: &Aggregate, options: &TextOptions) -> Section {
    if all.is_empty() {
        return Section::new("", String::new());
    }
    let defined: Vec<_> = row::shown_columns::<R>().into_iter().filter(|(_, shown)| !shown.only_on_page).collect();
    let bytes = defined.iter().filter(|(column, _)| column.unit == ColumnUnit::Bytes);
    let unit = ByteUnit::from_cells(bytes.flat_map(|(column, _)| all.iter().map(|row| (column.value)(row).count())));
    let columns: Vec<TextColumn> = defined
        .iter()
        .map(|(defined, shown)| {
            let column = match defined.unit {
                ColumnUnit::Name => name(shown.heading),
                ColumnUnit::Bytes => bytes_column(shown.heading, unit),
                _ => column(shown.heading),
            };
            column.spare(shown.spare).only_if(shown.is_for(defined, all))
        })
        .collect();
    let (shown, blur) = (options.top_rows(all), aggregate.blur());
    let cell = |row: &R, column: &row::RowColumn<R>| match ((column.value)(row), column.written) {
        (RowValue::Text(_), Some(written)) => written(row),
        (RowValue::Text(text), None) => text,
        (value, _) if column.unit == ColumnUnit::Bytes => bytes_cell(unit, value.count(), (column.trust)(row, &blur)),
        (value, _) => (column.trust)(row, &blur).marked(value.count(), count, &TrustMarks::TEXT),
    };
    let rows = shown.iter().map(|row| defined.iter().map(|(column, _)| cell(row, column)).collect());
    Section::new(title, render(&columns, rows.collect(), options) + &more(all.len(), shown.len()))
}

pub(super) fn by_jvm(aggregate: &Aggregate, options: &TextOptions) -> Section {
    let all = &aggregate.jvms;
    if all.len() < 2 {
        return Section::new("", String::new());
    }
    let used = |jvm: &crate::JvmRun| jvm.last.as_ref()?.heap.as_ref()?.used_bytes;
    let unit = ByteUnit::from_cells(all.iter().map(used));
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
    let shown = options.top_rows(all);
    let deep = aggregate.blur().deep(aggregate.totals.exact);
    let rows = shown.iter().enumerate().map(|(index, jvm)| {
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
    Section::new("By JVM", render(&columns, rows.collect(), options) + &more(all.len(), shown.len()))
}

/// The run of a single JVM; several JVMs have no common time line.
pub(super) fn history(aggregate: &Aggregate, options: &TextOptions) -> Section {
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
    let unit = ByteUnit::from_cells(points.iter().flat_map(|point| [point.heap_used_bytes, point.measured_bytes]));
    // These columns are named here because the page has charts instead.
    let mut columns = vec![
        TextColumn::number("Uptime"),
        TextColumn::name("Snapshot"),
        TextColumn::number("Collections\nyoung + full").spare(2),
        column(HEADINGS.allocated).spare(3),
        bytes_column(HEADINGS.used_heap, unit).spare(1),
        bytes_column(HEADINGS.measured, unit),
    ];
    let owns = points.iter().flat_map(|point| &point.components).any(|component| component.own_bytes.is_some());
    let held = if owns { "own" } else { "deep" };
    columns.extend(names.iter().map(|name| TextColumn::number(&format!("{name}, {held}\n{}", unit.name())).spare(4)));
    let (chosen, blur) = (evenly(points, HISTORY_ROWS), aggregate.blur());
    let rows = chosen.iter().map(|point| {
        let collections = [point.young_collections, point.full_collections];
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
            bytes_cell(unit, point.measured_bytes, blur.deep(Some(all_exact))),
        ];
        row.extend(names.iter().map(|name| {
            let component = point.components.iter().find(|component| component.component == *name);
            let exact = component.is_none_or(|component| component.exact != Some(false));
            let figure = component.and_then(|component| if owns { component.own_bytes } else { component.deep_bytes });
            let trust = if owns { blur.split() } else { blur.deep(Some(exact)) };
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
