//! The columns of the tables and their cells: the schema of docs/exports.md.

use parquet::data_type::ByteArray;
use weighbridge_recording::{Header, Snapshot};

use crate::row::{ColumnUnit, ReportRow, RowValue};
use crate::{ClassFigures, ComponentFigures};

/// The two tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ParquetTable {
    /// A row a class and snapshot.
    Classes,
    /// A row a component and snapshot.
    Components,
}

impl ParquetTable {
    /// Both.
    pub const ALL: [ParquetTable; 2] = [ParquetTable::Classes, ParquetTable::Components];

    /// Its folder.
    pub fn name(self) -> &'static str {
        match self {
            ParquetTable::Classes => "classes",
            ParquetTable::Components => "components",
        }
    }
}

/// The type of a column. A cell that is unknown is null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    /// A number that many rows share.
    Shared,
    Int,
    /// Milliseconds since the Unix epoch, UTC.
    Time,
    Real,
    Flag,
}

/// The columns of a table, in their order.
pub(super) fn columns(table: ParquetTable) -> Vec<(&'static str, Form)> {
    let own = match table {
        ParquetTable::Classes => {
            [("class", Form::Text), ("component", Form::Text)].into_iter().chain(own::<ClassFigures>()).collect()
        }
        ParquetTable::Components => own::<ComponentFigures>(),
    };
    [SNAPSHOT, &own].concat()
}

fn own<R: ReportRow>() -> Vec<(&'static str, Form)> {
    let form = |unit| match unit {
        ColumnUnit::Name | ColumnUnit::Nested => Form::Text,
        ColumnUnit::Flag => Form::Flag,
        ColumnUnit::Error => Form::Real,
        ColumnUnit::Count | ColumnUnit::Collections | ColumnUnit::Bytes => Form::Int,
    };
    R::COLUMNS.iter().filter_map(|column| Some((column.parquet?, form(column.unit)))).collect()
}

/// The columns of both tables: the JVM and its snapshot.
const SNAPSHOT: &[(&str, Form)] = &[
    ("recording", Form::Text),
    ("session", Form::Text),
    ("main", Form::Text),
    ("pid", Form::Shared),
    ("java_version", Form::Text),
    ("collector", Form::Text),
    ("started_at", Form::Time),
    ("seq", Form::Shared),
    ("taken_at", Form::Time),
    ("uptime_ms", Form::Shared),
    ("reason", Form::Text),
    ("collected", Form::Flag),
];

/// A value of a column.
#[derive(Clone)]
pub(super) enum ParquetCell {
    Unknown,
    Text(ByteArray),
    Int(i64),
    Real(f64),
    Flag(bool),
}

impl ParquetCell {
    pub(super) fn text(text: &str) -> Self {
        ParquetCell::Text(ByteArray::from(text.as_bytes().to_vec()))
    }

    pub(super) fn texts(text: Option<&String>) -> Self {
        text.map_or(ParquetCell::Unknown, |text| ParquetCell::text(text))
    }

    /// Parquet's integers are signed. Only a damaged file has figures that do not fit.
    fn int(n: Option<u64>) -> Self {
        n.map_or(ParquetCell::Unknown, |n| ParquetCell::Int(i64::try_from(n).unwrap_or(i64::MAX)))
    }

    fn flag(yes: Option<bool>) -> Self {
        yes.map_or(ParquetCell::Unknown, ParquetCell::Flag)
    }
}

/// The cells that all rows of a JVM share.
pub(super) fn jvm_cells(header: &Header) -> Vec<ParquetCell> {
    let jvm = &header.jvm;
    vec![
        ParquetCell::texts(header.recording.as_ref()),
        ParquetCell::texts(header.session.as_ref()),
        ParquetCell::texts(jvm.main.as_ref()),
        ParquetCell::int(jvm.pid),
        ParquetCell::texts(jvm.version.as_ref()),
        ParquetCell::texts(jvm.collector.as_ref()),
        ParquetCell::int(header.started_ms),
    ]
}

/// The cells that all rows of a snapshot share.
pub(super) fn snapshot_cells(snapshot: &Snapshot) -> [ParquetCell; 5] {
    [
        ParquetCell::int(Some(snapshot.seq)),
        ParquetCell::int(snapshot.at_ms),
        ParquetCell::int(snapshot.uptime_ms),
        ParquetCell::texts(snapshot.reason.as_ref()),
        ParquetCell::flag(snapshot.collected),
    ]
}

/// The cells of a recording's row, without the names of a class.
pub(super) fn row_cells<R: ReportRow>(row: &R::Recorded) -> impl Iterator<Item = ParquetCell> {
    R::COLUMNS.iter().filter(|column| column.parquet.is_some()).map(move |column| match (column.recorded)(row) {
        RowValue::Unknown => ParquetCell::Unknown,
        RowValue::Text(text) => ParquetCell::text(&text),
        RowValue::Count(n) => ParquetCell::int(Some(n)),
        RowValue::Real(x) => ParquetCell::Real(x),
        RowValue::Flag(yes) => ParquetCell::Flag(yes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_cell_for_each_column_in_the_column_s_form() {
        let fits = |form: Form, cell: &ParquetCell| match cell {
            ParquetCell::Unknown => true,
            ParquetCell::Text(_) => form == Form::Text,
            ParquetCell::Int(_) => matches!(form, Form::Shared | Form::Int | Form::Time),
            ParquetCell::Real(_) => form == Form::Real,
            ParquetCell::Flag(_) => form == Form::Flag,
        };
        let snapshot: Snapshot = serde_json::from_str(
            r#"{"seq":1,"at_ms":2,"uptime_ms":3,"reason":"exit","collected":true,
                "classes":[{"id":0,"allocated":4,"live":5,"live_error":0.5,"exact":false,"tracked":6}],
                "components":[{"name":"c","live":5,"live_error":0.5,"exact":false}]}"#,
        )
        .unwrap();
        let shared: Vec<ParquetCell> =
            jvm_cells(&Header::new("0", "id")).into_iter().chain(snapshot_cells(&snapshot)).collect();
        let names = [ParquetCell::text("a.B"), ParquetCell::text("c")];
        let class: Vec<ParquetCell> =
            shared.iter().cloned().chain(names).chain(row_cells::<ClassFigures>(&snapshot.classes[0])).collect();
        let component: Vec<ParquetCell> =
            shared.iter().cloned().chain(row_cells::<ComponentFigures>(&snapshot.components[0])).collect();
        for (table, row) in [(ParquetTable::Classes, class), (ParquetTable::Components, component)] {
            assert_eq!(columns(table).len(), row.len(), "{table:?}");
            for ((name, form), cell) in columns(table).into_iter().zip(&row) {
                assert!(fits(form, cell), "{table:?}: {name}");
            }
        }
    }
}
