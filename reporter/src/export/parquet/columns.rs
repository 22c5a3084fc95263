//! The columns of the tables, and what a recording says in each: the schema of docs/exports.md.

use parquet::data_type::ByteArray;
use weighbridge_recording::{ClassRow, ComponentRow, Header, Snapshot};

use super::Table;

/// What a column holds. Every column may be unknown in a row, and is then null.
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
pub(super) fn columns(table: Table) -> impl Iterator<Item = (&'static str, Form)> {
    let own = match table {
        Table::Classes => CLASS,
        Table::Components => COMPONENT,
    };
    SNAPSHOT.iter().chain(own).copied()
}

/// Of both tables: the JVM and its snapshot.
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
const CLASS: &[(&str, Form)] = &[
    ("class", Form::Text),
    ("component", Form::Text),
    ("allocated", Form::Int),
    ("allocated_bytes", Form::Int),
    ("live", Form::Int),
    ("live_error", Form::Real),
    ("exact", Form::Flag),
    ("tracked", Form::Int),
    ("shallow_bytes", Form::Int),
    ("own_bytes", Form::Int),
    ("own_shared_bytes", Form::Int),
    ("deep_bytes", Form::Int),
    ("deep_objects", Form::Int),
    ("exclusive_bytes", Form::Int),
    ("shared_bytes", Form::Int),
    ("off_heap_bytes", Form::Int),
    ("oldest", Form::Int),
    ("oldest_full", Form::Int),
    ("generations", Form::Int),
];
const COMPONENT: &[(&str, Form)] = &[
    ("component", Form::Text),
    ("live", Form::Int),
    ("live_error", Form::Real),
    ("exact", Form::Flag),
    ("shallow_bytes", Form::Int),
    ("own_bytes", Form::Int),
    ("own_shared_bytes", Form::Int),
    ("deep_bytes", Form::Int),
    ("exclusive_bytes", Form::Int),
    ("shared_bytes", Form::Int),
    ("shared_even_bytes", Form::Int),
    ("off_heap_bytes", Form::Int),
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

    /// Parquet's integers are signed; no JVM has figures that large, a damaged file may.
    fn int(n: Option<u64>) -> Self {
        n.map_or(Cell::Unknown, |n| Cell::Int(i64::try_from(n).unwrap_or(i64::MAX)))
    }

    fn real(x: Option<f64>) -> Self {
        x.map_or(Cell::Unknown, Cell::Real)
    }

    fn flag(yes: Option<bool>) -> Self {
        yes.map_or(Cell::Unknown, Cell::Flag)
    }
}

/// What is the same in all rows of a JVM.
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

/// What is the same in all rows of a snapshot.
pub(super) fn snapshot_cells(snapshot: &Snapshot) -> [Cell; 5] {
    [
        Cell::int(Some(snapshot.seq)),
        Cell::int(snapshot.at_ms),
        Cell::int(snapshot.uptime_ms),
        Cell::texts(snapshot.reason.as_ref()),
        Cell::flag(snapshot.collected),
    ]
}

/// A class row behind the class's names.
pub(super) fn class_cells(row: &ClassRow) -> [Cell; 17] {
    [
        Cell::int(Some(row.allocated)),
        Cell::int(row.instance_bytes.map(|bytes| bytes.saturating_mul(row.allocated))),
        Cell::int(row.live),
        Cell::real(row.live_error),
        Cell::flag(row.exact),
        Cell::int(row.tracked),
        Cell::int(row.shallow_bytes),
        Cell::int(row.own_bytes),
        Cell::int(row.own_shared_bytes),
        Cell::int(row.deep_bytes),
        Cell::int(row.deep_objects),
        Cell::int(row.exclusive_bytes),
        Cell::int(row.shared_bytes),
        Cell::int(row.off_heap_bytes),
        Cell::int(row.oldest),
        Cell::int(row.oldest_full),
        Cell::int(row.generations),
    ]
}

/// A component row.
pub(super) fn component_cells(row: &ComponentRow) -> [Cell; 12] {
    [
        Cell::text(&row.name),
        Cell::int(row.live),
        Cell::real(row.live_error),
        Cell::flag(row.exact),
        Cell::int(row.shallow_bytes),
        Cell::int(row.own_bytes),
        Cell::int(row.own_shared_bytes),
        Cell::int(row.deep_bytes),
        Cell::int(row.exclusive_bytes),
        Cell::int(row.shared_bytes),
        Cell::int(row.shared_even_bytes),
        Cell::int(row.off_heap_bytes),
    ]
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
        let class: Vec<Cell> = shared.iter().cloned().chain(names).chain(class_cells(&snapshot.classes[0])).collect();
        let component: Vec<Cell> = shared.iter().cloned().chain(component_cells(&snapshot.components[0])).collect();
        for (table, row) in [(Table::Classes, class), (Table::Components, component)] {
            assert_eq!(columns(table).count(), row.len(), "{table:?}");
            for ((name, form), cell) in columns(table).zip(&row) {
                assert!(fits(form, cell), "{table:?}: {name}");
            }
        }
    }
}
