//! The content of entries: inflated within a budget, checked against the CRC, deflated again.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, CrcReader};
use libdeflater::{CompressionLvl, Compressor, Crc, Decompressor, crc32};

use super::archive::{Archive, damaged};
use super::source::{ByteSource, unwritable};
use super::temporary;
use crate::error::{Error, JarErrorKind, Result};

/// Deflate cannot pack more than 1,032 bytes into one (258-byte matches of two bits each).
const DEFLATE_MAXIMUM: u64 = 1032;
/// Bytes that are inflated or deflated at once if the whole content need not fit into memory.
const BLOCK: usize = 64 << 10;
/// Below this size a high ratio is harmless, such as that of an entry of zeros.
const SMALL: u64 = 1 << 20;

/// How much may be inflated, over all threads and inputs of a run.
#[derive(Debug)]
pub struct InflateBudget {
    ratio: u64,
    total: u64,
    spent: AtomicU64,
}

impl InflateBudget {
    /// A budget: the highest ratio for entries above 1 MiB, and the most bytes in all.
    pub fn new(ratio: u32, total: u64) -> Self {
        InflateBudget { ratio: u64::from(ratio), total, spent: AtomicU64::new(0) }
    }

    /// True if the total was exceeded: nothing can be inflated any more.
    pub fn is_exceeded(&self) -> bool {
        self.spent.load(Ordering::Relaxed) > self.total
    }

    fn admit(&self, compressed: u64, uncompressed: u64, offset: u64) -> Result<usize> {
        if uncompressed > compressed.saturating_mul(DEFLATE_MAXIMUM).saturating_add(DEFLATE_MAXIMUM) {
            let message =
                format!("the entry claims {uncompressed} bytes, more than deflate can pack into {compressed}");
            return Err(damaged(&message, offset));
        }
        if uncompressed > SMALL && uncompressed > compressed.saturating_mul(self.ratio) {
            let message = format!(
                "the entry inflates from {compressed} to {uncompressed} bytes, above the limit of {} to 1",
                self.ratio
            );
            return Err(damaged(&message, offset));
        }
        if self.spent.fetch_add(uncompressed, Ordering::Relaxed).saturating_add(uncompressed) > self.total {
            let message = format!("the inputs inflate to more than the limit of {} bytes", self.total);
            return Err(damaged(&message, offset));
        }
        usize::try_from(uncompressed).map_err(|_| damaged("the entry is too large for this machine", offset))
    }
}

thread_local! {
    // Both are large (hundreds of kilobytes), so they are reused.
    static INFLATER: RefCell<Decompressor> = RefCell::new(Decompressor::new());
    static DEFLATER: RefCell<Option<(u8, Compressor)>> = const { RefCell::new(None) };
}

impl Archive {
    /// The content of an entry, inflated and checked.
    ///
    /// # Errors
    /// [`ErrorKind::Archive`] if it is damaged or exceeds the budget; [`ErrorKind::Unsupported`] for another method
    /// than stored or deflated, or an encrypted entry.
    pub fn content(&self, index: usize, budget: &InflateBudget) -> Result<Vec<u8>> {
        let entry = self.entry(index);
        self.inflate(index, budget).map_err(|error| {
            let error = if error.location().is_none() { error.in_location(&self.display_name(index)) } else { error };
            error.at_offset(entry.header_offset())
        })
    }

    fn inflate(&self, index: usize, budget: &InflateBudget) -> Result<Vec<u8>> {
        let entry = self.entry(index);
        if !entry.is_readable() {
            return Err(Error::new(JarErrorKind::Unsupported, "the entry is encrypted or packed by another method"));
        }
        let offset = entry.header_offset();
        let measures = entry.measures;
        let mut content = if entry.is_stored() {
            if measures.compressed != measures.uncompressed {
                return Err(damaged("the entry is stored, but its two sizes differ", offset));
            }
            Vec::new()
        } else {
            vec![0; budget.admit(measures.compressed, measures.uncompressed, offset)?]
        };
        let local = self.local(index)?;
        let data = &local.bytes[local.data.clone()];
        if entry.is_stored() {
            content.extend_from_slice(data);
        } else {
            let inflated = INFLATER.with_borrow_mut(|inflater| inflater.deflate_decompress(data, &mut content));
            if inflated.ok() != Some(content.len()) {
                return Err(damaged("the entry does not inflate to its size", offset));
            }
        }
        if crc32(&content) != measures.crc {
            return Err(damaged("the content of the entry does not have its CRC", offset));
        }
        Ok(content)
    }

    /// The content of an entry as a source of its own: a window for a stored one, memory for a deflated one.
    ///
    /// # Errors
    /// As [`Archive::content`]; the CRC of a stored entry is not checked.
    pub fn nested(&self, index: usize, budget: &InflateBudget) -> Result<ByteSource> {
        let entry = self.entry(index);
        if !entry.is_stored() || !entry.is_readable() {
            return self.content(index, budget).map(ByteSource::memory);
        }
        let start = self.data_offset(index)?;
        let end = start.saturating_add(entry.compressed_size());
        if end > entry.extent_end {
            return Err(damaged("the data of the entry runs into the next one", entry.header_offset()));
        }
        self.source().window(start..end)
    }

    /// Writes the content of a deflated entry, inflated and checked block by block, for entries that need not fit into
    /// memory.
    ///
    /// # Errors
    /// As [`Archive::content`]; [`ErrorKind::Io`] if `out`, a temporary file, cannot be written.
    pub fn inflate_into(&self, index: usize, budget: &InflateBudget, out: &mut dyn Write) -> Result<()> {
        let entry = self.entry(index);
        let (measures, offset) = (entry.measures, entry.header_offset());
        let within = |error: Error| error.in_location(&self.display_name(index)).at_offset(offset);
        if !entry.is_readable() || entry.is_stored() {
            return Err(within(Error::new(
                JarErrorKind::Unsupported,
                "the entry is encrypted or packed by another method",
            )));
        }
        budget.admit(measures.compressed, measures.uncompressed, offset).map_err(within)?;
        let start = self.data_offset(index)?;
        let end = start.saturating_add(measures.compressed);
        if end > entry.extent_end {
            return Err(within(damaged("the data of the entry runs into the next one", offset)));
        }
        let packed = BufReader::with_capacity(BLOCK, self.source().window(start..end)?.reader());
        let mut inflater = DeflateDecoder::new(packed).take(measures.uncompressed.saturating_add(1));
        let (mut block, mut crc, mut length) = (vec![0; BLOCK], Crc::new(), 0);
        loop {
            let fault = |error| within(damaged("the entry does not inflate to its size", offset).because(error));
            match inflater.read(&mut block).map_err(fault)? {
                0 => break,
                read => {
                    crc.update(&block[..read]);
                    length += read as u64;
                    out.write_all(&block[..read]).map_err(temporary::unwritable)?;
                }
            }
        }
        if length != measures.uncompressed {
            return Err(within(damaged("the entry does not inflate to its size", offset)));
        }
        if crc.sum() != measures.crc {
            return Err(within(damaged("the content of the entry does not have its CRC", offset)));
        }
        Ok(())
    }
}

/// Deflates content block by block into a temporary file; also returns the CRC-32 of the content.
pub(super) fn pack_file(content: impl Read, level: u8) -> Result<(File, u32)> {
    let file = BufWriter::with_capacity(BLOCK, temporary::file()?);
    // zlib's levels end at 9.
    let mut deflater = DeflateEncoder::new(file, Compression::new(u32::from(level.min(9))));
    let mut content = CrcReader::new(BufReader::with_capacity(BLOCK, content));
    io::copy(&mut content, &mut deflater).map_err(temporary::unwritable)?;
    let file = deflater.finish().map_err(temporary::unwritable)?;
    Ok((file.into_inner().map_err(|error| temporary::unwritable(error.into_error()))?, content.crc().sum()))
}

/// The CRC-32 of a file.
pub(super) fn crc_of(mut file: &File) -> Result<u32> {
    file.rewind().map_err(unwritable)?;
    let mut content = CrcReader::new(BufReader::with_capacity(BLOCK, file));
    io::copy(&mut content, &mut io::sink()).map_err(unwritable)?;
    Ok(content.crc().sum())
}

/// Deflates content, at level 1 to 12.
pub(super) fn pack(content: &[u8], level: u8) -> Result<Vec<u8>> {
    let failed = || Error::new(JarErrorKind::Internal, "libdeflate refuses to compress");
    DEFLATER.with_borrow_mut(|slot| {
        if slot.as_ref().is_none_or(|(made_for, _)| *made_for != level) {
            let level_of = CompressionLvl::new(i32::from(level)).map_err(|_| failed())?;
            *slot = Some((level, Compressor::new(level_of)));
        }
        let Some((_, deflater)) = slot else { return Err(failed()) };
        let mut packed = vec![0; deflater.deflate_compress_bound(content.len())];
        let length = deflater.deflate_compress(content, &mut packed).map_err(|_| failed())?;
        packed.truncate(length);
        // The bound is more than the content has; a batch would keep all of it.
        packed.shrink_to_fit();
        Ok(packed)
    })
}
