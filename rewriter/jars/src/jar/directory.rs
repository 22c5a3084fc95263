//! The end of an archive: central directory, zip64 records, end record and comment.

use super::archive::Archive;
use super::edit::{Edit, Edits};
use super::record::{
    CENTRAL, END_SIZE, END64, LOCATOR64, LOCATOR64_SIZE, Measures, central_record, narrow, overwrite_bytes, u32_at,
    u64_at,
};
use super::sink::Sink;
use super::source::unwritable;
use crate::error::{Error, JarErrorKind, Result};

/// Where an entry of the original was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    pub(super) offset: u64,
    /// New sizes and CRC, if its content changed.
    pub(super) measures: Option<Measures>,
}

/// A central record for a new entry, from the fields that it shares with its local header; its offset is 0.
pub(super) fn new_record(fields: &[u8], name: &str) -> Vec<u8> {
    // Made by: version 2.0 on FAT (APPNOTE 4.4.2), as the JDK's own tools write. Then no extra field, no comment, disk
    // 0, and no attributes.
    [&CENTRAL[..], &20u16.to_le_bytes(), fields, &[0; 2], &[0; 2], &[0; 2], &[0; 2], &[0; 4], &[0; 4], name.as_bytes()]
        .concat()
}

/// Writes everything after the last entry. Only offsets, counts and changed sizes differ from the original.
pub(super) fn write_directory(
    archive: &Archive,
    edits: &dyn Edits,
    written: &[Option<Written>],
    added: &[(Vec<u8>, u64)],
    start: u64,
    out: &mut dyn Sink,
) -> Result<()> {
    refuse_decoy(archive, start - archive.base, out)?;
    let (mut count, mut size) = (0u64, 0u64);
    let mut write = |record: Vec<u8>| {
        count += 1;
        size += record.len() as u64;
        out.write_all(&record).map_err(unwritable)
    };
    for (index, location) in written.iter().enumerate() {
        if edits.edit(index) == Edit::Remove {
            continue;
        }
        let Some(location) = location else {
            return Err(Error::new(JarErrorKind::Internal, "an entry was not written")
                .in_location(&archive.display_name(index)));
        };
        let offset = location.offset - archive.base;
        write(central_record(archive.record(index), location.measures, offset))?;
    }
    for (record, offset) in added {
        write(central_record(record, None, offset - archive.base))?;
    }
    let end = End { count, size, offset: start - archive.base };
    let source = archive.source();
    let between = source.read(archive.directory_end()..archive.end_offset)?;
    let mut record = source.read(archive.end_offset..archive.end_offset + END_SIZE)?;
    let zip64 = end.zip64(between, start + size, archive)?;
    out.write_all(&zip64).map_err(unwritable)?;
    end.patch(&mut record, has_locator(&zip64));
    out.write_all(&record).map_err(unwritable)?;
    source.copy(archive.end_offset + END_SIZE..source.len(), out)
}

/// Refuses an archive with another directory at the stored offset, in the prefix or in an entry. If offsets do not count
/// the prefix, the directory is found from the end, but some readers try the stored offset first.
fn refuse_decoy(archive: &Archive, stored: u64, out: &mut dyn Sink) -> Result<()> {
    if archive.base == 0 {
        return Ok(());
    }
    let mut found = [0; 4];
    out.read_back(stored, &mut found).map_err(unwritable)?;
    if found == CENTRAL {
        let message = "the archive would hold another directory where readers may look for the new one";
        return Err(Error::new(JarErrorKind::Archive, message).at_offset(stored));
    }
    Ok(())
}

/// The values of the end records.
struct End {
    count: u64,
    size: u64,
    offset: u64,
}

impl End {
    /// The bytes between directory and end record, with zip64 records patched or, if they are needed, added.
    fn zip64(&self, mut between: Vec<u8>, start: u64, archive: &Archive) -> Result<Vec<u8>> {
        if has_locator(&between) {
            let locator = between.len() - LOCATOR64_SIZE;
            let inside = u64_at(&between, locator + 8).checked_sub(archive.directory_end()).map(|at| at as usize);
            let Some(at) = inside.filter(|&at| at + 56 <= locator && between[at..at + 4] == END64) else {
                let message = "the zip64 end record is not behind the central directory";
                return Err(Error::new(JarErrorKind::Archive, message).at_offset(archive.end_offset));
            };
            overwrite_bytes(&mut between, at + 24, &self.count.to_le_bytes());
            overwrite_bytes(&mut between, at + 32, &self.count.to_le_bytes());
            overwrite_bytes(&mut between, at + 40, &self.size.to_le_bytes());
            overwrite_bytes(&mut between, at + 48, &self.offset.to_le_bytes());
            overwrite_bytes(&mut between, locator + 8, &(start + at as u64 - archive.base).to_le_bytes());
            return Ok(between);
        }
        if self.count < u64::from(u16::MAX) && narrow(self.size).is_some() && narrow(self.offset).is_some() {
            return Ok(between);
        }
        let record = start + between.len() as u64 - archive.base;
        between.extend(END64);
        // Size of the rest of the record, made by and needed version 4.5 (APPNOTE 4.3.14), disks 0.
        between.extend(44u64.to_le_bytes());
        between.extend(45u16.to_le_bytes());
        between.extend(45u16.to_le_bytes());
        between.extend([0; 8]);
        for value in [self.count, self.count, self.size, self.offset] {
            between.extend(value.to_le_bytes());
        }
        between.extend(LOCATOR64);
        between.extend([0; 4]);
        between.extend(record.to_le_bytes());
        between.extend(1u32.to_le_bytes());
        Ok(between)
    }

    /// Patches the end record. Fields that defer to the zip64 record still do so.
    fn patch(&self, record: &mut [u8], zip64: bool) {
        let deferred_count = zip64 && (record[8..10] == [0xFF; 2] || self.count >= u64::from(u16::MAX));
        let count = if deferred_count { u16::MAX } else { self.count as u16 };
        overwrite_bytes(record, 8, &count.to_le_bytes());
        overwrite_bytes(record, 10, &count.to_le_bytes());
        for (at, value) in [(12, self.size), (16, self.offset)] {
            let deferred = zip64 && u32_at(record, at) == u32::MAX;
            let value = narrow(value).filter(|_| !deferred).unwrap_or(u32::MAX);
            overwrite_bytes(record, at, &value.to_le_bytes());
        }
    }
}

fn has_locator(between: &[u8]) -> bool {
    between.len() >= LOCATOR64_SIZE && between[between.len() - LOCATOR64_SIZE..].starts_with(&LOCATOR64)
}
