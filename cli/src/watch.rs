//! `weighbridge watch`: shows a recording in a terminal while its program runs.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use weighbridge_ending::{Failure, output};
use weighbridge_live::recordings::RecordingSource;
use weighbridge_watch::{Model, WatchColumn, WatchTable};

use crate::bounds::RecordingBounds;
use crate::exit::{DONE, Outcome};
use crate::input::InputPathParser;
use crate::{interval, screen};

/// Watch a program while it runs: components, classes, threads and tags, with their latest history.
///
/// Reads the recording that the program writes, and goes on as it grows: the program must write snapshots at an interval
/// (`interval=10s`) or be asked for them. A recording that does not exist yet is waited for. `?` lists the keys.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A recording, the id of a process that writes one, or the address at which an agent listens.
    #[arg(value_name = "RECORDING|PID|HOST:PORT")]
    target: String,
    /// The file with the token for the address.
    #[arg(long, value_name = "FILE", value_parser = InputPathParser)]
    token_file: Option<PathBuf>,
    /// Seconds between two looks at the file.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = interval::seconds)]
    interval: Duration,
    /// The table to begin with.
    #[arg(long, value_enum, default_value_t = StartTable::Component)]
    by: StartTable,
    /// The column to begin with.
    #[arg(long, value_enum, default_value_t = Sort::Bytes)]
    sort: Sort,
    /// Show only rows whose name or component contains this.
    #[arg(long, value_name = "TEXT", default_value = "")]
    filter: String,
    /// Print one frame as text and end.
    #[arg(long)]
    once: bool,
    /// Columns and rows of the frame that --once prints; of the terminal without it.
    #[arg(long, value_name = "COLUMNSxROWS", requires = "once", value_parser = size)]
    size: Option<(u16, u16)>,
    #[command(flatten)]
    bounds: RecordingBounds,
}

#[derive(Clone, Copy, ValueEnum)]
enum StartTable {
    Component,
    Class,
    Thread,
    Tag,
}

#[derive(Clone, Copy, ValueEnum)]
enum Sort {
    Name,
    Bytes,
    Growth,
    Live,
    Allocated,
    /// Constructed in a second.
    Rate,
    Age,
    Oldest,
}

/// The size of a printed frame if there is no terminal.
const SIZE: (u16, u16) = (80, 24);

pub(crate) fn execute(args: Args) -> Outcome {
    if !args.once && !io::stdout().is_terminal() {
        return Err(Failure::usage(
            "standard output is no terminal; `weighbridge report` tells what a recording says, `watch --once` prints one frame",
        ));
    }
    let mut source = RecordingSource::find(&args.target, args.token_file.as_deref(), args.bounds.limits())?;
    let table = [WatchTable::Components, WatchTable::Classes, WatchTable::Threads, WatchTable::Tags][args.by as usize];
    let sort = [
        WatchColumn::Name,
        WatchColumn::Bytes,
        WatchColumn::Growth,
        WatchColumn::Live,
        WatchColumn::Allocated,
        WatchColumn::PerSecond,
        WatchColumn::Age,
        WatchColumn::Oldest,
    ][args.sort as usize];
    let mut model = Model::new(source.title()).with_table(table, sort, &args.filter);
    if args.once {
        source.read_once(&mut model)?;
        let terminal = console::Term::stdout().size_checked().map(|(rows, columns)| (columns, rows));
        let (width, height) = args.size.or(terminal).unwrap_or(SIZE);
        let text = weighbridge_watch::text(&model, screen::now_ms(), width, height);
        output::to_stdout(|out| out.write_all(text.as_bytes()))?;
    } else {
        screen::run(model.of_process(source.process()), &mut source, args.interval)?;
    }
    Ok(DONE)
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let parsed = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    // No terminal is larger.
    let sound =
        parsed.filter(|(width, height): &(u16, u16)| (1..=1_000).contains(width) && (1..=1_000).contains(height));
    sound.ok_or_else(|| "not COLUMNSxROWS, like 80x24, of at most 1000 each".to_owned())
}
