//! `weighbridge heap threads`: what threads and their frames hold.

use std::borrow::Cow;

use weighbridge_heapdump::Work;
use weighbridge_live::dumps::threads;
use weighbridge_reporter::heap::threads::{ThreadReport, ThreadRequest};

use super::input::Input;
use crate::exit::Outcome;
use crate::output_options::{HeapFormat, HeapOutputOptions};

/// Entries whose objects and classes a page shows.
const DRILLED: usize = 50;

/// Show what each thread and each of its frames holds alone, and what they hold together.
///
/// What is not held by threads alone - by static fields, class loaders, native code too - is no thread's.
/// Objects that several frames of one thread hold are frame-shared, #F1 and so on; those that several threads hold are
/// thread-shared, #T1 and so on.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// Classes whose methods count as system code (fixed frames); repeatable, replaces the JDK's.
    #[arg(long, value_name = "PATTERN")]
    system: Vec<String>,
    /// Rows per table of text and HTML, 0 for all. JSON always has all.
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    #[command(flatten)]
    options: HeapOutputOptions,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let system = threads::system(&args.system)?;
    args.input.each(&args.options, |dump, report| {
        let (heap, graph, facts) = dump.open_for(Work::DominatorsAndGraph)?;
        let wanted = ThreadRequest {
            fixed: &|class| system.matches_class(class),
            drill: if report.format() == HeapFormat::Html { DRILLED } else { 0 },
        };
        let figures = ThreadReport::from_graph(&heap, &graph, facts, &wanted)?;
        report.write(
            args.top,
            &figures,
            || Cow::Owned(figures.sheet()),
            |options, out| figures.text(options, out),
            |options, out| figures.html(options, out),
        )
    })
}
