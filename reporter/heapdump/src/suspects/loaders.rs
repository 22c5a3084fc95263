//! Class loaders of an application that was loaded several times.

use std::collections::{BTreeMap, BTreeSet};

use super::thresholds::LOADERS;
use super::tree::Weighed;
use crate::class::ClassIndex;
use crate::error::Error;
use crate::hprof::Record;
use crate::index::ObjectIndex;

/// Loaders of one class that define classes of the same names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copies {
    /// The class of the loaders.
    pub class: ClassIndex,
    /// The loaders, with what each retains, by address.
    pub loaders: Vec<(ObjectIndex, u64)>,
    /// Those that say of themselves that they were stopped (Tomcat's field `state`).
    pub stopped: Vec<ObjectIndex>,
    /// Names of classes that each of them defines, sorted.
    pub names: Vec<String>,
    /// Bytes that they retain together: all, since none of them is below another one.
    pub bytes: u64,
}

/// Finds loaders that define the same classes and retain `least` bytes together: three or more, or one that was stopped.
///
/// # Errors
/// The dump's file cannot be read any more.
pub fn find(weighed: Weighed<'_>, least: u64) -> Result<Vec<Copies>, Error> {
    let heap = weighed.heap;
    let mut defined: BTreeMap<ObjectIndex, BTreeSet<&str>> = BTreeMap::new();
    for (_, class) in heap.classes().iter().filter(|(_, class)| class.loader != 0 && is_of_a_file(&class.name)) {
        if let Some(loader) =
            heap.find(class.loader).filter(|loader| weighed.tree.number_of((*loader).into()).is_some())
        {
            defined.entry(loader).or_default().insert(&class.name);
        }
    }
    // Loaders are of one application if they share a class name and have one class.
    let mut by_name: BTreeMap<(ClassIndex, &str), Vec<ObjectIndex>> = BTreeMap::new();
    for (loader, names) in &defined {
        for name in names {
            by_name.entry((heap.class_of(*loader), name)).or_default().push(*loader);
        }
    }
    let mut sets: BTreeMap<Vec<ObjectIndex>, (ClassIndex, Vec<String>)> = BTreeMap::new();
    for ((class, name), loaders) in by_name.into_iter().filter(|(_, loaders)| loaders.len() > 1) {
        sets.entry(loaders).or_insert((class, Vec::new())).1.push(name.to_owned());
    }
    // Sets overlap where a copy has not loaded every class: the largest set of a loader counts.
    let mut sets: Vec<_> = sets.into_iter().collect();
    sets.sort_by_key(|(loaders, (_, names))| (std::cmp::Reverse((loaders.len(), names.len())), loaders.clone()));
    let mut taken = BTreeSet::new();
    let mut found = Vec::new();
    for (loaders, (class, names)) in sets {
        if loaders.iter().any(|loader| !taken.insert(*loader)) {
            continue;
        }
        let stopped = stopped(weighed, &loaders)?;
        let loaders: Vec<(ObjectIndex, u64)> =
            loaders.into_iter().map(|loader| (loader, weighed.bytes_of(loader))).collect();
        let bytes = loaders.iter().map(|(_, bytes)| bytes).sum();
        if bytes >= least && (loaders.len() >= LOADERS || !stopped.is_empty()) {
            found.push(Copies { class, loaders, stopped, names, bytes });
        }
    }
    found.sort_by_key(|copies| (std::cmp::Reverse(copies.bytes), copies.class));
    Ok(found)
}

/// Whether a class comes from a file, so that its name is the same in each copy: not made at run time.
fn is_of_a_file(name: &str) -> bool {
    !name.ends_with("[]") && !name.contains("$$") && !name.contains("$Proxy") && !name.contains("+0x")
}

/// The loaders whose field `state` is an enum constant that says that they ended.
fn stopped(weighed: Weighed<'_>, loaders: &[ObjectIndex]) -> Result<Vec<ObjectIndex>, Error> {
    let heap = weighed.heap;
    let mut states: Vec<(ObjectIndex, ObjectIndex)> = Vec::new();
    heap.reread(loaders, |loader, record| {
        if let Record::Instance { fields, .. } = record
            && let Some(offset) = heap.field(heap.class_of(loader), "state")
            && let Some(state) = heap.reference(fields, offset)
        {
            states.push((loader, state));
        }
    })?;
    let constants: Vec<ObjectIndex> = states.iter().map(|(_, state)| *state).collect();
    let mut named: BTreeMap<ObjectIndex, ObjectIndex> = BTreeMap::new();
    heap.reread(&constants, |state, record| {
        if let Record::Instance { fields, .. } = record
            && let Some(offset) = heap.field(heap.class_of(state), "name")
            && let Some(name) = heap.reference(fields, offset)
        {
            named.insert(state, name);
        }
    })?;
    let texts = heap.texts(&named.values().copied().collect::<Vec<_>>())?;
    let ended = |state: &ObjectIndex| {
        let text = named.get(state).and_then(|name| texts.get(name));
        text.is_some_and(|text| ["STOPP", "DESTROY"].iter().any(|ended| text.starts_with(ended)))
    };
    Ok(states.iter().filter(|(_, state)| ended(state)).map(|(loader, _)| *loader).collect())
}
