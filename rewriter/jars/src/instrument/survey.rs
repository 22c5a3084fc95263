//! What a run would do with one class: the same scan and plan, but nothing is written.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use super::hierarchy;
use super::kept::Keeper;
use super::options::{ArchiveLimits, DEFAULT_MEMORY};
use super::paths::{Meaning, is_named, meaning};
use super::plan;
use super::room::Room;
use super::scan::Scanner;
use super::shared_text::SharedTexts;
use super::spool::Spool;
use super::unit::{self, BridgeUnit};
use super::workers::Workers;
use crate::error::Result;
use crate::jar::InflateBudget;
use weighbridge_config::Config;
use weighbridge_config::Selector;
use weighbridge_probes::constructor::{Objects, Track};
use weighbridge_probes::table::dotted;

/// The class files with one name.
pub(crate) struct Survey {
    /// In the order of the input; nested archives after the one that holds them.
    pub(crate) copies: Vec<Copy>,
    /// Direct supertypes by class, as far as the configuration needs them. Internal names.
    pub(crate) supertypes: HashMap<Box<[u8]>, Vec<Box<[u8]>>>,
    /// All dotted names of the input, if it has no class with the wanted name.
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
pub(crate) fn survey(input: &Path, config: &Config, limits: ArchiveLimits, name: &str) -> Result<Survey> {
    let budget = InflateBudget::new(limits.ratio, limits.total_bytes);
    let selector = Selector::new(config);
    let workers = Workers::new(None);
    let keeper = Keeper::new(0);
    let room = Room::new(DEFAULT_MEMORY);
    let texts = SharedTexts::default();
    let spool = Spool::new(room.buffer());
    let scanner = Scanner {
        selector: &selector,
        budget: &budget,
        limits,
        workers: &workers,
        keeper: &keeper,
        spool: &spool,
        texts: &texts,
        room: &room,
    };
    let (_, mut nodes) = scanner.scan(&[input.to_path_buf()], false)?;
    let mut supertypes: HashMap<Box<[u8]>, Vec<Box<[u8]>>> = HashMap::new();
    for node in &nodes {
        for (name, above) in node.supertypes() {
            let known: &mut Vec<Box<[u8]>> = supertypes.entry(Box::from(name)).or_default();
            known.extend(above.names().map(|name| Box::from(&**name)));
        }
    }
    if selector.by_supertype() {
        hierarchy::select_by_supertype(&scanner, &mut nodes)?;
    }
    let mut units = unit::units(&mut nodes, &selector, &texts);
    let descendants = hierarchy::descendants(&scanner, &nodes, &units)?;
    plan::plan(&scanner, &nodes, &mut units, &descendants)?;
    let mut survey = Survey { copies: Vec::new(), supertypes, others: BTreeSet::new() };
    for (index, node) in nodes.iter().enumerate() {
        let tree = &node.tree;
        for entry in (0..tree.len()).filter(|&entry| tree.is_file(entry)) {
            let Meaning::Class { name: found, .. } = meaning(tree.name(entry)) else { continue };
            if is_named(found, name.as_bytes()) {
                let location = node.location(entry);
                let fate =
                    units.iter().filter(|unit| unit.node == index).find_map(|unit| fate(unit, entry as u32, config));
                let content = tree.content(entry, &budget)?;
                survey.copies.push(Copy { location, content, fate: fate.unwrap_or(Fate::NotSelected) });
            } else if survey.copies.is_empty() {
                survey.others.insert(dotted(found));
            }
        }
    }
    Ok(survey)
}

fn fate(unit: &BridgeUnit, entry: u32, config: &Config) -> Option<Fate> {
    if let Some(skipped) = unit.skipped.iter().find(|class| class.entry == entry) {
        return Some(Fate::Skipped(skipped.reason.to_string()));
    }
    let id = unit.classes.iter().position(|class| class.files().any(|file| file == entry))?;
    let (class, probe) = (&unit.classes[id], unit.probe(id));
    Some(Fate::Rewritten {
        bridge: probe.bridge.to_owned(),
        id: probe.id,
        track: probe.track,
        objects: probe.objects,
        component: class.component.map(|component| component as usize),
        fields: class.fields(config).to_vec(),
    })
}
