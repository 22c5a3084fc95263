//! `weighbridge heap diff`: compares two dumps.

use std::path::{Path, PathBuf};

use weighbridge_config::Config;
use weighbridge_ending::Failure;
use weighbridge_ending::signals::BeforeTheEnd;
use weighbridge_heapdump::Work;
use weighbridge_heapdump::components::has_nodes;
use weighbridge_reporter::heap::diff::{HeapDiffReport, Side};

use super::definitions;
use super::input::Taking;
use super::reading::Reading;
use crate::exit::{DONE, Outcome};
use crate::input::InputPathParser;
use crate::output_options::{HeapOutputOptions, ReportWriter};

/// Compare two dumps, of one virtual machine or of two: by class, by what the roots hold, and by component.
///
/// Objects are matched by the names of their classes, never by address. Names that a virtual machine makes up (lambdas,
/// proxies, hidden classes, numbered threads) lose their numbers, so that they match in the next one.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The heap dump, or the process id of a running JVM.
    #[arg(value_name = "DUMP|PID", value_parser = InputPathParser)]
    before: PathBuf,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    taking: Taking,
    /// The dump to compare it with, or a process id.
    #[arg(value_name = "AFTER", value_parser = InputPathParser)]
    after: PathBuf,
    /// Compare the components of this configuration too, beside those that the programs named.
    #[arg(long, value_name = "FILE", value_parser = InputPathParser)]
    config: Option<PathBuf>,
    /// Rows per table of text and HTML, 0 for all. JSON always has all.
    #[arg(long, value_name = "N", default_value_t = 30)]
    top: usize,
    #[command(flatten)]
    options: HeapOutputOptions,
}

pub(crate) fn execute(args: Args) -> Outcome {
    args.taking.check([&args.before, &args.after], args.options.force())?;
    args.options.check(&args.before)?;
    args.options.check(&args.after)?;
    let config = args.config.as_deref().map(Config::read).transpose()?;
    let (rules, _) = definitions::rules(args.config.as_deref(), config.as_ref(), false)?;
    let work = if rules.is_empty() { Work::Dominators } else { Work::Components };
    let before_the_end = BeforeTheEnd::at_signals(None)?;
    // Only one dump at a time is in memory.
    let side = |dump: &Path| -> Result<Side, Failure> {
        let dump = args.taking.open(dump, &args.reading, args.options.force(), &before_the_end)?;
        let (mut heap, mut graph, mut facts) = dump.open_for(work)?;
        if work != Work::Components && args.reading.is_limited() && has_nodes(&heap) {
            // Only now is it known that the program named components: they may need more memory than is allowed.
            drop((heap, graph));
            (heap, graph, facts) = dump.open_for(Work::Components)?;
        }
        Ok(Side::from_graph(&heap, graph, facts, &rules)?)
    };
    let figures = HeapDiffReport::from_sides(side(&args.before)?, side(&args.after)?);
    ReportWriter::new(&args.options).write_sheet(args.top, &figures.sheet(), &figures)?;
    Ok(DONE)
}
