//! The text that a bridge class passes to the runtime (docs/probe-contract.md, "The table").

use super::original::ORIGINAL;
use super::paths::dotted;
use super::unit::Unit;
use weighbridge_config::{Config, Track};
use weighbridge_probes::constructor::Objects;
use weighbridge_probes::contract::CONTRACT;

/// How many skipped classes are listed by name.
const LISTED: usize = 200;

/// The table of a unit.
///
/// `original` is the [`super::original::digest`] of the input that the unit is in.
/// It does not list skipped classes without objects (interfaces, modules).
pub(super) fn text(unit: &Unit, label: &str, original: &str, config: &Config, descendants: &[Box<[u8]>]) -> String {
    let mut table = Table(String::new());
    table.line("weighbridge", &[&CONTRACT.to_string()]);
    table.line("tool", &[env!("CARGO_PKG_VERSION")]);
    table.line("jar", &[label]);
    table.line("config", &[config.digest()]);
    table.line(ORIGINAL, &[original]);
    for (key, value) in config.runtime_settings() {
        table.line("set", &[key, value]);
    }
    for component in config.components.names() {
        table.line("component", &[component]);
    }
    let patterns = config.components.patterns().patterns();
    for (index, pattern) in patterns.iter().enumerate() {
        let component = &config.components.names()[config.components.component_of(index)];
        table.line("owns", &[component, pattern.text()]);
    }
    for (id, class) in unit.classes.iter().enumerate() {
        let track = match class.track {
            Track::Live => "live",
            Track::Count => "count",
        };
        let name = dotted(&class.name);
        let component = class.component.map(|index| format!("component={}", config.components.names()[index]));
        let fields = (!class.fields.is_empty()).then(|| format!("fields={}", class.fields.join(",")));
        let registrar = (class.objects(id) == Objects::Own).then(|| format!("registrar={}", class.registrar));
        let blind = class.traits.blind.then(|| "blind".to_owned());
        let slots: Vec<String> = [component, fields, registrar, blind].into_iter().flatten().collect();
        let line: Vec<&str> = [name.as_str(), track].into_iter().chain(slots.iter().map(String::as_str)).collect();
        table.line("class", &line);
    }
    for name in descendants {
        table.line("descendant", &[&dotted(name)]);
    }
    let missed: Vec<_> = unit.skipped.iter().filter(|class| !class.harmless).collect();
    for class in missed.iter().take(LISTED) {
        table.line("skipped", &[&dotted(&class.name), &class.reason]);
    }
    table.line("skips", &[&missed.len().to_string()]);
    table.0
}

struct Table(String);

impl Table {
    fn line(&mut self, kind: &str, fields: &[&str]) {
        self.0.push_str(kind);
        for field in fields {
            self.0.push('\t');
            for character in field.chars() {
                match character {
                    '\t' => self.0.push_str("\\t"),
                    '\n' => self.0.push_str("\\n"),
                    '\\' => self.0.push_str("\\\\"),
                    other => self.0.push(other),
                }
            }
        }
        self.0.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_and_line_ends_in_a_field_are_escaped() {
        let mut table = Table(String::new());
        table.line("jar", &["a\tb\nc\\d", ""]);
        assert_eq!(table.0, "jar\ta\\tb\\nc\\\\d\t\n");
    }
}
