//! `weighbridge heap histogram`: classes by the bytes of their objects.

use weighbridge_heapdump::Work;
use weighbridge_reporter::heap::histogram::HistogramReport;

use super::input::Input;
use crate::exit::Outcome;
use crate::output_options::HeapOutputOptions;

/// Count objects and bytes by class and class loader.
///
/// Reachable objects only, which takes the graph of all references; --unreachable adds a table of the others. Dumps of
/// live objects hold some of them too. --all counts both together in one pass, in a fraction of the time and in memory
/// that does not grow with the dump.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// Tell the classes of unreachable objects too.
    #[arg(long)]
    unreachable: bool,
    /// Count all objects, reachable or not: --soft and --references have no meaning then.
    #[arg(long, conflicts_with_all = ["unreachable", "soft", "references"])]
    all: bool,
    /// Rows per table of text and HTML, 0 for all. JSON always has all.
    #[arg(long, value_name = "N", default_value_t = 30)]
    top: usize,
    #[command(flatten)]
    options: HeapOutputOptions,
}

pub(crate) fn execute(args: Args) -> Outcome {
    args.input.each(&args.options, |dump, report| {
        let figures = match args.all {
            true => {
                let (census, facts) = dump.census()?;
                HistogramReport::of_census(&census, facts)
            }
            false => {
                let (heap, graph, facts) = dump.open_for(Work::Graph)?;
                HistogramReport::from_graph(&heap, &graph, facts, args.unreachable)
            }
        };
        report.write_sheet(args.top, &figures.sheet(), &figures)
    })
}
