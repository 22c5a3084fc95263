//! What can be wrong with a recording: an [`Error`] refuses the file, a [`Damage`] ends it early.

use std::fmt;
use std::io;

/// Why a file was refused as a recording. Names the file.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {kind}")]
pub struct Error {
    file: String,
    kind: RecordingErrorKind,
}

/// The reason inside an [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingErrorKind {
    /// The file could not be opened or read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file is something else.
    #[error("not a weighbridge recording: {0}")]
    NotARecording(String),
    /// The file may be a recording, but it ends or breaks before its header line is complete.
    #[error("the recording breaks off before its header: {0}")]
    NoHeader(Damage),
    /// The file was written by a newer version.
    #[error(
        "recording format {found} is newer than the newest this version reads ({supported}); use a newer weighbridge"
    )]
    NewerFormat {
        /// The `format` of the file's header.
        found: u64,
        /// The newest format this crate reads.
        supported: u32,
    },
}

impl Error {
    pub(crate) fn new(file: &str, kind: impl Into<RecordingErrorKind>) -> Self {
        Error { file: file.to_owned(), kind: kind.into() }
    }

    /// The file, as it was named to the reader.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// What is wrong with it.
    pub fn kind(&self) -> &RecordingErrorKind {
        &self.kind
    }
}

/// Where and why a recording's lines end before the file does.
///
/// Every line before `offset` was delivered. Of the lines after it, only complete ones before a
/// [`DamageKind::BadLine`] or [`DamageKind::LineTooLong`] were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Byte offset in the file: its length if it was cut, otherwise the first byte of the damaged gzip member.
    pub offset: u64,
    /// First byte of the damaged gzip member.
    pub member: u64,
    /// What is wrong there.
    pub kind: DamageKind,
}

/// The kinds of [`Damage`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DamageKind {
    /// The file ends inside a gzip member. Its complete lines were delivered.
    Cut,
    /// The member does not inflate, or fails its checksum. None of its lines were delivered.
    Corrupt(String),
    /// The bytes after the last intact member are not a gzip member.
    Foreign,
    /// The member is intact, but a line in it is not of the format.
    BadLine {
        /// Number of the line, from 1 at the start of the file.
        line: u64,
        /// What the parser says.
        reason: String,
    },
    /// The member inflates to more than the limit allows, in bytes.
    MemberTooLong(usize),
    /// Up to the end of the member, the recording inflates to more than this many bytes for each byte of the file.
    RatioTooHigh(u32),
    /// Up to the end of the member, the recording inflates to more than this many bytes.
    TooLong(u64),
    /// The member holds a line longer than the limit allows, in bytes.
    LineTooLong(usize),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Damage { offset, member, kind } = self;
        match kind {
            DamageKind::Cut => write!(f, "cut at byte {offset}, inside the gzip member that starts at byte {member}"),
            DamageKind::Corrupt(reason) => write!(f, "damaged gzip member at byte {offset}: {reason}"),
            DamageKind::Foreign => write!(f, "no gzip member at byte {offset}"),
            DamageKind::BadLine { line, reason } => {
                write!(f, "line {line} (gzip member at byte {member}) is not a recording's: {reason}")
            }
            DamageKind::MemberTooLong(limit) => {
                write!(f, "the gzip member at byte {offset} inflates to more than {limit} bytes")
            }
            DamageKind::RatioTooHigh(limit) => write!(
                f,
                "with the gzip member at byte {offset} the recording inflates to more than {limit} times its size (--max-ratio)"
            ),
            DamageKind::TooLong(limit) => write!(
                f,
                "with the gzip member at byte {offset} the recording inflates to more than {limit} bytes (--max-inflated)"
            ),
            DamageKind::LineTooLong(limit) => {
                write!(f, "the gzip member at byte {offset} holds a line of more than {limit} bytes")
            }
        }
    }
}
