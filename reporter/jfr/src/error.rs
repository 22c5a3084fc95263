//! Why a recording cannot be read.

use std::io;
use std::path::Path;

/// Why a recording cannot be read, or not to its end. Names the file and, if known, the byte.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {}{kind}", offset.map_or_else(String::new, |offset| format!("byte {offset}: ")))]
pub struct Error {
    file: String,
    offset: Option<u64>,
    kind: JfrErrorKind,
}

/// The reason inside an [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JfrErrorKind {
    /// The file could not be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file is something else.
    #[error("not a recording of Java Flight Recorder: a chunk does not begin with \"FLR\"")]
    NotARecording,
    /// A version of the format that this crate does not read.
    #[error("version {0}.{1} of the format is not read, only 1 and 2")]
    Version(u16, u16),
    /// The JVM has not finished the chunk, or was killed.
    #[error("the chunk is not finished: its JVM still writes it, or was killed")]
    Unfinished,
    /// The file ends inside a chunk.
    #[error("the file ends inside the chunk, which has {0} bytes")]
    Cut(u64),
    /// The chunk contradicts the format.
    #[error("{0}")]
    Corrupt(&'static str),
}

impl Error {
    pub(crate) fn new(file: &Path, kind: impl Into<JfrErrorKind>) -> Self {
        Error { file: file.display().to_string(), offset: None, kind: kind.into() }
    }

    pub(crate) fn at_offset(file: &Path, offset: u64, kind: impl Into<JfrErrorKind>) -> Self {
        Error { offset: Some(offset), ..Error::new(file, kind) }
    }

    /// The first wrong byte of the file.
    pub fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// What is wrong.
    pub fn kind(&self) -> &JfrErrorKind {
        &self.kind
    }
}

/// What is wrong in a chunk, and where in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) at: usize,
    pub(crate) what: &'static str,
}

pub(crate) type Found<T> = Result<T, Flaw>;
