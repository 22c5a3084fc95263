//! Writes an archive again in the order of the original: copies kept entries and encodes replaced ones on all cores.
//!
//! Replaced entries are encoded in batches of bounded size; while a batch is written, the next one is encoded. So the
//! memory depends on the batch and the largest entry, not on the archive.

use std::io::Seek;
use std::ops::Range;

use libdeflater::crc32;
use rayon::prelude::*;

use super::archive::{Archive, EntryParts, damaged};
use super::content::{crc_of, pack, pack_file};
use super::directory::{Written, new_record, write_directory};
use super::edit::{Addition, Edit, Edits, Payload};
use super::record::{DEFLATED, LOCAL, LOCAL_SIZE, Measures, STORED, pad_local, patch_local, u16_at};
use super::sink::Sink;
use super::source::unwritable;
use crate::error::{Error, JarErrorKind, Result};

/// How an archive is written.
#[derive(Clone, Copy, Debug)]
pub struct WriteOptions {
    /// Deflate level, 1 to 12.
    pub level: u8,
    /// Bytes of content in a batch, unless a single entry is larger. Two batches are in memory at a time, each before and
    /// after deflating.
    pub batch_bytes: u64,
}

impl WriteOptions {
    /// Batches of 8 MiB.
    pub fn new(level: u8) -> Self {
        WriteOptions { level, batch_bytes: 8 << 20 }
    }
}

/// Replaced entries in a batch.
const BATCH_ENTRIES: usize = 1024;
/// Steps in a batch: each takes some bytes, even if nothing is replaced.
const BATCH_STEPS: usize = 4096;
/// Largest alignment that is detected: a page.
const MAXIMUM_ALIGNMENT: u64 = 4096;
/// A smaller alignment is a coincidence.
const MINIMUM_ALIGNMENT: u64 = 4;

/// Writes `archive` with `edits` applied. Without any edit the output has the same bytes as the source.
///
/// Kept: order, duplicates, local headers with extra fields and times, data descriptors, bytes between entries,
/// comments, prefix, and the common alignment of stored entries.
///
/// # Errors
/// The errors of `edits`; [`ErrorKind::Archive`] for a damaged entry that is replaced; [`ErrorKind::Io`];
/// [`ErrorKind::Limit`] if an entry outgrows the sizes that its header can hold.
pub fn write(archive: &Archive, edits: &dyn Edits, options: WriteOptions, out: &mut dyn Sink) -> Result<()> {
    let WriteOptions { level, batch_bytes } = options;
    if edits.additions().is_empty() && (0..archive.len()).all(|index| edits.edit(index) == Edit::Keep) {
        // Even a directory with wrong values keeps its bytes.
        return archive.source().copy(0..archive.source().len(), out);
    }
    let mut plan = RewritePlan { archive, edits, batch_bytes, rank: 0 };
    let mut writer =
        Writer { archive, out, position: 0, alignment: alignment(archive)?, written: vec![None; archive.len()] };
    writer.copy(0..archive.prefix_length())?;
    let mut batch = Vec::new();
    loop {
        let next = plan.next_batch();
        let encode = || -> Vec<Result<Encoded>> {
            next.par_iter()
                .filter_map(|step| match step {
                    RewriteStep::Replace(index) => Some(encode(archive, edits, *index, level)),
                    _ => None,
                })
                .collect()
        };
        let done: Vec<(RewriteStep, Option<Encoded>)> = std::mem::take(&mut batch);
        let (written, encoded) = rayon::join(|| writer.steps(done, edits), encode);
        written?;
        if next.is_empty() {
            break;
        }
        let mut encoded = encoded.into_iter();
        for step in next {
            let entry = match step {
                RewriteStep::Replace(_) => encoded.next().transpose()?,
                _ => None,
            };
            batch.push((step, entry));
        }
    }
    let mut added = Vec::new();
    for addition in edits.additions() {
        added.push(writer.add(addition, level)?);
    }
    let Writer { written, position, .. } = writer;
    write_directory(archive, edits, &written, &added, position, out)
}

/// A part of the original, in the order of its bytes.
#[derive(Debug)]
enum RewriteStep {
    /// Neighbouring entries that are kept: their indices in the physical order and their bytes.
    Keep {
        entries: Range<usize>,
        bytes: Range<u64>,
    },
    Replace(usize),
    /// An entry that is removed, with the bytes up to the next one.
    Remove(usize),
}

/// Cuts an archive into batches of steps, one after the other: all steps at once would take as much memory as the directory.
struct RewritePlan<'a> {
    archive: &'a Archive,
    edits: &'a dyn Edits,
    batch_bytes: u64,
    /// The next entry, in the order of the local headers.
    rank: usize,
}

impl RewritePlan<'_> {
    /// The next steps; none at the end.
    fn next_batch(&mut self) -> Vec<RewriteStep> {
        let mut steps: Vec<RewriteStep> = Vec::new();
        let (mut bytes, mut replaced) = (0, 0);
        while self.rank < self.archive.len() && steps.len() < BATCH_STEPS {
            let index = self.archive.physical(self.rank);
            let entry = self.archive.entry(index);
            match self.edits.edit(index) {
                Edit::Replace => {
                    bytes += entry.uncompressed_size();
                    replaced += 1;
                    if replaced > 1 && (bytes > self.batch_bytes || replaced > BATCH_ENTRIES) {
                        break;
                    }
                    steps.push(RewriteStep::Replace(index));
                }
                Edit::Remove => steps.push(RewriteStep::Remove(index)),
                Edit::Keep => match steps.last_mut() {
                    Some(RewriteStep::Keep { entries, bytes }) => {
                        entries.end = self.rank + 1;
                        bytes.end = entry.extent_end;
                    }
                    _ => steps.push(RewriteStep::Keep {
                        entries: self.rank..self.rank + 1,
                        bytes: entry.header_offset()..entry.extent_end,
                    }),
                },
            }
            self.rank += 1;
        }
        steps
    }
}

/// The common alignment of all stored entries with content; 1 if it is a coincidence.
fn alignment(archive: &Archive) -> Result<u64> {
    let mut common = MAXIMUM_ALIGNMENT;
    let mut stored = false;
    for index in 0..archive.len() {
        let entry = archive.entry(index);
        if entry.is_stored() && entry.uncompressed_size() > 0 {
            stored = true;
            let offset = archive.data_offset(index)?;
            common = common.min(1 << offset.trailing_zeros().min(MAXIMUM_ALIGNMENT.trailing_zeros()));
            if common < MINIMUM_ALIGNMENT {
                break;
            }
        }
    }
    Ok(if stored && common >= MINIMUM_ALIGNMENT { common } else { 1 })
}

/// A replaced entry, ready to be written.
struct Encoded {
    index: usize,
    header: Vec<u8>,
    data: Payload,
    descriptor: Vec<u8>,
    measures: Measures,
    /// Bytes of the original between this entry and the next.
    gap: Range<u64>,
}

fn encode(archive: &Archive, edits: &dyn Edits, index: usize, level: u8) -> Result<Encoded> {
    let payload = edits.replace(index)?;
    let EntryParts { mut header, descriptor, end } = archive.parts(index)?;
    let entry = archive.entry(index);
    let gap = end..entry.extent_end;
    let method = if entry.is_stored() { STORED } else { DEFLATED };
    let (data, measures) = encode_payload(payload, method, level)?;
    let too_large = || {
        let name = archive.display_name(index);
        Error::new(JarErrorKind::Limit, "the rewritten entry outgrows the sizes that its header can hold")
            .in_location(&name)
    };
    if !patch_local(&mut header, measures) {
        return Err(too_large());
    }
    let descriptor = match descriptor {
        Some(shape) => shape.bytes(measures).ok_or_else(too_large)?,
        None => Vec::new(),
    };
    Ok(Encoded { index, header, data, descriptor, measures, gap })
}

fn encode_payload(payload: Payload, method: u16, level: u8) -> Result<(Payload, Measures)> {
    let content = match payload {
        Payload::File(file, length) if method == STORED => {
            let crc = crc_of(&file)?;
            let measures = Measures { crc, compressed: length, uncompressed: length };
            return Ok((Payload::File(file, length), measures));
        }
        Payload::File(mut file, length) => {
            file.rewind().map_err(unwritable)?;
            let (packed, crc) = pack_file(file, level)?;
            let compressed = packed.metadata().map_err(unwritable)?.len();
            return Ok((Payload::File(packed, compressed), Measures { crc, compressed, uncompressed: length }));
        }
        Payload::Bytes(content) => content,
    };
    let (crc, uncompressed) = (crc32(&content), content.len() as u64);
    let data = if method == STORED { content } else { pack(&content, level)? };
    let measures = Measures { crc, compressed: data.len() as u64, uncompressed };
    Ok((Payload::Bytes(data), measures))
}

struct Writer<'a> {
    archive: &'a Archive,
    out: &'a mut dyn Sink,
    position: u64,
    alignment: u64,
    written: Vec<Option<Written>>,
}

impl Writer<'_> {
    fn steps(&mut self, steps: Vec<(RewriteStep, Option<Encoded>)>, edits: &dyn Edits) -> Result<()> {
        for (step, encoded) in steps {
            if let Some(encoded) = encoded {
                self.replace(encoded)?;
            }
            edits.advance(match step {
                RewriteStep::Keep { entries, bytes } => {
                    let length = bytes.end - bytes.start;
                    self.keep(entries, bytes)?;
                    length
                }
                RewriteStep::Replace(index) | RewriteStep::Remove(index) => {
                    let entry = self.archive.entry(index);
                    entry.extent_end - entry.header_offset()
                }
            });
        }
        Ok(())
    }

    fn copy(&mut self, range: Range<u64>) -> Result<()> {
        self.position += range.end - range.start;
        self.archive.source().copy(range, self.out)
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.position += bytes.len() as u64;
        self.out.write_all(bytes).map_err(unwritable)
    }

    /// Copies entries. The header of a stored one is padded if it would lose the common alignment.
    fn keep(&mut self, entries: Range<usize>, bytes: Range<u64>) -> Result<()> {
        let archive = self.archive;
        let mut copied = bytes.start;
        for rank in entries {
            let index = archive.physical(rank);
            let entry = archive.entry(index);
            let shift = (self.position + (entry.header_offset() - copied)).wrapping_sub(entry.header_offset());
            if entry.is_stored() && entry.uncompressed_size() > 0 && !shift.is_multiple_of(self.alignment) {
                self.copy(copied..entry.header_offset())?;
                let data = archive.data_offset(index)?;
                if data > entry.extent_end {
                    let error = damaged("the local header runs into the next entry", entry.header_offset());
                    return Err(error.in_location(&archive.display_name(index)));
                }
                let mut header = archive.source().read(entry.header_offset()..data)?;
                pad_local(&mut header, shift.wrapping_neg() % self.alignment, self.alignment);
                self.written[index] = Some(Written { offset: self.position, measures: None });
                self.bytes(&header)?;
                copied = data;
            } else {
                let offset = self.position + (entry.header_offset() - copied);
                self.written[index] = Some(Written { offset, measures: None });
            }
        }
        self.copy(copied..bytes.end)
    }

    fn replace(&mut self, mut encoded: Encoded) -> Result<()> {
        let entry = self.archive.entry(encoded.index);
        if entry.is_stored() {
            let shift = self.position.wrapping_sub(entry.header_offset());
            pad_local(&mut encoded.header, shift.wrapping_neg() % self.alignment, self.alignment);
        }
        self.written[encoded.index] = Some(Written { offset: self.position, measures: Some(encoded.measures) });
        self.bytes(&encoded.header)?;
        self.payload(encoded.data)?;
        self.bytes(&encoded.descriptor)?;
        self.copy(encoded.gap)
    }

    fn payload(&mut self, data: Payload) -> Result<()> {
        match data {
            Payload::Bytes(data) => self.bytes(&data),
            Payload::File(mut file, length) => {
                file.rewind().map_err(unwritable)?;
                let copied = std::io::copy(&mut file, &mut *self.out).map_err(unwritable)?;
                if copied != length {
                    return Err(Error::new(JarErrorKind::Internal, "a temporary file changed its length"));
                }
                self.position += length;
                Ok(())
            }
        }
    }

    /// Appends an entry; returns its central directory record and its offset.
    fn add(&mut self, addition: &Addition, level: u8) -> Result<(Vec<u8>, u64)> {
        let payload = match addition.content.own_memory() {
            Some(content) => {
                let (data, crc) = (pack(content, level)?, crc32(content));
                let compressed = data.len() as u64;
                (Payload::Bytes(data), Measures { crc, compressed, uncompressed: content.len() as u64 })
            }
            None => {
                let (packed, crc) = pack_file(addition.content.clone().reader(), level)?;
                let compressed = packed.metadata().map_err(unwritable)?.len();
                let measures = Measures { crc, compressed, uncompressed: addition.content.len() };
                (Payload::File(packed, compressed), measures)
            }
        };
        let (data, measures) = payload;
        let too_large = || Error::new(JarErrorKind::Limit, "a new entry is too large").in_location(&addition.name);
        let fields = new_fields(addition, measures).ok_or_else(too_large)?;
        let offset = self.position;
        self.bytes(&[&LOCAL[..], &fields, &[0; 2], addition.name.as_bytes()].concat())?;
        self.payload(data)?;
        Ok((new_record(&fields, &addition.name), offset))
    }
}

/// The fields that a local header and a central record share: from the version needed to the length of the name.
fn new_fields(addition: &Addition, measures: Measures) -> Option<Vec<u8>> {
    // 1980-02-01 00:00, as in other reproducible builds; 1980-01-01 would be in 1979 in some time zones.
    const DATE: u16 = (2 << 5) | 1;
    let name_length = u16::try_from(addition.name.len()).ok()?;
    let flags: u16 = if addition.name.is_ascii() { 0 } else { 1 << 11 };
    let mut fields = Vec::with_capacity(LOCAL_SIZE);
    for field in [20u16, flags, DEFLATED, 0, DATE] {
        fields.extend(field.to_le_bytes());
    }
    fields.extend(measures.crc.to_le_bytes());
    fields.extend(u32::try_from(measures.compressed).ok()?.to_le_bytes());
    fields.extend(u32::try_from(measures.uncompressed).ok()?.to_le_bytes());
    fields.extend(name_length.to_le_bytes());
    debug_assert_eq!(u16_at(&fields, 22), name_length);
    Some(fields)
}
