//! `objects` and `unreachable`: a row for each object.

use std::ops::Range;
use std::sync::Arc;

use rusqlite::types::Value;
use weighbridge_heapdump::{Class, Error, Instances, ObjectIndex};

use crate::columns::{SqlCell, SqlColumn, SqlColumnKind, column, dominated};
use crate::data::Data;
use crate::table::{LookupKey, Rows, Table, object};

/// Objects, reachable or not.
pub(crate) struct Objects {
    reachable: bool,
}

pub(crate) const OBJECTS: Objects = Objects { reachable: true };
pub(crate) const UNREACHABLE: Objects = Objects { reachable: false };

const ADDRESS: usize = 0;
const CLASS: usize = 1;

const COLUMNS: [SqlColumn; 8] = [
    column("address", SqlColumnKind::Address, "where it lies; of one dump"),
    column("class", SqlColumnKind::Name, "the name of its class; byte[], com.acme.Order[]"),
    column("shallow", SqlColumnKind::Bytes, "bytes of the object itself, by the layout found in the dump"),
    dominated("retained", SqlColumnKind::Bytes, "bytes that would be freed with it: exact, by its dominator tree"),
    column("length", SqlColumnKind::Count, "elements of an array; NULL of other objects"),
    column("package", SqlColumnKind::Name, "the package of its class; of an array, that of its elements"),
    column("loader", SqlColumnKind::Name, "the loader of its class: boot, platform, app, or class and address"),
    column("class_object", SqlColumnKind::Address, "the Class object of its class: classes.address"),
];

impl Objects {
    fn instances<'d>(&self, data: &'d Data) -> &'d Instances {
        if self.reachable { data.instances() } else { data.unreachable() }
    }
}

impl Table for Objects {
    fn name(&self) -> &'static str {
        if self.reachable { "objects" } else { "unreachable" }
    }

    fn description(&self) -> &'static str {
        match self.reachable {
            true => "the objects that the roots reach, one row each",
            false => "the other objects: garbage that was not collected yet; retained is NULL",
        }
    }

    fn columns(&self) -> &'static [SqlColumn] {
        &COLUMNS
    }

    fn keys(&self) -> &'static [LookupKey] {
        &[LookupKey { column: ADDRESS, rows: 1 }, LookupKey { column: CLASS, rows: 1000 }]
    }

    fn rows_in_all(&self) -> i64 {
        1_000_000
    }

    fn sorted_by(&self) -> Option<usize> {
        Some(CLASS)
    }

    fn rows(&self, data: &Arc<Data>, lookup: Option<(usize, Value)>) -> Result<Box<dyn Rows>, Error> {
        let indices = match lookup {
            Some((ADDRESS, address)) => {
                let found = object(data, &address).filter(|object| data.reachable().has(*object) == self.reachable);
                return Ok(Box::new(One { data: Arc::clone(data), next: found, at: None }));
            }
            Some((_, Value::Text(class))) => self.instances(data).find_by_class_name(&data.heap, &class),
            Some(_) => 0..0,
            None => 0..self.instances(data).len(),
        };
        Ok(Box::new(Several { data: Arc::clone(data), reachable: self.reachable, indices, at: None }))
    }
}

struct One {
    data: Arc<Data>,
    next: Option<ObjectIndex>,
    at: Option<ObjectIndex>,
}

struct Several {
    data: Arc<Data>,
    reachable: bool,
    indices: Range<usize>,
    at: Option<ObjectIndex>,
}

impl Rows for One {
    fn next(&mut self) -> Result<bool, Error> {
        self.at = self.next.take();
        Ok(self.at.is_some())
    }

    fn cell(&self, column: usize) -> Result<SqlCell<'_>, Error> {
        Ok(self.at.map_or(SqlCell::Null, |object| cell(&self.data, object, column)))
    }
}

impl Rows for Several {
    fn next(&mut self) -> Result<bool, Error> {
        let instances = Objects { reachable: self.reachable }.instances(&self.data);
        self.at = self.indices.next().map(|index| instances.object_at(index));
        Ok(self.at.is_some())
    }

    fn cell(&self, column: usize) -> Result<SqlCell<'_>, Error> {
        Ok(self.at.map_or(SqlCell::Null, |object| cell(&self.data, object, column)))
    }
}

fn cell(data: &Data, object: ObjectIndex, column: usize) -> SqlCell<'_> {
    let heap = &data.heap;
    let class = heap.class_of(object);
    match column {
        ADDRESS => data.address(object),
        CLASS => heap.classes().get(class).name.as_str().into(),
        2 => SqlCell::count(heap.bytes(object)),
        3 => data.retained(object).map_or(SqlCell::Null, SqlCell::count),
        4 => heap.array_length(object).map_or(SqlCell::Null, SqlCell::count),
        5 => Class::package(&heap.classes().get(class).name).into(),
        6 => data.loaders()[class.as_usize()].as_str().into(),
        _ => Data::address_or_null(heap.classes().get(class).address),
    }
}
