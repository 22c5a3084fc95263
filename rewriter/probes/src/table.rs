//! The text that tells the runtime which classes have probes (docs/probe-contract.md, "The table").

use weighbridge_bytecode::read::mutf8;

use crate::constructor::Track;
use crate::contract::CONTRACT;

/// Kind of the line with the digest of the archive that was rewritten.
pub const ORIGINAL: &str = "original";

/// A table in work: one line each, fields after tabs.
#[derive(Debug)]
pub struct ProbeTable(String);

/// A class with probes.
#[derive(Clone, Copy, Debug)]
pub struct ClassLine<'a> {
    /// Internal name.
    pub name: &'a [u8],
    /// What its probes record.
    pub track: Track,
    /// The component that its objects belong to.
    pub component: Option<&'a str>,
    /// The fields that are measured; all if empty.
    pub fields: &'a [String],
    /// Ordinal of the class whose constructors register objects of subclasses without probes; `None` for itself.
    pub registrar: Option<usize>,
    /// Its constructors cannot tell its own objects from those of subclasses ([`crate::constructor::is_blind`]).
    pub blind: bool,
    /// It overrides `clone()` ([`crate::constructor::declares_clone`]).
    pub clones: bool,
}

impl ClassLine<'_> {
    /// The line, with its end.
    pub fn text(&self) -> String {
        let mut table = ProbeTable(String::new());
        table.class(self);
        table.0
    }
}

impl Default for ProbeTable {
    fn default() -> Self {
        let mut table = ProbeTable(String::new());
        table.line("weighbridge", &[&CONTRACT.to_string()]);
        table
    }
}

impl ProbeTable {
    /// Adds a line. Tabs, line ends and backslashes in fields are escaped.
    pub fn line(&mut self, kind: &str, fields: &[&str]) {
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

    /// Adds what the configuration says: options of the runtime, components, and pairs of a component and a pattern that it
    /// owns.
    pub fn configured<'a>(
        &mut self,
        settings: &[(&'static str, String)],
        components: &[String],
        owned: impl Iterator<Item = (&'a str, &'a str)>,
    ) {
        for (key, value) in settings {
            self.line("set", &[key, value]);
        }
        for component in components {
            self.line("component", &[component]);
        }
        for (component, pattern) in owned {
            self.line("owns", &[component, pattern]);
        }
    }

    /// Adds the line of the class with the next ordinal.
    pub fn class(&mut self, class: &ClassLine<'_>) {
        let track = match class.track {
            Track::Live => "live",
            Track::Count => "count",
        };
        let component = class.component.map(|name| format!("component={name}"));
        let fields = (!class.fields.is_empty()).then(|| format!("fields={}", class.fields.join(",")));
        let registrar = class.registrar.map(|ordinal| format!("registrar={ordinal}"));
        let blind = class.blind.then(|| "blind".to_owned());
        let clones = class.clones.then(|| "clones".to_owned());
        let slots: Vec<String> = [component, fields, registrar, blind, clones].into_iter().flatten().collect();
        let name = dotted(class.name);
        let line: Vec<&str> = [name.as_str(), track].into_iter().chain(slots.iter().map(String::as_str)).collect();
        self.line("class", &line);
    }

    /// The lines since the last call, for who writes a long table away in parts.
    pub fn take_lines(&mut self) -> String {
        std::mem::take(&mut self.0)
    }

    /// Bytes of the lines that were not taken.
    pub fn pending(&self) -> usize {
        self.0.len()
    }

    /// The whole text.
    pub fn text(self) -> String {
        self.0
    }
}

/// The dotted name of an internal one.
pub fn dotted(internal_name: &[u8]) -> String {
    mutf8::decode(internal_name).replace('/', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_and_line_ends_in_a_field_are_escaped() {
        let mut table = ProbeTable(String::new());
        table.line("jar", &["a\tb\nc\\d", ""]);
        assert_eq!(table.text(), "jar\ta\\tb\\nc\\\\d\t\n");
    }

    #[test]
    fn a_class_has_only_the_slots_that_say_something() {
        let mut table = ProbeTable::default();
        let plain = ClassLine {
            name: b"a/B",
            track: Track::Count,
            component: None,
            fields: &[],
            registrar: None,
            blind: false,
            clones: false,
        };
        table.class(&plain);
        let fields = ["x".to_owned(), "y".to_owned()];
        let all = ClassLine {
            component: Some("web"),
            fields: &fields,
            registrar: Some(0),
            blind: true,
            clones: true,
            ..plain
        };
        table.class(&all);
        let expected = "weighbridge\t5\nclass\ta.B\tcount\n\
                        class\ta.B\tcount\tcomponent=web\tfields=x,y\tregistrar=0\tblind\tclones\n";
        assert_eq!(table.text(), expected);
    }
}
