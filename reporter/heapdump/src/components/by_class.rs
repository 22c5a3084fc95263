//! Rules by class, loader and module.

use std::collections::HashMap;

use super::fields::texts_of_field;
use super::modules::Modules;
use super::rule::{AssignmentRule, Definition};
use crate::class::{Class, short_loader_name};
use crate::error::Error;
use crate::heap::Heap;
use crate::hprof::FieldType;

/// The definition that each class matches by `classes`, `loaders` and `modules`.
pub(super) fn by_class(heap: &Heap, definitions: &[&Definition]) -> Result<Vec<Option<usize>>, Error> {
    let rule = |definition: &&Definition| definition.rule.loaders.is_some() || definition.rule.modules.is_some();
    let modules = match definitions.iter().any(|definition| definition.rule.modules.is_some()) {
        true => Modules::from_heap(heap)?,
        false => Modules::default(),
    };
    let loaders = match definitions.iter().any(rule) {
        true => loader_names(heap)?,
        false => HashMap::new(),
    };
    let is_primitive = |name: &str| FieldType::PRIMITIVE.iter().any(|kind| kind.name() == name);
    let definition = |class: &Class| {
        let name = class.name.trim_end_matches("[]");
        if class.primitive.is_some() || (name.len() < class.name.len() && is_primitive(name)) {
            return None;
        }
        let matches = |definition: &&&Definition| {
            let AssignmentRule { classes, loaders: of_loaders, modules: of_modules, .. } = &definition.rule;
            let module = || modules.name(class.loader, name);
            let loader = || loaders.get(&class.loader).map_or(&[][..], Vec::as_slice);
            (classes.is_some() || of_loaders.is_some() || of_modules.is_some())
                && classes.as_ref().is_none_or(|classes| classes(name))
                && of_loaders.as_ref().is_none_or(|loaders| loader().iter().any(|name| loaders(name)))
                && of_modules.as_ref().is_none_or(|modules| module().is_some_and(modules))
        };
        definitions.iter().position(|definition| matches(&definition))
    };
    Ok(heap.classes().iter().map(|(_, class)| definition(class)).collect())
}

/// The names of each loader, by its address.
fn loader_names(heap: &Heap) -> Result<HashMap<u64, Vec<String>>, Error> {
    let mut names: HashMap<u64, Vec<String>> = HashMap::from([(0, vec!["boot".to_owned()])]);
    let mut objects = Vec::new();
    for (_, class) in heap.classes().iter() {
        if let Some(loader) = heap.find(class.loader)
            && !names.contains_key(&class.loader)
        {
            let name = heap.classes().get(heap.class_of(loader)).name.clone();
            let short = short_loader_name(&name).map(str::to_owned);
            names.insert(class.loader, short.into_iter().chain([name]).collect());
            objects.push(loader);
        }
    }
    for (loader, name) in texts_of_field(heap, &objects, "name")? {
        names.entry(heap.address(loader)).or_default().push(name);
    }
    Ok(names)
}
