//! A copy of a dump without its values: structure, sizes and names stay.
//!
//! What is copied: the header, the names that classes, fields, methods and source files have, classes, stack traces, and of
//! every object its address, class, length and references. Every primitive value becomes zero, in instances, static
//! fields and arrays, and so does the text of every string. HotSpot dumps its whole table of symbols, in which are the
//! literals of all classes: those that name nothing are left out.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use crate::class::Classes;
use crate::error::Error;
use crate::hprof::{ClassRecord, Dump, Elements, Failed, FieldType, GcRoot, IdSize, Record};

/// Bytes of a segment, unless one array takes more.
const SEGMENT: usize = 1 << 20;

/// Zeros that are written at once.
const ZEROS: [u8; 1 << 12] = [0; 1 << 12];

/// What was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Redacted {
    /// Objects.
    pub objects: u64,
    /// Bytes of primitive values that are zero now, those that were zero too.
    pub zeroed_bytes: u64,
    /// Texts of the table of symbols that name nothing.
    pub texts_left_out: u64,
}

/// Why a copy is not complete.
#[derive(Debug)]
pub enum RedactError {
    /// The dump cannot be read.
    Dump(Error),
    /// The copy cannot be written.
    Output(io::Error),
}

impl From<Error> for RedactError {
    fn from(error: Error) -> Self {
        RedactError::Dump(error)
    }
}

impl From<io::Error> for RedactError {
    fn from(error: io::Error) -> Self {
        RedactError::Output(error)
    }
}

impl From<Failed> for RedactError {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Dump(error) => RedactError::Dump(error),
            Failed::Output(error) => RedactError::Output(error),
        }
    }
}

/// Writes the copy. Two passes over the dump; memory for the names of fields, and for a segment of 1 MiB.
///
/// # Errors
/// The dump cannot be read any more or contradicts the format, or the copy cannot be written.
pub fn redact(dump: &Dump, threads: usize, output: &mut dyn Write) -> Result<Redacted, RedactError> {
    let visit = |found: &mut Vec<ClassRecord>, _, record: Record<'_, '_>| {
        if let Record::Class(class) = record {
            found.push(*class);
        }
    };
    let classes = Classes::from_records(dump, dump.fold(threads, Vec::new, visit)?.concat());
    let mut names: HashSet<u64> = dump.names_in_use();
    for (_, class) in classes.iter() {
        names.extend(class.statics.iter().map(|field| field.name).chain(class.fields.iter().map(|field| field.name)));
    }
    let texts_left_out = dump.copy_symbols(&names, output)?;
    let ids = dump.ids();
    let references = |class| {
        let fields = classes.instance_fields(class, ids.bytes());
        fields.filter(|(_, field, _)| field.kind == FieldType::Object).map(|(.., offset)| offset as usize).collect()
    };
    let references = classes.iter().map(|(index, class)| (class.address, references(index))).collect();
    let done = Redacted { texts_left_out, ..Redacted::default() };
    let mut copy = Copy { references, ids, segment: Vec::new(), output, failure: None, done };
    for part in 0..dump.parts() {
        dump.walk_part(part, |_, record| {
            if copy.failure.is_none() {
                copy.failure = copy.record(record).err();
            }
        })?;
        if let Some(error) = copy.failure.take() {
            return Err(error.into());
        }
    }
    copy.flush()?;
    // HEAP_DUMP_END.
    copy.output.write_all(&[0x2C, 0, 0, 0, 0, 0, 0, 0, 0])?;
    Ok(copy.done)
}

struct Copy<'a> {
    /// Offsets of references in the field values of a class's instances, by the class's address.
    references: HashMap<u64, Vec<usize>>,
    ids: IdSize,
    /// Whole sub-records.
    segment: Vec<u8>,
    output: &'a mut dyn Write,
    failure: Option<io::Error>,
    done: Redacted,
}

impl Copy<'_> {
    fn record(&mut self, record: Record<'_, '_>) -> io::Result<()> {
        match record {
            Record::Root(root) => self.root(root),
            Record::Class(class) => self.class(&class),
            Record::Instance { address, class, fields } => self.instance(address, class, fields),
            Record::Objects { address, class, length, mut elements } => {
                let bytes = u64::from(length) * u64::from(self.ids.bytes());
                self.array(
                    |copy| {
                        copy.byte(0x22);
                        copy.id(address);
                        copy.number(0);
                        copy.number(length);
                        copy.id(class);
                    },
                    bytes,
                    Some(&mut elements),
                )?;
            }
            Record::Primitives { address, kind, length, .. } => {
                let bytes = u64::from(length) * u64::from(kind.bytes(self.ids.bytes()));
                self.done.zeroed_bytes += bytes;
                self.array(
                    |copy| {
                        copy.byte(0x23);
                        copy.id(address);
                        copy.number(0);
                        copy.number(length);
                        copy.byte(kind.code());
                    },
                    bytes,
                    None,
                )?;
            }
        }
        if self.segment.len() >= SEGMENT { self.flush() } else { Ok(()) }
    }

    fn root(&mut self, root: GcRoot) {
        let (tag, object, numbers): (u8, u64, &[u32]) = match &root {
            GcRoot::Unknown(object) => (0xFF, *object, &[]),
            GcRoot::JniGlobal(object) => (0x01, *object, &[]),
            GcRoot::JniLocal(object, thread, frame) => (0x02, *object, &[*thread, *frame]),
            GcRoot::JavaFrame(object, thread, frame) => (0x03, *object, &[*thread, *frame]),
            GcRoot::NativeStack(object, thread) => (0x04, *object, &[*thread]),
            GcRoot::StickyClass(object) => (0x05, *object, &[]),
            GcRoot::ThreadBlock(object, thread) => (0x06, *object, &[*thread]),
            GcRoot::Monitor(object) => (0x07, *object, &[]),
            // Only Android's dumps have it; the copy has the version of its original.
            GcRoot::VmInternal(object) => (0x8D, *object, &[]),
            GcRoot::Thread(object, thread, trace) => (0x08, *object, &[*thread, *trace]),
        };
        self.byte(tag);
        self.id(object);
        if tag == 0x01 {
            // The reference itself, an address of native memory.
            self.id(0);
        }
        numbers.iter().for_each(|number| self.number(*number));
    }

    fn class(&mut self, class: &ClassRecord) {
        self.done.objects += 1;
        self.byte(0x20);
        self.id(class.address);
        self.number(0);
        let held = [class.superclass, class.loader, class.signers, class.protection_domain, 0, 0];
        held.into_iter().for_each(|object| self.id(object));
        self.number(class.instance_bytes);
        // No constants.
        self.short(0);
        self.short(class.statics.len());
        for field in &class.statics {
            self.id(field.name);
            self.byte(field.kind.code());
            match field.kind {
                FieldType::Object => self.id(field.value),
                kind => self.zeros(kind.bytes(self.ids.bytes()) as usize),
            }
        }
        self.short(class.fields.len());
        for field in &class.fields {
            self.id(field.name);
            self.byte(field.kind.code());
        }
    }

    fn instance(&mut self, address: u64, class: u64, fields: &[u8]) {
        self.done.objects += 1;
        self.byte(0x21);
        self.id(address);
        self.number(0);
        self.id(class);
        self.number(fields.len() as u32);
        let start = self.segment.len();
        self.segment.resize(start + fields.len(), 0);
        let id = self.ids.bytes() as usize;
        let mut zeroed = fields.len();
        for &offset in self.references.get(&class).map_or(&[][..], Vec::as_slice) {
            // A record that is shorter than its class says has no such reference.
            if let Some(value) = fields.get(offset..offset + id) {
                self.segment[start + offset..start + offset + id].copy_from_slice(value);
                zeroed -= id;
            }
        }
        self.done.zeroed_bytes += zeroed as u64;
    }

    fn array(
        &mut self,
        head: impl FnOnce(&mut Self),
        bytes: u64,
        elements: Option<&mut Elements<'_, '_>>,
    ) -> io::Result<()> {
        self.done.objects += 1;
        let is_large = bytes >= SEGMENT as u64;
        if is_large {
            self.flush()?;
        }
        head(self);
        if is_large {
            // Its own segment, which is never in memory.
            self.head(self.segment.len() as u64 + bytes)?;
            self.output.write_all(&self.segment)?;
            self.segment.clear();
        }
        if let Some(elements) = elements {
            while let Some(piece) = elements.next_piece() {
                if is_large {
                    self.output.write_all(piece)?;
                } else {
                    self.segment.extend_from_slice(piece);
                }
            }
            return Ok(());
        }
        let mut rest = bytes;
        while is_large && rest > 0 {
            let n = rest.min(ZEROS.len() as u64);
            self.output.write_all(&ZEROS[..n as usize])?;
            rest -= n;
        }
        self.segment.resize(self.segment.len() + rest as usize, 0);
        Ok(())
    }

    /// Writes the segment, if it has anything.
    fn flush(&mut self) -> io::Result<()> {
        if self.segment.is_empty() {
            return Ok(());
        }
        self.head(self.segment.len() as u64)?;
        self.output.write_all(&self.segment)?;
        self.segment.clear();
        Ok(())
    }

    /// The head of a HEAP_DUMP_SEGMENT.
    fn head(&mut self, bytes: u64) -> io::Result<()> {
        let bytes = u32::try_from(bytes).map_err(|_| io::Error::other("an array of more than 4 GiB"))?;
        self.output.write_all(&[0x1C, 0, 0, 0, 0])?;
        self.output.write_all(&bytes.to_be_bytes())
    }

    fn byte(&mut self, value: u8) {
        self.segment.push(value);
    }

    fn short(&mut self, value: usize) {
        // The format's count has 16 bits, and so had the record that was read.
        self.segment.extend_from_slice(&(value as u16).to_be_bytes());
    }

    fn number(&mut self, value: u32) {
        self.segment.extend_from_slice(&value.to_be_bytes());
    }

    fn id(&mut self, value: u64) {
        let bytes = value.to_be_bytes();
        self.segment.extend_from_slice(&bytes[8 - self.ids.bytes() as usize..]);
    }

    fn zeros(&mut self, n: usize) {
        self.done.zeroed_bytes += n as u64;
        self.segment.resize(self.segment.len() + n, 0);
    }
}
