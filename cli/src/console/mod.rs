//! `weighbridge console`: the live view as a local web page (docs/console.md).

mod answer;
mod dumps;
mod events;
mod guard;
mod holds;
mod open;
mod pace;
mod processes;
mod question;
mod recording;
mod routes;
mod server;
mod sources;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::bounds::RecordingBounds;
use crate::exit::{DONE, Outcome};
use crate::input::InputPathParser;
use crate::watch;
use dumps::Dumps;
use holds::Console;
use processes::{Measured, Processes};
use sources::Sources;

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
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = watch::seconds)]
    interval: Duration,
    /// Which classes and components the page may measure, and how (docs/configuration.md). Without it, the classes whose names
    /// match the patterns that somebody enters.
    #[arg(long, value_name = "FILE", value_parser = InputPathParser)]
    config: Option<PathBuf>,
    #[command(flatten)]
    bounds: RecordingBounds,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let read = |file: PathBuf| Measured::by_file(&file).map(|measured| (file, measured));
    let config = args.config.map(read).transpose()?;
    let sources = Sources::find(&args.targets, args.bounds.limits())?;
    let console = Arc::new(Console { config, sources, processes: Processes::default(), dumps: Dumps::default() });
    let reading = Arc::clone(&console);
    std::thread::spawn(move || reading.sources.read_for_ever(args.interval));
    let mut opened = None;
    let served = server::run(&console, args.port, |address| {
        if args.open {
            opened = open::in_browser(address);
        }
    });
    // Also if the server failed: what was attached goes.
    let left = console.end();
    drop(opened);
    served?;
    left.map(|()| DONE)
}
