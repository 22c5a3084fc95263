//! The HPROF binary format as HotSpot writes it: header, top-level records, and the sub-records of heap segments.
//!
//! Source: "HPROF Binary Format" of the JDK (`src/hotspot/share/services/heapDumper.cpp`, the comment at its top).
//! All numbers are big-endian; an id is an address of 4 or 8 bytes, as the header says.

mod copy;
mod dump;
mod header;
mod inflate;
mod records;
mod segment;
mod symbols;
pub(crate) mod window;

pub(crate) use copy::Failed;
pub use dump::Dump;
pub use header::IdSize;
pub use records::{ClassRecord, DeclaredField, Elements, FieldType, GcRoot, Record, Static};
pub use symbols::StackFrame;
pub(crate) use symbols::dotted;

/// Reads a number of the file's byte order.
#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// Reads a number of the file's byte order.
#[inline]
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
