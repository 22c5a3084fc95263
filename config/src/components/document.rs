//! The shape of `[components]`: lists of patterns, rules, and parts, as TOML nests them.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use toml::Spanned;

use crate::reader::Texts;

/// All components, and what is wrong with them.
#[derive(Default)]
pub(crate) struct Components {
    /// Whole names, in the order of the file.
    pub(crate) rules: Vec<(String, Spanned<ComponentSection>)>,
    /// Where something is wrong, and what. Errors of serde could not say where.
    pub(crate) faults: Vec<(Range<usize>, String)>,
}

/// A table of `[components]`: what belongs to the component, and its parts, by their names.
#[derive(Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(transform = crate::shape::component_rules))]
pub(crate) struct ComponentSection {
    /// Its classes, by patterns of their names.
    #[cfg_attr(test, schemars(with = "Option<Vec<crate::shape::Class>>"))]
    pub(crate) classes: Option<Texts>,
    /// In heap dumps: classes by the name or the class of their loader.
    #[cfg_attr(test, schemars(with = "Option<Vec<crate::shape::Class>>"))]
    pub(crate) loaders: Option<Texts>,
    /// In heap dumps: classes by the name of their module.
    #[cfg_attr(test, schemars(with = "Option<Vec<crate::shape::Class>>"))]
    pub(crate) modules: Option<Texts>,
    /// In heap dumps: the objects at which these paths end, `com.acme.Registry.caches`. One that begins with a dot begins at the nodes of the component.
    #[cfg_attr(test, schemars(with = "Option<Vec<crate::shape::Path>>"))]
    pub(crate) paths: Option<Texts>,
    /// In heap dumps: instances of these classes and their subclasses; with `name_field` each is a node.
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Class>"))]
    pub(crate) instances: Option<Spanned<String>>,
    /// Fields that lead from an instance to the object of a node of the component above.
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Fields>"))]
    pub(crate) within: Option<Spanned<String>>,
    /// In heap dumps: paths that end at maps, whose values are nodes, named by their keys.
    #[cfg_attr(test, schemars(with = "Option<Vec<crate::shape::Path>>"))]
    pub(crate) entries: Option<Texts>,
    /// Of `entries`: values that have another text in these fields are left out.
    #[cfg_attr(test, schemars(with = "Option<std::collections::BTreeMap<String, String>>"))]
    pub(crate) only: Option<Vec<(String, Spanned<String>)>>,
    /// Of `entries`: fields from the value to classes, whose instances belong to the node.
    #[cfg_attr(test, schemars(with = "Option<Vec<crate::shape::Fields>>"))]
    pub(crate) instances_of: Option<Texts>,
    /// Fields that lead to the name of a node.
    #[cfg_attr(test, schemars(with = "Option<crate::shape::NameField>"))]
    pub(crate) name_field: Option<Texts>,
    /// Names are secrets: the first digits of their SHA-256 are shown. [default: false]
    #[cfg_attr(test, schemars(with = "Option<bool>"))]
    pub(crate) secret: Option<Spanned<bool>>,
    /// Which references between its objects and others are left out of the semantic tree of a heap dump. [default: "incoming"]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Suspend>"))]
    pub(crate) suspend: Option<Spanned<String>>,
}

/// The keys of a rule. A part of a component with such a name needs its whole name in quotes.
pub(crate) const KEYS: [&str; 12] = [
    "classes",
    "loaders",
    "modules",
    "paths",
    "instances",
    "within",
    "entries",
    "only",
    "instances_of",
    "name_field",
    "secret",
    "suspend",
];

/// A key that is at least this similar to one of [`KEYS`] is taken for a misspelling of it.
const MISSPELLED: f64 = 0.9;

/// A value of the table.
enum ComponentValue {
    Text(String),
    Texts(Texts),
    Flag(bool),
    Table(Vec<(String, Spanned<ComponentValue>)>),
}

impl<'de> Deserialize<'de> for Components {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut components = Components::default();
        if let ComponentValue::Table(top) = deserializer.deserialize_map(ValueVisitor)? {
            top.into_iter().for_each(|(name, value)| components.add(name, value));
        }
        // TOML groups dotted keys by their first part; the order of the file decides which component wins.
        components.rules.sort_by_key(|(_, rule)| rule.span().start);
        components.faults.sort_by_key(|(span, _)| span.start);
        Ok(components)
    }
}

impl Components {
    /// Adds a component and its parts.
    fn add(&mut self, name: String, value: Spanned<ComponentValue>) {
        let span = value.span();
        let table = match value.into_inner() {
            ComponentValue::Texts(classes) => {
                let rule = ComponentSection { classes: Some(classes), ..ComponentSection::default() };
                self.rules.push((name, Spanned::new(span, rule)));
                return;
            }
            ComponentValue::Text(_) | ComponentValue::Flag(_) => {
                self.faults.push((span, format!("component `{name}` must be a list of patterns or a table")));
                return;
            }
            ComponentValue::Table(table) => table,
        };
        let mut rule = ComponentSection::default();
        let mut first = None;
        for (key, value) in table {
            let span = value.span();
            if KEYS.contains(&key.as_str()) {
                first.get_or_insert(span.clone());
                if let Err(message) = rule.set(&name, &key, value) {
                    self.faults.push((span, message));
                }
                continue;
            }
            let similarity = |known: &&&str| strsim::jaro_winkler(&key, known);
            if let Some(known) = KEYS.iter().find(|known| similarity(known) >= MISSPELLED) {
                let message = format!(
                    "component `{name}` has no key `{key}`; did you mean `{known}`? A part of this name is written \
                     \"{name}.{key}\", in quotes"
                );
                self.faults.push((span, message));
            } else if matches!(value.get_ref(), ComponentValue::Text(_) | ComponentValue::Flag(_)) {
                let message = format!("component `{name}` has no key `{key}`; known here: {}", KEYS.join(", "));
                self.faults.push((span, message));
            } else {
                self.add(format!("{name}.{key}"), value);
            }
        }
        if let Some(span) = first {
            self.rules.push((name, Spanned::new(span, rule)));
        }
    }
}

impl ComponentSection {
    fn set(&mut self, name: &str, key: &str, value: Spanned<ComponentValue>) -> Result<(), String> {
        let span = value.span();
        match (key, value.into_inner()) {
            ("classes", ComponentValue::Texts(texts)) => self.classes = Some(texts),
            ("loaders", ComponentValue::Texts(texts)) => self.loaders = Some(texts),
            ("modules", ComponentValue::Texts(texts)) => self.modules = Some(texts),
            ("paths", ComponentValue::Texts(texts)) => self.paths = Some(texts),
            ("instances", ComponentValue::Text(text)) => self.instances = Some(Spanned::new(span, text)),
            ("within", ComponentValue::Text(text)) => self.within = Some(Spanned::new(span, text)),
            ("entries", ComponentValue::Texts(texts)) => self.entries = Some(texts),
            ("only", ComponentValue::Table(table)) => self.only = Some(texts_of(table, name)?),
            ("instances_of", ComponentValue::Texts(texts)) => self.instances_of = Some(texts),
            ("name_field", ComponentValue::Text(text)) => self.name_field = Some(vec![Spanned::new(span, text)]),
            ("name_field", ComponentValue::Texts(texts)) => self.name_field = Some(texts),
            ("secret", ComponentValue::Flag(flag)) => self.secret = Some(Spanned::new(span, flag)),
            ("suspend", ComponentValue::Text(text)) => self.suspend = Some(Spanned::new(span, text)),
            ("instances" | "within" | "suspend", _) => {
                return Err(format!("`{key}` of component `{name}` must be a text"));
            }
            ("name_field", _) => {
                return Err(format!("`{key}` of component `{name}` must be a text or a list of texts"));
            }
            ("only", _) => return Err(format!("`{key}` of component `{name}` must be a table of texts")),
            ("secret", _) => return Err(format!("`{key}` of component `{name}` must be true or false")),
            _ => return Err(format!("`{key}` of component `{name}` must be a list of texts")),
        }
        Ok(())
    }
}

fn texts_of(
    table: Vec<(String, Spanned<ComponentValue>)>,
    name: &str,
) -> Result<Vec<(String, Spanned<String>)>, String> {
    let text = |(path, value): (String, Spanned<ComponentValue>)| match (value.span(), value.into_inner()) {
        (span, ComponentValue::Text(text)) => Ok((path, Spanned::new(span, text))),
        _ => Err(format!("`only` of component `{name}` must be a table of texts")),
    };
    table.into_iter().map(text).collect()
}

impl<'de> Deserialize<'de> for ComponentValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = ComponentValue;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of patterns")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ComponentValue, E> {
        Ok(ComponentValue::Text(text.to_owned()))
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<ComponentValue, E> {
        Ok(ComponentValue::Flag(flag))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<ComponentValue, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = seq.next_element()? {
            texts.push(text);
        }
        Ok(ComponentValue::Texts(texts))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ComponentValue, A::Error> {
        let mut table = Vec::new();
        while let Some(entry) = map.next_entry()? {
            table.push(entry);
        }
        Ok(ComponentValue::Table(table))
    }
}
