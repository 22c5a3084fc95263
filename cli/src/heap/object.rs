//! `weighbridge heap object`: one object and its neighbours.

use weighbridge_live::dumps::target;
use weighbridge_reporter::heap::object::ObjectReport;

use super::input::Input;
use crate::exit::Outcome;
use crate::output_options::HeapOutputOptions;

/// Show an object: its values, what it refers to, and what refers to it.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// Its address, as other reports print it.
    #[arg(value_name = "0xADDRESS")]
    object: String,
    /// Rows per table of text and HTML, 0 for all. JSON always has all.
    #[arg(long, value_name = "N", default_value_t = 30)]
    top: usize,
    #[command(flatten)]
    options: HeapOutputOptions,
}

pub(crate) fn execute(args: Args) -> Outcome {
    args.input.each(&args.options, |dump, report| {
        let (heap, graph, facts) = dump.open()?;
        let object = target::object(&heap, &args.object)?;
        let figures = ObjectReport::from_graph(&heap, graph, facts, object)?;
        report.write_sheet(args.top, &figures.sheet(), &figures)
    })
}
