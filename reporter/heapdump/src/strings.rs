//! Texts of `java.lang.String` objects, read again from the dump when needed.

use std::collections::HashMap;

use crate::class::ClassIndex;
use crate::error::Error;
use crate::graph::Thread;
use crate::heap::Heap;
use crate::hprof::{FieldType, Record};
use crate::index::ObjectIndex;

/// Bytes of a text that are read; a longer one ends in an ellipsis.
const LONGEST: usize = 1 << 10;

/// `String.LATIN1` and `UTF16` (JEP 254).
pub(crate) const LATIN1: u8 = 0;

impl Heap {
    /// The offset of a field's value in the records of a class's instances.
    pub fn field(&self, class: ClassIndex, name: &str) -> Option<u32> {
        let mut fields = self.classes().instance_fields(class, self.dump().ids().bytes());
        fields.find(|(_, field, _)| self.dump().text(field.name).as_deref() == Some(name)).map(|(_, _, offset)| offset)
    }

    /// The texts of those of the objects that are strings. Reads the segments of the strings, then those of their arrays.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn texts(&self, objects: &[ObjectIndex]) -> Result<HashMap<ObjectIndex, String>, Error> {
        let Some(class) = self.classes().find_by_name("java.lang.String") else { return Ok(HashMap::new()) };
        let Some(value) = self.field(class, "value") else { return Ok(HashMap::new()) };
        let coder = self.field(class, "coder");
        let strings: Vec<ObjectIndex> =
            objects.iter().copied().filter(|object| self.class_of(*object) == class).collect();
        let mut arrays: HashMap<ObjectIndex, (u8, Vec<ObjectIndex>)> = HashMap::new();
        self.reread(&strings, |string, record| {
            if let Record::Instance { fields, .. } = record
                && let Some(array) = self.reference(fields, value)
            {
                let coder = coder.and_then(|offset| fields.get(offset as usize)).copied();
                arrays.entry(array).or_insert((coder.unwrap_or(LATIN1), Vec::new())).1.push(string);
            }
        })?;
        let wanted: Vec<ObjectIndex> = arrays.keys().copied().collect();
        let mut texts = HashMap::new();
        self.reread(&wanted, |array, record| {
            if let Record::Primitives { kind, mut elements, .. } = record
                && let Some((coder, strings)) = arrays.get(&array)
            {
                let text = decoded(kind, *coder, elements.next_piece().unwrap_or_default(), LONGEST);
                texts.extend(strings.iter().map(|string| (*string, text.clone())));
            }
        })?;
        Ok(texts)
    }

    /// The names of threads, in their order; empty if the dump does not have them, or is redacted.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn thread_names(&self, threads: &[Thread]) -> Result<Vec<String>, Error> {
        let objects: Vec<ObjectIndex> = threads.iter().filter_map(|thread| thread.object).collect();
        let mut names: HashMap<ObjectIndex, ObjectIndex> = HashMap::new();
        let mut offsets: HashMap<ClassIndex, Option<u32>> = HashMap::new();
        self.reread(&objects, |thread, record| {
            let class = self.class_of(thread);
            let offset = *offsets.entry(class).or_insert_with(|| self.thread_field(class, "name"));
            if let Record::Instance { fields, .. } = record
                && let Some(name) = offset.and_then(|offset| self.reference(fields, offset))
            {
                names.insert(thread, name);
            }
        })?;
        let texts = self.texts(&names.values().copied().collect::<Vec<_>>())?;
        // Those of a redacted dump are zeros.
        let is_text = |text: &&String| text.chars().any(|c| c != '\0');
        let name = |thread: &Thread| texts.get(names.get(&thread.object?)?).filter(is_text).cloned();
        Ok(threads.iter().map(|thread| name(thread).unwrap_or_default()).collect())
    }

    /// The ids of threads by which the program knows them, `Thread.getId()`, in the order of the threads; `None` if the
    /// dump does not have it. It is the field `tid` in JDK 11 to 25, of virtual threads too.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn thread_java_ids(&self, threads: &[Thread]) -> Result<Vec<Option<i64>>, Error> {
        let objects: Vec<ObjectIndex> = threads.iter().filter_map(|thread| thread.object).collect();
        let mut ids: HashMap<ObjectIndex, i64> = HashMap::new();
        let mut offsets: HashMap<ClassIndex, Option<u32>> = HashMap::new();
        self.reread(&objects, |thread, record| {
            let class = self.class_of(thread);
            let offset = *offsets.entry(class).or_insert_with(|| self.thread_field(class, "tid"));
            if let Record::Instance { fields, .. } = record
                && let Some(bytes) = offset.and_then(|offset| fields.get(offset as usize..)?.first_chunk())
            {
                ids.insert(thread, i64::from_be_bytes(*bytes));
            }
        })?;
        Ok(threads.iter().map(|thread| ids.get(&thread.object?).copied()).collect())
    }

    /// The offset of a field that `java.lang.Thread` declares; a subclass may declare another one of this name.
    fn thread_field(&self, class: ClassIndex, name: &str) -> Option<u32> {
        let thread = self.classes().find_by_name("java.lang.Thread")?;
        let mut fields = self.classes().instance_fields(class, self.dump().ids().bytes());
        let is_it = |field: u64| self.dump().text(field).as_deref() == Some(name);
        fields.find(|(declaring, field, _)| *declaring == thread && is_it(field.name)).map(|(_, _, offset)| offset)
    }

    /// The object that a field value refers to.
    pub(crate) fn reference(&self, fields: &[u8], offset: u32) -> Option<ObjectIndex> {
        let ids = self.dump().ids();
        (fields.len() >= (offset + ids.bytes()) as usize).then(|| self.find(ids.read(fields, offset as usize)))?
    }
}

/// The text of an array of bytes or characters, or its first `longest` bytes and an ellipsis.
pub(crate) fn decoded(kind: FieldType, coder: u8, bytes: &[u8], longest: usize) -> String {
    let shown = &bytes[..bytes.len().min(longest)];
    let mut text: String = match kind {
        FieldType::Byte if coder == LATIN1 => shown.iter().map(|byte| char::from(*byte)).collect(),
        // A string's bytes have the byte order of the machine; JDKs today run on little-endian ones.
        FieldType::Byte => {
            let units: Vec<u16> = shown.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
            String::from_utf16_lossy(&units)
        }
        _ => {
            let units: Vec<u16> = shown.chunks_exact(2).map(|unit| u16::from_be_bytes([unit[0], unit[1]])).collect();
            String::from_utf16_lossy(&units)
        }
    };
    if bytes.len() > longest {
        text.push('\u{2026}');
    }
    text
}
