//! Values: of fields, of lists, and of what fields refer to.

use std::borrow::Cow;

use crate::body::Body;
use crate::bytes::{ChunkCursor, Text};
use crate::error::{Flaw, Found};
use crate::types::{StorageKind, TypeField};

/// Values inside values; the JVM nests three.
const DEEPEST: usize = 16;

/// The value of a field.
#[derive(Debug, Clone)]
pub enum RecordedValue<'c> {
    /// No text, or a constant that the chunk does not have.
    Null,
    /// `boolean`.
    Bool(bool),
    /// `byte`, `short`, `char`, `int` and `long`, as they are stored; [`Field::unit`] says what they mean.
    Int(i64),
    /// `float` and `double`.
    Float(f64),
    /// `java.lang.String`.
    Text(Cow<'c, str>),
    /// A value with fields.
    Object(Object<'c>),
    /// Several values.
    List(ValueList<'c>),
}

/// A value with fields: an event, a constant, or a part of one.
#[derive(Debug, Clone, Copy)]
pub struct Object<'c> {
    pub(crate) body: &'c Body,
    of: usize,
    at: usize,
    depth: usize,
}

/// Several values of a field.
#[derive(Debug, Clone, Copy)]
pub struct ValueList<'c> {
    body: &'c Body,
    field: &'c TypeField,
    at: usize,
    length: usize,
    depth: usize,
}

impl<'c> RecordedValue<'c> {
    /// A whole number.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            RecordedValue::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// A text, also that of a type with one field, such as a symbol.
    pub fn into_text(self) -> Option<Cow<'c, str>> {
        match self {
            RecordedValue::Text(text) => Some(text),
            RecordedValue::Object(object) if object.type_of().fields.len() == 1 => object.at_index(0).into_text(),
            _ => None,
        }
    }

    /// The name of a class as Java writes it: `com.acme.Order`, `byte[]`.
    pub fn class_name(&self) -> Option<String> {
        match self {
            RecordedValue::Object(class) => class.get("name").into_text().map(|name| as_java_writes_it(&name)),
            _ => None,
        }
    }

    /// The name of a thread: its Java name or else that of the operating system.
    pub fn thread_name(&self) -> Option<Cow<'c, str>> {
        let RecordedValue::Object(thread) = self else { return None };
        let name = |field| thread.get(field).into_text().filter(|name| !name.is_empty());
        name("javaName").or_else(|| name("osName"))
    }
}

/// The name of a class as Java writes it, from that inside the JVM (JVMS 4.2.1, 4.3.2): `[Ljava/lang/String;` is
/// `java.lang.String[]`.
pub fn as_java_writes_it(name: &str) -> String {
    let element = name.trim_start_matches('[');
    let dimensions = name.len() - element.len();
    if dimensions == 0 {
        return name.replace('/', ".");
    }
    let element = match element {
        "Z" => "boolean".to_owned(),
        "B" => "byte".to_owned(),
        "C" => "char".to_owned(),
        "S" => "short".to_owned(),
        "I" => "int".to_owned(),
        "J" => "long".to_owned(),
        "F" => "float".to_owned(),
        "D" => "double".to_owned(),
        class => class.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or(class).replace('/', "."),
    };
    element + &"[]".repeat(dimensions)
}

impl<'c> Object<'c> {
    pub(crate) fn new(body: &'c Body, of: usize, at: usize) -> Self {
        Object { body, of, at, depth: 0 }
    }

    /// Its type.
    pub fn type_of(&self) -> &'c crate::Type {
        &self.body.types.all[self.of]
    }

    /// The value of a field; [`Value::Null`] if the type has no such field. What it refers to is looked up.
    pub fn get(&self, name: &str) -> RecordedValue<'c> {
        let index = self.type_of().fields.iter().position(|field| field.name == name);
        index.map_or(RecordedValue::Null, |index| self.at_index(index))
    }

    /// The value of the field with an index.
    pub fn at_index(&self, index: usize) -> RecordedValue<'c> {
        // The event was skipped over before: its values can be read.
        self.read(index).unwrap_or(RecordedValue::Null)
    }

    /// The key of the constant to which a field refers: the same constants of its type have the same.
    pub(crate) fn key(&self, name: &str) -> Option<i64> {
        let fields = &self.type_of().fields;
        let index = fields.iter().position(|field| field.name == name)?;
        let mut cursor = self.seek_field(index).ok()?;
        let field = &fields[index];
        cursor.long().ok().filter(|_| field.constant && !field.list)
    }

    fn seek_field(&self, index: usize) -> Found<ChunkCursor<'c>> {
        let mut cursor = self.body.cursor(self.at);
        for field in &self.type_of().fields[..index] {
            skip_field(self.body, &mut cursor, field, self.depth)?;
        }
        Ok(cursor)
    }

    fn read(&self, index: usize) -> Found<RecordedValue<'c>> {
        let field = self.type_of().fields.get(index).ok_or(Flaw { at: self.at, what: "there is no such field" })?;
        let mut cursor = self.seek_field(index)?;
        if field.list {
            let length = cursor.count()?;
            return Ok(RecordedValue::List(ValueList {
                body: self.body,
                field,
                at: cursor.at,
                length,
                depth: self.depth,
            }));
        }
        one(self.body, &mut cursor, field, self.depth)
    }
}

impl<'c> ValueList<'c> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The values, up to one that cannot be read.
    pub fn iter(&self) -> impl Iterator<Item = RecordedValue<'c>> + use<'c> {
        let list = *self;
        let mut cursor = list.body.cursor(list.at);
        (0..list.length).map_while(move |_| one(list.body, &mut cursor, list.field, list.depth).ok())
    }
}

/// Reads a single value of a field, and goes on behind it.
fn one<'c>(
    body: &'c Body,
    cursor: &mut ChunkCursor<'c>,
    field: &'c TypeField,
    depth: usize,
) -> Found<RecordedValue<'c>> {
    if field.constant {
        let key = cursor.long()?;
        return Ok(constant(body, field.of, key, depth + 1));
    }
    of_type(body, cursor, field.of, depth + 1)
}

/// A constant; [`Value::Null`] if the chunk does not have it, or it leads to itself.
fn constant(body: &Body, of: usize, key: i64, depth: usize) -> RecordedValue<'_> {
    let at = body.constants.get(&(of, key));
    at.and_then(|at| of_type(body, &mut body.cursor(*at), of, depth).ok()).unwrap_or(RecordedValue::Null)
}

/// Reads a value of a type, and goes on behind it.
fn of_type<'c>(body: &'c Body, cursor: &mut ChunkCursor<'c>, of: usize, depth: usize) -> Found<RecordedValue<'c>> {
    if depth > DEEPEST {
        return Err(cursor.flaw("values are nested too deeply"));
    }
    Ok(match body.types.all[of].kind {
        StorageKind::Boolean => RecordedValue::Bool(cursor.byte()? != 0),
        StorageKind::Byte => RecordedValue::Int(i64::from(cursor.byte()?.cast_signed())),
        StorageKind::Short => RecordedValue::Int(i64::from(cursor.short()? as i16)),
        StorageKind::Char => RecordedValue::Int(i64::from(cursor.short()? as u16)),
        StorageKind::Int => RecordedValue::Int(i64::from(cursor.int()? as i32)),
        StorageKind::Long => RecordedValue::Int(cursor.long()?),
        StorageKind::Float => RecordedValue::Float(cursor.float()?.into()),
        StorageKind::Double => RecordedValue::Float(cursor.double()?),
        StorageKind::Text => match cursor.text()? {
            Text::Null => RecordedValue::Null,
            Text::Of(text) => RecordedValue::Text(text),
            Text::Constant(key) => {
                body.types.texts.map_or(RecordedValue::Null, |texts| constant(body, texts, key, depth + 1))
            }
        },
        StorageKind::Fields => {
            let object = Object { body, of, at: cursor.at, depth };
            skip(body, cursor, of, depth)?;
            RecordedValue::Object(object)
        }
    })
}

/// Goes over a value of a type.
pub(crate) fn skip(body: &Body, cursor: &mut ChunkCursor<'_>, of: usize, depth: usize) -> Found<()> {
    if depth > DEEPEST {
        return Err(cursor.flaw("values are nested too deeply"));
    }
    match body.types.all[of].kind {
        StorageKind::Boolean | StorageKind::Byte => drop(cursor.byte()?),
        StorageKind::Short | StorageKind::Char => drop(cursor.short()?),
        StorageKind::Int => drop(cursor.int()?),
        StorageKind::Long => drop(cursor.long()?),
        StorageKind::Float => drop(cursor.float()?),
        StorageKind::Double => drop(cursor.double()?),
        StorageKind::Text => cursor.skip_text()?,
        StorageKind::Fields if body.types.all[of].takes_nothing => {}
        StorageKind::Fields => {
            for field in &body.types.all[of].fields {
                skip_field(body, cursor, field, depth)?;
            }
        }
    }
    Ok(())
}

fn skip_field(body: &Body, cursor: &mut ChunkCursor<'_>, field: &TypeField, depth: usize) -> Found<()> {
    let count = if field.list { cursor.count()? } else { 1 };
    for _ in 0..count {
        let before = cursor.at;
        match field.constant {
            true => drop(cursor.long()?),
            false => skip(body, cursor, field.of, depth + 1)?,
        }
        if cursor.at == before {
            // A type without fields takes no bytes: a list of them could be as long as it likes.
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_classes_are_written_as_in_java() {
        for (inside, java) in [
            ("com/acme/Order$Line", "com.acme.Order$Line"),
            ("[B", "byte[]"),
            ("[[Ljava/lang/String;", "java.lang.String[][]"),
            ("[", "[]"),
            ("", ""),
        ] {
            assert_eq!(as_java_writes_it(inside), java);
        }
    }
}
