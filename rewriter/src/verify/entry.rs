//! One zip entry: do its two headers say the same, and is its content what they say?

use crate::error::{Error, Result};
use crate::instrument::tree::Tree;
use crate::jar::Budget;

/// Bytes of a local header without name and extra field (APPNOTE 4.3.7).
const LOCAL: u64 = 30;
/// Flag bit 3: CRC and sizes are after the data (APPNOTE 4.4.4).
const DEFERRED: u16 = 8;
/// A size that is in the zip64 field (APPNOTE 4.5.3).
const IN_ZIP64: u32 = u32::MAX;

/// What the local header says otherwise than the central directory: readers of streams believe the one, the JVM the
/// other.
pub(super) fn disagreement(tree: &Tree, index: usize) -> Result<Option<String>> {
    let Tree::Archive(archive) = tree else { return Ok(None) };
    let entry = &archive.entries()[index];
    let start = entry.header_offset();
    // A header that is cut off is told when the content is read.
    let Ok(header) = archive.source().read(start..start.saturating_add(LOCAL)) else { return Ok(None) };
    let u2 = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let u4 = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if u2(6) & DEFERRED != 0 {
        return Ok(None);
    }
    let measures = [
        ("a CRC", u64::from(u4(14)), u64::from(entry.crc())),
        ("a compressed size", u64::from(u4(18)), entry.compressed_size()),
        ("a size", u64::from(u4(22)), entry.uncompressed_size()),
    ];
    let other = measures
        .into_iter()
        .find(|&(what, local, central)| local != central && (what == "a CRC" || local != u64::from(IN_ZIP64)));
    Ok(other.map(|(what, local, central)| {
        format!("the local header says {what} of {local}, the central directory {central} (at offset {start})")
    }))
}

/// An error without its location, which the finding says.
pub(super) fn reason(error: &Error) -> String {
    let text = error.to_string();
    match error.location() {
        Some(location) => {
            text.strip_prefix(location).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(&text).to_owned()
        }
        None => text,
    }
}

/// True for an entry whose content has the signature of a local header.
pub(super) fn starts_as_zip(tree: &Tree, entry: usize, budget: &Budget) -> bool {
    let start = tree.nested(entry, budget).and_then(|source| source.read(0..source.len().min(4)));
    start.is_ok_and(|start| start == *b"PK\x03\x04")
}
