//! The walk over the sub-records of a heap segment.

use super::header::IdSize;
use super::records::{ClassRecord, DeclaredField, Elements, FieldType, GcRoot, Record, Static};
use super::window::{Missing, Window};
use super::{u32_at, u64_at};

/// Longest accepted record of field values, in bytes: 65,535 fields (JVMS 4.1) in each of 32 classes.
const LARGEST_INSTANCE: u32 = 65_535 * 8 * 32;

/// HEAP_DUMP_END, a top-level record: it follows a segment whose length is not stated.
const END: u8 = 0x2C;

/// Records that only Android's runtime (ART) writes, in HPROF 1.0.3 (AOSP, `art/runtime/hprof/hprof.cc`). Its own roots
/// are 0x89 (interned string), 0x8A (finalizing), 0x8B (debugger), 0x8C (reference cleanup), 0x8D (internal) and 0x8E
/// (monitor of native code).
const HEAP_DUMP_INFO: u8 = 0xFE;
const UNREACHABLE: u8 = 0x90;
/// An array of primitive values without its values.
const NO_DATA: u8 = 0xC3;

/// Why a walk stopped before the end of its part.
#[derive(Debug)]
pub(super) enum SegmentStop {
    /// The part ends inside a record.
    Cut,
    Io(std::io::Error),
    Corrupt(String),
}

impl From<Missing> for SegmentStop {
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::Cut => SegmentStop::Cut,
            Missing::Io(error) => SegmentStop::Io(error),
        }
    }
}

/// Visits the records between two record boundaries, with the offset of each.
///
/// # Errors
/// The offset of the record that cannot be read, and why.
pub(super) fn walk(
    window: &mut Window<'_>,
    ids: IdSize,
    part: (u64, u64),
    visit: &mut impl FnMut(u64, Record<'_, '_>),
) -> Result<(), (u64, SegmentStop)> {
    window.move_to(part.0, part.1);
    while window.remaining() > 0 {
        let offset = window.position();
        let mut failure = None;
        // The size of an id is constant in each copy of the reader, which uses it several times a record.
        let read = match ids {
            IdSize::Four => record::<4>(window, &mut failure),
            IdSize::Eight => record::<8>(window, &mut failure),
        };
        match read {
            // The only call of the visitor, so it is inlined: a call would write each record to memory and read it back
            // too early.
            Ok(Some((record, end))) => {
                visit(offset, record);
                // Continues after the elements, however many were read.
                let passed = match failure {
                    None => window.skip(end - window.position()),
                    Some(missing) => Err(missing),
                };
                passed.map_err(|missing| (offset, missing.into()))?;
            }
            Ok(None) => break,
            Err(stop) => return Err((offset, stop)),
        }
    }
    Ok(())
}

/// Visits the record at which a window is.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn one<R>(
    window: &mut Window<'_>,
    ids: IdSize,
    visit: impl FnOnce(Record<'_, '_>) -> R,
) -> Result<R, SegmentStop> {
    let mut failure = None;
    let read = match ids {
        IdSize::Four => record::<4>(window, &mut failure),
        IdSize::Eight => record::<8>(window, &mut failure),
    };
    let visited = match read? {
        Some((record, _)) => visit(record),
        None => return Err(SegmentStop::Corrupt("the file has changed: there is no record".into())),
    };
    failure.map_or(Ok(visited), |missing| Err(missing.into()))
}

#[inline]
fn id<const ID: usize>(bytes: &[u8], at: usize) -> u64 {
    if ID == 8 { u64_at(bytes, at) } else { u64::from(u32_at(bytes, at)) }
}

/// Checks an object's own id: 0 means null in every field and root.
#[inline]
fn not_null(address: u64) -> Result<(), SegmentStop> {
    if address == 0 { Err(SegmentStop::Corrupt("an object whose id is 0, the null reference".into())) } else { Ok(()) }
}

/// Reads one record; gives it and its end, or nothing at the end of the heap dump.
#[inline(always)]
fn record<'r, 'f, const ID: usize>(
    window: &'r mut Window<'f>,
    failure: &'r mut Option<Missing>,
) -> Result<Option<(Record<'r, 'f>, u64)>, SegmentStop> {
    let tag = loop {
        match window.take(1)?[0] {
            // ART: in which of its heaps the next objects are, a number and a name.
            HEAP_DUMP_INFO => window.skip(4 + ID as u64)?,
            // ART: an object that it found without a path to it; no root.
            UNREACHABLE => window.skip(ID as u64)?,
            tag => break tag,
        }
        if window.remaining() == 0 {
            return Ok(None);
        }
    };
    let record = match tag {
        0x21 => {
            let head = window.take(2 * ID + 8)?;
            let (address, class, bytes) = (id::<ID>(head, 0), id::<ID>(head, ID + 4), u32_at(head, 2 * ID + 4));
            if bytes > LARGEST_INSTANCE {
                return Err(SegmentStop::Corrupt(format!("an instance of {bytes} bytes")));
            }
            not_null(address)?;
            let end = window.position() + u64::from(bytes);
            let fields = window.take(bytes as usize)?;
            (Record::Instance { address, class, fields }, end)
        }
        0x22 => {
            let head = window.take(2 * ID + 8)?;
            let (address, length, class) = (id::<ID>(head, 0), u32_at(head, ID + 4), id::<ID>(head, ID + 8));
            not_null(address)?;
            let (elements, end) = array(window, u64::from(length) * ID as u64, failure)?;
            (Record::Objects { address, class, length, elements }, end)
        }
        0x23 => {
            let head = window.take(ID + 9)?;
            let (address, length, code) = (id::<ID>(head, 0), u32_at(head, ID + 4), head[ID + 8]);
            let Some(kind) = FieldType::from_code(code).filter(|kind| *kind != FieldType::Object) else {
                return Err(SegmentStop::Corrupt(format!("an array of elements of type {code}")));
            };
            not_null(address)?;
            let (elements, end) = array(window, u64::from(length) * u64::from(kind.bytes(ID as u32)), failure)?;
            (Record::Primitives { address, kind, length, elements }, end)
        }
        NO_DATA => {
            let head = window.take(ID + 9)?;
            let (address, length, code) = (id::<ID>(head, 0), u32_at(head, ID + 4), head[ID + 8]);
            let Some(kind) = FieldType::from_code(code).filter(|kind| *kind != FieldType::Object) else {
                return Err(SegmentStop::Corrupt(format!("an array of elements of type {code}")));
            };
            not_null(address)?;
            let (elements, end) = array(window, 0, failure)?;
            (Record::Primitives { address, kind, length, elements }, end)
        }
        0x20 => {
            let class = class::<ID>(window)?;
            not_null(class.address)?;
            (Record::Class(Box::new(class)), window.position())
        }
        END if window.remaining() <= 8 => return Ok(None),
        _ => (Record::Root(root::<ID>(window, tag)?), window.position()),
    };
    Ok(Some(record))
}

/// The elements that come next, and the offset of their end.
#[inline(always)]
fn array<'r, 'f>(
    window: &'r mut Window<'f>,
    bytes: u64,
    failure: &'r mut Option<Missing>,
) -> Result<(Elements<'r, 'f>, u64), SegmentStop> {
    if bytes > window.remaining() {
        return Err(SegmentStop::Cut);
    }
    let end = window.position() + bytes;
    Ok((Elements::new(window, bytes, failure), end))
}

#[inline(never)]
fn root<const ID: usize>(window: &mut Window<'_>, tag: u8) -> Result<GcRoot, SegmentStop> {
    let words = match tag {
        0xFF | 0x05 | 0x07 | 0x89..=0x8D => 0,
        0x04 | 0x06 => 1,
        0x02 | 0x03 | 0x08 | 0x8E => 2,
        // The reference itself is an id.
        0x01 => ID / 4,
        _ => return Err(SegmentStop::Corrupt(format!("no sub-record has the tag 0x{tag:02x}"))),
    };
    let bytes = window.take(ID + 4 * words)?;
    let object = id::<ID>(bytes, 0);
    let word = |i: usize| u32_at(bytes, ID + 4 * i);
    Ok(match tag {
        0xFF => GcRoot::Unknown(object),
        0x01 => GcRoot::JniGlobal(object),
        0x02 => GcRoot::JniLocal(object, word(0), word(1)),
        0x03 => GcRoot::JavaFrame(object, word(0), word(1)),
        0x04 => GcRoot::NativeStack(object, word(0)),
        0x05 => GcRoot::StickyClass(object),
        0x06 => GcRoot::ThreadBlock(object, word(0)),
        0x07 | 0x8E => GcRoot::Monitor(object),
        0x89..=0x8D => GcRoot::VmInternal(object),
        _ => GcRoot::Thread(object, word(0), word(1)),
    })
}

#[inline(never)]
fn class<const ID: usize>(window: &mut Window<'_>) -> Result<ClassRecord, SegmentStop> {
    let head = window.take(7 * ID + 8)?;
    let at = |i: usize| id::<ID>(head, 4 + i * ID);
    let mut class = ClassRecord {
        address: id::<ID>(head, 0),
        superclass: at(1),
        loader: at(2),
        signers: at(3),
        protection_domain: at(4),
        instance_bytes: u32_at(head, 7 * ID + 4),
        ..ClassRecord::default()
    };
    for _ in 0..count(window)? {
        // The index in the constant pool; HotSpot writes no constants.
        window.skip(2)?;
        let kind = field_type(window)?;
        window.skip(u64::from(kind.bytes(ID as u32)))?;
    }
    for _ in 0..count(window)? {
        let name = id::<ID>(window.take(ID)?, 0);
        let kind = field_type(window)?;
        let bytes = window.take(kind.bytes(ID as u32) as usize)?;
        let value = bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
        class.statics.push(Static { name, kind, value });
    }
    for _ in 0..count(window)? {
        let name = id::<ID>(window.take(ID)?, 0);
        let kind = field_type(window)?;
        class.fields.push(DeclaredField { name, kind });
    }
    Ok(class)
}

fn count(window: &mut Window<'_>) -> Result<u16, SegmentStop> {
    let bytes = window.take(2)?;
    Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
}

fn field_type(window: &mut Window<'_>) -> Result<FieldType, SegmentStop> {
    let code = window.take(1)?[0];
    FieldType::from_code(code).ok_or_else(|| SegmentStop::Corrupt(format!("no field has the type {code}")))
}
