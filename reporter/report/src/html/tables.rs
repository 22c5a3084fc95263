//! The tables of rows as the page shows them: the values that sort, and the texts of cells.

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::aggregate::Aggregate;
use crate::headings::Heading;
use crate::row::{self, ColumnUnit, ReportRow, RowColumn, RowValue};
use crate::trust::{Blur, Trust, TrustMarks};
use weighbridge_table::units::count;

/// The tables by what their rows are; `None` without rows.
#[derive(Serialize)]
pub(super) struct Tables {
    components: Option<PageTable>,
    classes: Option<PageTable>,
    threads: Option<PageTable>,
    tags: Option<PageTable>,
}

#[derive(Serialize)]
struct PageTable {
    columns: Vec<Head>,
    /// A cell for each column: a name, a number, or a number with the text that is shown instead. Bytes have the mark before
    /// the number instead, because the page chooses the unit.
    rows: Vec<Vec<Json>>,
    sort_by: usize,
}

#[derive(Serialize)]
struct Head {
    key: &'static str,
    #[serde(flatten)]
    heading: Heading,
    kind: &'static str,
}

/// The marks of figures outside the tables.
#[derive(Serialize)]
pub(super) struct SumMarks {
    measured: &'static str,
    live: &'static str,
    sites: &'static str,
}

pub(super) fn marks(aggregate: &Aggregate) -> SumMarks {
    let (exact, blur) = (aggregate.totals.exact, aggregate.blur());
    let [measured, live, sites] =
        [blur.deep(exact), blur.objects(exact), Trust::unless(exact)].map(|trust| trust.mark(&TrustMarks::PAGE));
    SumMarks { measured, live, sites }
}

pub(super) fn build_tables(aggregate: &Aggregate) -> Tables {
    let blur = aggregate.blur();
    let held = &["own_bytes", "deep_bytes", "allocated"];
    Tables {
        components: table(&aggregate.components, blur, false, held),
        // Classes that are only counted lack most figures.
        classes: table(&aggregate.classes, blur, true, held),
        threads: table(&aggregate.threads, blur, false, &["shallow_bytes"]),
        tags: table(&aggregate.tags, blur, false, &["own_bytes", "shallow_bytes"]),
    }
}

/// A table sorted by the first of `keys` that it has. If `dense`, it has no columns without values.
fn table<R: ReportRow>(rows: &[R], blur: Blur, dense: bool, keys: &[&str]) -> Option<PageTable> {
    let known = |column: &RowColumn<R>| rows.iter().any(|row| (column.value)(row) != RowValue::Unknown);
    let columns: Vec<_> = row::shown_columns::<R>()
        .into_iter()
        .filter(|(column, shown)| {
            column.unit == ColumnUnit::Name || shown.is_for(column, rows) && (!dense || known(column))
        })
        .collect();
    let head = |&(column, shown): &(&RowColumn<R>, row::ColumnDisplay)| Head {
        key: column.key,
        heading: shown.heading,
        kind: match column.unit {
            ColumnUnit::Name => "name",
            ColumnUnit::Bytes => "bytes",
            _ => "count",
        },
    };
    let sort_by = keys.iter().find_map(|key| columns.iter().position(|(column, _)| column.key == *key));
    let cells = |row: &R| columns.iter().map(|(column, _)| cell(row, column, &blur)).collect();
    (!rows.is_empty()).then(|| PageTable {
        columns: columns.iter().map(head).collect(),
        rows: rows.iter().map(cells).collect(),
        sort_by: sort_by.unwrap_or_default(),
    })
}

fn cell<R: ReportRow>(row: &R, column: &RowColumn<R>, blur: &Blur) -> Json {
    let value = match (column.value)(row) {
        RowValue::Text(text) => return text.into(),
        value => value.count(),
    };
    let Some(n) = value else { return Json::Null };
    let trust = (column.trust)(row, blur);
    match column.written {
        Some(written) => json!([n, written(row)]),
        None if trust == Trust::Exact => n.into(),
        None if column.unit == ColumnUnit::Bytes => json!([n, trust.mark(&TrustMarks::PAGE)]),
        None => json!([n, trust.marked(value, count, &TrustMarks::PAGE)]),
    }
}
