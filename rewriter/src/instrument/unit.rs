//! Groups the selected classes into units and gives them ids.

use std::collections::{HashMap, HashSet};

use super::examine::{Examined, Traits, Verdict};
use super::kept::Kept;
use super::paths::Root;
use super::scan::Node;
use weighbridge_config::{Config, Selector, Track};
use weighbridge_probes::SkipReason;
use weighbridge_probes::constructor::{self, ConstructorProbe, Objects};
use weighbridge_probes::table::dotted;

/// The classes of one root of an archive; they share a bridge.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) node: usize,
    pub(super) root: Root,
    /// In the order of their ids.
    pub(super) classes: Vec<PlannedClass>,
    /// Class files that stay as they are.
    pub(super) skipped: Vec<SkippedClass>,
    /// Internal name of the bridge class.
    pub(super) bridge: String,
}

/// A class that will be rewritten, with every file of it that can be.
#[derive(Debug)]
pub(super) struct PlannedClass {
    pub(super) name: Box<[u8]>,
    pub(super) superclass: Option<Box<[u8]>>,
    pub(super) track: Track,
    /// Index in the configuration.
    pub(super) component: Option<usize>,
    pub(super) fields: Vec<String>,
    /// Id of the class whose constructors register the objects of subclasses without probes.
    pub(super) registrar: usize,
    /// `blind` if any of its files is.
    pub(super) traits: Traits,
    /// Several for duplicates and Multi-Release versions.
    pub(super) files: Vec<ClassEntry>,
    pub(super) versioned: bool,
}

impl Unit {
    /// The probe of one of its classes.
    pub(super) fn probe(&self, id: usize) -> ConstructorProbe<'_> {
        let class = &self.classes[id];
        let track = match class.track {
            Track::Live => constructor::Track::Live,
            Track::Count => constructor::Track::Count,
        };
        ConstructorProbe { bridge: &self.bridge, id: id as u32, track, objects: class.objects(id) }
    }
}

impl PlannedClass {
    /// Whose objects its constructors register; `id` is its id.
    pub(super) fn objects(&self, id: usize) -> Objects {
        match self.registrar == id {
            true => Objects::All,
            false => Objects::Own,
        }
    }
}

/// One class file of a planned class.
#[derive(Debug)]
pub(super) struct ClassEntry {
    pub(super) entry: usize,
    pub(super) kept: Kept,
}

#[derive(Debug)]
pub(super) struct SkippedClass {
    pub(super) name: Box<[u8]>,
    pub(super) entry: usize,
    pub(super) reason: String,
    pub(super) harmless: bool,
}

/// Groups the selected classes; only classes that the engine can rewrite get ids.
pub(super) fn units(nodes: &mut [Node], selector: &Selector<&Config>) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    for (index, node) in nodes.iter_mut().enumerate() {
        let mut own: HashMap<Root, usize> = HashMap::new();
        let mut ids: HashMap<(Root, Box<[u8]>), usize> = HashMap::new();
        let classes = std::mem::take(&mut node.classes);
        let all = classes.len();
        for class in classes {
            let unit = *own.entry(class.root).or_insert_with(|| {
                let (classes, skipped) = (Vec::with_capacity(all), Vec::new());
                units.push(Unit { node: index, root: class.root, classes, skipped, bridge: String::new() });
                units.len() - 1
            });
            let unit = &mut units[unit];
            let Examined { supertypes, verdict, kept } = class.examined;
            let refusal = match node.own_digest {
                Some(entry) => {
                    let digest = String::from_utf8_lossy(node.tree.name(entry)).into_owned();
                    Some(SkipReason::ChecksItself { digest })
                }
                None => class.name.starts_with(b"java/").then_some(SkipReason::PackageOfJdk),
            };
            let verdict = match (refusal, verdict) {
                (Some(reason), Verdict::Rewritable { .. }) => {
                    Verdict::Skipped { reason: reason.to_string(), harmless: false }
                }
                (_, verdict) => verdict,
            };
            let (missing, traits) = match verdict {
                Verdict::Rewritable { missing_fields, traits } => (missing_fields, traits),
                Verdict::Skipped { reason, harmless } => {
                    unit.skipped.push(SkippedClass { name: class.name, entry: class.entry, reason, harmless });
                    continue;
                }
            };
            let file = ClassEntry { entry: class.entry, kept };
            if let Some(&id) = ids.get(&(class.root, class.name.clone())) {
                unit.classes[id].files.push(file);
                unit.classes[id].versioned &= class.versioned;
                unit.classes[id].traits.blind |= traits.blind;
                continue;
            }
            let target = selector.config.target_classes.first_match(&class.name);
            let target = target.map(|target| &selector.config.targets[target]);
            for field in missing {
                let dotted = dotted(&class.name);
                node.warnings.push(format!("target {dotted}: the class declares no field `{field}`"));
            }
            ids.insert((class.root, class.name.clone()), unit.classes.len());
            unit.classes.push(PlannedClass {
                superclass: supertypes.into_iter().next(),
                track: target.map_or(Track::Live, |target| target.track),
                component: selector.component(&class.name),
                fields: target.map_or(Vec::new(), |target| target.fields.clone()),
                registrar: unit.classes.len(),
                traits,
                files: vec![file],
                versioned: class.versioned,
                name: class.name,
            });
        }
    }
    units.iter_mut().for_each(find_registrars);
    units
}

/// Finds the registrar of each class (docs/probe-contract.md): the topmost class above it in the unit, if each class on the
/// way has the same track and all files of it are rewritten. Otherwise no constructor would register the objects that
/// subclasses leave to it. A class with several files may have several superclasses, so it is its own registrar.
fn find_registrars(unit: &mut Unit) {
    let ids: HashMap<&[u8], usize> = unit.classes.iter().enumerate().map(|(id, class)| (&*class.name, id)).collect();
    let left_alone: HashSet<&[u8]> = unit.skipped.iter().map(|class| &*class.name).collect();
    let above: Vec<Option<usize>> = unit
        .classes
        .iter()
        .map(|class| {
            let superclass = class.superclass.as_deref().filter(|name| !left_alone.contains(name));
            let id = *ids.get(superclass?)?;
            (class.files.len() == 1 && unit.classes[id].track == class.track).then_some(id)
        })
        .collect();
    let mut met = vec![false; above.len()];
    let mut upwards = Vec::new();
    for id in 0..above.len() {
        let mut at = Some(id);
        // A class that was met has its registrar, or is part of a cycle in a damaged hierarchy, which no JVM loads.
        while let Some(class) = at.filter(|&class| !std::mem::replace(&mut met[class], true)) {
            upwards.push(class);
            at = above[class];
        }
        while let Some(class) = upwards.pop() {
            unit.classes[class].registrar = above[class].map_or(class, |superclass| unit.classes[superclass].registrar);
        }
    }
}
