//! The files that the command line names as inputs.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, Command};
use weighbridge_ending::Failure;
use weighbridge_ending::input::check_input;

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
