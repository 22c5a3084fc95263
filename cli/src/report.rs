//! `weighbridge report`: one report of recordings.

use std::path::PathBuf;

use weighbridge_check::aggregate;
use weighbridge_ending::input;

use crate::bounds::RecordingBounds;
use crate::exit::{DONE, INPUT, Outcome};
use crate::flight;
use crate::input::InputPathParser;
use crate::progress::Bar;
use crate::report_options::{ReportOptions, Stream};

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

pub(crate) fn execute(mut args: Args) -> Outcome {
    let files = input::recordings(&args.recordings)?;
    args.options.check(&files)?;
    if files.iter().any(|file| flight::is_recording(file)) {
        args.options.write_flight(&flight::figures(&files)?)?;
        return Ok(DONE);
    }
    let (aggregate, refused) = aggregate(&files, args.bounds.limits(), Bar::new)?;
    args.options.write(&aggregate, Stream::Stdout)?;
    let incomplete = refused > 0 || files.len() > 1 && !aggregate.damaged.is_empty();
    Ok(if incomplete { INPUT } else { DONE })
}
