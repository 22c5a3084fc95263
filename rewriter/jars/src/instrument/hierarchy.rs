//! The class hierarchy, as far as the inputs show it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::examine::header;
use super::paths::{Meaning, class_file_name, meaning};
use super::scan::{InputNode, Scanner, class_name};
use super::shared_text::SharedBytes;
use super::unit::BridgeUnit;
use crate::error::Result;

/// Internal names of classes and their superclasses; `None` if the inputs do not show it.
type Superclasses = HashMap<SharedBytes, Option<SharedBytes>>;

/// Selects the classes below the supertypes of `instrument.extends`, through any number of classes of the inputs.
pub(super) fn select_by_supertype(scanner: &Scanner<'_>, nodes: &mut [InputNode]) -> Result<()> {
    let mut below: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
    for node in nodes.iter() {
        for (name, supertypes) in node.supertypes() {
            for supertype in supertypes.names() {
                below.entry(supertype).or_default().push(name);
            }
        }
    }
    let mut waiting: Vec<&[u8]> =
        below.keys().copied().filter(|name| scanner.selector.is_wanted_supertype(name)).collect();
    let mut reached: HashSet<Box<[u8]>> = HashSet::new();
    // Each type is visited once, so a damaged hierarchy with a cycle ends, too.
    while let Some(supertype) = waiting.pop() {
        for &name in below.get(supertype).into_iter().flatten() {
            if reached.insert(name.into()) {
                waiting.push(name);
            }
        }
    }
    for node in 0..nodes.len() {
        let tree = Arc::clone(&nodes[node].tree);
        scanner.select_open(nodes, node, |class| reached.contains(&*class_name(&tree, class.entry as usize)))?;
    }
    Ok(())
}

/// For each unit, the rewritten classes of other units that descend from one of its classes, sorted.
///
/// Their constructors call constructors of this unit, and its bridge must know that their objects are registered
/// elsewhere (docs/probe-contract.md, `descendant`).
pub(super) fn descendants(
    scanner: &Scanner<'_>,
    nodes: &[InputNode],
    units: &[BridgeUnit],
) -> Result<Vec<Vec<SharedBytes>>> {
    let mut foreign = vec![Vec::new(); units.len()];
    if units.len() < 2 {
        return Ok(foreign);
    }
    let mut planned: Vec<Planned<'_>> = Vec::with_capacity(units.iter().map(|unit| unit.classes.len()).sum());
    for (index, unit) in units.iter().enumerate() {
        let node = &nodes[unit.node];
        planned.extend(unit.classes.iter().map(|class| Planned {
            name: node.class_name(class.entry as usize),
            unit: index as u32,
            superclass: class.superclass.as_ref(),
        }));
    }
    planned.sort_by_key(|class| class.name);
    let homes = |name: &[u8]| {
        let start = planned.partition_point(|class| class.name < name);
        let end = planned[start..].partition_point(|class| class.name == name);
        &planned[start..start + end]
    };
    let mut others = Superclasses::new();
    let wanted = planned.iter().filter_map(|class| class.superclass).cloned().collect();
    complete(scanner, nodes, wanted, |name| !homes(name).is_empty(), &mut others)?;
    let superclass = |name: &[u8]| match homes(name).last() {
        Some(class) => class.superclass,
        None => others.get(name).and_then(Option::as_ref),
    };
    for own in planned.chunk_by(|a, b| a.name == b.name) {
        let mut seen = HashSet::new();
        let mut above = superclass(own[0].name);
        while let Some(ancestor) = above.filter(|ancestor| seen.insert(ancestor.as_ptr())) {
            for home in homes(ancestor) {
                if own.iter().any(|own| own.unit != home.unit) {
                    foreign[home.unit as usize].push(scanner.texts.name(own[0].name));
                }
            }
            above = superclass(ancestor);
        }
    }
    for names in &mut foreign {
        names.sort_unstable();
        names.dedup();
    }
    Ok(foreign)
}

/// A class that will be rewritten.
struct Planned<'a> {
    name: &'a [u8],
    unit: u32,
    superclass: Option<&'a SharedBytes>,
}

/// Adds the superclasses of superclasses in the inputs, level by level. Reads only these classes.
fn complete(
    scanner: &Scanner<'_>,
    nodes: &[InputNode],
    mut wanted: HashSet<SharedBytes>,
    is_known: impl Fn(&[u8]) -> bool,
    superclasses: &mut Superclasses,
) -> Result<()> {
    loop {
        wanted.retain(|name| !superclasses.contains_key(name) && !name.starts_with(b"java/") && !is_known(name));
        if wanted.is_empty() {
            return Ok(());
        }
        let read = |node: usize| -> Result<Superclasses> {
            let tree = &nodes[node].tree;
            let mut found = Superclasses::new();
            for entry in (0..tree.len()).filter(|&entry| tree.is_file(entry)) {
                let Meaning::Class { name, .. } = meaning(tree.name(entry)) else { continue };
                let name = &*class_file_name(name);
                if wanted.contains(name) && !found.contains_key(name) {
                    let content = tree.content(entry, scanner.budget)?;
                    let superclass = header(&content, name, scanner.selector, scanner.texts)
                        .and_then(|header| header.supertypes.superclass);
                    found.insert(scanner.texts.name(name), superclass);
                }
            }
            Ok(found)
        };
        let found: Vec<Result<Superclasses>> =
            scanner.workers.run(|| Ok((0..nodes.len()).into_par_iter().map(read).collect()))?;
        let mut next = HashSet::new();
        for found in found {
            for (name, superclass) in found? {
                next.extend(superclass.clone());
                superclasses.entry(name).or_insert(superclass);
            }
        }
        for name in std::mem::replace(&mut wanted, next) {
            superclasses.entry(name).or_insert(None);
        }
    }
}
