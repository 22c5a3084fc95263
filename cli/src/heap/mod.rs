//! `weighbridge heap`: reports on heap dumps. One file per verb.

mod as_recorded;
mod components;
mod definitions;
mod diff;
mod dominators;
mod frameworks;
pub(crate) mod held;
mod histogram;
mod input;
mod object;
pub(crate) mod output_options;
mod path;
mod reading;
mod release;
mod source;
mod taken;
mod target;
pub(crate) mod threads;
mod waste;

use clap::Subcommand;

use crate::exit::Outcome;

/// Ask a heap dump (HPROF) or a running JVM: what holds the memory, and what would be freed with what.
///
/// A process id in place of the file takes a dump of that JVM, reads it and deletes it; the report tells how long the
/// program was stopped (Linux and HotSpot; docs/heap.md).
/// Dumps of `jcmd PID GC.heap_dump`, compressed (`-gz`) or not, from JDK 11 on. A compressed one is first inflated to
/// a temporary file beside it. A dump that is cut is used up to there, with a warning.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Histogram(histogram::Args),
    Dominators(dominators::Args),
    Threads(threads::Args),
    Release(release::Args),
    Components(components::Args),
    Path(path::Args),
    Object(object::Args),
    Waste(waste::Args),
    Diff(diff::Args),
}

pub(crate) fn execute(args: Args) -> Outcome {
    match args.verb {
        Verb::Histogram(args) => histogram::execute(args),
        Verb::Dominators(args) => dominators::execute(args),
        Verb::Threads(args) => threads::execute(args),
        Verb::Release(args) => release::execute(args),
        Verb::Components(args) => components::execute(args),
        Verb::Path(args) => path::execute(args),
        Verb::Object(args) => object::execute(args),
        Verb::Waste(args) => waste::execute(args),
        Verb::Diff(args) => diff::execute(args),
    }
}
