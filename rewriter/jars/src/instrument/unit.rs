//! Groups the selected classes into units and gives them ids.

use std::collections::{HashMap, HashSet};

use super::examine::{Examined, Traits, Verdict, probe_track};
use super::paths::ClassRoot;
use super::scan::{InputNode, SelectedClass};
use super::shared_text::{SharedBytes, SharedText, SharedTexts};
use weighbridge_config::{Config, Selector, Track};
use weighbridge_probes::SkipReason;
use weighbridge_probes::constructor::{Clones, ConstructorProbe, Objects};
use weighbridge_probes::table::dotted;

/// The classes of one root of an archive; they share a bridge.
#[derive(Debug)]
pub(super) struct BridgeUnit {
    pub(super) node: usize,
    pub(super) root: ClassRoot,
    /// In the order of their ids.
    pub(super) classes: Vec<PlannedClass>,
    /// Class files that stay as they are.
    pub(super) skipped: Vec<SkippedClass>,
    /// Internal name of the bridge class.
    pub(super) bridge: String,
}

/// A class that will be rewritten, with every file of it that can be. There may be hundreds of thousands: its name is that in
/// the path of its first file.
#[derive(Debug)]
pub(super) struct PlannedClass {
    /// Its first file.
    pub(super) entry: u32,
    /// Its other files: duplicates and Multi-Release versions.
    #[allow(clippy::box_collection, reason = "one word instead of three, in each of hundreds of thousands of classes")]
    others: Option<Box<Vec<u32>>>,
    pub(super) superclass: Option<SharedBytes>,
    pub(super) track: Track,
    /// Index in the configuration.
    pub(super) component: Option<u32>,
    /// Its target in the configuration, which names the fields.
    target: Option<u32>,
    /// Id of the class whose constructors register the objects of subclasses without probes.
    pub(super) registrar: u32,
    /// `blind` or `clones` if any of its files is or does.
    pub(super) traits: Traits,
    pub(super) versioned: bool,
}

impl BridgeUnit {
    /// The probe of one of its classes.
    pub(super) fn probe(&self, id: usize) -> ConstructorProbe<'_> {
        let class = &self.classes[id];
        let track = probe_track(class.track);
        ConstructorProbe { bridge: &self.bridge, id: id as u32, track, objects: class.objects(id), clones: Clones::All }
    }
}

impl PlannedClass {
    /// Whose objects its constructors register; `id` is its id.
    pub(super) fn objects(&self, id: usize) -> Objects {
        match self.registrar as usize == id {
            true => Objects::All,
            false => Objects::Own,
        }
    }

    /// Its files, in the order of the archive.
    pub(super) fn files(&self) -> impl Iterator<Item = u32> {
        std::iter::once(self.entry).chain(self.others.iter().flat_map(|others| others.iter().copied()))
    }

    /// The configured fields.
    pub(super) fn fields<'c>(&self, config: &'c Config) -> &'c [String] {
        self.target.map_or(&[], |target| &config.targets[target as usize].fields)
    }
}

#[derive(Debug)]
pub(super) struct SkippedClass {
    pub(super) entry: u32,
    pub(super) reason: SharedText,
    pub(super) harmless: bool,
}

/// Groups the selected classes; only classes that the engine can rewrite get ids.
pub(super) fn units(nodes: &mut [InputNode], selector: &Selector<&Config>, texts: &SharedTexts) -> Vec<BridgeUnit> {
    let mut units: Vec<BridgeUnit> = Vec::new();
    for (index, node) in nodes.iter_mut().enumerate() {
        let first = units.len();
        let classes = std::mem::take(&mut node.classes);
        let all = classes.len();
        let mut own: HashMap<ClassRoot, usize> = HashMap::new();
        let earlier = earlier_files(node, &classes);
        let mut warnings = Vec::new();
        // Of the files of a class, the id that the first one got.
        let mut ids: HashMap<u32, u32> = HashMap::new();
        for (at, class) in classes.into_iter().enumerate() {
            let unit = *own.entry(class.root).or_insert_with(|| {
                let (classes, skipped) = (Vec::with_capacity(all), Vec::new());
                units.push(BridgeUnit { node: index, root: class.root, classes, skipped, bridge: String::new() });
                units.len() - 1
            });
            let unit = &mut units[unit];
            let name = node.class_name(class.entry as usize);
            let Examined { supertypes, verdict } = class.examined;
            let refusal = match node.own_digest {
                Some(entry) => {
                    let digest = String::from_utf8_lossy(node.tree.name(entry)).into_owned();
                    Some(SkipReason::ChecksItself { digest })
                }
                None => name.starts_with(b"java/").then_some(SkipReason::PackageOfJdk),
            };
            let verdict = match (refusal, verdict) {
                (Some(reason), Verdict::Rewritable { .. }) => {
                    Verdict::Skipped { reason: texts.reason(&reason.to_string()), harmless: false }
                }
                (_, verdict) => verdict,
            };
            let (missing, traits) = match verdict {
                Verdict::Rewritable { missing_fields, traits } => (missing_fields, traits),
                Verdict::Skipped { reason, harmless } => {
                    unit.skipped.push(SkippedClass { entry: class.entry, reason, harmless });
                    continue;
                }
            };
            let group = earlier.get(&(at as u32)).copied();
            if let Some(&id) = group.and_then(|group| ids.get(&group)) {
                let known = &mut unit.classes[id as usize];
                known.others.get_or_insert_default().push(class.entry);
                known.versioned &= class.versioned;
                known.traits.blind |= traits.blind;
                known.traits.clones |= traits.clones;
                continue;
            }
            if let Some(group) = group {
                ids.insert(group, unit.classes.len() as u32);
            }
            let target = selector.config.target_classes.first_match(name);
            for field in missing.into_iter().flat_map(|missing| *missing) {
                warnings.push(format!("target {}: the class declares no field `{field}`", dotted(name)));
            }
            unit.classes.push(PlannedClass {
                entry: class.entry,
                others: None,
                superclass: supertypes.superclass,
                track: target.map_or(Track::Live, |target| selector.config.targets[target].track),
                component: selector.component(name).map(|component| component as u32),
                target: target.map(|target| target as u32),
                registrar: unit.classes.len() as u32,
                traits,
                versioned: class.versioned,
            });
        }
        node.warnings.extend(warnings);
        units[first..].iter_mut().for_each(|unit| {
            unit.classes.shrink_to_fit();
            find_registrars(unit, node);
        });
    }
    units
}

/// The class files whose class has several in one root, each with the number of the first of them.
fn earlier_files(node: &InputNode, classes: &[SelectedClass]) -> HashMap<u32, u32> {
    let key = |at: u32| {
        let class = &classes[at as usize];
        (class.root, node.class_name(class.entry as usize))
    };
    let mut order: Vec<u32> = (0..classes.len() as u32).collect();
    // A map of all names would take more memory than the classes.
    order.sort_by(|&a, &b| key(a).cmp(&key(b)));
    let mut earlier = HashMap::new();
    for files in order.chunk_by(|&a, &b| key(a) == key(b)).filter(|files| files.len() > 1) {
        earlier.extend(files.iter().map(|&file| (file, files[0])));
    }
    earlier
}

/// Finds the registrar of each class (docs/probe-contract.md): the topmost class above it in the unit, if each class on the
/// way has the same track and all files of it are rewritten. Otherwise no constructor would register the objects that
/// subclasses leave to it. A class with several files may have several superclasses, so it is its own registrar.
fn find_registrars(unit: &mut BridgeUnit, node: &InputNode) {
    let name = |entry: u32| node.class_name(entry as usize);
    let mut by_name: Vec<u32> = (0..unit.classes.len() as u32).collect();
    by_name.sort_unstable_by_key(|&id| name(unit.classes[id as usize].entry));
    let find = |wanted: &[u8]| {
        let found = by_name.binary_search_by_key(&wanted, |&id| name(unit.classes[id as usize].entry));
        found.ok().map(|at| by_name[at])
    };
    let left_alone: HashSet<&[u8]> = unit.skipped.iter().map(|class| name(class.entry)).collect();
    let above: Vec<Option<u32>> = unit
        .classes
        .iter()
        .map(|class| {
            let superclass = class.superclass.as_deref().filter(|name| !left_alone.contains(name));
            let id = find(superclass?)?;
            (class.others.is_none() && unit.classes[id as usize].track == class.track).then_some(id)
        })
        .collect();
    let mut met = vec![false; above.len()];
    let mut upwards = Vec::new();
    for id in 0..above.len() {
        let mut at = Some(id);
        // A class that was met has its registrar, or is part of a cycle in a damaged hierarchy, which no JVM loads.
        while let Some(class) = at.filter(|&class| !std::mem::replace(&mut met[class], true)) {
            upwards.push(class);
            at = above[class].map(|superclass| superclass as usize);
        }
        while let Some(class) = upwards.pop() {
            unit.classes[class].registrar =
                above[class].map_or(class as u32, |superclass| unit.classes[superclass as usize].registrar);
        }
    }
}
