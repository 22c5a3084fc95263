//! Why a trace cannot be replayed.

use std::io;

/// Why a trace cannot be replayed: one line that names the file and, if known, the block by its offset in the file and
/// the offset inside of what the block holds.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {}{kind}", location(*.block, *.inside))]
pub struct Error {
    file: String,
    block: Option<u64>,
    inside: Option<u64>,
    kind: ReplayErrorKind,
}

/// The reason inside an [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayErrorKind {
    /// The trace or a temporary file could not be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file is something else.
    #[error("not a trace of every event: it does not begin with \"WBEVENT1\"")]
    NotATrace,
    /// The content of a block contradicts the format.
    #[error("{0}")]
    Corrupt(String),
    /// The objects that live at once take more memory than allowed: bytes needed, and bytes allowed.
    #[error("the objects that live at once need about {0} bytes of memory, {1} are allowed")]
    Memory(u64, u64),
    /// There are more objects than indices can number.
    #[error("more than {0} objects are in memory at once")]
    TooMany(u64),
}

fn location(block: Option<u64>, inside: Option<u64>) -> String {
    match (block, inside) {
        (Some(block), Some(inside)) => format!("block at byte {block}: byte {inside} of its content: "),
        (Some(block), None) => format!("block at byte {block}: "),
        (None, _) => String::new(),
    }
}

impl Error {
    pub(crate) fn new(file: &str, kind: impl Into<ReplayErrorKind>) -> Self {
        Error { file: file.to_owned(), block: None, inside: None, kind: kind.into() }
    }

    pub(crate) fn in_block(file: &str, block: u64, kind: impl Into<ReplayErrorKind>) -> Self {
        Error { block: Some(block), ..Error::new(file, kind) }
    }

    pub(crate) fn inside(file: &str, block: u64, inside: u64, reason: String) -> Self {
        Error { inside: Some(inside), ..Error::in_block(file, block, ReplayErrorKind::Corrupt(reason)) }
    }

    /// The reason, without the file.
    pub fn kind(&self) -> &ReplayErrorKind {
        &self.kind
    }

    /// Where the block begins that contradicts the format, in bytes from the start of the file.
    pub fn block(&self) -> Option<u64> {
        self.block
    }
}
