//! What a column is.

use std::borrow::Cow;

use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, ValueRef};

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlColumnKind {
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
pub struct SqlColumn {
    /// Its name.
    pub name: &'static str,
    /// What its values are.
    pub kind: SqlColumnKind,
    /// What it says, and how the figure was got.
    pub about: &'static str,
    /// Whether it needs dominators: seconds, and memory, for a large dump.
    pub dominators: bool,
}

impl SqlColumnKind {
    /// All kinds.
    const ALL: [SqlColumnKind; 6] = [
        SqlColumnKind::Address,
        SqlColumnKind::Name,
        SqlColumnKind::Content,
        SqlColumnKind::Count,
        SqlColumnKind::Bytes,
        SqlColumnKind::Number,
    ];

    /// The type by which SQLite knows it. The first word decides how values are compared.
    pub fn declared(self) -> &'static str {
        match self {
            SqlColumnKind::Address => "TEXT ADDRESS",
            SqlColumnKind::Name => "TEXT NAME",
            SqlColumnKind::Content => "TEXT CONTENT",
            SqlColumnKind::Count => "INTEGER COUNT",
            SqlColumnKind::Bytes => "INTEGER BYTES",
            SqlColumnKind::Number => "INTEGER NUMBER",
        }
    }

    /// The kind that was declared by a type.
    pub(crate) fn from_declared(declared: &str) -> Option<Self> {
        SqlColumnKind::ALL.into_iter().find(|kind| kind.declared() == declared)
    }
}

/// A column that needs no dominators.
pub(crate) const fn column(name: &'static str, kind: SqlColumnKind, about: &'static str) -> SqlColumn {
    SqlColumn { name, kind, about, dominators: false }
}

/// One that needs them.
pub(crate) const fn dominated(name: &'static str, kind: SqlColumnKind, about: &'static str) -> SqlColumn {
    SqlColumn { name, kind, about, dominators: true }
}

/// A value of a row.
#[derive(Debug, Clone)]
pub(crate) enum SqlCell<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(Cow<'a, str>),
}

impl SqlCell<'_> {
    pub(crate) fn count(n: impl TryInto<i64>) -> Self {
        SqlCell::Integer(n.try_into().unwrap_or(i64::MAX))
    }

    pub(crate) fn from_text(text: impl Into<String>) -> Self {
        SqlCell::Text(Cow::Owned(text.into()))
    }
}

impl<'a> From<&'a str> for SqlCell<'a> {
    fn from(text: &'a str) -> Self {
        SqlCell::Text(Cow::Borrowed(text))
    }
}

impl<'a, T: Into<SqlCell<'a>>> From<Option<T>> for SqlCell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(SqlCell::Null, Into::into)
    }
}

impl ToSql for SqlCell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            SqlCell::Null => ValueRef::Null,
            SqlCell::Integer(n) => ValueRef::Integer(*n),
            SqlCell::Real(x) => ValueRef::Real(*x),
            SqlCell::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}
