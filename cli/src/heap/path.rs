//! `weighbridge heap path`: shows why objects are alive.

use weighbridge_heapdump::{FollowSoft, Work};
use weighbridge_live::dumps::target;
use weighbridge_reporter::heap::path::PathReport;

use super::input::Input;
use crate::exit::Outcome;
use crate::output_options::HeapOutputOptions;

/// Show the shortest paths from the roots to an object, or to all objects of a class, merged by class.
///
/// Weak, phantom and final references are on no path; soft ones are with --soft strong.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// A dotted class name or pattern (com.acme.Cache, com.acme.**, byte[]), or an address (0x7f00).
    #[arg(value_name = "CLASS|0xADDRESS")]
    target: String,
    /// Ways that are shown, those with most objects first; 0 for all.
    #[arg(long, value_name = "N", default_value_t = 10)]
    most: usize,
    #[command(flatten)]
    options: HeapOutputOptions,
}

pub(crate) fn execute(args: Args) -> Outcome {
    args.input.each(&args.options, |dump, report| {
        let (heap, graph, facts) = dump.open_with(Work::Paths, FollowSoft::Weak)?;
        let objects = target::objects(&heap, &args.target)?;
        // Ways that are not shown would count as vanished.
        let most = if args.most == 0 || report.is_watched() { usize::MAX } else { args.most };
        let figures = PathReport::from_graph(&heap, &graph, facts, &args.target, &objects, most)?;
        report.write_sheet(0, &figures.sheet(), &figures)
    })
}
