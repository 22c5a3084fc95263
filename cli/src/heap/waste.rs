//! `weighbridge heap waste`: finds memory that the program could save.

use weighbridge_heapdump::{HeapOptions, Work};
use weighbridge_reporter::heap::waste::WasteReport;

use super::input::Input;
use crate::exit::Outcome;
use crate::output_options::HeapOutputOptions;

/// Find equal strings and arrays, collections with little in them, equal boxed values, arrays longer than their
/// content, and keys whose hash codes collide.
///
/// Contents are compared by a hash of 96 bits. Of reachable objects only.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// Rows per table, and groups of equal content and chains of keys in JSON too.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    top: u32,
    #[command(flatten)]
    options: HeapOutputOptions,
}

pub(crate) fn execute(args: Args) -> Outcome {
    args.input.each(&args.options, |dump, report| {
        let (heap, graph, facts) = dump.open_for(Work::Waste)?;
        let top = args.top as usize;
        let figures = WasteReport::from_graph(&heap, &graph, facts, HeapOptions::default().threads, top)?;
        report.write_sheet(top, &figures.sheet(), &figures)
    })
}
