//! `weighbridge heap threads`: what threads and their frames hold.

use weighbridge_config::{Pattern, PatternSet};
use weighbridge_heapdump::{Dump, Heap, HeapOptions, Work};
use weighbridge_jvms::AttachTarget;
use weighbridge_reporter::heap::Facts;
use weighbridge_reporter::heap::threads::{ThreadReport, ThreadRequest};

use super::input::Input;
use super::output_options::{HeapFormat, HeapOutputOptions};
use crate::exit::{Failure, Outcome};
use crate::signals::BeforeTheEnd;

/// Classes whose methods are system code by default.
const SYSTEM: [&str; 6] = ["java.**", "javax.**", "jdk.**", "sun.**", "com.sun.**", "io.weighbridge.**"];

/// Entries whose objects and classes a page shows.
const DRILLED: usize = 50;

/// The same for the live view.
const DRILLED_LIVE: usize = 500;

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

/// Classes whose methods are system code: those that are asked for, or else the JDK's.
fn system(asked: &[String]) -> Result<PatternSet, Failure> {
    let patterns = match asked {
        [] => SYSTEM.map(str::to_owned).to_vec(),
        asked => asked.to_vec(),
    };
    let patterns = patterns.iter().map(|pattern| Pattern::parse(pattern)).collect::<Result<Vec<_>, _>>();
    Ok(PatternSet::new(patterns.map_err(Failure::usage)?))
}

/// What the threads of a process hold, for the live view: with the default flags, and nothing on standard error.
pub(crate) fn of_process(pid: u32, before_the_end: &BeforeTheEnd) -> Result<ThreadReport, Failure> {
    let system = system(&[])?;
    let wanted = super::taken::DumpRequest { live: false, keep: None, force: false, warn: |_| () };
    let taken = super::taken::take(&AttachTarget::find(pid)?, &wanted, before_the_end)?;
    let options = HeapOptions::default();
    let (heap, graph) = Heap::read(Dump::of_file(&taken.name, taken.file)?, &options)?;
    let facts = Facts { process: Some(taken.process), ..Facts::from_heap(&heap, &graph, options.modes) };
    let fixed = |class: &str| system.matches_class(class);
    Ok(ThreadReport::from_graph(&heap, &graph, facts, &ThreadRequest { fixed: &fixed, drill: DRILLED_LIVE })?)
}

pub(crate) fn execute(args: Args) -> Outcome {
    let system = system(&args.system)?;
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
            |options, out| figures.text(options, out),
            |options, out| figures.html(options, out),
        )
    })
}
