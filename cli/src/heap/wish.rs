//! How a report on a dump is wanted: the same flags for every verb.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use weighbridge_reporter::{heap, text};

use crate::exit::Failure;
use crate::output;

/// The form of the report, and where it goes.
#[derive(clap::Args)]
pub(crate) struct Wish {
    /// What to write.
    #[arg(short = 'o', long = "output", value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write the report to this file instead of the terminal.
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
}

/// The forms of a report.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables for people.
    Text,
    /// For programs; the keys are a public interface (docs/heap-json.md).
    Json,
    /// One page that needs no other file.
    Html,
}

impl Wish {
    /// Refuses what could only fail after the work: an output that exists, or that is the dump.
    pub(crate) fn check(&self, dump: &Path) -> Result<(), Failure> {
        let Some(file) = &self.file else { return Ok(()) };
        if output::same_file(dump, file) {
            return Err(Failure::usage(format!("{}: is the dump", file.display())));
        }
        output::check_free(file, self.force)
    }

    /// What is to be written.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Writes a report of tables in the form that is wanted, of which `figures` are the JSON; `top` is 0 for all rows.
    pub(crate) fn write_sheet(
        &self,
        top: usize,
        sheet: &heap::Sheet,
        figures: &impl serde::Serialize,
    ) -> Result<(), Failure> {
        self.write(top, figures, |options, out| sheet.text(options, out), |options, out| sheet.html(options, out))
    }

    /// Writes figures in the form that is wanted, to the file or to standard output; `top` is 0 for all rows.
    pub(crate) fn write(
        &self,
        top: usize,
        figures: &impl serde::Serialize,
        text: impl FnOnce(&text::Options, &mut &mut dyn Write) -> io::Result<()>,
        html: impl FnOnce(&text::Options, &mut &mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let terminal = output::target_terminal(self.file.as_deref());
        let options = output::text_options(terminal.as_ref(), top);
        let write = |mut out: &mut dyn Write| match self.format {
            Format::Text => text(&options, &mut out),
            Format::Json => heap::json(figures, &mut out),
            Format::Html => html(&options, &mut out),
        };
        output::to_target(self.file.as_deref(), self.force, write)
    }
}
