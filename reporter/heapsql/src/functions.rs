//! Functions beside SQLite's own: values of fields, texts, classes and retained bytes of an object.

use std::sync::Arc;

use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, Result};
use weighbridge_heapdump::{FieldValue, ObjectIndex, Preorder, address_text, parse_address};

use crate::columns::SqlCell;
use crate::data::Data;
use crate::paths::Path;
use crate::shared::Shared;

/// A function, described.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// How it is called.
    pub call: &'static str,
    /// What it gives.
    pub about: &'static str,
}

/// The functions beside SQLite's own. An object is named by its address; of NULL, and of an address without an object,
/// they give NULL.
pub const FUNCTIONS: [Function; 9] = [
    Function {
        call: "field(address, 'a.b[3].c')",
        about: "the value of a field, as the dump has it: a number, a reference as an address, NULL; of a Class object \
                that of a static field; 'length' of an array",
    },
    Function {
        call: "value(address[, 'a.b'])",
        about: "the same, but of a reference what the object stands for: the text of a String, the value of a boxed \
                number, the name of another object's class",
    },
    Function { call: "text(address)", about: "the text of a String or char[], of a byte[] as Latin-1" },
    Function { call: "class_of(address)", about: "the name of its class; class X of the Class object of X" },
    Function {
        call: "is_a(address, 'class')",
        about: "1 if its class is that class or extends it (a dump does not tell interfaces), else 0",
    },
    Function { call: "shallow(address)", about: "bytes of the object itself" },
    Function { call: "retained(address)", about: "bytes that would be freed with it; NULL if no root reaches it" },
    Function {
        call: "retained_once(address)",
        about: "of the objects of a group: what they retain, each for itself, nested ones counted once. An aggregate like \
                sum(), which counts nested objects twice",
    },
    Function { call: "hex_address(number)", about: "a number as an address: 0x7f00" },
];

const PURE: FunctionFlags = FunctionFlags::SQLITE_UTF8.union(FunctionFlags::SQLITE_INNOCUOUS);

/// Makes the functions known.
pub(crate) fn register(connection: &Connection, shared: &Arc<Shared>) -> Result<()> {
    let define = |name: &str, arguments, act: fn(&Shared, &Context<'_>) -> Result<SqlCell<'static>>| {
        let shared = Arc::clone(shared);
        connection.create_scalar_function(name, arguments, PURE, move |context| act(&shared, context))
    };
    define("field", 2, |shared, context| Ok(field(shared, context)?.map_or(SqlCell::Null, Data::cell)))?;
    define("value", 2, |shared, context| match field(shared, context)? {
        Some(FieldValue::Reference(address)) => match shared.data()?.heap.find(address) {
            Some(object) => stands_for(shared, object),
            None => Ok(SqlCell::from_text(address_text(address))),
        },
        value => Ok(value.map_or(SqlCell::Null, Data::cell)),
    })?;
    define("is_a", 2, |shared, context| {
        let Some(object) = object(shared, context)? else { return Ok(SqlCell::Null) };
        let heap = &shared.data()?.heap;
        let name = text_of(context, 1)?;
        let mut classes = heap.classes().ancestry(heap.class_of(object));
        Ok(SqlCell::Integer(classes.any(|class| heap.classes().get(class).name == name).into()))
    })?;
    define("hex_address", 1, |_, context| {
        Ok(match context.get_raw(0) {
            ValueRef::Integer(address) => SqlCell::from_text(address_text(address.cast_unsigned())),
            _ => SqlCell::Null,
        })
    })?;
    // Functions of an object alone.
    let of_object = |name: &str, act: fn(&Shared, &Data, ObjectIndex) -> Result<SqlCell<'static>>| {
        let shared = Arc::clone(shared);
        connection.create_scalar_function(name, 1, PURE, move |context| match object(&shared, context)? {
            Some(object) => act(&shared, shared.data()?, object),
            None => Ok(SqlCell::Null),
        })
    };
    of_object("value", |shared, _, object| stands_for(shared, object))?;
    of_object("text", |shared, data, object| {
        let text = data.records().and_then(|records| records.text(&data.heap, object));
        Ok(text.map_err(|error| shared.failed(error))?.map_or(SqlCell::Null, |text| SqlCell::from_text(text.text)))
    })?;
    of_object("class_of", |_, data, object| Ok(SqlCell::from_text(class_of(data, object))))?;
    of_object("shallow", |_, data, object| Ok(SqlCell::count(data.heap.bytes(object))))?;
    of_object("retained", |_, data, object| Ok(data.retained(object).map_or(SqlCell::Null, SqlCell::count)))?;
    let once = RetainedOnce(Arc::clone(shared));
    connection.create_aggregate_function("retained_once", 1, PURE, once)
}

/// The object that the first argument names.
fn object(shared: &Shared, context: &Context<'_>) -> Result<Option<ObjectIndex>> {
    let address = match context.get_raw(0) {
        ValueRef::Null => return Ok(None),
        ValueRef::Integer(address) => u64::try_from(address).ok(),
        ValueRef::Text(text) => std::str::from_utf8(text).ok().and_then(parse_address),
        _ => None,
    };
    match address {
        Some(address) => Ok(shared.data()?.heap.find(address)),
        None => Err(wrong("the first argument is no address, such as address or field(address, 'name')")),
    }
}

fn text_of<'c>(context: &'c Context<'_>, argument: usize) -> Result<&'c str> {
    context.get_raw(argument).as_str().map_err(|_| wrong("the second argument is no text in single quotes"))
}

fn wrong(text: impl Into<String>) -> Error {
    Error::UserFunctionError(text.into().into())
}

/// The value of the field that the arguments name.
fn field(shared: &Shared, context: &Context<'_>) -> Result<Option<FieldValue>> {
    let Some(object) = object(shared, context)? else { return Ok(None) };
    // Parsed once a statement, if it is a constant.
    let path = match context.get_aux::<Path>(1)? {
        Some(path) => path,
        None => {
            let text = text_of(context, 1)?;
            context.set_aux(1, Path::parse(text, shared.path(text)).map_err(wrong)?)?
        }
    };
    path.follow(shared.data()?, object).map_err(|error| shared.failed(error))
}

fn class_of(data: &Data, object: ObjectIndex) -> String {
    match data.heap.class_object(object) {
        Some(class) => format!("class {}", data.heap.classes().get(class).name),
        None => data.class_name(object).to_owned(),
    }
}

/// Classes whose objects are the value of their field `value`.
const BOXES: [&str; 10] = [
    "java.lang.Boolean",
    "java.lang.Byte",
    "java.lang.Character",
    "java.lang.Double",
    "java.lang.Float",
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Short",
    "java.util.concurrent.atomic.AtomicInteger",
    "java.util.concurrent.atomic.AtomicLong",
];

/// What an object stands for.
fn stands_for(shared: &Shared, object: ObjectIndex) -> Result<SqlCell<'static>> {
    let data = shared.data()?;
    let class = data.class_name(object);
    let read = || -> std::result::Result<Option<SqlCell<'static>>, weighbridge_heapdump::Error> {
        if class == "java.lang.String" {
            return Ok(data.records()?.text(&data.heap, object)?.map(|text| SqlCell::from_text(text.text)));
        }
        if BOXES.contains(&class) {
            return Ok(data.records()?.field(&data.heap, object, "value")?.map(Data::cell));
        }
        Ok(None)
    };
    let value = read().map_err(|error| shared.failed(error))?;
    Ok(value.unwrap_or_else(|| SqlCell::from_text(class_of(data, object))))
}

/// The aggregate `retained_once`. Four bytes an object of the group.
struct RetainedOnce(Arc<Shared>);

impl Aggregate<Vec<Preorder>, SqlCell<'static>> for RetainedOnce {
    fn init(&self, _: &mut Context<'_>) -> Result<Vec<Preorder>> {
        Ok(Vec::new())
    }

    fn step(&self, context: &mut Context<'_>, group: &mut Vec<Preorder>) -> Result<()> {
        if let Some(object) = object(&self.0, context)? {
            group.extend(self.0.data()?.tree().dominators.number_of(object.into()));
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, group: Option<Vec<Preorder>>) -> Result<SqlCell<'static>> {
        let data = self.0.data()?;
        let group = group.unwrap_or_default();
        Ok(SqlCell::count(data.dominated_nodes().retained_once(&data.tree().retained, group.into_iter())))
    }
}
