//! What a column is.

use std::borrow::Cow;

use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, ValueRef};

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The address of an object: text such as `0x7f00`, as other reports print it.
    Address,
    /// A name: of a class, package, loader, thread, method, field or kind.
    Name,
    /// Text that the program made. Redacted in reports to be shared.
    Content,
    /// A number of things.
    Count,
    /// Bytes of the heap.
    Bytes,
    /// Another number: a line, an index, an id.
    Number,
}

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What its values are.
    pub kind: Kind,
    /// What it says, and how the figure was got.
    pub about: &'static str,
    /// Whether it needs dominators: seconds, and memory, for a large dump.
    pub dominators: bool,
}

impl Kind {
    /// All kinds.
    const ALL: [Kind; 6] = [Kind::Address, Kind::Name, Kind::Content, Kind::Count, Kind::Bytes, Kind::Number];

    /// The type by which SQLite knows it. The first word decides how values are compared.
    pub fn declared(self) -> &'static str {
        match self {
            Kind::Address => "TEXT ADDRESS",
            Kind::Name => "TEXT NAME",
            Kind::Content => "TEXT CONTENT",
            Kind::Count => "INTEGER COUNT",
            Kind::Bytes => "INTEGER BYTES",
            Kind::Number => "INTEGER NUMBER",
        }
    }

    /// The kind that was declared by a type.
    pub(crate) fn of(declared: &str) -> Option<Self> {
        Kind::ALL.into_iter().find(|kind| kind.declared() == declared)
    }
}

/// A column that needs no dominators.
pub(crate) const fn column(name: &'static str, kind: Kind, about: &'static str) -> Column {
    Column { name, kind, about, dominators: false }
}

/// One that needs them.
pub(crate) const fn dominated(name: &'static str, kind: Kind, about: &'static str) -> Column {
    Column { name, kind, about, dominators: true }
}

/// A value of a row.
#[derive(Debug, Clone)]
pub(crate) enum Cell<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(Cow<'a, str>),
}

impl Cell<'_> {
    pub(crate) fn count(n: impl TryInto<i64>) -> Self {
        Cell::Integer(n.try_into().unwrap_or(i64::MAX))
    }

    pub(crate) fn of(text: impl Into<String>) -> Self {
        Cell::Text(Cow::Owned(text.into()))
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Cell::Text(Cow::Borrowed(text))
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Null, Into::into)
    }
}

impl ToSql for Cell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Cell::Null => ValueRef::Null,
            Cell::Integer(n) => ValueRef::Integer(*n),
            Cell::Real(x) => ValueRef::Real(*x),
            Cell::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}
