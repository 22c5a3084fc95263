//! Values of fields, and the texts of strings and arrays.

use std::sync::Arc;

use super::records::{Fields, Records};
use crate::class::ClassIndex;
use crate::error::Error;
use crate::heap::Heap;
use crate::hprof::{FieldType, Record};
use crate::index::ObjectIndex;
use crate::links::{FieldNames, ObjectLink};
use crate::strings;

/// The value of a field or an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FieldValue {
    /// `null`.
    Null,
    /// A reference, as an address; the dump may have no object there.
    Reference(u64),
    /// `boolean`.
    Boolean(bool),
    /// `char`, as its code unit of UTF-16.
    Char(u16),
    /// `byte`, `short`, `int` or `long`.
    Integer(i64),
    /// `float` or `double`.
    Real(f64),
}

/// The text of a string or an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The text; its beginning and an ellipsis, if it is longer than [`Text::LONGEST`] bytes.
    pub text: String,
    /// The whole length: code units of UTF-16 of a string or `char[]`, bytes of a `byte[]`.
    pub length: u64,
}

impl Text {
    /// Bytes of the array that are read.
    pub const LONGEST: usize = 1 << 20;
}

impl FieldValue {
    fn from_bits(kind: FieldType, bits: u64) -> Self {
        match kind {
            FieldType::Object if bits == 0 => FieldValue::Null,
            FieldType::Object => FieldValue::Reference(bits),
            FieldType::Boolean => FieldValue::Boolean(bits != 0),
            FieldType::Char => FieldValue::Char(bits as u16),
            FieldType::Float => FieldValue::Real(f32::from_bits(bits as u32).into()),
            FieldType::Double => FieldValue::Real(f64::from_bits(bits)),
            FieldType::Byte => FieldValue::Integer((bits as u8).cast_signed().into()),
            FieldType::Short => FieldValue::Integer((bits as u16).cast_signed().into()),
            FieldType::Int => FieldValue::Integer((bits as u32).cast_signed().into()),
            FieldType::Long => FieldValue::Integer(bits.cast_signed()),
        }
    }
}

impl Records {
    fn fields_of(&self, heap: &Heap, class: ClassIndex) -> Fields {
        let mut known = self.fields.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let read = || Arc::from(FieldNames::new(heap).read_fields(class).to_vec());
        Arc::clone(known.entry(class).or_insert_with(read))
    }

    /// The names of the fields of a class's instances, its own first.
    pub fn field_names(&self, heap: &Heap, class: ClassIndex) -> Vec<String> {
        self.fields_of(heap, class).iter().map(|(name, ..)| name.clone()).collect()
    }

    /// The value of a field; of a `Class` object that of a static field; of an array its `length`. `None` if the object
    /// has no such field. Of fields of one name the one of the lowest class counts.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn field(&self, heap: &Heap, object: ObjectIndex, name: &str) -> Result<Option<FieldValue>, Error> {
        if let Some(length) = heap.array_length(object) {
            return Ok((name == "length").then_some(FieldValue::Integer(length.into())));
        }
        if let Some(class) = heap.class_object(object) {
            let mut statics = heap.classes().get(class).statics.iter();
            let field = statics.find(|field| heap.name_of_field(field.name) == name);
            if let Some(field) = field {
                return Ok(Some(FieldValue::from_bits(field.kind, field.value)));
            }
            return Ok(None);
        }
        let fields = self.fields_of(heap, heap.class_of(object));
        let Some((_, kind, offset)) = fields.iter().find(|(field, ..)| field == name) else { return Ok(None) };
        let bytes = kind.bytes(heap.dump().ids().bytes()) as usize;
        let read = self.read(heap, object, |record| match record {
            Record::Instance { fields, .. } => {
                let value = fields.get(*offset as usize..)?.get(..bytes)?;
                Some(FieldValue::from_bits(*kind, value.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte))))
            }
            _ => None,
        })?;
        Ok(read.flatten())
    }

    /// An element of an array of references; `None` of other objects and beyond its end.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn element(&self, heap: &Heap, array: ObjectIndex, at: u32) -> Result<Option<FieldValue>, Error> {
        let ids = heap.dump().ids();
        let read = self.read(heap, array, |record| {
            let Record::Objects { mut elements, .. } = record else { return None };
            let mut before = u64::from(at) * u64::from(ids.bytes());
            while let Some(piece) = elements.next_piece() {
                if before < piece.len() as u64 {
                    return Some(FieldValue::from_bits(FieldType::Object, ids.read(piece, before as usize)));
                }
                before -= piece.len() as u64;
            }
            None
        })?;
        Ok(read.flatten())
    }

    /// The references of an object's record in its order, weak ones too, with the field or element of each.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn links(&self, heap: &Heap, object: ObjectIndex) -> Result<Vec<(ObjectLink, ObjectIndex)>, Error> {
        let fields = self.fields_of(heap, heap.class_of(object));
        let mut links = Vec::new();
        self.read(heap, object, |record| {
            heap.each_link_by(&fields, record, |link, target| links.push((link(), target)));
        })?;
        Ok(links)
    }

    /// The text of a `java.lang.String`, a `char[]`, or of a `byte[]` as Latin-1. `None` of other objects, and of a
    /// string without an array.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn text(&self, heap: &Heap, object: ObjectIndex) -> Result<Option<Text>, Error> {
        let class = heap.class_of(object);
        let (array, coder) = if heap.classes().get(class).name == "java.lang.String" {
            let Some(FieldValue::Reference(value)) = self.field(heap, object, "value")? else { return Ok(None) };
            let coder = match self.field(heap, object, "coder")? {
                Some(FieldValue::Integer(coder)) => coder as u8,
                _ => strings::LATIN1,
            };
            let Some(array) = heap.find(value) else { return Ok(None) };
            (array, coder)
        } else {
            (object, strings::LATIN1)
        };
        let read = self.read(heap, array, |record| {
            let Record::Primitives { kind: kind @ (FieldType::Byte | FieldType::Char), length, mut elements, .. } =
                record
            else {
                return None;
            };
            let mut bytes = Vec::new();
            while bytes.len() <= Text::LONGEST
                && let Some(piece) = elements.next_piece()
            {
                bytes.extend_from_slice(piece);
            }
            let two = kind == FieldType::Byte && coder != strings::LATIN1;
            let length = u64::from(length) / if two { 2 } else { 1 };
            Some(Text { text: strings::decoded(kind, coder, &bytes, Text::LONGEST), length })
        })?;
        Ok(read.flatten())
    }
}
