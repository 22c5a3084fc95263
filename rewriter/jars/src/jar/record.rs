//! Fields of zip records (APPNOTE.TXT 6.3.10) that rewriting has to find and patch in raw bytes.

/// Signature of a local file header (APPNOTE 4.3.7).
pub(crate) const LOCAL: [u8; 4] = *b"PK\x03\x04";
/// Signature of a data descriptor (APPNOTE 4.3.9.3); optional.
pub(super) const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";
/// Signature of a central directory record (APPNOTE 4.3.12).
pub(super) const CENTRAL: [u8; 4] = *b"PK\x01\x02";
/// Signature of the end of central directory record (APPNOTE 4.3.16).
pub(super) const END: [u8; 4] = *b"PK\x05\x06";
/// Signature of the zip64 end of central directory record (APPNOTE 4.3.14).
pub(super) const END64: [u8; 4] = *b"PK\x06\x06";
/// Signature of the zip64 end of central directory locator (APPNOTE 4.3.15).
pub(super) const LOCATOR64: [u8; 4] = *b"PK\x06\x07";

/// Bytes of a local file header before its name.
pub(crate) const LOCAL_SIZE: usize = 30;
/// Bytes of a central directory record before its name.
pub(super) const CENTRAL_SIZE: usize = 46;
/// Bytes of the end of central directory record before the comment.
pub(super) const END_SIZE: u64 = 22;
/// Bytes of the zip64 locator.
pub(super) const LOCATOR64_SIZE: usize = 20;

/// Method 0: the data is the content.
pub(super) const STORED: u16 = 0;
/// Method 8: deflate.
pub(super) const DEFLATED: u16 = 8;

/// A 32-bit field whose value is in the zip64 extra field.
pub(crate) const IN_ZIP64: u32 = u32::MAX;
/// Header id of the zip64 extra field (APPNOTE 4.5.3).
const ZIP64_ID: u16 = 1;
/// Header id of the alignment padding of Android's `zipalign`; other readers skip it.
const ALIGNMENT_ID: u16 = 0xD935;
/// Smallest alignment field: id, length, and the alignment itself.
const ALIGNMENT_SIZE: usize = 6;

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

pub(super) fn overwrite_bytes(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// The values of an entry that change when its content or its offset changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Measures {
    pub(super) crc: u32,
    pub(super) compressed: u64,
    pub(super) uncompressed: u64,
}

/// Where the body of the zip64 field is in an extra field.
pub(super) fn zip64_body(extra: &[u8]) -> Option<std::ops::Range<usize>> {
    let mut at = 0;
    while at + 4 <= extra.len() {
        let body = at + 4..at + 4 + usize::from(u16_at(extra, at + 2));
        if body.end > extra.len() {
            return None;
        }
        if u16_at(extra, at) == ZIP64_ID {
            return Some(body);
        }
        at = body.end;
    }
    None
}

/// Overwrites fields of a local header; false if a value does not fit its field.
///
/// Fields that are zero because a descriptor follows (flag bit 3) stay zero.
pub(super) fn patch_local(header: &mut [u8], new: Measures) -> bool {
    let deferred = u16_at(header, 6) & 8 != 0;
    let name_length = usize::from(u16_at(header, 26));
    if !(deferred && u32_at(header, 14) == 0) {
        overwrite_bytes(header, 14, &new.crc.to_le_bytes());
    }
    let zip64 = zip64_body(&header[LOCAL_SIZE + name_length..])
        .map(|body| body.start + LOCAL_SIZE + name_length..body.end + LOCAL_SIZE + name_length);
    let mut slot = zip64.as_ref().map_or(0, |body| body.start);
    // The zip64 field of a local header holds the uncompressed size first (APPNOTE 4.5.3).
    for (at, new) in [(22, new.uncompressed), (18, new.compressed)] {
        let field = u32_at(header, at);
        if let Some(body) = zip64.as_ref().filter(|_| field == IN_ZIP64) {
            if slot + 8 > body.end {
                return false;
            }
            if !(deferred && header[slot..slot + 8] == [0; 8]) {
                overwrite_bytes(header, slot, &new.to_le_bytes());
            }
            slot += 8;
        } else {
            let Some(new) = narrow(new) else { return false };
            if !(deferred && field == 0) {
                overwrite_bytes(header, at, &new.to_le_bytes());
            }
        }
    }
    true
}

/// The value, if it fits a 32-bit field and is not the zip64 mark.
pub(super) fn narrow(value: u64) -> Option<u32> {
    u32::try_from(value).ok().filter(|&value| value != IN_ZIP64)
}

/// A central directory record with new values. Offsets beyond 32 bits go into the zip64 field, which is added if
/// there is none.
pub(super) fn central_record(record: &[u8], measures: Option<Measures>, header_offset: u64) -> Vec<u8> {
    let mut record = record.to_vec();
    let extra_start = CENTRAL_SIZE + usize::from(u16_at(&record, 28));
    let extra_end = extra_start + usize::from(u16_at(&record, 30));
    let body = zip64_body(&record[extra_start..extra_end]).map(|body| body.start + extra_start..body.end + extra_start);
    // Order of the zip64 field (APPNOTE 4.5.3): uncompressed, compressed, offset, disk; each only if its field says so.
    let mut slot = body.as_ref().map_or(0, |body| body.start);
    if let Some(measures) = measures {
        overwrite_bytes(&mut record, 16, &measures.crc.to_le_bytes());
    }
    let sizes = [(24, measures.map(|m| m.uncompressed)), (20, measures.map(|m| m.compressed))];
    for (at, new) in sizes {
        if u32_at(&record, at) == IN_ZIP64 && body.as_ref().is_some_and(|body| slot + 8 <= body.end) {
            if let Some(new) = new {
                overwrite_bytes(&mut record, slot, &new.to_le_bytes());
            }
            slot += 8;
        } else if let Some(new) = new {
            // The size fits: encoding the entry checked it against the local header.
            overwrite_bytes(&mut record, at, &narrow(new).unwrap_or(IN_ZIP64).to_le_bytes());
        }
    }
    let offset = header_offset.to_le_bytes();
    if u32_at(&record, 42) == IN_ZIP64 && body.as_ref().is_some_and(|body| slot + 8 <= body.end) {
        overwrite_bytes(&mut record, slot, &offset);
    } else if let Some(narrow) = narrow(header_offset) {
        overwrite_bytes(&mut record, 42, &narrow.to_le_bytes());
    } else {
        overwrite_bytes(&mut record, 42, &IN_ZIP64.to_le_bytes());
        let grown = match body {
            Some(body) => {
                let length = (body.len() + 8) as u16;
                overwrite_bytes(&mut record, body.start - 2, &length.to_le_bytes());
                record.splice(slot..slot, offset);
                8
            }
            None => {
                let field = [ZIP64_ID.to_le_bytes(), 8u16.to_le_bytes()].concat();
                record.splice(extra_start..extra_start, field.into_iter().chain(offset));
                12
            }
        };
        let extra_length = (extra_end - extra_start + grown) as u16;
        overwrite_bytes(&mut record, 30, &extra_length.to_le_bytes());
        // Version needed to extract: 4.5 for zip64 (APPNOTE 4.4.3.2).
        let version = u16_at(&record, 6).max(45);
        overwrite_bytes(&mut record, 6, &version.to_le_bytes());
    }
    record
}

/// Pads the extra field of a local header so that it grows by `missing` modulo `alignment`; returns the growth. If the
/// extra field has no room (65,535 bytes), it stays as it is.
pub(super) fn pad_local(header: &mut Vec<u8>, missing: u64, alignment: u64) -> u64 {
    let mut growth = missing % alignment;
    while growth != 0 && growth < ALIGNMENT_SIZE as u64 {
        growth += alignment;
    }
    let extra_length = u64::from(u16_at(header, 28)) + growth;
    let Ok(extra_length) = u16::try_from(extra_length) else { return 0 };
    if growth != 0 {
        overwrite_bytes(header, 28, &extra_length.to_le_bytes());
        header.extend(ALIGNMENT_ID.to_le_bytes());
        header.extend((growth as u16 - 4).to_le_bytes());
        header.extend((alignment as u16).to_le_bytes());
        header.resize(header.len() + growth as usize - ALIGNMENT_SIZE, 0);
    }
    growth
}
