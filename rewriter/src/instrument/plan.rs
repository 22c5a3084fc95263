//! Between the passes: classes become units with ids, a table and a bridge; entries get what shall happen to them.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

use super::examine::{Examined, Traits, Verdict, track_of};
use super::kept::Kept;
use super::paths::Root;
use super::scan::{Node, Scanner};
use super::select::Selector;
use super::signers::Unsigned;
use super::{original, signers, table};
use crate::error::Result;
use crate::jar::Addition;
use weighbridge_bytecode::read::mutf8;
use weighbridge_config::Track;
use weighbridge_probes::SkipReason;
use weighbridge_probes::bridge_class;
use weighbridge_probes::constructor::{ConstructorProbe, Objects};

/// The classes of one class path root of one archive, which share a bridge.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) node: usize,
    pub(super) root: Root,
    /// In the order of their ids.
    pub(super) classes: Vec<PlannedClass>,
    /// Class files that stay as they are: dotted name, entry, reason, harmless.
    pub(super) skipped: Vec<SkippedClass>,
    /// Internal name of the bridge class.
    pub(super) bridge: String,
}

/// A class that will be rewritten, in every file of it that can be.
#[derive(Debug)]
pub(super) struct PlannedClass {
    pub(super) name: Box<[u8]>,
    pub(super) superclass: Option<Box<[u8]>>,
    pub(super) track: Track,
    /// Index in the configuration.
    pub(super) component: Option<usize>,
    pub(super) fields: Vec<String>,
    /// The class of this unit, by id, whose constructors register the objects of subclasses without probes.
    pub(super) registrar: usize,
    /// `blind` if any of its files is.
    pub(super) traits: Traits,
    /// Several for duplicates and Multi-Release versions.
    pub(super) files: Vec<ClassEntry>,
    versioned: bool,
}

impl Unit {
    /// The probe of one of its classes.
    pub(super) fn probe(&self, id: usize) -> ConstructorProbe<'_> {
        let class = &self.classes[id];
        ConstructorProbe {
            bridge: &self.bridge,
            id: id as u32,
            track: track_of(class.track),
            objects: class.objects(id),
        }
    }
}

impl PlannedClass {
    /// Whose objects its constructors register, if this is its id.
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

/// What shall happen to an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Class { unit: usize, id: usize },
    Nested(usize),
    Manifest,
    Remove,
}

/// What shall happen to a node.
#[derive(Debug, Default)]
pub(super) struct NodePlan {
    pub(super) changes: HashMap<usize, Change>,
    pub(super) additions: Vec<Addition>,
    /// The runtime goes in, and the manifest starts it.
    pub(super) carries_runtime: bool,
    /// The signature files go, and the digests of the manifest; why.
    pub(super) unsigned: Option<Unsigned>,
}

impl NodePlan {
    pub(super) fn is_changed(&self) -> bool {
        !self.changes.is_empty()
    }
}

/// Groups the selected classes; only classes that the engine can rewrite get ids.
pub(super) fn units(nodes: &mut [Node], selector: &Selector<'_>) -> Vec<Unit> {
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
            let target = selector.config().target_classes.first_match(&class.name);
            let target = target.map(|target| &selector.config().targets[target]);
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

/// Finds the registrar of each class (docs/probe-contract.md): the topmost class above it in the unit, as long as each
/// superclass gets the same track and is rewritten in every file of it, so that its constructors see what those below leave
/// to them. A class of several files may have several superclasses: it is topmost.
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
        // Those met before know theirs, or close a cycle of a damaged hierarchy, which no JVM loads.
        while let Some(class) = at.filter(|&class| !std::mem::replace(&mut met[class], true)) {
            upwards.push(class);
            at = above[class];
        }
        while let Some(class) = upwards.pop() {
            unit.classes[class].registrar = above[class].map_or(class, |superclass| unit.classes[superclass].registrar);
        }
    }
}

/// Decides what happens to every entry, and makes the bridges.
pub(super) fn plan(
    scanner: &Scanner<'_>,
    nodes: &[Node],
    units: &mut [Unit],
    descendants: &[Vec<Box<[u8]>>],
) -> Result<Vec<NodePlan>> {
    let mut plans: Vec<NodePlan> = nodes.iter().map(|_| NodePlan::default()).collect();
    let mut originals: HashMap<usize, String> = HashMap::new();
    for (index, unit) in units.iter_mut().enumerate() {
        if unit.classes.is_empty() {
            continue;
        }
        let node = &nodes[unit.node];
        let input = top(nodes, unit.node);
        if let Entry::Vacant(vacant) = originals.entry(input) {
            vacant.insert(original::digest(&nodes[input].tree));
        }
        let text = table::text(unit, &node.label, &originals[&input], scanner.selector.config(), &descendants[index]);
        let Some(name) = bridge_name(nodes, unit, &text) else {
            leave_alone(unit);
            continue;
        };
        unit.bridge = name;
        let bytes = bridge_class(weighbridge_runtime::BRIDGE_TEMPLATE, &unit.bridge, &text)?;
        let plan = &mut plans[unit.node];
        let name = format!("{}{}.class", unit.root.folder(), unit.bridge);
        plan.additions.push(Addition { name, content: bytes });
        for (id, class) in unit.classes.iter().enumerate() {
            if class.objects(id) == Objects::Own && class.traits.only_subclasses {
                let reason = SkipReason::OnlySubclasses.to_string();
                unit.skipped.extend(class.files.iter().map(|file| SkippedClass {
                    name: class.name.clone(),
                    entry: file.entry,
                    reason: reason.clone(),
                    harmless: true,
                }));
                continue;
            }
            let change = Change::Class { unit: index, id };
            plan.changes.extend(class.files.iter().map(|file| (file.entry, change)));
        }
    }
    // Children follow their parents, so their changes rise when the nodes are taken from the end.
    for index in (0..nodes.len()).rev() {
        if !plans[index].is_changed() {
            continue;
        }
        if let Some((outer, entry)) = nodes[index].parent {
            plans[outer].changes.insert(entry, Change::Nested(index));
        }
        signers::unsign(&nodes[index], &mut plans[index]);
    }
    Ok(plans)
}

/// The input that a node is in.
fn top(nodes: &[Node], mut node: usize) -> usize {
    while let Some((outer, _)) = nodes[node].parent {
        node = outer;
    }
    node
}

/// The bridge stands in a package that the unit has already, so that a named module or an isolated loader finds it; its
/// name is made from the content, so that it never clashes with another jar's.
///
/// The classes of a package that an OSGi bundle imports come from wherever the framework says, not from the bundle (OSGi
/// Core 3.9.4). A bundle that imports all of its packages gets one more for the bridge; `None` if it is also a module that
/// lists its packages, whose loader would not find that one.
fn bridge_name(nodes: &[Node], unit: &Unit, table: &str) -> Option<String> {
    let node = &nodes[unit.node];
    let imported = imported(nodes, unit.node);
    let package = |class: &PlannedClass| {
        let name = mutf8::decode(&class.name);
        name.rsplit_once('/').map_or(String::new(), |(package, _)| format!("{package}/"))
    };
    let own = |versioned: bool| {
        let mut packages = unit.classes.iter().filter(|class| class.versioned == versioned).map(package);
        packages.find(|package| !imported.contains(package.trim_end_matches('/').replace('/', ".").as_str()))
    };
    let mut digest = Sha256::new();
    digest.update(unit.root.folder());
    original::listing(&node.tree, &mut digest);
    digest.update(table);
    let digest = hex::encode(&digest.finalize()[..8]);
    let package = match own(false).or_else(|| own(true)) {
        Some(package) => package,
        None if node.lists_packages => return None,
        None => format!("weighbridge_{digest}/"),
    };
    Some(format!("{package}Weighbridge${digest}"))
}

/// The packages that the bundle of a node imports, or the bundle around it.
fn imported(nodes: &[Node], node: usize) -> HashSet<&str> {
    let around = std::iter::successors(Some(node), |&node| nodes[node].parent.map(|(outer, _)| outer));
    let manifests = around.filter_map(|node| nodes[node].manifest.as_ref());
    manifests.filter_map(|(_, manifest)| manifest.main("Import-Package")).flat_map(clauses).collect()
}

/// The paths of an OSGi header, without attributes and directives: `a.b;version="[1,2)",c;d` has `a.b`, `c` and `d`.
fn clauses(header: &str) -> Vec<&str> {
    let mut quoted = false;
    let parts = header.split(|character| {
        quoted ^= character == '"';
        !quoted && matches!(character, ',' | ';')
    });
    parts.map(str::trim).filter(|part| !part.contains('=')).collect()
}

/// Skips all classes of a unit that can have no bridge.
fn leave_alone(unit: &mut Unit) {
    let reason = SkipReason::NoPackageForBridge.to_string();
    for class in std::mem::take(&mut unit.classes) {
        unit.skipped.extend(class.files.iter().map(|file| SkippedClass {
            name: class.name.clone(),
            entry: file.entry,
            reason: reason.clone(),
            harmless: false,
        }));
    }
}

/// The dotted name of an internal one.
pub(super) fn dotted(name: &[u8]) -> String {
    mutf8::decode(name).replace('/', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_of_osgi_is_its_packages_whatever_their_attributes_hold() {
        let header = "a.b;version=\"[1.0,2.0)\", c.d;e;resolution:=optional,f;x=\"y;z,q\"";
        assert_eq!(clauses(header), ["a.b", "c.d", "e", "f"]);
        assert!(clauses("").iter().all(|part| part.is_empty()));
    }
}
