//! What the first pass would make of one class: the same scan and plan as a run, and nothing written.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use super::kept::Keeper;
use super::options::Limits;
use super::paths::{Meaning, meaning};
use super::plan;
use super::scan::{Scanner, name_of};
use super::select::Selector;
use super::spool::{SPOOLED_IN_MEMORY, Spool};
use super::unit::{self, Unit, dotted};
use super::workers::Workers;
use super::{examine, hierarchy};
use crate::error::Result;
use crate::jar::Budget;
use weighbridge_bytecode::read::mutf8;
use weighbridge_config::{Config, Track};
use weighbridge_probes::constructor::Objects;

/// What is known of the class files of one name.
pub(crate) struct Survey {
    /// In the order of the input; nested archives after the one that holds them.
    pub(crate) copies: Vec<Copy>,
    /// Direct supertypes by class, as far as the configuration needed them. Internal names.
    pub(crate) supertypes: HashMap<Box<[u8]>, Vec<Box<[u8]>>>,
    /// Every dotted name of the input, if the wanted one is none of them.
    pub(crate) others: BTreeSet<String>,
}

/// A class file.
pub(crate) struct Copy {
    /// `app.jar!/lib/inner.jar!/com/acme/Foo.class`.
    pub(crate) location: String,
    pub(crate) content: Vec<u8>,
    pub(crate) fate: Fate,
}

/// What a run would do to a class file.
pub(crate) enum Fate {
    NotSelected,
    Skipped(String),
    Rewritten { bridge: String, id: u32, track: Track, objects: Objects, component: Option<usize>, fields: Vec<String> },
}

/// Surveys one input for a class by its internal name.
pub(crate) fn survey(input: &Path, config: &Config, limits: Limits, name: &str) -> Result<Survey> {
    let budget = Budget::new(limits.ratio, limits.total_bytes);
    let selector = Selector::new(config);
    let workers = Workers::new(None);
    let keeper = Keeper::new(0);
    let spool = Spool::new(SPOOLED_IN_MEMORY);
    let scanner =
        Scanner { selector: &selector, budget: &budget, limits, workers: &workers, keeper: &keeper, spool: &spool };
    let (_, mut nodes) = scanner.scan(&[input.to_path_buf()], false)?;
    let mut supertypes = HashMap::new();
    for node in &nodes {
        let selected = node.classes.iter().map(|class| (&class.name, &class.examined.supertypes));
        let open = node.open.iter().map(|class| (&class.name, &class.supertypes));
        for (name, above) in selected.chain(open) {
            supertypes.entry(name.clone()).or_insert_with(Vec::new).extend(above.iter().cloned());
        }
    }
    if selector.by_supertype() {
        hierarchy::select_by_supertype(&scanner, &mut nodes)?;
    }
    let mut units = unit::units(&mut nodes, &selector);
    let descendants = hierarchy::descendants(&scanner, &nodes, &units)?;
    plan::plan(&scanner, &nodes, &mut units, &descendants)?;
    let mut survey = Survey { copies: Vec::new(), supertypes, others: BTreeSet::new() };
    for (index, node) in nodes.iter().enumerate() {
        let tree = &node.tree;
        for entry in (0..tree.len()).filter(|&entry| tree.is_file(entry)) {
            let Meaning::Class { name: found, .. } = meaning(tree.name(entry)) else { continue };
            if found == name.as_bytes() || found == &*mutf8::encode(name) {
                let location = format!("{}!/{}", node.label, name_of(tree, entry));
                let fate = units.iter().filter(|unit| unit.node == index).find_map(|unit| fate(unit, entry));
                let content = tree.content(entry, &budget)?;
                survey.copies.push(Copy { location, content, fate: fate.unwrap_or(Fate::NotSelected) });
            } else if survey.copies.is_empty() {
                survey.others.insert(dotted(found));
            }
        }
    }
    Ok(survey)
}

fn fate(unit: &Unit, entry: usize) -> Option<Fate> {
    if let Some(skipped) = unit.skipped.iter().find(|class| class.entry == entry) {
        return Some(Fate::Skipped(skipped.reason.clone()));
    }
    let id = unit.classes.iter().position(|class| class.files.iter().any(|file| file.entry == entry))?;
    let class = &unit.classes[id];
    Some(Fate::Rewritten {
        bridge: unit.bridge.clone(),
        id: id as u32,
        track: class.track,
        objects: class.objects(id),
        component: class.component,
        fields: class.fields.clone(),
    })
}

/// The engine's word for what is tracked.
pub(crate) fn track_of(track: Track) -> weighbridge_probes::constructor::Track {
    examine::track_of(track)
}
