//! `weighbridge heap release`: what would be freed if threads ended.

use std::borrow::Cow;
use weighbridge_ending::Failure;

use weighbridge_heapdump::Work;
use weighbridge_reporter::heap::release::{ReleaseReport, ReleaseRequest, ThreadName};

use super::input::Input;
use crate::exit::Outcome;
use crate::output_options::HeapOutputOptions;

/// Show what would be freed if threads ended, each shared byte once.
///
/// Without --threads: for each thread, and for the few threads whose end together frees most (a greedy choice).
/// Threads are named as in the dump, or by number: main, '#12'.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// A set of threads that end; repeatable.
    #[arg(long, value_name = "A,B")]
    threads: Vec<String>,
    /// Threads in the largest set that is chosen.
    #[arg(long, value_name = "K", default_value_t = 5)]
    best: usize,
    /// Tell what these threads add to those that run.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    start: Vec<String>,
    /// The threads that run by then; all others of the dump if not given.
    #[arg(long, value_name = "A,B", value_delimiter = ',', requires = "start")]
    running: Vec<String>,
    /// Rows per table of text and HTML, 0 for all. JSON always has all.
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    #[command(flatten)]
    options: HeapOutputOptions,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let sets: Vec<Vec<ThreadName>> =
        args.threads.iter().map(|set| set.split(',').map(parse_thread_name).collect()).collect();
    let start: Vec<ThreadName> = args.start.iter().map(|name| parse_thread_name(name)).collect();
    let running: Vec<ThreadName> = args.running.iter().map(|name| parse_thread_name(name)).collect();
    let wanted = ReleaseRequest { sets: &sets, best: args.best, start: &start, running: &running };
    args.input.each(&args.options, |dump, report| {
        let (heap, graph, facts) = dump.open_for(Work::DominatorsAndGraph)?;
        let figures = ReleaseReport::from_graph(&heap, &graph, facts, &wanted)?.map_err(|unknown| {
            Failure::usage(format!("{}: no thread is called `{}`", dump.name(), unknown.0.escape_debug()))
        })?;
        let sheet = figures.sheet();
        report.write(
            args.top,
            &figures,
            || Cow::Borrowed(&sheet),
            |options, out| sheet.text(options, out),
            |options, out| figures.html(options, out),
        )
    })
}

/// `#12` is a number, anything else a name.
fn parse_thread_name(text: &str) -> ThreadName {
    match text.strip_prefix('#').and_then(|number| number.parse().ok()) {
        Some(serial) => ThreadName::Serial(serial),
        None => ThreadName::Name(text.to_owned()),
    }
}
