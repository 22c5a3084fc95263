//! `weighbridge heap components`: what the components of a configuration hold.

use std::path::{Path, PathBuf};

use weighbridge_config::{Config, Pattern, PatternSet, Suspend, default_hubs};
use weighbridge_heapdump::Work;
use weighbridge_heapdump::components::{self, Definition, Names, Rule};
use weighbridge_reporter::heap::components::{Extent, Figures};

use super::input::Input;
use super::wish::Wish;
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
    /// Draw the borders where a recording's own bytes have them: `Class` objects with their static fields and class
    /// loaders are nobody's, and hubs stop what is held (docs/configuration.md, "Hubs").
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
    wish: Wish,
}

pub(crate) fn execute(args: Args) -> Outcome {
    args.wish.check(&args.input.dump)?;
    let mut definitions = args.config.as_deref().map(definitions).transpose()?.unwrap_or_default();
    if args.as_recorded {
        as_recorded(&mut definitions);
    }
    let (heap, graph, facts) = args.input.open_for(Work::Components)?;
    let figures = Figures::of(&heap, &graph, facts, &definitions)?;
    if figures.components().is_empty() {
        return Err(nameless(&args.input.dump));
    }
    for path in figures.paths_to_nothing() {
        exit::warn(format!("the path {path} of the configuration leads to no object"));
    }
    let sheet = figures.sheet(Extent { depth: args.depth.into(), classes: args.classes });
    args.wish.write_sheet(args.top, &sheet, &figures)?;
    Ok(DONE)
}

/// Neither a configuration nor the program says what the components are.
pub(super) fn nameless(dump: &Path) -> Failure {
    Failure::input(format!("{}: its program named no component (Weighbridge.node); use --config FILE", dump.display()))
}

/// The rules of a configuration's components.
pub(super) fn definitions(file: &Path) -> Result<Vec<Definition>, Failure> {
    let components = Config::read(file)?.components;
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
            name_field: rule.name_field.clone(),
        },
        ..Definition::default()
    };
    Ok(components.names().iter().zip(components.rules()).map(definition).collect())
}

/// The borders of own bytes: what a recording cannot see or does not follow gets components of its own.
fn as_recorded(definitions: &mut Vec<Definition>) {
    definitions.iter_mut().for_each(|definition| definition.instances_only = true);
    let border = |name: &str, last, instances: Names| Definition {
        name: name.to_owned(),
        last,
        rule: Rule { instances: Some(instances), ..Rule::default() },
        ..Definition::default()
    };
    let loaders = |name: &str| matches!(name, "java.lang.ClassLoader" | "java.lang.Module");
    definitions.push(border("(loaders)", false, Box::new(loaders)));
    let hubs = default_hubs();
    definitions.push(border("(hubs)", true, Box::new(move |name: &str| hubs.matches(internal(name).as_bytes()))));
}

/// The form that patterns match.
fn internal(name: &str) -> String {
    name.replace('.', "/")
}
