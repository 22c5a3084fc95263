//! `weighbridge replay`: exact lives of objects from a trace of every event.

mod counter;

use std::path::PathBuf;

use clap::ValueEnum;
use weighbridge_check::foreign;
use weighbridge_config::Pattern;
use weighbridge_ending::{Failure, messages, write_text};
use weighbridge_reporter::replay::{Error, Recording, ReplayReport, Settings};

use crate::bounds::RecordingBounds;
use crate::exit::{DONE, Outcome};
use crate::input::InputPathParser;
use crate::output_target::{self, OutputTarget};
use counter::Counter;

/// Show exactly when each object died, from a trace of every event.
///
/// Live bytes after every event, the peak, life spans, drag, objects that a method could have kept on its stack, and what each
/// mode of mark-and-count would have found. With a recording of the same run: how exact its figures were (docs/replay.md).
///
/// A trace that was cut short is used up to there, with a warning.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The trace (*.wbe).
    #[arg(value_name = "TRACE", value_parser = InputPathParser)]
    trace: PathBuf,
    /// Show what lives at each entry of this method (com.acme.Main.mark); may be repeated.
    #[arg(long, value_name = "METHOD")]
    at: Vec<String>,
    /// Compare a recording of the same run (*.wbr) with the truth.
    #[arg(long, value_name = "FILE", value_parser = InputPathParser)]
    recording: Option<PathBuf>,
    /// A tolerance of modes 3 and 4; may be repeated [default: 1/64, 1/16 and 1/4 of the peak].
    #[arg(long = "tolerance", value_name = "BYTES")]
    tolerances: Vec<u64>,
    /// Show the rows of these classes only: a name, or a pattern as in configurations (com.acme.**).
    #[arg(long, value_name = "PATTERN")]
    class: Option<String>,
    /// Take at most so much memory for objects; lives then go to temporary files. Refused if what lives at once needs more.
    #[arg(long, value_name = "BYTES")]
    memory: Option<u64>,
    /// What to write.
    #[arg(short = 'o', long = "output", value_name = "FORMAT", value_enum, default_value_t = ReplayFormat::Text)]
    format: ReplayFormat,
    #[command(flatten)]
    target: OutputTarget,
    /// Rows per table of text and html, 0 for all.
    #[arg(long, value_name = "N", default_value_t = 30)]
    top: usize,
    #[command(flatten)]
    bounds: RecordingBounds,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReplayFormat {
    /// Tables.
    Text,
    /// All figures, for programs.
    Json,
    /// One page with the curve of live bytes.
    Html,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let inputs: Vec<PathBuf> = std::iter::once(&args.trace).chain(&args.recording).cloned().collect();
    args.target.check(&inputs)?;
    let classes = args.class.as_deref().map(ReplayClassPattern::parse).transpose()?;
    let limits = args.bounds.limits();
    let settings = Settings {
        trace: args.trace,
        memory: args.memory,
        at: args.at,
        tolerances: args.tolerances,
        recording: args.recording.map(|file| Recording { file, limits }),
        ..Settings::default()
    };
    let counter = Counter::new();
    let figures = ReplayReport::read(&settings, &mut |events| counter.show_count(events));
    drop(counter);
    let mut figures = figures.map_err(to_failure)?;
    if let Some(reason) = figures.incomplete() {
        messages::warn(format!("{}: {reason}; the part before it is used", settings.trace.display()));
    }
    if let (Some(damage), Some(recording)) = (figures.damaged_recording(), &settings.recording) {
        messages::warn(format!("{}: {damage}; the part before it is used", recording.file.display()));
    }
    if let Some(classes) = classes {
        figures.only(|class| classes.matches(class));
    }
    let options = output_target::text_options(args.target.terminal().as_ref(), args.top);
    args.target.write_coloured(args.format == ReplayFormat::Text, |mut out| match args.format {
        ReplayFormat::Text => write_text(out, options.colour, |mut out| figures.text(&options, &mut out)),
        ReplayFormat::Json => figures.json(&mut out),
        ReplayFormat::Html => figures.html(&options, &mut out),
    })?;
    Ok(DONE)
}

fn to_failure(error: Error) -> Failure {
    match error {
        Error::Recording(error) => Failure::input(foreign::explain_refusal(&error)),
        error => Failure::input(error),
    }
}

/// A name or pattern of classes; one that ends in `[]` is of arrays.
struct ReplayClassPattern {
    element: Pattern,
    dimensions: String,
}

impl ReplayClassPattern {
    fn parse(text: &str) -> Result<Self, Failure> {
        let (element, dimensions) = text.split_at(text.trim_end_matches("[]").len());
        Ok(ReplayClassPattern {
            element: Pattern::parse(element).map_err(Failure::usage)?,
            dimensions: dimensions.to_owned(),
        })
    }

    fn matches(&self, name: &str) -> bool {
        let element = name.strip_suffix(self.dimensions.as_str());
        element.is_some_and(|name| !name.ends_with("[]") && self.element.matches_class(name))
    }
}
