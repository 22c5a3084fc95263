//! `weighbridge report`: one report of recordings.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use rayon::prelude::*;
use weighbridge_recording::{ReadLimits, Reader};
use weighbridge_reporter::flight::FlightReport;
use weighbridge_reporter::{Aggregate, Aggregator, Folded, export, html, json, markdown, text};
use weighbridge_rewriter::instrument::Progress;

use crate::bounds::RecordingBounds;
use crate::exit::{self, DONE, Failure, INPUT, Outcome};
use crate::flight;
use crate::foreign;
use crate::format::{self, ReportFormat};
use crate::input::{InputPathParser, check_input};
use crate::output::{self, CsvOptions, OutputTarget};
use crate::progress::Bar;
use crate::shown::write_text;

/// Show what one or several recordings say; several JVMs add up.
///
/// A recording that is cut or damaged is used up to there, with a warning; one that is no recording, or of a newer format,
/// is named and left out. The exit code is then 3 if several files were given.
///
/// Recordings of Java Flight Recorder (*.jfr), of any JVM, are reported as text, json or html (docs/flight.md).
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Recordings, or directories of them (*.wbr).
    #[arg(value_name = "RECORDING", required = true, value_parser = InputPathParser)]
    recordings: Vec<PathBuf>,
    #[command(flatten)]
    options: ReportOptions,
    #[command(flatten)]
    bounds: RecordingBounds,
}

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

pub(crate) fn execute(mut args: Args) -> Outcome {
    let files = recordings(&args.recordings)?;
    args.options.check(&files)?;
    if files.iter().any(|file| flight::is_recording(file)) {
        args.options.write_flight(&flight::figures(&files)?)?;
        return Ok(DONE);
    }
    let (aggregate, refused) = aggregate(&files, args.bounds.limits())?;
    args.options.write(&aggregate, Stream::Stdout)?;
    let incomplete = refused > 0 || files.len() > 1 && !aggregate.damaged.is_empty();
    Ok(if incomplete { INPUT } else { DONE })
}

/// The recordings that are named. A directory means the recordings in it, in alphabetical order.
pub(crate) fn recordings(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let name = path.display();
        let mut inside = inside(path).with_context(|| format!("{name}: cannot be read"))?;
        if inside.is_empty() {
            return Err(Failure::input(format!("{name}: no recording (*.wbr) in this directory")));
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

/// The recordings in a directory, in no order, without what could not be opened as a file.
pub(crate) fn inside(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory)?;
    Ok(entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| is_recording(path) && check_input(path).is_ok())
        .collect())
}

/// Whether a file is a recording, by its name.
pub(crate) fn is_recording(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "wbr")
}

/// Recordings that are in memory at once: they are read in parallel, then added in their order.
const AT_ONCE: usize = 32;

/// Reads recordings and warns of damaged ones. Gives how many were refused.
pub(crate) fn aggregate(files: &[PathBuf], limits: ReadLimits) -> Result<(Aggregate, usize), Failure> {
    let bar = Bar::new();
    let size = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
    bar.start(files.iter().map(|path| size(path)).sum());
    let mut aggregator = Aggregator::new();
    let mut refused = Vec::new();
    // Several recordings use all cores without reading ahead.
    let alone = files.len() == 1;
    for batch in files.chunks(AT_ONCE) {
        let read = |path: &PathBuf| {
            bar.start_file(&path.display().to_string());
            let folded =
                Reader::open_with_limits(path, limits).and_then(if alone { Folded::read_ahead } else { Folded::read });
            bar.advance(size(path));
            folded
        };
        let folded: Vec<_> = batch.par_iter().map(read).collect();
        for folded in folded {
            match folded {
                Ok(folded) => aggregator.add(folded),
                Err(error) => refused.push(error),
            }
        }
    }
    drop(bar);
    if aggregator.is_empty()
        && let [only] = &refused[..]
    {
        return Err(Failure::input(foreign::explain_refusal(only)));
    }
    for error in &refused {
        exit::warn(format!("{}; left out", foreign::explain_refusal(error)));
    }
    if aggregator.is_empty() {
        return Err(Failure::input(format!("none of the {} files is a recording that can be read", files.len())));
    }
    let aggregate = aggregator.finish();
    for damaged in &aggregate.damaged {
        exit::warn(format!("{}: {}; the part before it is used", damaged.file, damaged.damage));
    }
    Ok((aggregate, refused.len()))
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
    fn write_flight(&self, figures: &FlightReport) -> Result<(), Failure> {
        if self.by.is_some()
            || !matches!(self.output.format, ReportFormat::Text | ReportFormat::Json | ReportFormat::Html)
        {
            let message = "recordings of Java Flight Recorder are reported as text, json or html, without --by";
            return Err(Failure::usage(message));
        }
        let options = output::text_options(self.target.terminal().as_ref(), self.top.unwrap_or(TOP));
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
        let options = output::text_options(terminal.as_ref(), top);
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
