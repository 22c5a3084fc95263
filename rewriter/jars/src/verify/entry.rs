//! Checks one zip entry: do its two headers agree, and does its content agree with them?

use crate::error::{Error, Result};
use crate::instrument::tree::InputTree;
use crate::jar::{IN_ZIP64, InflateBudget, LOCAL, LOCAL_SIZE, u16_at, u32_at};

/// Flag bit 3: CRC and sizes are after the data (APPNOTE 4.4.4).
const DEFERRED: u16 = 8;

/// A difference between the local header, which readers of streams use, and the central directory, which the JVM uses.
pub(super) fn disagreement(tree: &InputTree, index: usize) -> Result<Option<String>> {
    let InputTree::Archive(archive) = tree else { return Ok(None) };
    let entry = archive.entry(index);
    let start = entry.header_offset();
    // A header that is cut off is reported when the content is read.
    let end = start.saturating_add(LOCAL_SIZE as u64);
    let Ok(header) = archive.source().read(start..end) else { return Ok(None) };
    if u16_at(&header, 6) & DEFERRED != 0 {
        return Ok(None);
    }
    let measures = [
        ("a CRC", u64::from(u32_at(&header, 14)), u64::from(entry.crc())),
        ("a compressed size", u64::from(u32_at(&header, 18)), entry.compressed_size()),
        ("a size", u64::from(u32_at(&header, 22)), entry.uncompressed_size()),
    ];
    let other = measures
        .into_iter()
        .find(|&(what, local, central)| local != central && (what == "a CRC" || local != u64::from(IN_ZIP64)));
    Ok(other.map(|(what, local, central)| {
        format!("the local header says {what} of {local}, the central directory {central} (at offset {start})")
    }))
}

/// An error without its location, which the finding has.
pub(super) fn reason(error: &Error) -> String {
    let text = error.to_string();
    match error.location() {
        Some(location) => {
            text.strip_prefix(location).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(&text).to_owned()
        }
        None => text,
    }
}

/// True if the content of an entry starts with the signature of a local header.
pub(super) fn starts_as_zip(tree: &InputTree, entry: usize, budget: &InflateBudget) -> bool {
    let start = tree.nested(entry, budget).and_then(|source| source.read(0..source.len().min(4)));
    start.is_ok_and(|start| start == LOCAL)
}
