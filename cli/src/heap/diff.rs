//! `weighbridge heap diff`: compares two dumps.

use std::path::{Path, PathBuf};

use weighbridge_heapdump::Work;
use weighbridge_heapdump::components::has_nodes;
use weighbridge_reporter::heap::diff::{Figures, Side};

use super::components;
use super::input::{Input, Soft};
use super::output_options::HeapOutputOptions;
use crate::exit::{DONE, Failure, Outcome};

/// Compare two dumps, of one virtual machine or of two: by class, by what the roots hold, and by component.
///
/// Objects are matched by the names of their classes, never by address. Names that a virtual machine makes up (lambdas,
/// proxies, hidden classes, numbered threads) lose their numbers, so that they match in the next one.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// The dump to compare it with.
    #[arg(value_name = "AFTER")]
    after: PathBuf,
    /// Compare the components of this configuration too, beside those that the programs named.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Rows per table of text and HTML, 0 for all. JSON always has all.
    #[arg(long, value_name = "N", default_value_t = 30)]
    top: usize,
    #[command(flatten)]
    options: HeapOutputOptions,
}

pub(crate) fn execute(args: Args) -> Outcome {
    args.options.check(&args.input.dump)?;
    args.options.check(&args.after)?;
    let definitions = args.config.as_deref().map(components::definitions).transpose()?.unwrap_or_default();
    let work = if definitions.is_empty() { Work::Dominators } else { Work::Components };
    // Only one dump at a time is in memory.
    let side = |dump: &Path| -> Result<Side, Failure> {
        let (mut heap, mut graph, mut facts) = args.input.open_file(dump, work, Soft::Strong)?;
        if work != Work::Components && args.input.is_limited() && has_nodes(&heap) {
            // Only now is it known that the program named components: they may need more memory than is allowed.
            drop((heap, graph));
            (heap, graph, facts) = args.input.open_file(dump, Work::Components, Soft::Strong)?;
        }
        Ok(Side::of(&heap, graph, facts, &definitions)?)
    };
    let figures = Figures::of(side(&args.input.dump)?, side(&args.after)?);
    args.options.write_sheet(args.top, &figures.sheet(), &figures)?;
    Ok(DONE)
}
