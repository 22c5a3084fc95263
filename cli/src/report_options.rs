//! Form and target of a report of recordings, for every verb that makes one.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use weighbridge_ending::{Failure, output, write_text};
use weighbridge_reporter::flight::FlightReport;
use weighbridge_reporter::{Aggregate, export, html, json, markdown, text};

use crate::format::{self, ReportFormat};
use crate::output_target::{self, CsvOptions, OutputTarget};

/// Form and target of a report: the flags of every verb that makes one.
#[derive(clap::Args)]
pub(crate) struct ReportOptions {
    /// What to write; a file whose ending names a format (report.html) is written in it.
    #[arg(short = 'o', long = "output", value_name = "FORMAT", value_parser = format::Parser, default_value = "text")]
    output: format::ReportOutput,
    #[command(flatten)]
    target: OutputTarget,
    /// Rows per table of a text report, 0 for all [default: 30, with --by all], and of markdown [default: 10]; series per
    /// metric of OpenMetrics, with the rest as `other`. Other formats always have all.
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// The table of csv, or the only one of the text report; what pprof has samples for.
    #[arg(long, value_name = "WHAT", value_enum)]
    by: Option<GroupingArg>,
    #[command(flatten)]
    cells: CsvOptions,
    /// Of markdown: the address of the whole report, for a link.
    #[arg(long, value_name = "ADDRESS")]
    link: Option<String>,
}

/// Rows of a table of the whole report.
const TOP: usize = 30;
/// Rows of a table on the page of a build.
pub(crate) const MARKDOWN_TOP: usize = 10;

#[derive(Clone, Copy, ValueEnum)]
enum GroupingArg {
    /// Figures by class.
    Class,
    /// By component.
    Component,
    /// By group of threads that constructed the objects.
    Thread,
    /// By tag in force when they were constructed.
    Tag,
    /// By method that constructed them.
    Site,
}

impl From<GroupingArg> for text::ReportGrouping {
    fn from(by: GroupingArg) -> Self {
        match by {
            GroupingArg::Class => text::ReportGrouping::Class,
            GroupingArg::Component => text::ReportGrouping::Component,
            GroupingArg::Thread => text::ReportGrouping::Thread,
            GroupingArg::Tag => text::ReportGrouping::Tag,
            GroupingArg::Site => text::ReportGrouping::Site,
        }
    }
}

/// The stream of a report without a file.
#[derive(Clone, Copy)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

impl ReportOptions {
    /// A text report of all rows on a stream.
    pub(crate) fn text() -> Self {
        ReportOptions {
            output: ReportFormat::Text.into(),
            target: OutputTarget { file: None, force: false },
            top: None,
            by: None,
            cells: CsvOptions::default(),
            link: None,
        }
    }

    /// A report in a file, replaced if it exists.
    pub(crate) fn in_file(format: ReportFormat, file: PathBuf) -> Self {
        ReportOptions {
            output: format.into(),
            target: OutputTarget { file: Some(file), force: true },
            top: Some(0),
            by: None,
            cells: CsvOptions::default(),
            link: None,
        }
    }

    /// Refuses, before the work, options that contradict each other and an output that exists or is an input.
    pub(crate) fn check(&mut self, inputs: &[PathBuf]) -> Result<(), Failure> {
        if let Some(file) = self.output.file.take() {
            if self.target.file.is_some() {
                return Err(Failure::usage("-o names a file, and -f another one; give -o a format"));
            }
            self.target.file = Some(file);
        }
        if self.by.is_some()
            && !matches!(self.output.format, ReportFormat::Text | ReportFormat::Csv | ReportFormat::Pprof)
        {
            return Err(Failure::usage("--by is for text, csv and pprof; the other formats have all tables"));
        }
        if self.link.is_some() && self.output.format != ReportFormat::Markdown {
            return Err(Failure::usage("--link is for markdown"));
        }
        if matches!(self.output.format, ReportFormat::Pprof) && self.target.terminal().is_some() {
            return Err(Failure::usage("a pprof profile is no text for a terminal; name a file with -f"));
        }
        self.target.check(inputs)
    }

    /// A file beside the report. Refused if it exists, unless forced.
    pub(crate) fn new_file(&self, file: &Path) -> Result<PathBuf, Failure> {
        output::check_free(file, self.target.force)?;
        Ok(file.to_owned())
    }

    /// Writes the report to its file, or to the stream.
    pub(crate) fn write(&self, aggregate: &Aggregate, stream: Stream) -> Result<(), Failure> {
        if self.output.format == ReportFormat::Folded && aggregate.call_trees.is_empty() {
            return Err(Failure::input(
                "no recording tells where objects were constructed; run with the option `sites`",
            ));
        }
        if self.output.format == ReportFormat::Pprof && !export::pprof::has_samples(aggregate, self.report_grouping()) {
            return Err(Failure::input(match self.report_grouping() {
                text::ReportGrouping::Tag => "no recording has a tag: the programs opened no scope (Weighbridge.scope)",
                text::ReportGrouping::Thread => "no recording tells which threads constructed objects",
                _ => "no recording tells of an object",
            }));
        }
        let in_text = self.output.format == ReportFormat::Text;
        match (&self.target.file, stream) {
            (Some(file), _) => output::to_file(file, self.target.force, |out| self.format(aggregate, None, out)),
            (None, Stream::Stdout) => {
                output::to_stdout_coloured(in_text, |out| self.format(aggregate, Some(stream), out))
            }
            (None, Stream::Stderr) => {
                output::to_stderr_coloured(in_text, |out| self.format(aggregate, Some(stream), out))
            }
        }
    }

    /// Writes a report of recordings of Java Flight Recorder.
    pub(crate) fn write_flight(&self, figures: &FlightReport) -> Result<(), Failure> {
        if self.by.is_some()
            || !matches!(self.output.format, ReportFormat::Text | ReportFormat::Json | ReportFormat::Html)
        {
            let message = "recordings of Java Flight Recorder are reported as text, json or html, without --by";
            return Err(Failure::usage(message));
        }
        let options = output_target::text_options(self.target.terminal().as_ref(), self.top.unwrap_or(TOP));
        self.target.write_coloured(self.output.format == ReportFormat::Text, |mut out: &mut dyn Write| {
            match self.output.format {
                ReportFormat::Json => json::pretty(figures, &mut out),
                ReportFormat::Html => figures.sheet().html(&options, &mut out),
                _ => write_text(out, options.colour, |mut out| figures.sheet().text(&options, &mut out)),
            }
        })
    }

    fn format(&self, aggregate: &Aggregate, stream: Option<Stream>, mut out: &mut dyn Write) -> io::Result<()> {
        let terminal = match stream {
            Some(Stream::Stdout) if io::stdout().is_terminal() => Some(console::Term::stdout()),
            Some(Stream::Stderr) if io::stderr().is_terminal() => Some(console::Term::stderr()),
            _ => None,
        };
        let top = self.top.unwrap_or(if self.by.is_some() { 0 } else { TOP });
        let options = output_target::text_options(terminal.as_ref(), top);
        match (self.output.format, self.by) {
            (ReportFormat::Text, by) => write_text(out, options.colour, |mut out| match by {
                Some(by) => text::write_by(aggregate, by.into(), &options, &mut out),
                None => text::write(aggregate, &options, &mut out),
            }),
            (ReportFormat::Json, _) => json::write(aggregate, &mut out),
            (ReportFormat::Html, _) => html::write(aggregate, &mut out),
            (ReportFormat::Markdown, _) => {
                let top = self.top.unwrap_or(MARKDOWN_TOP);
                let top = if top == 0 { usize::MAX } else { top };
                markdown::write(aggregate, top, self.link.as_deref(), &mut out)
            }
            (ReportFormat::Csv, _) => {
                export::csv::write(aggregate, self.report_grouping(), self.cells.cells(), &mut out)
            }
            (ReportFormat::Folded, _) => export::folded::write(aggregate, &mut out),
            (ReportFormat::Openmetrics, _) => {
                export::openmetrics::write(aggregate, options.top, env!("CARGO_PKG_VERSION"), &mut out)
            }
            (ReportFormat::Pprof, _) => export::pprof::write(aggregate, self.report_grouping(), &mut out),
        }
    }

    fn report_grouping(&self) -> text::ReportGrouping {
        self.by.map_or(text::ReportGrouping::Class, text::ReportGrouping::from)
    }
}
