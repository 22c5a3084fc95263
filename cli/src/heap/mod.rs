//! `weighbridge heap`: reports on heap dumps. One file per verb.

mod answer;
mod as_recorded;
mod components;
mod definitions;
mod diff;
mod dominators;
mod frameworks;
mod group;
mod histogram;
mod input;
mod list;
mod matching;
mod measured;
mod object;
mod path;
mod reading;
mod redact;
mod release;
mod sql;
mod suspects;
mod threads;
mod waste;

use clap::Subcommand;

use crate::exit::Outcome;

/// Ask a heap dump (HPROF) or a running JVM: what holds the memory, and what would be freed with what.
///
/// A process id instead of the file takes a dump of that JVM, reads it and deletes it; the report tells how long the
/// program was stopped (Linux and HotSpot; docs/heap.md).
/// Dumps of `jcmd PID GC.heap_dump`, compressed (`-gz`) or not, from JDK 11 on. A compressed one is first inflated to
/// a temporary file beside it. A dump that is cut is used up to there, with a warning.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: HeapVerb,
}

#[derive(Subcommand)]
enum HeapVerb {
    Suspects(suspects::Args),
    Histogram(histogram::Args),
    Dominators(dominators::Args),
    Threads(threads::Args),
    Release(release::Args),
    Components(components::Args),
    Path(path::Args),
    Object(object::Args),
    Waste(waste::Args),
    Diff(diff::Args),
    List(list::Args),
    Group(group::Args),
    Sql(sql::Args),
    Redact(redact::Args),
    #[command(hide = true)]
    Measured(measured::Args),
}

pub(crate) fn execute(args: Args) -> Outcome {
    match args.verb {
        HeapVerb::Suspects(args) => suspects::execute(args),
        HeapVerb::Histogram(args) => histogram::execute(args),
        HeapVerb::Dominators(args) => dominators::execute(args),
        HeapVerb::Threads(args) => threads::execute(args),
        HeapVerb::Release(args) => release::execute(args),
        HeapVerb::Components(args) => components::execute(args),
        HeapVerb::Path(args) => path::execute(args),
        HeapVerb::Object(args) => object::execute(args),
        HeapVerb::Waste(args) => waste::execute(args),
        HeapVerb::Diff(args) => diff::execute(args),
        HeapVerb::List(args) => list::execute(args),
        HeapVerb::Group(args) => group::execute(args),
        HeapVerb::Sql(args) => sql::execute(args),
        HeapVerb::Redact(args) => redact::execute(args),
        HeapVerb::Measured(args) => measured::execute(args),
    }
}
