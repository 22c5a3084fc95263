//! A dump's header, which states the size of ids.

use std::fs::File;
use std::path::Path;

use super::window::read_exact_at;
use super::{u32_at, u64_at};
use crate::error::{DumpErrorKind, Error};

/// The start of the file.
const MAGIC: &[u8] = b"JAVA PROFILE ";

/// Longest header: magic, version, NUL, size of ids, time.
const HEADER: usize = 64;

/// Bytes of an object id in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdSize {
    /// A 32-bit virtual machine.
    Four,
    /// A 64-bit virtual machine.
    Eight,
}

impl IdSize {
    /// The number of bytes.
    #[inline]
    pub fn bytes(self) -> u32 {
        match self {
            IdSize::Four => 4,
            IdSize::Eight => 8,
        }
    }

    /// How many ids fit in `bytes`.
    #[inline]
    pub(crate) fn fitting(self, bytes: usize) -> u64 {
        // Constant divisors: this runs for each instance.
        match self {
            IdSize::Four => bytes as u64 / 4,
            IdSize::Eight => bytes as u64 / 8,
        }
    }

    /// The id at an offset in field values or elements.
    ///
    /// # Panics
    /// If it is not inside the bytes.
    #[inline]
    pub fn read(self, bytes: &[u8], at: usize) -> u64 {
        match self {
            IdSize::Four => u64::from(u32_at(bytes, at)),
            IdSize::Eight => u64_at(bytes, at),
        }
    }
}

/// Reads the header; gives the size of ids and the offset of the first record.
pub(super) fn header(path: &Path, file: &File, length: u64) -> Result<(IdSize, u64), Error> {
    let mut bytes = vec![0; length.min(HEADER as u64) as usize];
    read_exact_at(file, &mut bytes, 0).map_err(|error| Error::new(path, error))?;
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        let cut = !bytes.is_empty() && MAGIC.starts_with(&bytes);
        return Err(Error::new(path, if cut { DumpErrorKind::NoHeader } else { DumpErrorKind::NotADump }));
    };
    let Some(end) = rest.iter().position(|byte| *byte == 0) else {
        return Err(Error::new(
            path,
            if bytes.len() < HEADER { DumpErrorKind::NoHeader } else { DumpErrorKind::NotADump },
        ));
    };
    let version = String::from_utf8_lossy(&rest[..end]);
    if !matches!(&*version, "1.0.1" | "1.0.2" | "1.0.3") {
        return Err(Error::new(path, DumpErrorKind::Version(version.into_owned())));
    }
    let after = MAGIC.len() + end + 1;
    if bytes.len() < after + 12 {
        return Err(Error::new(path, DumpErrorKind::NoHeader));
    }
    let ids = match u32_at(&bytes, after) {
        4 => IdSize::Four,
        8 => IdSize::Eight,
        other => return Err(Error::new(path, DumpErrorKind::IdSize(other))),
    };
    Ok((ids, after as u64 + 12))
}
