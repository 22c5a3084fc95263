//! The shape of `[[trace]]`, as serde reads it.

use serde::Deserialize;
use toml::Spanned;
use weighbridge_contract::TraceKind;

use crate::reader::Texts;

/// A run of traces by probes (docs/traces.md).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct TraceEntry {
    /// By which the run is found; each name once.
    #[cfg_attr(test, schemars(with = "crate::shape::TraceName"))]
    pub(crate) name: Spanned<String>,
    /// What is traced.
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::TraceKindName>", length(min = 1)))]
    pub(crate) what: Vec<TraceKind>,
    /// Patterns of classes.
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::Class>"))]
    #[serde(default)]
    pub(crate) classes: Texts,
    /// Patterns of classes that are left out.
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::Class>"))]
    #[serde(default)]
    pub(crate) except: Texts,
    /// Patterns of methods, `com.acme.Report.render`.
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::Method>"))]
    #[serde(default)]
    pub(crate) methods: Texts,
    /// Only while these scopes are open, `key=value`.
    #[cfg_attr(test, schemars(with = "Vec<crate::shape::Tag>"))]
    #[serde(default)]
    pub(crate) scopes: Texts,
    /// Names of ready-made entries, with `"scopes"` in `what`.
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    #[serde(default)]
    pub(crate) entries: Texts,
    /// Only threads whose names match.
    pub(crate) thread: Option<String>,
    /// After so long it ends by itself. [default: with the session]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Duration>"))]
    pub(crate) r#for: Option<Spanned<String>>,
    /// Of calls: only outermost ones that take so long.
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Duration>"))]
    pub(crate) slower: Option<Spanned<String>>,
    /// Of calls: so many of the slowest. [default: 100]
    #[cfg_attr(test, schemars(range(min = 1, max = 10_000)))]
    pub(crate) most: Option<u32>,
    /// Of calls: with the classes of their arguments. [default: false]
    #[serde(default)]
    pub(crate) arguments: bool,
    /// Frames of each stack that are kept, 1 to 64. [default: 8]
    #[cfg_attr(test, schemars(range(min = 1, max = 64)))]
    pub(crate) frames: Option<u32>,
    /// Of samples: one in so many bytes, on average. [default: "512k"]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Size>"))]
    pub(crate) every: Option<Spanned<String>>,
    /// Percent of the program's CPU time that the trace may take.
    #[cfg_attr(test, schemars(range(min = 0, max = 100)))]
    pub(crate) max_cpu: Option<f64>,
}
