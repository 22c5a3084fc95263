//! What a table is, its rows, and what several tables share.

use std::sync::Arc;

use rusqlite::types::Value;
use weighbridge_heapdump::{Error, NodeIndex, ObjectIndex, parse_address};

use crate::columns::{SqlCell, SqlColumn};
use crate::data::Data;
use crate::needs::Needs;

/// A table.
pub(crate) trait Table: Sync {
    /// Its name.
    fn name(&self) -> &'static str;
    /// What a row is.
    fn description(&self) -> &'static str;
    /// Its columns.
    fn columns(&self) -> &'static [SqlColumn];
    /// The columns by whose value rows are found without a pass over all.
    fn keys(&self) -> &'static [LookupKey] {
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
pub(crate) struct LookupKey {
    pub(crate) column: usize,
    /// A guess of the rows with a value.
    pub(crate) rows: i64,
}

/// Rows, one after the other.
pub(crate) trait Rows {
    /// Goes to the next row; the first call goes to the first one. False at the end.
    fn next(&mut self) -> Result<bool, Error>;
    /// A value of the row.
    fn cell(&self, column: usize) -> Result<SqlCell<'_>, Error>;
}

/// The object that a value names by its address: text, or a number.
pub(crate) fn object(data: &Data, value: &Value) -> Option<ObjectIndex> {
    let address = match value {
        Value::Text(text) => parse_address(text)?,
        Value::Integer(address) => u64::try_from(*address).ok()?,
        _ => return None,
    };
    data.heap.find(address)
}

/// Rows that are there from the start, for small tables. What a row's node retains is computed when it is asked for.
pub(crate) struct StoredRows {
    data: Arc<Data>,
    rows: Vec<Vec<SqlCell<'static>>>,
    /// The node of each row; the column after the row's cells has what it retains. Without a node that is nothing.
    nodes: Vec<Option<NodeIndex>>,
    /// The index after the row's.
    next: usize,
}

impl StoredRows {
    /// Without rows.
    pub(crate) fn empty(data: &Arc<Data>) -> Box<dyn Rows> {
        StoredRows::from_rows(data, Vec::new())
    }

    pub(crate) fn from_rows(data: &Arc<Data>, rows: Vec<(Vec<SqlCell<'static>>, Option<NodeIndex>)>) -> Box<dyn Rows> {
        let (rows, nodes) = rows.into_iter().unzip();
        Box::new(StoredRows { data: Arc::clone(data), rows, nodes, next: 0 })
    }
}

impl Rows for StoredRows {
    fn next(&mut self) -> Result<bool, Error> {
        self.next += 1;
        Ok(self.next <= self.rows.len())
    }

    fn cell(&self, column: usize) -> Result<SqlCell<'_>, Error> {
        let row = self.next - 1;
        Ok(match (self.rows[row].get(column), self.nodes[row]) {
            (Some(cell), _) => cell.clone(),
            (None, Some(node)) => self.data.retained(node).map_or(SqlCell::Null, SqlCell::count),
            (None, None) => SqlCell::Integer(0),
        })
    }
}
