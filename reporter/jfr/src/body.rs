//! What values of a chunk are read from: its bytes, the types in it, and where its constants are.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;

use crate::bytes::ChunkCursor;
use crate::error::{Error, Flaw, JfrErrorKind};
use crate::header::Header;
use crate::types::Types;

/// The offsets of constants in the chunk, by the index of their type and their key.
pub(crate) type ConstantOffsets = HashMap<(usize, i64), usize>;

pub(crate) struct Body {
    pub(crate) file: PathBuf,
    /// Where the chunk begins in the file.
    pub(crate) offset: u64,
    pub(crate) header: Header,
    /// All of the chunk, with its header.
    pub(crate) bytes: Vec<u8>,
    pub(crate) types: Types,
    pub(crate) constants: ConstantOffsets,
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.file.display(), self.offset)
    }
}

impl Body {
    pub(crate) fn cursor(&self, at: usize) -> ChunkCursor<'_> {
        ChunkCursor::new(&self.bytes, at, self.header.compressed)
    }

    pub(crate) fn error(&self, flaw: Flaw) -> Error {
        Error::at_offset(&self.file, self.offset + flaw.at as u64, JfrErrorKind::Corrupt(flaw.what))
    }
}
