//! The format and the target of a report on a dump: the same flags for every verb.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use clap::ValueEnum;
use serde_json::Value;
use weighbridge_ending::{Failure, write_text};
use weighbridge_reporter::heap::changes::Changes;
use weighbridge_reporter::{Sheet, csv, json, json_line, text};

use crate::output_target::{self, CsvOptions, OutputTarget};

/// The form of the report, and where it goes.
#[derive(clap::Args)]
pub(crate) struct HeapOutputOptions {
    /// What to write.
    #[arg(short = 'o', long = "output", value_name = "FORMAT", value_enum, default_value_t = HeapFormat::Text)]
    format: HeapFormat,
    /// Of csv: which table; the first unless given. A wrong name tells those that there are.
    #[arg(long, value_name = "TABLE")]
    table: Option<String>,
    #[command(flatten)]
    csv: CsvOptions,
    #[command(flatten)]
    target: OutputTarget,
}

/// The forms of a report.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HeapFormat {
    /// Tables for people.
    Text,
    /// For programs; the keys are a public interface (docs/heap-json.md, docs/flight.md).
    Json,
    /// One page that needs no other file.
    Html,
    /// One table, a line a row, with the names of the columns first.
    Csv,
    /// Headings, sentences and tables for a page of a build or an issue.
    Markdown,
}

impl HeapOutputOptions {
    /// See [`Target::check`].
    pub(crate) fn check(&self, dump: &Path) -> Result<(), Failure> {
        if self.table.is_some() && self.format != HeapFormat::Csv {
            return Err(Failure::usage("--table is for -o csv"));
        }
        self.target.check(&[dump.to_owned()])
    }

    /// The file to which the report goes, if any.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.target.file.as_deref()
    }

    /// The format of the report.
    pub(crate) fn format(&self) -> HeapFormat {
        self.format
    }

    /// Whether existing files are replaced.
    pub(crate) fn force(&self) -> bool {
        self.target.force
    }
}

/// Where a verb's report goes: as it is, or of a watched program what changed since the one before.
pub(crate) struct ReportWriter<'a> {
    options: &'a HeapOutputOptions,
    watched: Option<Value>,
    /// Of what is watched, after the first report only what changed is written.
    compares: bool,
}

impl<'a> ReportWriter<'a> {
    /// Reports as they are.
    pub(crate) fn new(options: &'a HeapOutputOptions) -> Self {
        ReportWriter { options, watched: None, compares: true }
    }

    /// The first report as it is, then changes: on standard output, JSON in one line each.
    pub(crate) fn of_changes(options: &'a HeapOutputOptions) -> Result<Self, Failure> {
        if options.target.file.is_some() || !matches!(options.format, HeapFormat::Text | HeapFormat::Json) {
            return Err(Failure::usage("--watch writes text or json, to standard output"));
        }
        Ok(ReportWriter { options, watched: Some(Value::Null), compares: true })
    }

    /// Whether what it is given is compared.
    pub(crate) fn is_watched(&self) -> bool {
        self.watched.is_some()
    }

    /// Several reports as they are, one after the other: on standard output, JSON in one line each.
    pub(crate) fn of_several(options: &'a HeapOutputOptions) -> Result<Self, Failure> {
        let mut report = ReportWriter::of_changes(options)?;
        report.compares = false;
        Ok(report)
    }

    /// The format of the report.
    pub(crate) fn format(&self) -> HeapFormat {
        self.options.format
    }

    /// Writes a report of tables; `figures` are its JSON, and `top` is 0 for all rows.
    pub(crate) fn write_sheet(
        &mut self,
        top: usize,
        sheet: &Sheet,
        figures: &impl serde::Serialize,
    ) -> Result<(), Failure> {
        let (text, html) = (
            |options: &_, out: &mut &mut dyn Write| sheet.text(options, out),
            |options: &_, out: &mut &mut dyn Write| sheet.html(options, out),
        );
        self.write(top, figures, || Cow::Borrowed(sheet), text, html)
    }

    /// Writes figures to the file or to standard output; `top` is 0 for all rows. `sheet` has their tables.
    pub(crate) fn write<'s>(
        &mut self,
        top: usize,
        figures: &impl serde::Serialize,
        sheet: impl FnOnce() -> Cow<'s, Sheet>,
        text: impl FnOnce(&text::TextOptions, &mut &mut dyn Write) -> io::Result<()>,
        html: impl FnOnce(&text::TextOptions, &mut &mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let target = &self.options.target;
        let options = output_target::text_options(target.terminal().as_ref(), top);
        let in_text = self.options.format == HeapFormat::Text;
        let Some(watched) = &mut self.watched else {
            if self.options.format == HeapFormat::Csv {
                let sheet = sheet();
                let table = sheet.table(self.options.table.as_deref()).map_err(Failure::usage)?;
                return target.write(|mut out| csv::write(table, self.options.csv.cells(), &mut out));
            }
            return target.write_coloured(in_text, |mut out: &mut dyn Write| match self.options.format {
                HeapFormat::Text => write_text(out, options.colour, |mut out| text(&options, &mut out)),
                HeapFormat::Json => json::pretty(figures, &mut out),
                HeapFormat::Html => html(&options, &mut out),
                // The first is written above.
                HeapFormat::Csv | HeapFormat::Markdown => sheet().markdown(&options, &mut out),
            });
        };
        let now = serde_json::to_value(figures).context("the figures")?;
        let before = std::mem::replace(watched, now);
        let changes = (self.compares && !before.is_null()).then(|| Changes::from_reports(&before, watched));
        let in_json = self.options.format == HeapFormat::Json;
        target.write_coloured(in_text, |out: &mut dyn Write| match &changes {
            None if in_json => writeln!(out, "{}", json_line(watched)?),
            None => write_text(out, options.colour, |mut out| text(&options, &mut out)),
            Some(changes) if in_json => writeln!(out, "{}", json_line(changes)?),
            Some(changes) => write_text(out, options.colour, |mut out| {
                writeln!(out)?;
                changes.sheet().text(&options, &mut out)
            }),
        })
    }
}
