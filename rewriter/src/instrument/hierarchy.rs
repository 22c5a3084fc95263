//! The class hierarchy, as far as the inputs show it.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use super::examine::header;
use super::paths::{Meaning, meaning};
use super::scan::{Node, Scanner};
use super::unit::Unit;
use crate::error::Result;

/// Internal names of classes and their superclasses; `None` if the inputs do not show it.
type Superclasses = HashMap<Box<[u8]>, Option<Box<[u8]>>>;

/// Selects the classes below the supertypes of `instrument.extends`, through any number of classes of the inputs.
pub(super) fn select_by_supertype(scanner: &Scanner<'_>, nodes: &mut [Node]) -> Result<()> {
    let mut below: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
    for node in nodes.iter() {
        for (name, supertypes) in node.supertypes() {
            for supertype in supertypes {
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
        scanner.select_open(nodes, node, |class| reached.contains(&class.name))?;
    }
    Ok(())
}

/// For each unit, the rewritten classes of other units that descend from one of its classes, sorted.
///
/// Their constructors call constructors of this unit, and its bridge must know that their objects are registered
/// elsewhere (docs/probe-contract.md, `descendant`).
pub(super) fn descendants(scanner: &Scanner<'_>, nodes: &[Node], units: &[Unit]) -> Result<Vec<Vec<Box<[u8]>>>> {
    let mut foreign = vec![Vec::new(); units.len()];
    if units.len() < 2 {
        return Ok(foreign);
    }
    let mut homes: HashMap<&[u8], Vec<usize>> = HashMap::new();
    let mut superclasses = Superclasses::new();
    for (index, unit) in units.iter().enumerate() {
        for class in &unit.classes {
            homes.entry(&class.name).or_default().push(index);
            superclasses.insert(class.name.clone(), class.superclass.clone());
        }
    }
    complete(scanner, nodes, &mut superclasses)?;
    for (&name, own) in &homes {
        let mut seen = HashSet::new();
        let mut above = superclasses.get(name).and_then(Option::as_deref);
        while let Some(ancestor) = above.filter(|ancestor| seen.insert(*ancestor)) {
            for &home in homes.get(ancestor).into_iter().flatten() {
                if own.iter().any(|&own| own != home) {
                    foreign[home].push(Box::from(name));
                }
            }
            above = superclasses.get(ancestor).and_then(Option::as_deref);
        }
    }
    for names in &mut foreign {
        names.sort_unstable();
        names.dedup();
    }
    Ok(foreign)
}

/// Adds the superclasses of superclasses in the inputs, level by level. Reads only these classes.
fn complete(scanner: &Scanner<'_>, nodes: &[Node], superclasses: &mut Superclasses) -> Result<()> {
    loop {
        let unknown: HashSet<Box<[u8]>> = superclasses
            .values()
            .flatten()
            .filter(|name| !superclasses.contains_key(*name) && !name.starts_with(b"java/"))
            .cloned()
            .collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let read = |node: usize| -> Result<Superclasses> {
            let tree = &nodes[node].tree;
            let mut found = Superclasses::new();
            for entry in (0..tree.len()).filter(|&entry| tree.is_file(entry)) {
                let Meaning::Class { name, .. } = meaning(tree.name(entry)) else { continue };
                if unknown.contains(name) && !found.contains_key(name) {
                    let content = tree.content(entry, scanner.budget)?;
                    let superclass = header(&content, name, scanner.selector)
                        .and_then(|header| header.supertypes.into_iter().next());
                    found.insert(name.into(), superclass);
                }
            }
            Ok(found)
        };
        let found: Vec<Result<Superclasses>> =
            scanner.workers.run(|| Ok((0..nodes.len()).into_par_iter().map(read).collect()))?;
        for found in found {
            for (name, superclass) in found? {
                superclasses.entry(name).or_insert(superclass);
            }
        }
        for name in unknown {
            superclasses.entry(name).or_insert(None);
        }
    }
}
