//! The table of a unit, for its bridge class to pass to the runtime (docs/probe-contract.md, "The table").

use super::unit::Unit;
use weighbridge_config::Config;
use weighbridge_probes::constructor::Objects;
use weighbridge_probes::table::{ClassLine, ORIGINAL, Table, dotted};

/// How many skipped classes are listed by name.
const LISTED: usize = 200;

/// The table of a unit.
///
/// `original` is the [`super::original::digest`] of the input that the unit is in.
/// It does not list skipped classes without objects (interfaces, modules).
pub(super) fn text(unit: &Unit, label: &str, original: &str, config: &Config, descendants: &[Box<[u8]>]) -> String {
    let mut table = Table::default();
    table.line("tool", &[env!("CARGO_PKG_VERSION")]);
    table.line("jar", &[label]);
    table.line("config", &[config.digest()]);
    table.line(ORIGINAL, &[original]);
    table.configured(config.runtime_settings(), config.components.names(), config.components.owned());
    for (id, class) in unit.classes.iter().enumerate() {
        table.class(&ClassLine {
            name: &class.name,
            track: unit.probe(id).track,
            component: class.component.map(|index| config.components.names()[index].as_str()),
            fields: &class.fields,
            registrar: (class.objects(id) == Objects::Own).then_some(class.registrar),
            blind: class.traits.blind,
        });
    }
    for name in descendants {
        table.line("descendant", &[&dotted(name)]);
    }
    let missed: Vec<_> = unit.skipped.iter().filter(|class| !class.harmless).collect();
    for class in missed.iter().take(LISTED) {
        table.line("skipped", &[&dotted(&class.name), &class.reason]);
    }
    table.line("skips", &[&missed.len().to_string()]);
    table.text()
}
