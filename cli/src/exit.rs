//! How a run ends: the exit codes of `--help`, and the one line that says why.

use std::io::{self, Write};
use std::panic;
use std::process::ExitCode;

use weighbridge_reporter::printable;
use weighbridge_rewriter::error::{Error as RewriterError, JarErrorKind};

/// The result of a verb: an exit code, or why it failed.
pub(crate) type Outcome = Result<u8, Failure>;

/// Everything was done.
pub(crate) const DONE: u8 = 0;
/// A memory budget is broken.
pub(crate) const BROKEN: u8 = 1;
const USAGE: u8 = 2;
pub(crate) const INPUT: u8 = 3;
/// A program ran and ended with 0, and its trace of every event is not whole.
pub(crate) const UNTRACED: u8 = 4;
/// EX_SOFTWARE of sysexits.h.
const DEFECT: u8 = 70;

/// Why a verb failed; decides the exit code.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line asks for something forbidden or impossible.
    Usage(anyhow::Error),
    /// An input cannot be used.
    Input(anyhow::Error),
    /// Weighbridge has a defect.
    Defect(anyhow::Error),
    /// The reader of standard output closed it, which is no error.
    BrokenPipe,
}

impl Failure {
    /// Wrong usage, in a sentence.
    pub(crate) fn usage(message: impl std::fmt::Display) -> Self {
        Failure::Usage(anyhow::anyhow!("{message}"))
    }

    /// Why, in one line.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Failure::Usage(error) | Failure::Input(error) | Failure::Defect(error) => format!("{error:#}"),
            Failure::BrokenPipe => "nobody reads".to_owned(),
        }
    }

    /// Whether an agent was asked that ended.
    pub(crate) fn is_an_end_of_the_agent(&self) -> bool {
        let Failure::Input(error) = self else { return false };
        error.downcast_ref().is_some_and(weighbridge_control::Error::is_an_end)
    }

    /// An input that cannot be used, in a sentence.
    pub(crate) fn input(message: impl std::fmt::Display) -> Self {
        Failure::Input(anyhow::anyhow!("{message}"))
    }
}

/// Other errors are about an input: a file, a process.
impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Failure::Input(error)
    }
}

impl From<RewriterError> for Failure {
    fn from(error: RewriterError) -> Self {
        match error.kind() {
            JarErrorKind::Output => Failure::Usage(error.into()),
            JarErrorKind::Internal => Failure::Defect(error.into()),
            _ => Failure::Input(error.into()),
        }
    }
}

impl From<weighbridge_jvms::Error> for Failure {
    fn from(error: weighbridge_jvms::Error) -> Self {
        Failure::Input(error.into())
    }
}

impl From<weighbridge_config::Error> for Failure {
    fn from(error: weighbridge_config::Error) -> Self {
        Failure::Input(error.into())
    }
}

/// Prints why a verb failed. Gives the exit code of the process.
pub(crate) fn code(outcome: Outcome) -> ExitCode {
    let (code, error) = match outcome {
        Ok(code) => return ExitCode::from(code),
        Err(Failure::BrokenPipe) => return ExitCode::from(DONE),
        Err(Failure::Usage(error)) => (USAGE, error),
        Err(Failure::Input(error)) => (INPUT, error),
        Err(Failure::Defect(error)) => (DEFECT, error.context("a defect of weighbridge, please report it")),
    };
    print_message("error", &format!("{error:#}"));
    ExitCode::from(code)
}

/// Prints one line on standard error: `weighbridge: LEVEL: TEXT`.
pub(crate) fn print_message(level: &str, text: &str) {
    // If standard error is closed, the line cannot be printed anywhere.
    let _ = writeln!(io::stderr(), "weighbridge: {level}: {}", printable(text));
}

/// Prints one warning on standard error.
pub(crate) fn warn(text: impl std::fmt::Display) {
    print_message("warning", &text.to_string());
}

/// Reports a panic as a defect: one line with its location, exit code 70, no backtrace.
pub(crate) fn report_panics_as_defects() {
    panic::set_hook(Box::new(|info| {
        let what = info.payload_as_str().unwrap_or("a panic");
        let location = info.location().map_or_else(String::new, |location| format!(" (at {location})"));
        print_message("error", &format!("a defect of weighbridge, please report it: {what}{location}"));
        std::process::exit(i32::from(DEFECT));
    }));
}
