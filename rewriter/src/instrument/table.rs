//! The text that a bridge class hands to the runtime (docs/probe-contract.md, "The table").

use super::plan::{Unit, dotted};
use weighbridge_config::{Config, Track};
use weighbridge_probes::constructor::Objects;

/// Number of the contract between rewritten code, bridge and runtime.
pub(crate) const CONTRACT: u32 = 3;
/// Kind of the line that says what was rewritten.
pub(crate) const ORIGINAL: &str = "original";
/// Skipped classes that are listed by name; the rest is counted.
const LISTED: usize = 200;

/// The table of a unit.
///
/// `original` is the [`super::original::digest`] of the input that the unit is in.
/// Skipped classes without objects (interfaces, modules) are not in it: the report misses nothing of them.
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
        let component = &config.components.names()[config.components.owner(index)];
        table.line("owns", &[component, pattern.text()]);
    }
    for (id, class) in unit.classes.iter().enumerate() {
        let track = match class.track {
            Track::Live => "live",
            Track::Count => "count",
        };
        let component = class.component.map_or("", |index| config.components.names()[index].as_str());
        let (name, fields) = (dotted(&class.name), class.fields.join(","));
        let registrar = match class.objects(id) {
            Objects::All => String::new(),
            Objects::Own => class.registrar.to_string(),
        };
        let blind = if class.traits.blind { "blind" } else { "" };
        let line: &[&str] = &[&name, track, component, &fields, &registrar, blind];
        // Most classes say neither of the last two.
        let said = line.iter().rposition(|field| !field.is_empty()).map_or(0, |last| last + 1);
        table.line("class", &line[..said.max(4)]);
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
    fn a_field_never_breaks_a_line_or_a_field() {
        let mut table = Table(String::new());
        table.line("jar", &["a\tb\nc\\d", ""]);
        assert_eq!(table.0, "jar\ta\\tb\\nc\\\\d\t\n");
    }
}
