//! Zip files written field by field, with the unusual features that tests need.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::io::Write;

/// An entry with its unusual features.
#[derive(Clone, Default)]
pub struct Entry {
    pub name: Vec<u8>,
    pub content: Vec<u8>,
    pub stored: bool,
    /// Extra field of the local header.
    pub extra: Vec<u8>,
    /// Extra field of the central record.
    pub central_extra: Vec<u8>,
    pub comment: Vec<u8>,
    /// Sizes and CRC after the data, with or without signature.
    pub descriptor: Option<bool>,
    /// Sizes in zip64 fields, though they are small.
    pub zip64: bool,
    /// The offset of the local header in a zip64 field, though it is small.
    pub zip64_offset: bool,
    /// Bytes between this entry and the next.
    pub gap: Vec<u8>,
    pub flags: u16,
    pub time: u32,
    /// Wrong sizes in the directory (compressed, uncompressed).
    pub claims: Option<(u32, u32)>,
}

impl Entry {
    pub fn new(name: &str, content: impl Into<Vec<u8>>) -> Entry {
        Entry { name: name.into(), content: content.into(), time: 0x5A21_6B0D, ..Entry::default() }
    }

    pub fn stored(self) -> Entry {
        Entry { stored: true, ..self }
    }

    /// Pads the local extra field so that the data starts at a multiple of `alignment` when the header is at `at`.
    fn aligned_extra(&self, at: usize, alignment: usize) -> Vec<u8> {
        let data = at + 30 + self.name.len() + self.extra.len();
        let mut extra = self.extra.clone();
        extra.resize(extra.len() + (alignment - data % alignment) % alignment, 0);
        extra
    }
}

/// A zip file.
#[derive(Clone, Default)]
pub struct Zip {
    pub prefix: Vec<u8>,
    /// Offsets do not count the prefix, as when a script was put before a finished jar.
    pub prefix_uncounted: bool,
    pub entries: Vec<Entry>,
    pub comment: Vec<u8>,
    /// Zip64 end records, though they are not needed.
    pub zip64: bool,
    /// The plain end record has the values of the zip64 one, too.
    pub zip64_unneeded: bool,
    /// The data of stored entries starts at a multiple of this.
    pub alignment: Option<usize>,
    /// Central records in reverse order.
    pub reversed: bool,
}

impl Zip {
    pub fn of(entries: Vec<Entry>) -> Zip {
        Zip { entries, ..Zip::default() }
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut out = self.prefix.clone();
        let base = if self.prefix_uncounted { self.prefix.len() } else { 0 };
        let mut records = Vec::new();
        for entry in &self.entries {
            records.push(self.entry(entry, base, &mut out));
        }
        if self.reversed {
            records.reverse();
        }
        let (start, count, size) = (out.len() - base, records.len(), records.concat().len());
        out.extend(records.concat());
        if self.zip64 {
            let at = (out.len() - base) as u64;
            out.extend(b"PK\x06\x06");
            out.extend(44u64.to_le_bytes());
            out.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
            for value in [count, count, size, start] {
                out.extend((value as u64).to_le_bytes());
            }
            out.extend(b"PK\x06\x07\0\0\0\0");
            out.extend(at.to_le_bytes());
            out.extend(1u32.to_le_bytes());
        }
        let deferred = self.zip64 && !self.zip64_unneeded;
        let narrow = |value: usize| if deferred { [0xFF; 4] } else { (value as u32).to_le_bytes() };
        let count = if deferred { [0xFF; 2] } else { (count as u16).to_le_bytes() };
        out.extend(b"PK\x05\x06\0\0\0\0");
        out.extend(count);
        out.extend(count);
        out.extend(narrow(size));
        out.extend(narrow(start));
        out.extend((self.comment.len() as u16).to_le_bytes());
        out.extend(&self.comment);
        out
    }

    fn entry(&self, entry: &Entry, base: usize, out: &mut Vec<u8>) -> Vec<u8> {
        let data = if entry.stored { entry.content.clone() } else { deflate(&entry.content) };
        let (compressed, size) = match entry.claims {
            Some((compressed, size)) => (compressed, size),
            None => (data.len() as u32, entry.content.len() as u32),
        };
        let crc = crc(&entry.content);
        let offset = out.len() - base;
        let flags = entry.flags | if entry.descriptor.is_some() { 8 } else { 0 };
        let mut extra = match self.alignment.filter(|_| entry.stored) {
            Some(alignment) => entry.aligned_extra(out.len(), alignment),
            None => entry.extra.clone(),
        };
        let mut central_extra = entry.central_extra.clone();
        if entry.zip64 {
            let field = [&[1, 0, 16, 0][..], &u64::from(size).to_le_bytes(), &u64::from(compressed).to_le_bytes()];
            extra.extend(field.concat());
            central_extra.extend(field.concat());
        }
        if entry.zip64_offset {
            assert!(!entry.zip64, "one zip64 field at a time");
            central_extra.extend([&[1, 0, 8, 0][..], &(offset as u64).to_le_bytes()].concat());
        }
        let sizes = |narrow: bool| match entry.zip64 {
            true => [0xFF; 8].to_vec(),
            false if narrow => [compressed.to_le_bytes(), size.to_le_bytes()].concat(),
            false => vec![0; 8],
        };
        let shared = |deferred: bool| {
            let mut fields = Vec::new();
            fields.extend(if entry.zip64 { 45u16 } else { 20 }.to_le_bytes());
            fields.extend(flags.to_le_bytes());
            fields.extend(if entry.stored { 0u16 } else { 8 }.to_le_bytes());
            fields.extend(entry.time.to_le_bytes());
            fields.extend(if deferred { 0 } else { crc }.to_le_bytes());
            fields.extend(sizes(!deferred));
            fields.extend((entry.name.len() as u16).to_le_bytes());
            fields
        };
        out.extend(b"PK\x03\x04");
        out.extend(shared(entry.descriptor.is_some()));
        out.extend((extra.len() as u16).to_le_bytes());
        out.extend(&entry.name);
        out.extend(&extra);
        out.extend(&data);
        if let Some(signature) = entry.descriptor {
            if signature {
                out.extend(b"PK\x07\x08");
            }
            out.extend(crc.to_le_bytes());
            for size in [compressed, size] {
                match entry.zip64 {
                    true => out.extend(u64::from(size).to_le_bytes()),
                    false => out.extend(size.to_le_bytes()),
                }
            }
        }
        out.extend(&entry.gap);
        let mut record = b"PK\x01\x02\x14\x03".to_vec();
        record.extend(shared(false));
        record.extend((central_extra.len() as u16).to_le_bytes());
        record.extend((entry.comment.len() as u16).to_le_bytes());
        record.extend([0, 0, 1, 0, 0, 0, 0xA4, 0x81]);
        record.extend(if entry.zip64_offset { u32::MAX } else { offset as u32 }.to_le_bytes());
        record.extend(&entry.name);
        record.extend(&central_extra);
        record.extend(&entry.comment);
        record
    }
}

fn deflate(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn crc(content: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(content);
    crc.sum()
}
