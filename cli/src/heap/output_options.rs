//! The format and the target of a report on a dump: the same flags for every verb.

use std::io::{self, Write};
use std::path::Path;

use clap::ValueEnum;
use weighbridge_reporter::{heap, json, text};

use crate::exit::Failure;
use crate::output::{self, Target};

/// The form of the report, and where it goes.
#[derive(clap::Args)]
pub(crate) struct HeapOutputOptions {
    /// What to write.
    #[arg(short = 'o', long = "output", value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    target: Target,
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

impl HeapOutputOptions {
    /// See [`Target::check`].
    pub(crate) fn check(&self, dump: &Path) -> Result<(), Failure> {
        self.target.check(&[dump.to_owned()])
    }

    /// The format of the report.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Writes a report of tables; `figures` are its JSON, and `top` is 0 for all rows.
    pub(crate) fn write_sheet(
        &self,
        top: usize,
        sheet: &heap::Sheet,
        figures: &impl serde::Serialize,
    ) -> Result<(), Failure> {
        self.write(top, figures, |options, out| sheet.text(options, out), |options, out| sheet.html(options, out))
    }

    /// Writes figures to the file or to standard output; `top` is 0 for all rows.
    pub(crate) fn write(
        &self,
        top: usize,
        figures: &impl serde::Serialize,
        text: impl FnOnce(&text::Options, &mut &mut dyn Write) -> io::Result<()>,
        html: impl FnOnce(&text::Options, &mut &mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let terminal = self.target.terminal();
        let options = output::text_options(terminal.as_ref(), top);
        let write = |mut out: &mut dyn Write| match self.format {
            Format::Text => text(&options, &mut out),
            Format::Json => json::pretty(figures, &mut out),
            Format::Html => html(&options, &mut out),
        };
        self.target.write(write)
    }
}
