//! `classes`: a row for each class of each loader.

use std::sync::Arc;

use rusqlite::types::Value;
use weighbridge_heapdump::{Class, ClassIndex, Error, FieldType};

use crate::columns::{SqlCell, SqlColumn, SqlColumnKind, column, dominated};
use crate::data::Data;
use crate::table::{Rows, Table};

pub(crate) struct ClassesTable;

const COLUMNS: [SqlColumn; 10] = [
    column("class", SqlColumnKind::Name, "its name; several loaders may each have a class of this name"),
    column("loader", SqlColumnKind::Name, "boot, platform, app, or the loader's class and address"),
    column("package", SqlColumnKind::Name, "its package; of an array class, that of the elements"),
    column("address", SqlColumnKind::Address, "its Class object; NULL if the dump has none"),
    column("superclass", SqlColumnKind::Name, "the class that it extends"),
    column("super_address", SqlColumnKind::Address, "the Class object of that class"),
    column("instances", SqlColumnKind::Count, "reachable objects of the class itself, without subclasses"),
    column("shallow", SqlColumnKind::Bytes, "the bytes of these objects"),
    dominated(
        "retained",
        SqlColumnKind::Bytes,
        "what these objects retain, each for itself, nested ones counted once: freed with them for certain; what only \
         several of them hold together is not in it",
    ),
    column("fields", SqlColumnKind::Name, "its own instance fields: type and name"),
];

impl Table for ClassesTable {
    fn name(&self) -> &'static str {
        "classes"
    }

    fn description(&self) -> &'static str {
        "the classes of the dump, also those without objects"
    }

    fn columns(&self) -> &'static [SqlColumn] {
        &COLUMNS
    }

    fn rows_in_all(&self) -> i64 {
        5000
    }

    fn rows(&self, data: &Arc<Data>, _: Option<(usize, Value)>) -> Result<Box<dyn Rows>, Error> {
        let there = |class: &ClassIndex| {
            data.heap.classes().get(*class).address != 0 || !data.instances().of_class(*class).is_empty()
        };
        let all = data.heap.classes().iter().map(|(class, _)| class);
        let classes: Vec<ClassIndex> = all.filter(there).collect();
        Ok(Box::new(ClassRows { data: Arc::clone(data), classes: classes.into_iter(), at: None }))
    }
}

struct ClassRows {
    data: Arc<Data>,
    classes: std::vec::IntoIter<ClassIndex>,
    at: Option<ClassIndex>,
}

impl Rows for ClassRows {
    fn next(&mut self) -> Result<bool, Error> {
        self.at = self.classes.next();
        Ok(self.at.is_some())
    }

    fn cell(&self, column: usize) -> Result<SqlCell<'_>, Error> {
        let Some(at) = self.at else { return Ok(SqlCell::Null) };
        let (heap, data) = (&self.data.heap, &self.data);
        let class = heap.classes().get(at);
        let above = || class.superclass.map(|above| heap.classes().get(above));
        Ok(match column {
            0 => class.name.as_str().into(),
            1 => data.loaders()[at.as_usize()].as_str().into(),
            2 => Class::package(&class.name).into(),
            3 => Data::address_or_null(class.address),
            4 => above().map(|above| above.name.as_str()).into(),
            5 => above().map_or(SqlCell::Null, |above| Data::address_or_null(above.address)),
            6 => SqlCell::count(data.instances().of_class(at).len()),
            7 => {
                let objects = data.instances().of_class(at).map(|index| data.instances().object_at(index));
                SqlCell::count(objects.map(|object| heap.bytes(object)).sum::<u64>())
            }
            8 => SqlCell::count(data.retained_by_class()[at.as_usize()]),
            _ => {
                let field = |field: &weighbridge_heapdump::DeclaredField| {
                    let kind = if field.kind == FieldType::Object { "Object" } else { field.kind.name() };
                    format!("{kind} {}", heap.dump().text(field.name).unwrap_or_default())
                };
                SqlCell::from_text(class.fields.iter().map(field).collect::<Vec<_>>().join(", "))
            }
        })
    }
}
