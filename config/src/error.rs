//! What can be wrong with a configuration, and where.

use std::fmt;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigErrorKind {
    /// The file cannot be read.
    Io,
    /// The text is not valid (syntax, unknown key, wrong type or version).
    Config,
    /// A class-name pattern is not valid.
    Pattern,
}

/// A configuration that cannot be used.
///
/// `Display` gives one line, `file: line 3, column 7: message`. A text that was not read from a file has no file.
#[derive(Debug)]
pub struct Error {
    kind: ConfigErrorKind,
    message: String,
    file: Option<String>,
    source: Option<std::io::Error>,
}

/// The result of every fallible call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn new(kind: ConfigErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), file: None, source: None }
    }

    pub(crate) fn in_file(self, file: &str) -> Self {
        Error { file: Some(file.to_owned()), ..self }
    }

    pub(crate) fn because(self, source: std::io::Error) -> Self {
        Error { source: Some(source), ..self }
    }

    /// What is wrong.
    pub fn kind(&self) -> ConfigErrorKind {
        self.kind
    }

    /// The message without the file.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", file.escape_debug())?;
        }
        f.write_str(&self.message)?;
        match &self.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
