//! The components that budgets and round trips name, and which of these names are wrong.

use std::collections::BTreeSet;

use crate::components::NO_COMPONENT;
use crate::document::ConfigDocument;
use crate::reader::Reader;
use crate::{Config, ConfigErrorKind, Error, position};

/// A component that a `[[budget]]` or a `[[round_trip]]` names.
#[derive(Clone, Debug)]
pub(crate) struct NamedComponent {
    name: String,
    /// Of its name in the file, from 1.
    line: usize,
    column: usize,
}

impl Reader<'_> {
    /// In the order of the file.
    pub(crate) fn named_components(&self, document: &ConfigDocument) -> Vec<NamedComponent> {
        let budgets = document.budget.iter().filter_map(|entry| entry.get_ref().component.as_ref());
        let round_trips = document.round_trip.iter().filter_map(|entry| entry.get_ref().component.as_ref());
        let mut names: Vec<_> = budgets.chain(round_trips).collect();
        names.sort_by_key(|name| name.span().start);
        let named = |name: &toml::Spanned<String>| {
            let (line, column) = position::line_and_column(self.text, name.span().start);
            NamedComponent { name: name.get_ref().clone(), line, column }
        };
        names.into_iter().map(named).collect()
    }
}

impl Config {
    /// The names in `[[budget]]` and `[[round_trip]]` that `[components]` does not define, each as an error, in the order
    /// of the file. Empty if the file has no `[components]`: its names are those of another configuration.
    ///
    /// Not an error of [`Config::parse`]: measuring does not need these names.
    pub fn undefined_components(&self) -> Vec<Error> {
        self.unknown_components(self.components.names().iter().map(String::as_str), "[components] does not define")
    }

    /// The same for a file without `[components]`: the names that are none of `recorded`. Empty if nothing is recorded.
    pub fn unrecorded_components<'a>(&self, recorded: impl IntoIterator<Item = &'a str>) -> Vec<Error> {
        match self.components.names() {
            [] => self.unknown_components(recorded, "the recording has no component"),
            _ => Vec::new(),
        }
    }

    /// `lacks`: who does not have the component, in the words before its name. Empty if nothing is known.
    fn unknown_components<'a>(&self, known: impl IntoIterator<Item = &'a str>, lacks: &str) -> Vec<Error> {
        let mut known: BTreeSet<&str> = known.into_iter().collect();
        if known.is_empty() {
            return Vec::new();
        }
        known.insert(NO_COMPONENT);
        let unknown = self.named_components.iter().filter(|named| !known.contains(named.name.as_str()));
        unknown.map(|named| named.error(&known, lacks)).collect()
    }
}

impl NamedComponent {
    fn error(&self, known: &BTreeSet<&str>, lacks: &str) -> Error {
        let NamedComponent { name, line, column } = self;
        let meant = position::nearest(name, known.iter().copied());
        let meant = meant.map_or_else(String::new, |nearest| format!("; did you mean `{}`?", nearest.escape_debug()));
        let name = name.escape_debug();
        Error::new(ConfigErrorKind::Config, format!("line {line}, column {column}: {lacks} `{name}`{meant}"))
    }
}
