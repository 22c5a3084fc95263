//! `strings`: a row for each `java.lang.String`.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use rusqlite::types::Value;
use weighbridge_heapdump::{Error, ObjectIndex, Text};

use crate::columns::{Cell, Column, Kind, column, dominated};
use crate::data::Data;
use crate::table::{Key, Rows, Table, object};

pub(crate) struct Strings;

const STRING: &str = "java.lang.String";

const COLUMNS: [Column; 5] = [
    column("address", Kind::Address, "the String object"),
    column("length", Kind::Count, "its length as String.length() has it"),
    column("text", Kind::Content, "its text, read from the file; of more than 1 MiB the beginning and an ellipsis"),
    column("shallow", Kind::Bytes, "bytes of the String object itself, without its array"),
    dominated("retained", Kind::Bytes, "with its array, unless others have that too"),
];

impl Table for Strings {
    fn name(&self) -> &'static str {
        "strings"
    }

    fn about(&self) -> &'static str {
        "the reachable objects of java.lang.String"
    }

    fn columns(&self) -> &'static [Column] {
        &COLUMNS
    }

    fn keys(&self) -> &'static [Key] {
        &[Key { column: 0, rows: 1 }]
    }

    fn rows_in_all(&self) -> i64 {
        200_000
    }

    fn rows(&self, data: &Arc<Data>, lookup: Option<(usize, Value)>) -> Result<Box<dyn Rows>, Error> {
        let places = if lookup.is_some() { 0..0 } else { data.instances().named(&data.heap, STRING) };
        let asked = lookup.and_then(|(_, address)| object(data, &address));
        let one = asked.filter(|object| data.reachable().has(*object) && data.class_name(*object) == STRING);
        Ok(Box::new(Each { data: Arc::clone(data), one, places, at: None, text: RefCell::new(None) }))
    }
}

struct Each {
    data: Arc<Data>,
    /// What was looked up.
    one: Option<ObjectIndex>,
    places: Range<usize>,
    at: Option<ObjectIndex>,
    /// Of the row, once it was read.
    text: RefCell<Option<Option<Text>>>,
}

impl Rows for Each {
    fn next(&mut self) -> Result<bool, Error> {
        self.text.get_mut().take();
        self.at = self.one.take().or_else(|| self.places.next().map(|place| self.data.instances().at(place)));
        Ok(self.at.is_some())
    }

    fn cell(&self, column: usize) -> Result<Cell<'_>, Error> {
        let Some(at) = self.at else { return Ok(Cell::Null) };
        let heap = &self.data.heap;
        Ok(match column {
            0 => self.data.address(at),
            1 | 2 => {
                let mut text = self.text.borrow_mut();
                if text.is_none() {
                    *text = Some(self.data.records()?.text(heap, at)?);
                }
                match text.as_ref().and_then(Option::as_ref) {
                    Some(text) if column == 1 => Cell::count(text.length),
                    Some(text) => Cell::of(text.text.clone()),
                    None => Cell::Null,
                }
            }
            3 => Cell::count(heap.bytes(at)),
            _ => self.data.retained(at).map_or(Cell::Null, Cell::count),
        })
    }
}
