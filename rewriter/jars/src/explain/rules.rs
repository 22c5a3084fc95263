//! Which patterns of the configuration match a class, and which of them decides.

use std::collections::{HashMap, HashSet, VecDeque};

use serde::Serialize;

use crate::error::Result;
use weighbridge_bytecode::read::{ClassFile, PoolOffsets};
use weighbridge_config::RUNTIME;
use weighbridge_config::{Config, PatternSet};
use weighbridge_probes::table::dotted;

/// A pattern of the configuration that matches a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MatchedRule {
    /// Its key: `instrument.include`, `instrument.exclude`, `instrument.annotated`, `instrument.extends`,
    /// `target.class`, `components`; `built in` for classes of the runtime.
    pub key: &'static str,
    /// The pattern as it was written.
    pub pattern: String,
    /// Its line in the configuration, from 1.
    pub line: Option<usize>,
    /// Dotted names from the class to the match: the annotation, or the supertypes from the direct one to the matching
    /// one. Empty if the pattern matches the name of the class.
    pub through: Vec<String>,
}

/// Why a class is selected or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Selection {
    /// True if a run would rewrite it, or skip it with a reason.
    pub selected: bool,
    /// The rule that decides; `None` if no pattern matches.
    pub decided_by: Option<MatchedRule>,
    /// Other rules that match it without effect.
    pub also: Vec<MatchedRule>,
}

/// The first pattern of a set that matches an internal name.
pub(super) fn first(key: &'static str, set: &PatternSet, name: &[u8]) -> Option<MatchedRule> {
    set.first_match(name).map(|index| rule(key, set, index, Vec::new()))
}

fn rule(key: &'static str, set: &PatternSet, index: usize, through: Vec<String>) -> MatchedRule {
    let pattern = &set.patterns()[index];
    MatchedRule { key, pattern: pattern.text().to_owned(), line: pattern.line(), through }
}

/// Every rule that matches; the deciding one separately.
pub(super) fn selection(
    config: &Config,
    name: &str,
    content: &[u8],
    supertypes: &HashMap<Box<[u8]>, Vec<Box<[u8]>>>,
    selected: bool,
) -> Selection {
    let name = name.as_bytes();
    let built_in = name.starts_with(RUNTIME).then(|| MatchedRule {
        key: "built in",
        pattern: "io.weighbridge.**".to_owned(),
        line: None,
        through: Vec::new(),
    });
    let against = [first("instrument.exclude", &config.exclude, name), built_in];
    let by_name =
        [first("instrument.include", &config.include, name), first("target.class", &config.target_classes, name)];
    // A class file that cannot be read is selected by its name only.
    let by_content = [annotated(config, content).unwrap_or_default(), extends(config, name, supertypes)];
    let mut against: Vec<MatchedRule> = against.into_iter().flatten().collect();
    let mut towards: Vec<MatchedRule> = by_name.into_iter().chain(by_content).flatten().collect();
    let deciding = if selected { &mut towards } else { &mut against };
    let decided_by = (!deciding.is_empty()).then(|| deciding.remove(0));
    Selection { selected, decided_by, also: against.into_iter().chain(towards).collect() }
}

fn annotated(config: &Config, content: &[u8]) -> Result<Option<MatchedRule>> {
    if config.annotated.is_empty() {
        return Ok(None);
    }
    let mut memory = PoolOffsets::default();
    for descriptor in ClassFile::read(content, &mut memory)?.annotations()? {
        let name = descriptor?.strip_prefix(b"L").and_then(|name| name.strip_suffix(b";"));
        if let Some(name) = name
            && let Some(index) = config.annotated.first_match(name)
        {
            return Ok(Some(rule("instrument.annotated", &config.annotated, index, vec![dotted(name)])));
        }
    }
    Ok(None)
}

/// The nearest supertype that a pattern matches, and the supertypes on the way to it.
fn extends(config: &Config, name: &[u8], supertypes: &HashMap<Box<[u8]>, Vec<Box<[u8]>>>) -> Option<MatchedRule> {
    let mut seen: HashSet<&[u8]> = HashSet::from([name]);
    let mut waiting: VecDeque<(&[u8], Vec<String>)> = VecDeque::from([(name, Vec::new())]);
    while let Some((below, way)) = waiting.pop_front() {
        for above in supertypes.get(below).into_iter().flatten() {
            if !seen.insert(above) {
                continue;
            }
            let way: Vec<String> = way.iter().cloned().chain([dotted(above)]).collect();
            if let Some(index) = config.extends.first_match(above) {
                return Some(rule("instrument.extends", &config.extends, index, way));
            }
            waiting.push_back((above, way));
        }
    }
    None
}
