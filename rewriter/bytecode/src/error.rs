//! What can be wrong with a class file or a patch, and where.

use std::fmt;

/// What failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BytecodeErrorKind {
    /// The class file breaks JVMS §4.
    ClassFormat,
    /// The class file is well-formed but uses something that this version does not handle.
    Unsupported,
    /// A JVM limit would be broken (65,535 constants, 65,535 bytes of code, a 16-bit operand).
    Limit,
    /// This crate contradicts itself.
    Internal,
}

/// An error with its location: the method, and the byte offset in the class file.
///
/// `Display` gives one line: `method: message (at offset n)`.
/// One pointer wide, so that the readers' `Result`s stay in registers.
#[derive(Debug)]
pub struct Error(Box<Details>);

#[derive(Debug)]
struct Details {
    kind: BytecodeErrorKind,
    message: String,
    method: Option<String>,
    offset: Option<u64>,
}

/// The result of every fallible call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of a kind, with a message that names the offending value.
    #[cold]
    pub fn new(kind: BytecodeErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Details { kind, message: message.into(), method: None, offset: None }))
    }

    /// A class file that breaks JVMS §4, at an absolute offset.
    #[cold]
    pub fn class_format(message: impl Into<String>, offset: usize) -> Self {
        Error::new(BytecodeErrorKind::ClassFormat, message).at_offset(offset)
    }

    /// Adds the byte offset in the class file, unless an inner call gave one.
    #[must_use]
    pub fn at_offset(mut self, offset: impl TryInto<u64>) -> Self {
        self.0.offset = self.0.offset.or(offset.try_into().ok());
        self
    }

    /// Adds the method (`name` + descriptor), unless an inner call gave one.
    #[must_use]
    pub fn in_method(mut self, method: impl Into<String>) -> Self {
        self.0.method.get_or_insert_with(|| method.into());
        self
    }

    /// What failed.
    pub fn kind(&self) -> BytecodeErrorKind {
        self.0.kind
    }

    /// The message without the location.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The method, if known.
    pub fn method(&self) -> Option<&str> {
        self.0.method.as_deref()
    }

    /// The byte offset in the class file, if known.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(method) = &self.0.method {
            one_line(f, method)?;
            f.write_str(": ")?;
        }
        one_line(f, &self.0.message)?;
        match self.0.offset {
            Some(offset) => write!(f, " (at offset {offset})"),
            None => Ok(()),
        }
    }
}

/// Writes a text with its control characters escaped: a line end in a name must not forge a second message.
pub fn one_line(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    text.chars().try_for_each(|c| {
        if c.is_control() { write!(f, "{}", c.escape_default()) } else { fmt::Write::write_char(f, c) }
    })
}

impl std::error::Error for Error {}
