//! The shape of the TOML text, as serde reads it; meaning is checked in `lib.rs` and `settings.rs`, where positions are still known.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use toml::Spanned;

/// Texts with their byte range.
pub(super) type Texts = Vec<Spanned<String>>;

/// Only the version, so that a newer configuration is refused by name and not for its new keys.
#[derive(serde::Deserialize)]
pub(super) struct VersionOnly {
    pub(super) version: Option<Spanned<i64>>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    #[serde(rename = "version")]
    pub(super) _version: i64,
    #[serde(default)]
    pub(super) instrument: Instrument,
    #[serde(default)]
    pub(super) target: Vec<Target>,
    #[serde(default)]
    pub(super) measure: Measure,
    #[serde(default)]
    pub(super) components: Components,
    #[serde(default)]
    pub(super) runtime: Runtime,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Instrument {
    pub(super) include: Texts,
    pub(super) exclude: Texts,
    pub(super) annotated: Texts,
    pub(super) extends: Texts,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Target {
    pub(super) class: Spanned<String>,
    #[serde(default)]
    pub(super) fields: Texts,
    #[serde(default)]
    pub(super) track: super::Track,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Measure {
    pub(super) exclude: Texts,
    pub(super) at: Option<Texts>,
    pub(super) budget: Budget,
    pub(super) gc: Option<super::Gc>,
    pub(super) soft: Option<bool>,
    pub(super) holders: Option<bool>,
    pub(super) ages: Option<Spanned<Vec<i32>>>,
    pub(super) threads: Texts,
    pub(super) sites: Option<Spanned<i64>>,
    pub(super) peak: Option<Peak>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Peak {
    pub(super) mode: super::PeakMode,
    pub(super) source: Option<super::PeakSource>,
    pub(super) tolerance: Option<Spanned<String>>,
    pub(super) floor: Option<Spanned<String>>,
    pub(super) interval: Option<Spanned<String>>,
    pub(super) dump: Option<Spanned<String>>,
    pub(super) dumps: Option<Spanned<i64>>,
    pub(super) dump_growth: Option<Spanned<i64>>,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Budget {
    pub(super) references: Option<Spanned<i64>>,
    pub(super) cpu_percent: Option<Spanned<i64>>,
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Runtime {
    pub(super) enabled: Option<bool>,
    pub(super) destfile: Option<Spanned<String>>,
    pub(super) dumponexit: Option<bool>,
    pub(super) jmx: Option<bool>,
    pub(super) sessionid: Option<String>,
    pub(super) output: Option<super::RecordingOutput>,
}

/// Component names and their patterns; `web.session = [...]` and `"web.session" = [...]` are the same name.
#[derive(Default)]
pub(super) struct Components(pub(super) Vec<(String, Spanned<Texts>)>);

/// A list of patterns, or the table that TOML makes of a dotted key.
enum Component {
    Patterns(Texts),
    Inner(Vec<(String, Spanned<Component>)>),
}

impl<'de> Deserialize<'de> for Components {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut flat = Vec::new();
        if let Component::Inner(top) = deserializer.deserialize_map(ComponentVisitor)? {
            flatten("", top, &mut flat);
        }
        // TOML groups dotted keys by their first part; the order of the file decides which component wins.
        flat.sort_by_key(|(_, patterns)| patterns.span().start);
        Ok(Components(flat))
    }
}

fn flatten(prefix: &str, components: Vec<(String, Spanned<Component>)>, flat: &mut Vec<(String, Spanned<Texts>)>) {
    for (key, component) in components {
        let name = if prefix.is_empty() { key } else { format!("{prefix}.{key}") };
        let span = component.span();
        match component.into_inner() {
            Component::Patterns(patterns) => flat.push((name, Spanned::new(span, patterns))),
            Component::Inner(inner) => flatten(&name, inner, flat),
        }
    }
}

impl<'de> Deserialize<'de> for Component {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ComponentVisitor)
    }
}

struct ComponentVisitor;

impl<'de> Visitor<'de> for ComponentVisitor {
    type Value = Component;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of patterns")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Component, A::Error> {
        let mut patterns = Vec::new();
        while let Some(pattern) = seq.next_element()? {
            patterns.push(pattern);
        }
        Ok(Component::Patterns(patterns))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Component, A::Error> {
        let mut inner = Vec::new();
        while let Some(entry) = map.next_entry()? {
            inner.push(entry);
        }
        Ok(Component::Inner(inner))
    }
}
