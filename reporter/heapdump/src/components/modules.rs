//! The module of a class. HPROF does not say it, but the `java.lang.Module` objects of the dump do.

use std::collections::{HashMap, HashSet};

use super::fields::{texts_of_field, values, values_of_field};
use crate::error::Error;
use crate::heap::Heap;
use crate::index::ObjectIndex;
use crate::links::ObjectLink;

/// Named modules by loader and package, without unnamed modules and packages that were added at run time (proxies).
#[derive(Debug, Default)]
pub(super) struct Modules(HashMap<(u64, String), String>);

impl Modules {
    /// Reads `Module.loader`, `Module.name` and `Module.descriptor.packages` (JDK 9 to 25).
    pub(super) fn from_heap(heap: &Heap) -> Result<Self, Error> {
        let Some(class) = heap.classes().find_by_name("java.lang.Module") else { return Ok(Modules::default()) };
        let modules: Vec<ObjectIndex> = heap.instances(class).collect();
        let names = texts_of_field(heap, &modules, "name")?;
        let loaders: HashMap<ObjectIndex, ObjectIndex> =
            values_of_field(heap, &modules, "loader")?.into_iter().collect();
        let mut sets: HashMap<ObjectIndex, Vec<ObjectIndex>> = HashMap::new();
        let descriptors = values_of_field(heap, &modules, "descriptor")?;
        let of_descriptor: HashMap<ObjectIndex, ObjectIndex> =
            descriptors.iter().map(|(module, descriptor)| (*descriptor, *module)).collect();
        let objects: Vec<ObjectIndex> = of_descriptor.keys().copied().collect();
        for (descriptor, packages) in values_of_field(heap, &objects, "packages")? {
            sets.entry(packages).or_default().push(of_descriptor[&descriptor]);
        }
        let mut packages = HashMap::new();
        for (text, modules) in strings_below(heap, sets)? {
            for module in modules {
                let loader = loaders.get(&module).map_or(0, |loader| heap.address(*loader));
                if let Some(name) = names.get(&module) {
                    packages.insert((loader, text.clone()), name.clone());
                }
            }
        }
        Ok(Modules(packages))
    }

    /// The module of a class.
    pub(super) fn name(&self, loader: u64, class: &str) -> Option<&str> {
        let package = class.rsplit_once('.').map_or("", |(package, _)| package);
        self.0.get(&(loader, package.to_owned())).map(String::as_str)
    }
}

/// The texts in the modules' sets of packages, each with the modules of its set. Sets are of any class of `java.util`: an
/// immutable set holds an array, a hash set holds a map.
fn strings_below(
    heap: &Heap,
    mut open: HashMap<ObjectIndex, Vec<ObjectIndex>>,
) -> Result<Vec<(String, Vec<ObjectIndex>)>, Error> {
    let mut seen: HashSet<ObjectIndex> = HashSet::new();
    let mut strings: HashMap<ObjectIndex, Vec<ObjectIndex>> = HashMap::new();
    while !open.is_empty() {
        let objects: Vec<ObjectIndex> = open.keys().copied().filter(|object| seen.insert(*object)).collect();
        let mut next: HashMap<ObjectIndex, Vec<ObjectIndex>> = HashMap::new();
        for (set, value) in
            values(heap, &objects, |link| matches!(link, ObjectLink::Field(_) | ObjectLink::Element(_)))?
        {
            let class = &heap.classes().get(heap.class_of(value)).name;
            let modules = open.get(&set).cloned().unwrap_or_default();
            if class == "java.lang.String" {
                strings.entry(value).or_default().extend(modules);
            } else if class.starts_with("java.util.") || class == "java.lang.Object[]" {
                next.entry(value).or_default().extend(modules);
            }
        }
        open = next;
    }
    let texts = heap.texts(&strings.keys().copied().collect::<Vec<_>>())?;
    Ok(strings.into_iter().filter_map(|(string, modules)| Some((texts.get(&string)?.clone(), modules))).collect())
}
