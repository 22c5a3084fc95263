//! What the threads of a running JVM hold.

use weighbridge_config::{Pattern, PatternSet};
use weighbridge_ending::Failure;
use weighbridge_ending::signals::BeforeTheEnd;
use weighbridge_heapdump::{Dump, Heap, HeapOptions};
use weighbridge_jvms::AttachTarget;
use weighbridge_reporter::heap::Facts;
use weighbridge_reporter::heap::threads::{ThreadReport, ThreadRequest};

use super::taken::{DumpRequest, take};

/// Classes whose methods are system code by default.
const SYSTEM: [&str; 6] = ["java.**", "javax.**", "jdk.**", "sun.**", "com.sun.**", "io.weighbridge.**"];

/// Entries whose objects and classes the live view shows.
const DRILLED_LIVE: usize = 500;

/// Classes whose methods are system code: those that are asked for, or else the JDK's.
pub fn system(asked: &[String]) -> Result<PatternSet, Failure> {
    let patterns = match asked {
        [] => SYSTEM.map(str::to_owned).to_vec(),
        asked => asked.to_vec(),
    };
    let patterns = patterns.iter().map(|pattern| Pattern::parse(pattern)).collect::<Result<Vec<_>, _>>();
    Ok(PatternSet::new(patterns.map_err(Failure::usage)?))
}

/// What the threads of a process hold, for the live view: with the default flags, and nothing on standard error.
pub fn of_process(pid: u32, before_the_end: &BeforeTheEnd) -> Result<ThreadReport, Failure> {
    let system = system(&[])?;
    let wanted = DumpRequest { live: false, keep: None, force: false, warn: |_| () };
    let taken = take(&AttachTarget::find(pid)?, &wanted, before_the_end)?;
    let options = HeapOptions::default();
    let (heap, graph) = Heap::read(Dump::of_file(&taken.name, taken.file)?, &options)?;
    let facts = Facts { process: Some(taken.process), ..Facts::from_heap(&heap, &graph, options.modes) };
    let fixed = |class: &str| system.matches_class(class);
    Ok(ThreadReport::from_graph(&heap, &graph, facts, &ThreadRequest { fixed: &fixed, drill: DRILLED_LIVE })?)
}
