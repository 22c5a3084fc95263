//! `weighbridge heap components`: what the components of a configuration hold.

use std::path::PathBuf;

use weighbridge_config::Config;
use weighbridge_control::{Command, HeapComponent, HeapComponents};
use weighbridge_ending::messages;
use weighbridge_heapdump::Work;
use weighbridge_reporter::heap::components::{Extent, HeapComponentReport, HeapComponentRow};

use super::as_recorded::AsRecorded;
use super::definitions::{nameless, rules};
use super::frameworks;
use super::input::Input;
use crate::exit::Outcome;
use crate::input::InputPathParser;
use crate::output_options::HeapOutputOptions;

/// Show what each component holds, and what keeps it alive.
///
/// Two figures side by side: the bytes under a component when references from others into its objects are left out,
/// and the bytes that would be freed if its objects were gone.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// Which objects belong to which component, beside those that the program named (docs/configuration.md,
    /// [components]).
    #[arg(long, value_name = "FILE", value_parser = InputPathParser)]
    config: Option<PathBuf>,
    /// Use only rules of the configuration, not those of the frameworks in the heap (docs/frameworks.md).
    #[arg(long)]
    no_frameworks: bool,
    /// Count what a recording's own bytes count: what the objects of one component lead to and no other's. What static
    /// fields, threads, class loaders and hubs hold counts as not held (docs/configuration.md, "Hubs").
    #[arg(long)]
    as_recorded: bool,
    /// Of a process that is measured: write the figures into its recording, too. Reports on the recording then have the
    /// components of its last dump, and how they grew.
    #[arg(long, conflicts_with = "as_recorded")]
    record: bool,
    /// Levels of components.
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u8).range(1..))]
    depth: u8,
    /// Classes of each component in text and HTML. JSON always has all.
    #[arg(long, value_name = "N", default_value_t = 3)]
    classes: usize,
    /// Rows of references in text and HTML, 0 for all. JSON always has all.
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    #[command(flatten)]
    options: HeapOutputOptions,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let config = args.config.as_deref().map(Config::read).transpose()?;
    let as_recorded = args.as_recorded.then(|| AsRecorded::from_config(config.as_ref()));
    // A recording's components are those of classes.
    let with_frameworks = !args.no_frameworks && !args.as_recorded;
    let (mut definitions, by_frameworks) = rules(args.config.as_deref(), config.as_ref(), with_frameworks)?;
    let follows = as_recorded.as_ref().map(|recorded| recorded.soft);
    definitions.extend(as_recorded.into_iter().flat_map(|recorded| recorded.borders));
    let own = definitions.len();
    let agent = args.record.then(|| args.input.agent("--record")).transpose()?;
    args.input.each(&args.options, |dump, report| {
        let (heap, graph, mut facts) = dump.open_for(Work::Components)?;
        if by_frameworks {
            definitions.truncate(own);
            facts.frameworks = frameworks::add(&heap, &mut definitions)?;
        }
        let figures = HeapComponentReport::from_graph(&heap, &graph, facts, &definitions, follows)?;
        if figures.components().is_empty() {
            return Err(nameless(dump));
        }
        for path in figures.paths_to_nothing() {
            messages::warn(format!("the path {path} of the configuration leads to no object"));
        }
        if let Some(agent) = &agent {
            agent.request_reply(&Command::HeapComponents(line(&figures)))?;
        }
        let sheet = figures.sheet(Extent { depth: args.depth.into(), classes: args.classes });
        report.write_sheet(args.top, &sheet, &figures)
    })
}

/// What the recording gets.
fn line(figures: &HeapComponentReport) -> HeapComponents {
    let dump = figures.dump();
    let row = |row: &HeapComponentRow| HeapComponent {
        component: row.component.clone(),
        depth: row.depth as u64,
        instances: row.instances,
        semantic_bytes: row.semantic_bytes,
        true_bytes: row.true_bytes,
    };
    let mut line = HeapComponents {
        at_ms: dump.process.as_ref().map_or(0, |process| process.at_ms),
        stopped_ms: dump.process.as_ref().and_then(|process| process.stopped_ms),
        reachable_bytes: figures.reachable_bytes(),
        frameworks: dump.frameworks.iter().map(|&name| name.to_owned()).collect(),
        components_total: figures.components().len() as u64,
        components: figures.components().iter().map(row).collect(),
    };
    line.fit();
    line
}
