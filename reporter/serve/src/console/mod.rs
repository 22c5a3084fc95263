//! The live view as a local web page (docs/console.md).

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

use weighbridge_ending::Failure;
use weighbridge_recording::ReadLimits;

use dumps::Dumps;
use holds::Console;
use processes::{Measured, Processes};
use sources::Sources;

/// What the page shows, and where it is.
pub struct ConsoleOptions {
    /// Processes, recordings, and directories of them.
    pub targets: Vec<String>,
    /// The port, 0 for a free one.
    pub port: u16,
    /// Whether the page is opened in the browser.
    pub open: bool,
    /// Between two looks at the recordings.
    pub interval: Duration,
    /// The configuration by which the page may measure.
    pub config: Option<PathBuf>,
    /// How much a recording may inflate to.
    pub limits: ReadLimits,
}

/// Serves the page until a signal ends it. Whatever was attached to is then as it was.
pub fn serve(options: ConsoleOptions) -> Result<(), Failure> {
    let read = |file: PathBuf| Measured::by_file(&file).map(|measured| (file, measured));
    let config = options.config.map(read).transpose()?;
    let sources = Sources::find(&options.targets, options.limits)?;
    let console = Arc::new(Console { config, sources, processes: Processes::default(), dumps: Dumps::default() });
    let reading = Arc::clone(&console);
    std::thread::spawn(move || reading.sources.read_for_ever(options.interval));
    let mut opened = None;
    let served = server::run(&console, options.port, |address| {
        if options.open {
            opened = open::in_browser(address);
        }
    });
    // Also if the server failed: what was attached goes.
    let left = console.end();
    drop(opened);
    served?;
    left
}
