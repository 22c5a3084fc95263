//! `weighbridge heap components`: what the components of a configuration hold.

use std::path::{Path, PathBuf};

use weighbridge_config::{Config, Pattern, PatternSet, Suspend};
use weighbridge_heapdump::Work;
use weighbridge_heapdump::components::{self, Definition, Names, Rule};
use weighbridge_reporter::heap::components::{Extent, Figures};

use super::as_recorded::{AsRecorded, internal};
use super::input::Input;
use super::output_options::HeapOutputOptions;
use crate::exit::{self, DONE, Failure, Outcome};

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
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Count what a recording's own bytes count: what the objects of one component lead to and no other's. What static
    /// fields, threads, class loaders and hubs hold counts as not held (docs/configuration.md, "Hubs").
    #[arg(long)]
    as_recorded: bool,
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
    args.options.check(&args.input.dump)?;
    let config = args.config.as_deref().map(Config::read).transpose()?;
    let mut definitions = match (&args.config, &config) {
        (Some(file), Some(config)) => defined(file, config)?,
        _ => Vec::new(),
    };
    let as_recorded = args.as_recorded.then(|| AsRecorded::of(config.as_ref()));
    let follows = as_recorded.as_ref().map(|recorded| recorded.soft);
    definitions.extend(as_recorded.into_iter().flat_map(|recorded| recorded.borders));
    let (heap, graph, facts) = args.input.open_for(Work::Components)?;
    let figures = Figures::of(&heap, &graph, facts, &definitions, follows)?;
    if figures.components().is_empty() {
        return Err(nameless(&args.input.dump));
    }
    for path in figures.paths_to_nothing() {
        exit::warn(format!("the path {path} of the configuration leads to no object"));
    }
    let sheet = figures.sheet(Extent { depth: args.depth.into(), classes: args.classes });
    args.options.write_sheet(args.top, &sheet, &figures)?;
    Ok(DONE)
}

/// Neither a configuration nor the program says what the components are.
pub(super) fn nameless(dump: &Path) -> Failure {
    Failure::input(format!("{}: its program named no component (Weighbridge.node); use --config FILE", dump.display()))
}

/// The rules of a configuration's components.
pub(super) fn definitions(file: &Path) -> Result<Vec<Definition>, Failure> {
    defined(file, &Config::read(file)?)
}

fn defined(file: &Path, config: &Config) -> Result<Vec<Definition>, Failure> {
    let components = &config.components;
    if components.names().is_empty() {
        return Err(Failure::input(format!("{}: defines no component", file.display())));
    }
    let names = |patterns: &Option<PatternSet>| {
        patterns.clone().map(|set| -> Names { Box::new(move |name: &str| set.matches(internal(name).as_bytes())) })
    };
    let name = |pattern: &Option<Pattern>| {
        pattern.clone().map(|one| -> Names { Box::new(move |name: &str| one.matches(internal(name).as_bytes())) })
    };
    let definition = |(component, rule): (&String, &weighbridge_config::ComponentRule)| Definition {
        name: component.clone(),
        suspend: match rule.suspend {
            Suspend::Incoming => components::Suspend::Incoming,
            Suspend::Outgoing => components::Suspend::Outgoing,
            Suspend::Both => components::Suspend::Both,
            Suspend::None => components::Suspend::None,
        },
        rule: Rule {
            classes: names(&rule.classes),
            loaders: names(&rule.loaders),
            modules: names(&rule.modules),
            paths: rule.paths.clone(),
            instances: name(&rule.instances),
            class_objects: false,
            name_field: rule.name_field.clone(),
        },
        ..Definition::default()
    };
    Ok(components.names().iter().zip(components.rules()).map(definition).collect())
}
