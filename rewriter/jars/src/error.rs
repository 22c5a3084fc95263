//! What can go wrong between a jar and its rewritten form, and where.

use std::fmt;

use weighbridge_bytecode::error::one_line;

/// What failed. This decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JarErrorKind {
    /// Reading or writing a file failed.
    Io,
    /// The archive is not a zip file, is damaged, or breaks a limit.
    Archive,
    /// The class file breaks JVMS §4.
    ClassFormat,
    /// The class file is well-formed but uses something that this version does not handle.
    Unsupported,
    /// A JVM limit would be broken (65,535 constants, 65,535 bytes of code, a 16-bit operand).
    Limit,
    /// No class of the inputs is selected, but one is required.
    Unmatched,
    /// The output exists and may not be replaced, or is one of the inputs.
    Output,
    /// The rewriter contradicts itself; nothing is written for that class.
    Internal,
}

/// An error with its location: `outer.jar!/inner.jar!/com/acme/Foo.class`, the method, and the byte offset.
///
/// `Display` gives one line: `location: method: message (at offset n)`.
#[derive(Debug)]
pub struct Error(Box<Details>);

#[derive(Debug)]
struct Details {
    kind: JarErrorKind,
    message: String,
    location: Option<String>,
    method: Option<String>,
    offset: Option<u64>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The result of every fallible call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of a kind, with a message that names the offending value.
    #[cold]
    pub fn new(kind: JarErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Details {
            kind,
            message: message.into(),
            location: None,
            method: None,
            offset: None,
            source: None,
        }))
    }

    /// Adds the byte offset in the file or class, unless an inner call gave one.
    #[must_use]
    pub fn at_offset(mut self, offset: impl TryInto<u64>) -> Self {
        self.0.offset = self.0.offset.or(offset.try_into().ok());
        self
    }

    /// Puts a path or archive entry before the location. Called from the inside out, it builds
    /// `outer.jar!/inner.jar!/Class`.
    #[must_use]
    pub fn in_location(mut self, location: &str) -> Self {
        self.0.location = Some(match self.0.location.take() {
            Some(inner) => format!("{location}!/{inner}"),
            None => location.to_owned(),
        });
        self
    }

    /// Adds the error of a lower layer; its text is appended by `Display`.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// What failed.
    pub fn kind(&self) -> JarErrorKind {
        self.0.kind
    }

    /// The message without its location.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The file or archive entry, if known.
    pub fn location(&self) -> Option<&str> {
        self.0.location.as_deref()
    }

    /// The byte offset in the file or class, if known.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }
}

impl From<weighbridge_bytecode::BytecodeErrorKind> for JarErrorKind {
    fn from(kind: weighbridge_bytecode::BytecodeErrorKind) -> Self {
        match kind {
            weighbridge_bytecode::BytecodeErrorKind::ClassFormat => JarErrorKind::ClassFormat,
            weighbridge_bytecode::BytecodeErrorKind::Unsupported => JarErrorKind::Unsupported,
            weighbridge_bytecode::BytecodeErrorKind::Limit => JarErrorKind::Limit,
            _ => JarErrorKind::Internal,
        }
    }
}

impl From<weighbridge_bytecode::Error> for Error {
    fn from(error: weighbridge_bytecode::Error) -> Self {
        let mut own = Error::new(error.kind().into(), error.message());
        own.0.method = error.method().map(str::to_owned);
        own.0.offset = error.offset();
        own
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for location in [&self.0.location, &self.0.method].into_iter().flatten() {
            one_line(f, location)?;
            f.write_str(": ")?;
        }
        one_line(f, &self.0.message)?;
        if let Some(source) = &self.0.source {
            write!(f, ": {source}")?;
        }
        match self.0.offset {
            Some(offset) => write!(f, " (at offset {offset})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
