//! `weighbridge heap threads`: what threads and their frames hold.

use weighbridge_config::{Pattern, PatternSet};
use weighbridge_heapdump::Work;
use weighbridge_reporter::heap::threads::{Figures, Wanted};

use super::input::Input;
use super::output_options::{Format, HeapOutputOptions};
use crate::exit::{DONE, Failure, Outcome};

/// Classes whose methods are system code by default.
const SYSTEM: [&str; 6] = ["java.**", "javax.**", "jdk.**", "sun.**", "com.sun.**", "io.weighbridge.**"];

/// Entries whose objects and classes a page shows.
const DRILLED: usize = 50;

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

pub(crate) fn execute(args: Args) -> Outcome {
    args.options.check(&args.input.dump)?;
    let patterns = match args.system.as_slice() {
        [] => SYSTEM.map(str::to_owned).to_vec(),
        asked => asked.to_vec(),
    };
    let patterns = patterns.iter().map(|pattern| Pattern::parse(pattern)).collect::<Result<Vec<_>, _>>();
    let system = PatternSet::new(patterns.map_err(Failure::usage)?);
    let (heap, graph, facts) = args.input.open_for(Work::DominatorsAndGraph)?;
    let wanted = Wanted {
        fixed: &|class| system.matches(class.replace('.', "/").as_bytes()),
        drill: if args.options.format() == Format::Html { DRILLED } else { 0 },
    };
    let figures = Figures::of(&heap, &graph, facts, &wanted)?;
    args.options.write(
        args.top,
        &figures,
        |options, out| figures.text(options, out),
        |options, out| figures.html(options, out),
    )?;
    Ok(DONE)
}
