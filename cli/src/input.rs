//! The files that the command line names as inputs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, Command};
use weighbridge_rewriter::file_kind::FileKind;

use crate::exit::Failure;

/// Refuses an input that is a FIFO or a socket: to open one waits for another process, perhaps for ever, and most verbs read
/// their inputs at more than one offset. Nothing is opened. What does not exist is for the verb to tell.
pub(crate) fn check_input(path: &Path) -> Result<(), Failure> {
    let kind = FileKind::find(path);
    match kind.is_pipe() {
        true => Err(Failure::input(format!("{}: is {}; an input must be a file", path.display(), kind.name()))),
        false => Ok(()),
    }
}

/// Takes the path of an input ([`check_input`]): the value parser of every argument that is one.
#[derive(Clone, Debug)]
pub(crate) struct InputPathParser;

impl TypedValueParser for InputPathParser {
    type Value = PathBuf;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<PathBuf, Error> {
        let path = PathBufValueParser::new().parse_ref(command, argument, value)?;
        check_input(&path).map(|()| path).map_err(|refused| {
            let mut error = Error::new(ErrorKind::Io);
            error.insert(ContextKind::Custom, ContextValue::String(refused.sentence()));
            error
        })
    }
}

/// What [`InputPathParser`] said, if an error is its own: the verb ends as with any other input that it cannot use.
pub(crate) fn refusal(error: &Error) -> Option<Failure> {
    match error.get(ContextKind::Custom) {
        Some(ContextValue::String(message)) if error.kind() == ErrorKind::Io => Some(Failure::input(message)),
        _ => None,
    }
}
