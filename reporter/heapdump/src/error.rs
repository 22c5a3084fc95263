//! Why a dump is refused ([`Error`]), and what is missing in one that is used ([`Warning`]).

use std::fmt;
use std::io;
use std::path::Path;

/// Why a heap dump cannot be used. Names the file and, if known, the byte offset of the record. In a compressed dump
/// the offset counts inflated bytes.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {}{kind}", offset.map_or_else(String::new, |offset| format!("record at byte {offset}: ")))]
pub struct Error {
    file: String,
    offset: Option<u64>,
    kind: DumpErrorKind,
}

/// The reason inside an [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DumpErrorKind {
    /// The file, or the temporary file with the inflated dump, could not be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file is something else.
    #[error("not a heap dump: it does not begin with \"JAVA PROFILE\"")]
    NotADump,
    /// A version of HPROF that this crate does not read. Android's is 1.0.3.
    #[error("HPROF {0} is not read, only 1.0.1 to 1.0.3")]
    Version(String),
    /// Object ids that are neither 4 nor 8 bytes.
    #[error("object ids of {0} bytes; they are 4 or 8")]
    IdSize(u32),
    /// The header is cut.
    #[error("the dump ends inside its header")]
    NoHeader,
    /// A record that contradicts the format.
    #[error("{0}")]
    Corrupt(String),
    /// The dump has no object; and where it ends, if it ends early.
    #[error("the dump holds no objects{}", .0.as_ref().map_or_else(String::new, before_the_end))]
    Empty(Option<Warning>),
    /// The analysis takes more memory than allowed: bytes needed at most, and bytes allowed.
    #[error("needs up to {0} bytes of memory, {1} are allowed")]
    Memory(u64, u64),
    /// There are more objects or references than indices can number.
    #[error("{0} are more than the {1} that can be told apart")]
    TooMany(String, u64),
}

fn before_the_end(warning: &Warning) -> String {
    match warning {
        Warning::Cut { length, .. } => format!(" before it ends, at byte {length}, inside this record"),
        Warning::CutCompression { inflated, reason } => {
            format!(" before it breaks off, after {inflated} inflated bytes ({reason})")
        }
        Warning::ClassesMissing { .. } | Warning::Dangling { .. } => String::new(),
    }
}

impl Error {
    pub(crate) fn new(file: &Path, kind: impl Into<DumpErrorKind>) -> Self {
        Error { file: file.display().to_string(), offset: None, kind: kind.into() }
    }

    pub(crate) fn at_offset(file: &Path, offset: u64, kind: impl Into<DumpErrorKind>) -> Self {
        Error { offset: Some(offset), ..Error::new(file, kind) }
    }

    /// The file, as it was named.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// First byte of the faulty record.
    pub fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// What is wrong.
    pub fn kind(&self) -> &DumpErrorKind {
        &self.kind
    }
}

/// What is missing in a dump that is used.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Warning {
    /// The dump ends inside the record at this offset; the records before it are used.
    Cut {
        /// First byte of the record.
        offset: u64,
        /// Bytes of the dump, inflated.
        length: u64,
    },
    /// A compressed dump does not inflate to its end; the bytes before that are used.
    CutCompression {
        /// Bytes that could be inflated.
        inflated: u64,
        /// What the inflater says.
        reason: String,
    },
    /// Objects whose class has no record: a cut dump. They count as instances of `(unknown class)`.
    ClassesMissing {
        /// Objects.
        objects: u64,
    },
    /// References to addresses at which the dump has no object; they are left out.
    Dangling {
        /// References.
        references: u64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Cut { offset, length } => write!(
                f,
                "the dump is cut: it ends at byte {length}, inside the record at byte {offset}; the part before it \
                 is used"
            ),
            Warning::CutCompression { inflated, reason } => {
                write!(f, "the compressed dump breaks off after {inflated} inflated bytes ({reason}); these are used")
            }
            Warning::ClassesMissing { objects } => {
                write!(f, "{objects} objects are of classes that the dump does not describe: (unknown class)")
            }
            Warning::Dangling { references } => {
                write!(f, "{references} references lead to no object of the dump; they are left out")
            }
        }
    }
}
