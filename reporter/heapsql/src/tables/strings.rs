//! `strings`: a row for each `java.lang.String`.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use rusqlite::types::Value;
use weighbridge_heapdump::{Error, ObjectIndex, Text};

use crate::columns::{SqlCell, SqlColumn, SqlColumnKind, column, dominated};
use crate::data::Data;
use crate::table::{LookupKey, Rows, Table, object};

pub(crate) struct Strings;

const STRING: &str = "java.lang.String";

const COLUMNS: [SqlColumn; 5] = [
    column("address", SqlColumnKind::Address, "the String object"),
    column("length", SqlColumnKind::Count, "its length as String.length() has it"),
    column(
        "text",
        SqlColumnKind::Content,
        "its text, read from the file; of more than 1 MiB the beginning and an ellipsis",
    ),
    column("shallow", SqlColumnKind::Bytes, "bytes of the String object itself, without its array"),
    dominated("retained", SqlColumnKind::Bytes, "with its array, unless others have that too"),
];

impl Table for Strings {
    fn name(&self) -> &'static str {
        "strings"
    }

    fn description(&self) -> &'static str {
        "the reachable objects of java.lang.String"
    }

    fn columns(&self) -> &'static [SqlColumn] {
        &COLUMNS
    }

    fn keys(&self) -> &'static [LookupKey] {
        &[LookupKey { column: 0, rows: 1 }]
    }

    fn rows_in_all(&self) -> i64 {
        200_000
    }

    fn rows(&self, data: &Arc<Data>, lookup: Option<(usize, Value)>) -> Result<Box<dyn Rows>, Error> {
        let indices = if lookup.is_some() { 0..0 } else { data.instances().find_by_class_name(&data.heap, STRING) };
        let asked = lookup.and_then(|(_, address)| object(data, &address));
        let one = asked.filter(|object| data.reachable().has(*object) && data.class_name(*object) == STRING);
        Ok(Box::new(StringRows { data: Arc::clone(data), one, indices, at: None, text: RefCell::new(None) }))
    }
}

struct StringRows {
    data: Arc<Data>,
    /// What was looked up.
    one: Option<ObjectIndex>,
    indices: Range<usize>,
    at: Option<ObjectIndex>,
    /// Of the row, once it was read.
    text: RefCell<Option<Option<Text>>>,
}

impl Rows for StringRows {
    fn next(&mut self) -> Result<bool, Error> {
        self.text.get_mut().take();
        self.at = self.one.take().or_else(|| self.indices.next().map(|index| self.data.instances().object_at(index)));
        Ok(self.at.is_some())
    }

    fn cell(&self, column: usize) -> Result<SqlCell<'_>, Error> {
        let Some(at) = self.at else { return Ok(SqlCell::Null) };
        let heap = &self.data.heap;
        Ok(match column {
            0 => self.data.address(at),
            1 | 2 => {
                let mut text = self.text.borrow_mut();
                if text.is_none() {
                    *text = Some(self.data.records()?.text(heap, at)?);
                }
                match text.as_ref().and_then(Option::as_ref) {
                    Some(text) if column == 1 => SqlCell::count(text.length),
                    Some(text) => SqlCell::from_text(text.text.clone()),
                    None => SqlCell::Null,
                }
            }
            3 => SqlCell::count(heap.bytes(at)),
            _ => self.data.retained(at).map_or(SqlCell::Null, SqlCell::count),
        })
    }
}
