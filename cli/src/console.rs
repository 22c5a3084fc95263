//! `weighbridge console`: the live view as a local web page (docs/console.md).

use std::path::PathBuf;
use std::time::Duration;

use weighbridge_serve::console::{self, ConsoleOptions};

use crate::bounds::RecordingBounds;
use crate::exit::{DONE, Outcome};
use crate::input::InputPathParser;
use crate::interval;

/// Show running programs on a local web page, live: what `watch` shows with the charts of the report.
///
/// The page lists the JVMs that run here. It can attach to them, take snapshots and heap dumps, and trace them. Only this
/// machine can open it, and only with the token in the printed address (docs/console.md). Ctrl-C ends it, and with it whatever
/// the page attached to: each JVM is then as it was.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Processes that are measured, recordings (that still grow, or not), or directories of them (*.wbr; new ones are found).
    #[arg(value_name = "PID|DIR|RECORDING")]
    targets: Vec<String>,
    /// The port, a free one unless given. The server listens at 127.0.0.1 and, if there is one, at [::1].
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Open the page in the browser.
    #[arg(long)]
    open: bool,
    /// Seconds between two looks at the recordings.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = interval::seconds)]
    interval: Duration,
    /// Which classes and components the page may measure, and how (docs/configuration.md). Without it, the classes whose names
    /// match the patterns that somebody enters.
    #[arg(long, value_name = "FILE", value_parser = InputPathParser)]
    config: Option<PathBuf>,
    #[command(flatten)]
    bounds: RecordingBounds,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let Args { targets, port, open, interval, config, bounds } = args;
    console::serve(ConsoleOptions { targets, port, open, interval, config, limits: bounds.limits() })?;
    Ok(DONE)
}
