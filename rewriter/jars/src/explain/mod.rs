//! Why a class of a jar is rewritten or not, and what rewriting does to its code.
//!
//! The answer comes from the same scan, plan and engine as a run over that one jar, so ids, bridge and pcs are the same.
//! In a run with more inputs the ids are the same, but the bridge may get another name.

mod code;
mod rules;

use std::path::Path;

use serde::Serialize;

use crate::error::{Error, JarErrorKind, Result};
use crate::instrument::ArchiveLimits;
use crate::instrument::survey::{Copy, Fate, survey};
use weighbridge_config::Config;
use weighbridge_probes::constructor::{Clones, ConstructorProbe, Track};

pub use code::{ExplainedMethod, Probe};
pub use rules::{MatchedRule, Selection};

/// How many similar names a message for an unknown class suggests.
const NEAR: usize = 3;
/// The least Jaro-Winkler similarity of a suggested name.
const SIMILAR: f64 = 0.8;

/// The answer for one class name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// Dotted binary name.
    pub class: String,
    /// Each class file of this name: duplicates, Multi-Release versions, copies in nested archives.
    pub copies: Vec<ExplainedCopy>,
}

/// The answer for one class file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExplainedCopy {
    /// `app.jar!/lib/inner.jar!/com/acme/Foo.class`.
    #[serde(rename = "place")]
    pub location: String,
    /// Which rules of the configuration match it.
    pub selection: Selection,
    /// What a run does to it.
    pub effect: Effect,
}

/// What a run does to a class file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Effect {
    /// Nothing: it is not selected.
    Untouched,
    /// Nothing, though it is selected.
    Skipped {
        /// Why, as a part of a sentence.
        reason: String,
        /// Its constructors; empty if the class file cannot be read.
        constructors: Vec<ExplainedMethod>,
    },
    /// It gets probes.
    Rewritten(Box<Rewriting>),
}

/// How a class registers its objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rewriting {
    /// Internal name of the bridge class that its probes call.
    pub bridge: String,
    /// Its ordinal in the bridge's table.
    pub id: u32,
    /// `live` or `count`.
    pub track: &'static str,
    /// Measure only what these fields reach; everything if empty.
    pub fields: Vec<String>,
    /// The `[[target]]` that sets track and fields.
    pub target: Option<MatchedRule>,
    /// Its component.
    pub component: Option<ExplainedComponent>,
    /// The methods that get probes.
    pub methods: Vec<ExplainedMethod>,
}

/// A component and the pattern that assigns the class to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExplainedComponent {
    /// Its name.
    pub name: String,
    /// The first pattern of `[components]` that matches.
    pub rule: MatchedRule,
}

/// Explains one class of a jar or folder; `class` is its dotted binary name (`com.acme.Cache$Node`).
///
/// Costs a first pass over the input, which reads the selected classes.
///
/// # Errors
/// [`ErrorKind::Unsupported`] if there is no such class, naming similar ones, or if the jar was rewritten before;
/// otherwise as [`crate::instrument::instrument`].
pub fn explain(class: &str, input: &Path, config: &Config, limits: ArchiveLimits) -> Result<Explanation> {
    let internal = class.replace('.', "/");
    let survey = survey(input, config, limits, &internal)?;
    if survey.copies.is_empty() {
        let message = format!("has no class {class}{}", suggestion(class, survey.others.iter()));
        return Err(Error::new(JarErrorKind::Unsupported, message).in_location(&input.display().to_string()));
    }
    let copies = survey
        .copies
        .iter()
        .map(|copy| {
            let selected = !matches!(copy.fate, Fate::NotSelected);
            Ok(ExplainedCopy {
                location: copy.location.clone(),
                selection: rules::selection(config, &internal, &copy.content, &survey.supertypes, selected),
                effect: effect(config, &internal, copy).map_err(|error| error.in_location(&copy.location))?,
            })
        })
        .collect::<Result<_>>()?;
    Ok(Explanation { class: internal.replace('/', "."), copies })
}

fn effect(config: &Config, name: &str, copy: &Copy) -> Result<Effect> {
    Ok(match &copy.fate {
        Fate::NotSelected => Effect::Untouched,
        Fate::Skipped(reason) => Effect::Skipped {
            reason: reason.clone(),
            constructors: code::constructors(&copy.content).unwrap_or_default(),
        },
        Fate::Rewritten { bridge, id, track, objects, component, fields } => Effect::Rewritten(Box::new(Rewriting {
            bridge: bridge.clone(),
            id: *id,
            track: match track {
                Track::Live => "live",
                Track::Count => "count",
            },
            fields: fields.clone(),
            target: rules::first("target.class", &config.target_classes, name.as_bytes()),
            component: component.and_then(|index| {
                let rule = rules::first("components", config.components.patterns(), name.as_bytes())?;
                Some(ExplainedComponent { name: config.components.names()[index].clone(), rule })
            }),
            methods: code::methods(
                &copy.content,
                &ConstructorProbe { bridge, id: *id, track: *track, objects: *objects, clones: Clones::All },
            )?,
        })),
    })
}

/// Suggests names: first the same simple name in other packages, then similar names.
fn suggestion<'n>(class: &str, names: impl Iterator<Item = &'n String>) -> String {
    let simple = |name: &str| name.rsplit(['.', '$']).next().unwrap_or_default().to_ascii_lowercase();
    let wanted = simple(class);
    let mut near: Vec<(bool, f64, &String)> = names
        .map(|name| (simple(name) == wanted, strsim::jaro_winkler(class, name), name))
        .filter(|&(same, similarity, _)| same || similarity >= SIMILAR)
        .collect();
    near.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(b.2)));
    let near: Vec<&str> = near.iter().take(NEAR).map(|(_, _, name)| name.as_str()).collect();
    match near.is_empty() {
        true => String::new(),
        false => format!("; did you mean {}?", near.join(" or ")),
    }
}
