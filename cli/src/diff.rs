//! `weighbridge diff`: compares two recordings or reports.

use std::io;
use std::path::PathBuf;

use clap::ValueEnum;
use weighbridge_check::compared;
use weighbridge_ending::write_text;
use weighbridge_reporter::diff::Difference;

use crate::bounds::RecordingBounds;
use crate::exit::{DONE, INPUT, Outcome};
use crate::input::InputPathParser;
use crate::output_target::{self, CsvOptions, OutputTarget};
use crate::progress::Bar;

/// Show what grew, shrank, appeared and vanished between two recordings or reports, by class and by component.
///
/// A side that is a directory means the recordings in it, which add up. Sampled live counts that differ by less than
/// two standard errors are said to be within the error.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A recording, a directory of recordings or a JSON report.
    #[arg(value_parser = InputPathParser)]
    before: PathBuf,
    /// The one to compare with it.
    #[arg(value_parser = InputPathParser)]
    after: PathBuf,
    /// What to write.
    #[arg(short = 'o', long = "output", value_name = "FORMAT", value_enum, default_value_t = DiffFormat::Text)]
    format: DiffFormat,
    #[command(flatten)]
    target: OutputTarget,
    /// Rows per table of text, 0 for all. Other formats always have all.
    #[arg(long, value_name = "N", default_value_t = 30)]
    top: usize,
    /// What csv has one row for.
    #[arg(long, value_name = "DIMENSION", value_enum, default_value_t = Dimension::Class)]
    by: Dimension,
    #[command(flatten)]
    cells: CsvOptions,
    #[command(flatten)]
    bounds: RecordingBounds,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    /// Tables for people.
    Text,
    /// For programs (docs/exports.md).
    Json,
    /// One table (--by).
    Csv,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Dimension {
    Class,
    Component,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let sides = [args.before, args.after];
    args.target.check(&sides)?;
    let [before, after] = sides;
    let before = compared::read(&[before], args.bounds.limits(), Bar::new)?;
    let after = compared::read(&[after], args.bounds.limits(), Bar::new)?;
    let difference = Difference::from_reports((&before.name, &before.report), (&after.name, &after.report));
    let terminal = args.target.terminal();
    let options = output_target::text_options(terminal.as_ref(), args.top);
    let write = |mut out: &mut dyn io::Write| match args.format {
        DiffFormat::Text => write_text(out, options.colour, |mut out| difference.text(&options, &mut out)),
        DiffFormat::Json => difference.json(&mut out),
        DiffFormat::Csv => difference.csv(args.by == Dimension::Component, args.cells.cells(), &mut out),
    };
    args.target.write_coloured(args.format == DiffFormat::Text, write)?;
    Ok(if before.incomplete || after.incomplete { INPUT } else { DONE })
}
