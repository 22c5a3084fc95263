//! How a run ends: the exit codes of `--help`, and the one line that says why.

use std::io::{self, Write};
use std::panic;
use std::process::ExitCode;

use weighbridge_reporter::printable;
use weighbridge_rewriter::error::{Error as RewriterError, ErrorKind};

/// What a verb returns: an exit code of its own, or why it failed.
pub(crate) type Outcome = Result<u8, Failure>;

/// Everything was done.
pub(crate) const DONE: u8 = 0;
/// A memory budget is broken.
pub(crate) const BROKEN: u8 = 1;
const USAGE: u8 = 2;
pub(crate) const INPUT: u8 = 3;
/// EX_SOFTWARE of sysexits.h.
const DEFECT: u8 = 70;

/// Why a verb failed; decides the exit code.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line asks for something that must not or cannot be done.
    Usage(anyhow::Error),
    /// Something that was named cannot be used.
    Input(anyhow::Error),
    /// Weighbridge contradicts itself.
    Defect(anyhow::Error),
    /// The reader of standard output went away: nothing is wrong.
    BrokenPipe,
}

impl Failure {
    /// Wrong usage, in a sentence.
    pub(crate) fn usage(message: impl std::fmt::Display) -> Self {
        Failure::Usage(anyhow::anyhow!("{message}"))
    }

    /// An input that cannot be used, in a sentence.
    pub(crate) fn input(message: impl std::fmt::Display) -> Self {
        Failure::Input(anyhow::anyhow!("{message}"))
    }
}

/// Errors without a better home are about something that was named: a file, a process.
impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Failure::Input(error)
    }
}

impl From<RewriterError> for Failure {
    fn from(error: RewriterError) -> Self {
        match error.kind() {
            ErrorKind::Output => Failure::Usage(error.into()),
            ErrorKind::Internal => Failure::Defect(error.into()),
            _ => Failure::Input(error.into()),
        }
    }
}

impl From<weighbridge_config::Error> for Failure {
    fn from(error: weighbridge_config::Error) -> Self {
        Failure::Input(error.into())
    }
}

/// Prints why a verb failed and gives the process's exit code.
pub(crate) fn code(outcome: Outcome) -> ExitCode {
    let (code, error) = match outcome {
        Ok(code) => return ExitCode::from(code),
        Err(Failure::BrokenPipe) => return ExitCode::from(DONE),
        Err(Failure::Usage(error)) => (USAGE, error),
        Err(Failure::Input(error)) => (INPUT, error),
        Err(Failure::Defect(error)) => (DEFECT, error.context("a defect of weighbridge, please report it")),
    };
    say("error", &format!("{error:#}"));
    ExitCode::from(code)
}

/// Prints one line on standard error: `weighbridge: LEVEL: TEXT`.
pub(crate) fn say(level: &str, text: &str) {
    // Nobody is left to tell if standard error is gone.
    let _ = writeln!(io::stderr(), "weighbridge: {level}: {}", printable(text));
}

/// Prints one warning on standard error.
pub(crate) fn warn(text: impl std::fmt::Display) {
    say("warning", &text.to_string());
}

/// A panic is a defect: one line with its place, exit code 70, no backtrace.
pub(crate) fn report_panics_as_defects() {
    panic::set_hook(Box::new(|info| {
        let what = info.payload_as_str().unwrap_or("a panic");
        let place = info.location().map_or_else(String::new, |place| format!(" (at {place})"));
        say("error", &format!("a defect of weighbridge, please report it: {what}{place}"));
        std::process::exit(i32::from(DEFECT));
    }));
}
