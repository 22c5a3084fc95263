//! The shape of `[[trace]]`, as serde reads it.

use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::reader::Texts;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trace {
    pub(crate) name: Spanned<String>,
    pub(crate) what: Vec<Traced>,
    #[serde(default)]
    pub(crate) classes: Texts,
    #[serde(default)]
    pub(crate) except: Texts,
    #[serde(default)]
    pub(crate) methods: Texts,
    #[serde(default)]
    pub(crate) scopes: Texts,
    #[serde(default)]
    pub(crate) entries: Texts,
    pub(crate) thread: Option<String>,
    pub(crate) r#for: Option<Spanned<String>>,
    pub(crate) slower: Option<Spanned<String>>,
    pub(crate) most: Option<u32>,
    #[serde(default)]
    pub(crate) arguments: bool,
    pub(crate) frames: Option<u32>,
    pub(crate) every: Option<Spanned<String>>,
    pub(crate) max_cpu: Option<f64>,
}

/// What is traced by probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Traced {
    /// How often methods are called, and how long that takes.
    Methods,
    /// Calls with the calls that they make.
    Calls,
    /// Which lines are reached.
    Coverage,
    /// Objects: where they are made, and when they are collected.
    Objects,
    /// The same, and when they were last used; objects that exist already, too.
    Uses,
    /// Calls of entries, by the scopes that they open.
    Scopes,
    /// Global references of JNI.
    References,
    /// A sample of all allocations.
    Samples,
}

impl Traced {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Traced::Methods => "methods",
            Traced::Calls => "calls",
            Traced::Coverage => "coverage",
            Traced::Objects => "objects",
            Traced::Uses => "uses",
            Traced::Scopes => "scopes",
            Traced::References => "references",
            Traced::Samples => "samples",
        }
    }

    /// Whether it is of classes or methods that are named.
    pub fn has_patterns(self) -> bool {
        !matches!(self, Traced::Scopes | Traced::References | Traced::Samples)
    }

    /// The one with a name.
    pub fn named(name: &str) -> Option<Traced> {
        [
            Traced::Methods,
            Traced::Calls,
            Traced::Coverage,
            Traced::Objects,
            Traced::Uses,
            Traced::Scopes,
            Traced::References,
            Traced::Samples,
        ]
        .into_iter()
        .find(|traced| traced.name() == name)
    }
}
