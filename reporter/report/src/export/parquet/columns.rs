//! The columns of the tables and their cells: the schema of docs/exports.md.

use parquet::data_type::ByteArray;
use weighbridge_recording::{Header, Snapshot};

use crate::row::{Row, Unit, Value};
use crate::{ClassFigures, ComponentFigures};

/// The two tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    /// A row a class and snapshot.
    Classes,
    /// A row a component and snapshot.
    Components,
}

impl Table {
    /// Both.
    pub const ALL: [Table; 2] = [Table::Classes, Table::Components];

    /// Its folder.
    pub fn name(self) -> &'static str {
        match self {
            Table::Classes => "classes",
            Table::Components => "components",
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
pub(super) fn columns(table: Table) -> Vec<(&'static str, Form)> {
    let own = match table {
        Table::Classes => {
            [("class", Form::Text), ("component", Form::Text)].into_iter().chain(own::<ClassFigures>()).collect()
        }
        Table::Components => own::<ComponentFigures>(),
    };
    [SNAPSHOT, &own].concat()
}

fn own<R: Row>() -> Vec<(&'static str, Form)> {
    let form = |unit| match unit {
        Unit::Name | Unit::Nested => Form::Text,
        Unit::Flag => Form::Flag,
        Unit::Error => Form::Real,
        Unit::Count | Unit::Collections | Unit::Bytes => Form::Int,
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
pub(super) enum Cell {
    Unknown,
    Text(ByteArray),
    Int(i64),
    Real(f64),
    Flag(bool),
}

impl Cell {
    pub(super) fn text(text: &str) -> Self {
        Cell::Text(ByteArray::from(text.as_bytes().to_vec()))
    }

    pub(super) fn texts(text: Option<&String>) -> Self {
        text.map_or(Cell::Unknown, |text| Cell::text(text))
    }

    /// Parquet's integers are signed. Only a damaged file has figures that do not fit.
    fn int(n: Option<u64>) -> Self {
        n.map_or(Cell::Unknown, |n| Cell::Int(i64::try_from(n).unwrap_or(i64::MAX)))
    }

    fn flag(yes: Option<bool>) -> Self {
        yes.map_or(Cell::Unknown, Cell::Flag)
    }
}

/// The cells that all rows of a JVM share.
pub(super) fn jvm_cells(header: &Header) -> Vec<Cell> {
    let jvm = &header.jvm;
    vec![
        Cell::texts(header.recording.as_ref()),
        Cell::texts(header.session.as_ref()),
        Cell::texts(jvm.main.as_ref()),
        Cell::int(jvm.pid),
        Cell::texts(jvm.version.as_ref()),
        Cell::texts(jvm.collector.as_ref()),
        Cell::int(header.started_ms),
    ]
}

/// The cells that all rows of a snapshot share.
pub(super) fn snapshot_cells(snapshot: &Snapshot) -> [Cell; 5] {
    [
        Cell::int(Some(snapshot.seq)),
        Cell::int(snapshot.at_ms),
        Cell::int(snapshot.uptime_ms),
        Cell::texts(snapshot.reason.as_ref()),
        Cell::flag(snapshot.collected),
    ]
}

/// The cells of a recording's row, without the names of a class.
pub(super) fn row_cells<R: Row>(row: &R::Recorded) -> impl Iterator<Item = Cell> {
    R::COLUMNS.iter().filter(|column| column.parquet.is_some()).map(move |column| match (column.recorded)(row) {
        Value::Unknown => Cell::Unknown,
        Value::Text(text) => Cell::text(&text),
        Value::Count(n) => Cell::int(Some(n)),
        Value::Real(x) => Cell::Real(x),
        Value::Flag(yes) => Cell::Flag(yes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_cell_for_each_column_in_the_column_s_form() {
        let fits = |form: Form, cell: &Cell| match cell {
            Cell::Unknown => true,
            Cell::Text(_) => form == Form::Text,
            Cell::Int(_) => matches!(form, Form::Shared | Form::Int | Form::Time),
            Cell::Real(_) => form == Form::Real,
            Cell::Flag(_) => form == Form::Flag,
        };
        let snapshot: Snapshot = serde_json::from_str(
            r#"{"seq":1,"at_ms":2,"uptime_ms":3,"reason":"exit","collected":true,
                "classes":[{"id":0,"allocated":4,"live":5,"live_error":0.5,"exact":false,"tracked":6}],
                "components":[{"name":"c","live":5,"live_error":0.5,"exact":false}]}"#,
        )
        .unwrap();
        let shared: Vec<Cell> =
            jvm_cells(&Header::new("0", "id")).into_iter().chain(snapshot_cells(&snapshot)).collect();
        let names = [Cell::text("a.B"), Cell::text("c")];
        let class: Vec<Cell> =
            shared.iter().cloned().chain(names).chain(row_cells::<ClassFigures>(&snapshot.classes[0])).collect();
        let component: Vec<Cell> =
            shared.iter().cloned().chain(row_cells::<ComponentFigures>(&snapshot.components[0])).collect();
        for (table, row) in [(Table::Classes, class), (Table::Components, component)] {
            assert_eq!(columns(table).len(), row.len(), "{table:?}");
            for ((name, form), cell) in columns(table).into_iter().zip(&row) {
                assert!(fits(form, cell), "{table:?}: {name}");
            }
        }
    }
}
