//! The events of a chunk.

use std::borrow::Cow;

use crate::body::Body;
use crate::error::{Error, Found};
use crate::header::Header;
use crate::stack::Stack;
use crate::types::{FieldUnit, Type};
use crate::value::{self, Object, RecordedValue};

/// What happened.
#[derive(Debug, Clone, Copy)]
pub struct Event<'c> {
    object: Object<'c>,
}

/// The events of a chunk, in the order of the file. Ends after an error.
#[derive(Debug)]
pub struct ChunkEvents<'c> {
    body: &'c Body,
    at: usize,
}

impl<'c> ChunkEvents<'c> {
    pub(crate) fn from_body(body: &'c Body) -> Self {
        ChunkEvents { body, at: Header::SIZE }
    }

    /// The next event that is none of the chunk's own: no types and no constants.
    fn find(&mut self) -> Found<Option<Event<'c>>> {
        while self.at < self.body.bytes.len() {
            let mut cursor = self.body.cursor(self.at);
            let flaw = cursor.flaw("an event has a wrong size");
            let size = usize::try_from(cursor.int()?).map_err(|_| flaw)?;
            let end = self.at.checked_add(size).filter(|end| *end <= self.body.bytes.len()).ok_or(flaw)?;
            let unknown = cursor.flaw("an event of a type that the chunk does not describe");
            let id = cursor.long()?;
            if end <= self.at || cursor.at > end {
                return Err(flaw);
            }
            self.at = end;
            if !(0..=1).contains(&id) {
                let of = self.body.types.get(id).ok_or(unknown)?;
                let object = Object::new(self.body, of, cursor.at);
                value::skip(self.body, &mut cursor, of, 0)?;
                if cursor.at > end {
                    return Err(flaw);
                }
                return Ok(Some(Event { object }));
            }
        }
        Ok(None)
    }
}

impl<'c> Iterator for ChunkEvents<'c> {
    type Item = Result<Event<'c>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = self.find();
        if found.is_err() {
            self.at = self.body.bytes.len();
        }
        found.map_err(|flaw| self.body.error(flaw)).transpose()
    }
}

impl<'c> Event<'c> {
    /// Its type.
    pub fn type_of(&self) -> &'c Type {
        self.object.type_of()
    }

    /// The name of its type, such as `jdk.ExecutionSample`.
    pub fn name(&self) -> &'c str {
        &self.type_of().name
    }

    /// The value of a field; [`Value::Null`] if the event has no such field.
    pub fn get(&self, field: &str) -> RecordedValue<'c> {
        self.object.get(field)
    }

    /// The fields.
    pub fn object(&self) -> Object<'c> {
        self.object
    }

    /// When it began, nanoseconds since the Unix epoch.
    pub fn start_ns(&self) -> Option<i64> {
        self.get("startTime").as_int().map(|ticks| self.object.body.header.moment(ticks))
    }

    /// How long it lasted, in nanoseconds.
    pub fn duration_ns(&self) -> Option<i64> {
        self.span_ns("duration")
    }

    /// A field that is a span of time, in nanoseconds.
    pub fn span_ns(&self, field: &str) -> Option<i64> {
        let unit = self.type_of().fields.iter().find(|one| one.name == field)?.unit?;
        let number = self.get(field).as_int()?;
        match unit {
            FieldUnit::Span { ns: 0 } => Some(self.object.body.header.nanoseconds(number)),
            FieldUnit::Span { ns } => Some(number.saturating_mul(ns)),
            FieldUnit::Bytes | FieldUnit::Moment { .. } => None,
        }
    }

    /// The name of the thread in which it happened.
    pub fn thread(&self) -> Option<Cow<'c, str>> {
        self.get(if self.has("eventThread") { "eventThread" } else { "sampledThread" }).thread_name()
    }

    /// The stack of the thread at that moment.
    pub fn stack(&self) -> Option<Stack<'c>> {
        Stack::from_event(&self.object)
    }

    fn has(&self, field: &str) -> bool {
        self.type_of().fields.iter().any(|one| one.name == field)
    }
}
