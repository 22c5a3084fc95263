//! Where a verb's result goes, and how it is laid out there.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use weighbridge_ending::{Failure, output};
use weighbridge_reporter::export::Cells;
use weighbridge_reporter::text;

/// Where a verb's result goes: the flags of every verb that makes one.
#[derive(clap::Args)]
pub(crate) struct OutputTarget {
    /// Write it to this file instead of the terminal.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long)]
    pub(crate) force: bool,
}

impl OutputTarget {
    /// Refuses, before the work, a file that exists, unless forced, or that is an input.
    pub(crate) fn check(&self, inputs: &[PathBuf]) -> Result<(), Failure> {
        self.file.as_deref().map_or(Ok(()), |file| output::check_no_input(file, inputs, self.force))
    }

    /// The terminal to which [`OutputTarget::write`] writes, if any.
    pub(crate) fn terminal(&self) -> Option<console::Term> {
        (self.file.is_none() && io::stdout().is_terminal()).then(console::Term::stdout)
    }

    /// Writes data to the file ([`output::to_file`]), or to standard output ([`output::to_stdout`]).
    pub(crate) fn write(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        self.write_coloured(false, write)
    }

    /// The same; if `colour`, codes for colour and weight reach a terminal ([`output::to_stdout_coloured`]).
    pub(crate) fn write_coloured(
        &self,
        colour: bool,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        match &self.file {
            Some(file) => output::to_file(file, self.force, write),
            None => output::to_stdout_coloured(colour, write),
        }
    }
}

/// How cells of csv are written: the flag of every verb that writes csv.
#[derive(clap::Args, Clone, Copy, Default)]
pub(crate) struct CsvOptions {
    /// Leave cells of csv as they are that a spreadsheet takes for formulas (= + - @ first); else they get a ' in front.
    #[arg(long)]
    raw_cells: bool,
}

impl CsvOptions {
    pub(crate) fn cells(self) -> Cells {
        if self.raw_cells { Cells::Raw } else { Cells::Defused }
    }
}

/// The layout of a text for its terminal, if any; `top` is 0 for all rows. The variable `COLUMNS` (POSIX.1-2017, XBD 8.3)
/// overrides the terminal's width and applies to pipes too.
pub(crate) fn text_options(terminal: Option<&console::Term>, top: usize) -> text::TextOptions {
    // https://no-color.org
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let columns = std::env::var("COLUMNS").ok().and_then(|value| value.parse().ok()).filter(|columns| *columns > 0);
    text::TextOptions {
        width: columns.or_else(|| Some(terminal?.size_checked()?.1)),
        colour: terminal.is_some() && !no_colour,
        top: Some(top).filter(|top| *top > 0),
    }
}
