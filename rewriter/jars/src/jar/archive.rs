//! A zip file on disk: its entries in both orders, and the bytes between them.

use std::collections::BTreeMap;
use std::ops::Range;

use rawzip::{ReaderAt, ZipLocator};

use super::record::{
    CENTRAL, CENTRAL_SIZE, DEFLATED, DESCRIPTOR, END, END_SIZE, END64, IN_ZIP64, LOCAL, LOCAL_SIZE, LOCATOR64,
    LOCATOR64_SIZE, Measures, STORED, u16_at, u32_at, u64_at, zip64_body,
};
use super::source::ByteSource;
use crate::error::{Error, JarErrorKind, Result};

/// An open archive: the central directory is in memory, everything else in the source.
///
/// A jar may have hundreds of thousands of entries, so an entry is read from its record whenever it is asked for, and has
/// only four bytes beside it ([`Archive::footprint`]).
#[derive(Debug)]
pub struct Archive {
    source: ByteSource,
    /// Where the record of each entry begins in `directory`.
    records: Vec<u32>,
    /// Values that the records have in zip64 fields.
    wide: BTreeMap<u32, Wide>,
    /// `None` if the local headers are in the order of the records, as in most archives.
    order: Option<Order>,
    /// The raw records of the central directory.
    directory: Vec<u8>,
    directory_offset: u64,
    /// Offset of the end of central directory record.
    pub(super) end_offset: u64,
    /// The difference between real and stored offsets: the length of a prefix that was added without correcting them.
    pub(super) base: u64,
}

/// An entry as the central directory describes it.
#[derive(Clone, Copy, Debug)]
pub struct ArchiveEntry {
    header_offset: u64,
    /// Where the next local header, or the central directory, starts.
    pub(super) extent_end: u64,
    pub(super) measures: Measures,
    method: u16,
    flags: u16,
}

/// The values of an entry that may be in its zip64 field.
#[derive(Clone, Copy, Debug)]
struct Wide {
    header_offset: u64,
    compressed: u64,
    uncompressed: u64,
}

/// The order of the local headers.
#[derive(Debug)]
struct Order {
    /// Indices of the entries in the order of their local headers.
    physical: Vec<u32>,
    /// The inverse: where in `physical` an entry is.
    ranks: Vec<u32>,
}

impl Archive {
    /// Opens an archive and checks that its entries do not overlap.
    ///
    /// Reads only the central directory, so the cost does not depend on the size of the entries.
    ///
    /// # Errors
    /// [`ErrorKind::Archive`] with the offset of the damage.
    pub fn open(source: ByteSource) -> Result<Archive> {
        let mut buffer = vec![0; rawzip::MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
        // The locator takes the last signature before the given offset, and that may be in a comment.
        let search_end = find_end(&source)?.map_or(source.len(), |end| end + END_SIZE);
        let zip = ZipLocator::new()
            .locate_in_reader(source.clone(), &mut buffer, search_end)
            .map_err(|(_, error)| not_a_zip(&source, error))?;
        let end_offset = zip.eocd_offset();
        let directory_offset = zip.directory_offset();
        // The count in the end record may be wrong, but no file has room for more entries than this.
        let most = source.len() / CENTRAL_SIZE as u64;
        let mut records = Vec::with_capacity(zip.entries_hint().min(most) as usize);
        let mut wide = BTreeMap::new();
        let mut directory_end = directory_offset;
        let mut found = zip.entries(&mut buffer);
        loop {
            let record = match found.next_entry() {
                Ok(Some(record)) => record,
                Ok(None) => break,
                Err(error) => return Err(damaged("the central directory is damaged", directory_end).because(error)),
            };
            let start = record.central_directory_offset() - directory_offset;
            let variable = record.file_path().as_ref().len()
                + record.extra_fields().remaining_bytes().len()
                + record.comment().as_bytes().len();
            directory_end = directory_offset + start + (CENTRAL_SIZE + variable) as u64;
            let Ok(start) = u32::try_from(start) else {
                return Err(Error::new(JarErrorKind::Limit, "the central directory is larger than 4 GiB"));
            };
            let values = Wide {
                header_offset: record.local_header_offset(),
                compressed: record.compressed_size_hint(),
                uncompressed: record.uncompressed_size_hint(),
            };
            if zip64_body(record.extra_fields().remaining_bytes()).is_some() {
                wide.insert(records.len() as u32, values);
            }
            records.push(start);
        }
        let directory = source.read(directory_offset..directory_end)?;
        let end = source.read(end_offset..end_offset.saturating_add(END_SIZE))?;
        check_directory(&source, &end, end_offset, directory_offset)?;
        let base = base(&end, directory_offset);
        let mut archive = Archive { source, records, wide, order: None, directory, directory_offset, end_offset, base };
        archive.find_order();
        archive.check_extents()?;
        Ok(archive)
    }

    /// The bytes of the archive.
    pub fn source(&self) -> &ByteSource {
        &self.source
    }

    /// How many entries it has, duplicates included.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// True if it has no entry.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// An entry, by its index in the order of the central directory.
    pub fn entry(&self, index: usize) -> ArchiveEntry {
        let record = self.record(index);
        let values = self.values(index);
        let rank = self.order.as_ref().map_or(index, |order| order.ranks[index] as usize);
        let next = (rank + 1 < self.records.len()).then(|| self.physical(rank + 1));
        ArchiveEntry {
            header_offset: values.header_offset,
            extent_end: next.map_or(self.directory_offset, |next| self.values(next).header_offset),
            measures: Measures {
                crc: u32_at(record, 16),
                compressed: values.compressed,
                uncompressed: values.uncompressed,
            },
            method: u16_at(record, 10),
            flags: u16_at(record, 8),
        }
    }

    /// The index of the entry whose local header is the `rank`th.
    pub(super) fn physical(&self, rank: usize) -> usize {
        self.order.as_ref().map_or(rank, |order| order.physical[rank] as usize)
    }

    /// Bytes of memory that the directory takes while the archive is open.
    pub fn footprint(&self) -> u64 {
        let order = self.order.as_ref().map_or(0, |order| order.physical.len() * 8);
        let wide = self.wide.len() * 2 * size_of::<(u32, Wide)>();
        (self.directory.len() + self.records.len() * 4 + order + wide) as u64
    }

    fn values(&self, index: usize) -> Wide {
        if let Some(wide) = self.wide.get(&(index as u32)) {
            return *wide;
        }
        let record = self.record(index);
        Wide {
            // Stored offsets do not count a prefix that was added later.
            header_offset: u64::from(u32_at(record, 42)).saturating_add(self.base),
            compressed: u32_at(record, 20).into(),
            uncompressed: u32_at(record, 24).into(),
        }
    }

    /// Finds the order of the local headers.
    fn find_order(&mut self) {
        let offset = |index: usize| self.values(index).header_offset;
        if (1..self.len()).all(|index| offset(index - 1) <= offset(index)) {
            return;
        }
        let mut physical: Vec<u32> = (0..self.len() as u32).collect();
        physical.sort_by_key(|&index| offset(index as usize));
        let mut ranks = vec![0; physical.len()];
        for (rank, &index) in physical.iter().enumerate() {
            ranks[index as usize] = rank as u32;
        }
        self.order = Some(Order { physical, ranks });
    }

    /// Refuses entries that share bytes: such files may inflate to far more than their size, and readers may disagree about
    /// them.
    fn check_extents(&self) -> Result<()> {
        let mut end = self.directory_offset;
        for rank in (0..self.len()).rev() {
            let index = self.physical(rank);
            let values = self.values(index);
            let fault = |message: &str, offset: u64| damaged(message, offset).in_location(&self.display_name(index));
            if values.header_offset >= self.directory_offset {
                let offset = self.directory_offset + u64::from(self.records[index]);
                return Err(fault("the entry is said to begin behind the last one", offset));
            }
            let least = (LOCAL_SIZE as u64 + self.name(index).len() as u64).checked_add(values.compressed);
            let fits =
                least.and_then(|least| values.header_offset.checked_add(least)).is_some_and(|least| least <= end);
            if !fits {
                return Err(fault("the entry overlaps what follows it", values.header_offset));
            }
            end = values.header_offset;
        }
        Ok(())
    }

    /// The name of an entry, as it is in the central directory.
    pub fn name(&self, index: usize) -> &[u8] {
        let record = self.record(index);
        &record[CENTRAL_SIZE..CENTRAL_SIZE + usize::from(u16_at(record, 28))]
    }

    /// The name of an entry for a message.
    pub fn display_name(&self, index: usize) -> String {
        String::from_utf8_lossy(self.name(index)).into_owned()
    }

    /// Bytes before the first local header: a script that makes the archive executable, or nothing.
    pub fn prefix_length(&self) -> u64 {
        match self.is_empty() {
            true => self.directory_offset,
            false => self.values(self.physical(0)).header_offset,
        }
    }

    pub(super) fn record(&self, index: usize) -> &[u8] {
        let start = self.records[index] as usize;
        let end = self.records.get(index + 1).map_or(self.directory.len(), |&next| next as usize);
        &self.directory[start..end]
    }

    /// Where the records end. Zip64 records or a signature may follow before `end_offset`.
    pub(super) fn directory_end(&self) -> u64 {
        self.directory_offset + self.directory.len() as u64
    }

    /// Reads the local header, the data and the descriptor of an entry.
    ///
    /// # Errors
    /// [`ErrorKind::Archive`] if the local header contradicts the central directory.
    pub(super) fn local(&self, index: usize) -> Result<Local> {
        let entry = self.entry(index);
        let fault = |message: &str| damaged(message, entry.header_offset).in_location(&self.display_name(index));
        // The extra field of a local header may be longer than that of the central record.
        let most = LOCAL_SIZE as u64 + 2 * u64::from(u16::MAX) + entry.measures.compressed + 24;
        let end = entry.extent_end.min(entry.header_offset.saturating_add(most));
        let mut bytes = self.source.read(entry.header_offset..end)?;
        if bytes.len() < LOCAL_SIZE || bytes[..4] != LOCAL {
            return Err(fault("no local header where the central directory says"));
        }
        let name_end = LOCAL_SIZE + usize::from(u16_at(&bytes, 26));
        let header = name_end + usize::from(u16_at(&bytes, 28));
        let data_end = (header as u64).checked_add(entry.measures.compressed).filter(|&end| end <= bytes.len() as u64);
        let Some(data_end) = data_end else {
            return Err(fault("the data of the entry runs into the next one"));
        };
        if bytes[LOCAL_SIZE..name_end] != *self.name(index) {
            return Err(fault("the local header has another name than the central directory"));
        }
        let data = header..data_end as usize;
        let descriptor = (entry.flags & 8 != 0).then(|| Descriptor::find(&bytes[data.end..], entry.measures)).flatten();
        let end = data.end + descriptor.map_or(0, Descriptor::length);
        bytes.truncate(end);
        Ok(Local { bytes, header, data, descriptor })
    }

    /// The parts of an entry around its data, as [`Archive::local`], without reading long data.
    pub(super) fn parts(&self, index: usize) -> Result<EntryParts> {
        let entry = self.entry(index);
        if entry.measures.compressed <= READ_AT_ONCE {
            let Local { mut bytes, header, descriptor, .. } = self.local(index)?;
            let end = entry.header_offset + bytes.len() as u64;
            bytes.truncate(header);
            return Ok(EntryParts { header: bytes, descriptor, end });
        }
        let fault = |message: &str| damaged(message, entry.header_offset).in_location(&self.display_name(index));
        let data = self.data_offset(index)?;
        let data_end = data.saturating_add(entry.measures.compressed);
        if data_end > entry.extent_end {
            return Err(fault("the data of the entry runs into the next one"));
        }
        let header = self.source.read(entry.header_offset..data)?;
        let name_end = LOCAL_SIZE + usize::from(u16_at(&header, 26));
        if header[..4] != LOCAL || header[LOCAL_SIZE..name_end] != *self.name(index) {
            return Err(fault("the local header is not what the central directory says"));
        }
        let after = self.source.read(data_end..entry.extent_end.min(data_end + LONGEST_DESCRIPTOR))?;
        let descriptor = (entry.flags & 8 != 0).then(|| Descriptor::find(&after, entry.measures)).flatten();
        Ok(EntryParts { header, descriptor, end: data_end + descriptor.map_or(0, Descriptor::length) as u64 })
    }

    /// Offset of the data of an entry, from its local header.
    pub(super) fn data_offset(&self, index: usize) -> Result<u64> {
        let offset = self.values(index).header_offset;
        let mut header = [0; LOCAL_SIZE];
        self.source
            .read_exact_at(&mut header, offset)
            .map_err(|error| damaged("no local header", offset).because(error))?;
        Ok(offset + LOCAL_SIZE as u64 + u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28)))
    }
}

impl ArchiveEntry {
    /// Offset of the local header in the source.
    pub fn header_offset(&self) -> u64 {
        self.header_offset
    }

    /// Bytes of the content, by the directory.
    pub fn uncompressed_size(&self) -> u64 {
        self.measures.uncompressed
    }

    /// Bytes of the data, by the directory.
    pub fn compressed_size(&self) -> u64 {
        self.measures.compressed
    }

    /// True if it is not compressed.
    pub fn is_stored(&self) -> bool {
        self.method == STORED
    }

    /// True if a JVM can read the entry: stored or deflated, and not encrypted (flag bit 0).
    pub fn is_readable(&self) -> bool {
        matches!(self.method, STORED | DEFLATED) && self.flags & 1 == 0
    }

    /// CRC-32 of the content, by the directory.
    pub fn crc(&self) -> u32 {
        self.measures.crc
    }
}

/// Entries up to this length are read with one call.
const READ_AT_ONCE: u64 = 1 << 20;
/// Signature, CRC and two wide sizes.
const LONGEST_DESCRIPTOR: u64 = 24;

/// An entry without its data.
#[derive(Debug)]
pub(super) struct EntryParts {
    /// The local header with name and extra field.
    pub(super) header: Vec<u8>,
    pub(super) descriptor: Option<Descriptor>,
    /// Where the entry ends in the source.
    pub(super) end: u64,
}

/// An entry read into memory.
#[derive(Debug)]
pub(super) struct Local {
    pub(super) bytes: Vec<u8>,
    /// Length of the local header with name and extra field.
    pub(super) header: usize,
    pub(super) data: Range<usize>,
    pub(super) descriptor: Option<Descriptor>,
}

/// The form of a data descriptor: its signature is optional, and its sizes have four or eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Descriptor {
    signature: bool,
    wide: bool,
}

impl Descriptor {
    const SHAPES: [Descriptor; 4] = [
        Descriptor { signature: true, wide: false },
        Descriptor { signature: true, wide: true },
        Descriptor { signature: false, wide: false },
        Descriptor { signature: false, wide: true },
    ];

    /// The form in which the bytes after the data agree with the central directory.
    fn find(after: &[u8], measures: Measures) -> Option<Descriptor> {
        Self::SHAPES
            .into_iter()
            .find(|shape| shape.bytes(measures).is_some_and(|expected| after.starts_with(&expected)))
    }

    fn length(self) -> usize {
        4 * usize::from(self.signature) + 4 + if self.wide { 16 } else { 8 }
    }

    /// The descriptor in this form; `None` if a size does not fit.
    pub(super) fn bytes(self, measures: Measures) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(self.length());
        if self.signature {
            bytes.extend(DESCRIPTOR);
        }
        bytes.extend(measures.crc.to_le_bytes());
        for size in [measures.compressed, measures.uncompressed] {
            if self.wide {
                bytes.extend(size.to_le_bytes());
            } else {
                bytes.extend(u32::try_from(size).ok()?.to_le_bytes());
            }
        }
        Some(bytes)
    }
}

pub(super) fn damaged(message: &str, offset: u64) -> Error {
    Error::new(JarErrorKind::Archive, message).at_offset(offset)
}

fn not_a_zip(source: &ByteSource, error: rawzip::Error) -> Error {
    let start = source.read(0..source.len().min(4)).unwrap_or_default();
    match error.kind() {
        rawzip::ErrorKind::MissingEndOfCentralDirectory if start == LOCAL => {
            damaged("is a zip file that was cut off: its central directory is missing", source.len())
        }
        rawzip::ErrorKind::MissingEndOfCentralDirectory => Error::new(JarErrorKind::Archive, "is not a zip file"),
        _ => Error::new(JarErrorKind::Archive, "is a damaged zip file").because(error),
    }
}

/// Finds the end record that a JVM takes: `ZipFile.Source.findEND` of the JDK goes from the end of the file backwards, and
/// takes a signature whose comment ends with the file, or before which there are a directory and a local header where the
/// record says. `None` if there is none, or a longer comment than a record can tell of.
fn find_end(source: &ByteSource) -> Result<Option<u64>> {
    let length = source.len();
    let start = length.saturating_sub(END_SIZE + u64::from(u16::MAX));
    let tail = source.read(start..length)?;
    for at in (0..tail.len().saturating_sub(END_SIZE as usize - 1)).rev() {
        let record = &tail[at..];
        if record[..4] != END {
            continue;
        }
        let offset = start + at as u64;
        if offset + END_SIZE + u64::from(u16_at(record, 20)) == length {
            return Ok(Some(offset));
        }
        let directory = offset.checked_sub(u32_at(record, 12).into());
        let first = directory.and_then(|directory| directory.checked_sub(u32_at(record, 16).into()));
        let begins = |at: Option<u64>, signature: [u8; 4]| {
            at.is_some_and(|at| source.read(at..at.saturating_add(4)).is_ok_and(|found| found == signature))
        };
        if begins(directory, CENTRAL) && begins(first, LOCAL) {
            return Ok(Some(offset));
        }
    }
    Ok(None)
}

/// The difference between the real offset of the directory and the stored one; all stored offsets have it. With a zip64
/// end record there is none, because the stored offset of that record has to be correct.
fn base(end: &[u8], directory_offset: u64) -> u64 {
    match u32_at(end, 16) {
        IN_ZIP64 => 0,
        stored => directory_offset.saturating_sub(u64::from(stored)),
    }
}

/// Refuses archives in which a JVM finds another directory.
///
/// Our locator follows the stored offset if there seems to be a directory, even in a prefix, an entry or a comment. The JVM
/// subtracts the size of the directory from the offset of the end record (`ZipFile.Source.initCEN`). It ignores an end
/// record that does not end with the file, unless a local header is where it must be (`findEND`).
fn check_directory(source: &ByteSource, end: &[u8], end_offset: u64, directory_offset: u64) -> Result<()> {
    let (mut stop, mut size) = (end_offset, u64::from(u32_at(end, 12)));
    if let Some(at) = end_offset.checked_sub(LOCATOR64_SIZE as u64) {
        let locator = source.read(at..end_offset)?;
        let record = u64_at(&locator, 8);
        if locator.starts_with(&LOCATOR64) && record.checked_add(56).is_some_and(|end| end <= at) {
            let record64 = source.read(record..record + 56)?;
            if record64.starts_with(&END64) {
                (stop, size) = (record, u64_at(&record64, 40));
            }
        }
    }
    if stop.checked_sub(size) != Some(directory_offset) {
        let message = "the central directory is not where a JVM looks for it, directly before its end record";
        return Err(damaged(message, directory_offset));
    }
    let reaches = end_offset + END_SIZE + u64::from(u16_at(end, 20)) == source.len();
    let start = directory_offset.checked_sub(u64::from(u32_at(end, 16)));
    let is_local = |start: u64| source.read(start..start.saturating_add(4)).is_ok_and(|found| found == LOCAL);
    if !reaches && stop == end_offset && size > 0 && !start.is_some_and(is_local) {
        let message = "bytes follow the archive, and a JVM takes its end record for a part of them";
        return Err(damaged(message, end_offset));
    }
    Ok(())
}
