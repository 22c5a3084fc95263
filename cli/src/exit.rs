//! How a run ends: the exit codes of `--help`, and the one line that says why.

use std::panic;
use std::process::ExitCode;

use weighbridge_ending::Failure;
use weighbridge_ending::messages::print_message;

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

/// Reports a panic as a defect: one line with its location, exit code 70, no backtrace.
pub(crate) fn report_panics_as_defects() {
    panic::set_hook(Box::new(|info| {
        let what = info.payload_as_str().unwrap_or("a panic");
        let location = info.location().map_or_else(String::new, |location| format!(" (at {location})"));
        print_message("error", &format!("a defect of weighbridge, please report it: {what}{location}"));
        std::process::exit(i32::from(DEFECT));
    }));
}
