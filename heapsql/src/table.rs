//! What a table is, its rows, and what several tables share.

use std::sync::Arc;

use rusqlite::types::Value;
use weighbridge_heapdump::{Error, ObjectIndex};

use crate::columns::{Cell, Column};
use crate::data::{self, Data};
use crate::needs::Needs;

/// A table.
pub(crate) trait Table: Sync {
    /// Its name.
    fn name(&self) -> &'static str;
    /// What a row is.
    fn about(&self) -> &'static str;
    /// Its columns.
    fn columns(&self) -> &'static [Column];
    /// The columns by whose value rows are found without a pass over all.
    fn keys(&self) -> &'static [Key] {
        &[]
    }
    /// A guess of its rows: SQLite chooses by it which table to go through.
    fn rows_in_all(&self) -> i64;
    /// The column by which a pass over all rows is sorted.
    fn sorted_by(&self) -> Option<usize> {
        None
    }
    /// What it needs of a dump, whatever column is asked for.
    fn needs(&self, _: &mut Needs) {}
    /// The rows, or those with a value of a key.
    fn rows(&self, data: &Arc<Data>, lookup: Option<(usize, Value)>) -> Result<Box<dyn Rows>, Error>;
}

/// A column by whose value rows are found.
pub(crate) struct Key {
    pub(crate) column: usize,
    /// A guess of the rows with a value.
    pub(crate) rows: i64,
}

/// Rows, one after the other.
pub(crate) trait Rows {
    /// Goes to the next row; the first call goes to the first one. False at the end.
    fn next(&mut self) -> Result<bool, Error>;
    /// A value of the row.
    fn cell(&self, column: usize) -> Result<Cell<'_>, Error>;
}

/// The object that a value names by its address: text, or a number.
pub(crate) fn object(data: &Data, value: &Value) -> Option<ObjectIndex> {
    let address = match value {
        Value::Text(text) => data::parse(text)?,
        Value::Integer(address) => u64::try_from(*address).ok()?,
        _ => return None,
    };
    data.heap.find(address)
}

/// Rows that are there from the start, for small tables.
pub(crate) struct List {
    rows: std::vec::IntoIter<Vec<Cell<'static>>>,
    row: Vec<Cell<'static>>,
}

impl List {
    pub(crate) fn of(rows: Vec<Vec<Cell<'static>>>) -> Box<dyn Rows> {
        Box::new(List { rows: rows.into_iter(), row: Vec::new() })
    }
}

impl Rows for List {
    fn next(&mut self) -> Result<bool, Error> {
        self.row = self.rows.next().unwrap_or_default();
        Ok(!self.row.is_empty())
    }

    fn cell(&self, column: usize) -> Result<Cell<'_>, Error> {
        Ok(self.row.get(column).cloned().unwrap_or(Cell::Null))
    }
}
