//! `weighbridge heap dominators`: what would be freed with an object, a thread or a frame.

use std::borrow::Cow;
use std::path::PathBuf;

use clap::ValueEnum;
use weighbridge_config::Config;
use weighbridge_ending::{Failure, messages};
use weighbridge_heapdump::components::Assignment;
use weighbridge_heapdump::unfold::Extent;
use weighbridge_heapdump::{Dominators, Work};
use weighbridge_reporter::heap::dominators::{DominatorGrouping, DominatorReport, DominatorRequest};

use super::input::Input;
use super::{definitions, frameworks};
use crate::exit::Outcome;
use crate::input::InputPathParser;
use crate::output_options::HeapOutputOptions;

/// Show the dominator tree: the bytes that would be freed with an object, a thread or a frame.
///
/// A node retains all that is reached through it alone. With --by the nodes of a level are shown in groups, whose
/// bytes add up; what two groups hold together lies above both.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// What the nodes are.
    #[arg(long, value_enum, default_value_t = Nodes::Object)]
    by: Nodes,
    /// Which objects belong to which component, for --by component, beside those that the program named
    /// (docs/configuration.md, [components]).
    #[arg(long, value_name = "FILE", value_parser = InputPathParser)]
    config: Option<PathBuf>,
    /// With --by component: only rules of the configuration, not those of the frameworks in the heap (docs/frameworks.md).
    #[arg(long)]
    no_frameworks: bool,
    /// Nodes below one, the largest first; 0 for all.
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Levels of the tree.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..))]
    depth: u8,
    /// Tell where memory accumulates: what retains at least a hundredth of all more than the largest node below it.
    #[arg(long)]
    drops: bool,
    #[command(flatten)]
    options: HeapOutputOptions,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Nodes {
    /// Objects, threads and frames.
    Object,
    /// Their classes.
    Class,
    /// The packages of their classes.
    Package,
    /// The loaders of their classes.
    Loader,
    /// Components: those that the program named, and those of --config.
    Component,
}

pub(crate) fn execute(args: Args) -> Outcome {
    if args.config.is_some() && args.by != Nodes::Component {
        return Err(Failure::usage("--config is for --by component".to_owned()));
    }
    let config = args.config.as_deref().map(Config::read).transpose()?;
    let with_frameworks = !args.no_frameworks && args.by == Nodes::Component;
    let (mut rules, by_frameworks) = definitions::rules(args.config.as_deref(), config.as_ref(), with_frameworks)?;
    let work = match args.by {
        Nodes::Object => Work::Dominators,
        Nodes::Class | Nodes::Package | Nodes::Loader => Work::Groups,
        Nodes::Component => Work::ComponentGroups,
    };
    let own = rules.len();
    let top = if args.top == 0 { usize::MAX } else { args.top };
    let by = match args.by {
        Nodes::Object => DominatorGrouping::Object,
        Nodes::Class => DominatorGrouping::Class,
        Nodes::Package => DominatorGrouping::Package,
        Nodes::Loader => DominatorGrouping::Loader,
        Nodes::Component => DominatorGrouping::Component,
    };
    args.input.each(&args.options, |dump, report| {
        let (heap, graph, mut facts) = dump.open_for(work)?;
        if by_frameworks {
            rules.truncate(own);
            facts.frameworks = frameworks::add(&heap, &mut rules)?;
        }
        let assignment = match args.by {
            Nodes::Component => {
                let (assignment, nowhere) = Assignment::from_definitions(&heap, &graph.reachable(), &rules)?;
                if assignment.components().is_empty() {
                    return Err(definitions::nameless(dump));
                }
                for path in nowhere {
                    messages::warn(format!("the path {path} of the configuration leads to no object"));
                }
                Some(assignment)
            }
            _ => None,
        };
        let tree = Dominators::from_graph(graph);
        let figures = |extent, facts| {
            let wanted = DominatorRequest { by, extent, drops: args.drops, components: assignment.as_ref() };
            DominatorReport::from_tree(&heap, &tree, facts, wanted)
        };
        // Nodes that are not shown would count as vanished.
        let all = || figures(Extent { top: usize::MAX, depth: 1 }, facts.clone());
        let compared = report.is_watched().then(all).transpose()?;
        let figures = figures(Extent { top, depth: args.depth.into() }, facts)?;
        let compared = compared.as_ref().unwrap_or(&figures);
        report.write(
            0,
            compared,
            || Cow::Owned(figures.sheet()),
            |options, out| figures.text(options, out),
            |_, out| figures.html(out),
        )
    })
}
