//! `weighbridge heap suspects`: says what stands out in a heap.

use weighbridge_heapdump::suspects::Thresholds;
use weighbridge_heapdump::{HeapOptions, Work};
use weighbridge_reporter::heap::suspects::SuspectReport;

use super::input::Input;
use crate::exit::Outcome;
use crate::output_options::HeapOutputOptions;

/// Say what stands out: where memory accumulates and who holds it, groups of objects, thread locals, equal strings and
/// arrays, unused collections, applications that were loaded several times, objects that wait for finalizers.
///
/// Each suspect has its share of the heap, how that was computed, the shortest path from a root, and the next command.
/// A dump is of one moment: what is large need not grow; `heap diff` compares two. docs/heap-suspects.md has the rules.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// Percent of the reachable bytes that a suspect holds at least; half of it for what wastes.
    #[arg(long, value_name = "PERCENT", default_value_t = Thresholds::default().share_percent as u32, value_parser = clap::value_parser!(u32).range(1..=100))]
    share: u32,
    /// Bytes that a suspect has at least.
    #[arg(long, value_name = "BYTES", default_value_t = Thresholds::default().least_bytes)]
    least: u64,
    #[command(flatten)]
    options: HeapOutputOptions,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let share_percent = u64::from(args.share);
    let thresholds = Thresholds { share_percent, waste_percent: share_percent.div_ceil(2), least_bytes: args.least };
    args.input.each(&args.options, |dump, report| {
        let (heap, graph, facts) = dump.open_for(Work::Suspects)?;
        let figures = SuspectReport::from_graph(&heap, &graph, facts, HeapOptions::default().threads, thresholds)?;
        report.write_sheet(0, &figures.sheet(), &figures)
    })
}
