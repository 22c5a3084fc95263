//! The rules of a configuration's components, in the form in which dumps are read by them.

use std::path::Path;

use weighbridge_config::{Components, Config, Pattern, PatternSet, Suspend};
use weighbridge_ending::Failure;
use weighbridge_heapdump::components::{self, AssignmentRule, Definition, Names, Turn};
use weighbridge_live::dumps::DumpSource;

/// Neither a configuration, the program nor a framework says what the components are.
pub(super) fn nameless(dump: &DumpSource) -> Failure {
    Failure::input(format!(
        "{}: its program named no component (Weighbridge.node), and no rule for frameworks found one; use --config FILE",
        dump.name()
    ))
}

/// The rules of the configuration, if there is one, and whether the shipped rules of frameworks are used beside them.
pub(super) fn rules(
    file: Option<&Path>,
    config: Option<&Config>,
    frameworks: bool,
) -> Result<(Vec<Definition>, bool), Failure> {
    let (Some(file), Some(config)) = (file, config) else { return Ok((Vec::new(), frameworks)) };
    let by_frameworks = frameworks && config.frameworks;
    if config.components.names().is_empty() && !by_frameworks {
        return Err(Failure::input(format!("{}: defines no component", file.display())));
    }
    Ok((defined(&config.components, Turn::Rules), by_frameworks))
}

/// The rules of some components, to be applied in a turn.
pub(super) fn defined(components: &Components, turn: Turn) -> Vec<Definition> {
    let names = |patterns: &Option<PatternSet>| {
        patterns.clone().map(|set| -> Names { Box::new(move |name: &str| set.matches_class(name)) })
    };
    let name = |pattern: &Option<Pattern>| {
        pattern.clone().map(|one| -> Names { Box::new(move |name: &str| one.matches_class(name)) })
    };
    let definition = |(component, rule): (&String, &weighbridge_config::ComponentRule)| Definition {
        name: component.clone(),
        suspend: match rule.suspend {
            Suspend::Incoming => components::Suspend::Incoming,
            Suspend::Outgoing => components::Suspend::Outgoing,
            Suspend::Both => components::Suspend::Both,
            Suspend::None => components::Suspend::None,
        },
        turn,
        rule: AssignmentRule {
            classes: names(&rule.classes),
            loaders: names(&rule.loaders),
            modules: names(&rule.modules),
            paths: rule.paths.clone(),
            instances: name(&rule.instances),
            class_objects: false,
            entries: rule.entries.clone(),
            only: rule.only.clone(),
            instances_of: rule.instances_of.clone(),
            name_field: rule.name_field.clone(),
            within: rule.within.clone(),
            secret: rule.secret,
        },
    };
    components.names().iter().zip(components.rules()).map(definition).collect()
}
