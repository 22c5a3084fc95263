//! Rules: which objects belong to which component.

use std::collections::HashMap;

use super::assignment::{Assignment, Component, FREE, Holders, Suspend};
use super::fields::{texts_of_field, values};
use super::modules::Modules;
use super::nodes;
use crate::class::{Class, ClassIndex, short_loader_name};
use crate::error::Error;
use crate::graph::NodeSet;
use crate::heap::Heap;
use crate::hprof::FieldType;
use crate::index::ObjectIndex;
use crate::links::Link;

/// A test of a name.
pub type Names = Box<dyn Fn(&str) -> bool>;

/// Most nodes that the instances of one rule get; if there are more instances, they are the component's own objects.
const MOST_INSTANCES: usize = 4096;

/// Which objects belong to a component. An empty rule assigns nothing.
#[derive(Default)]
pub struct Rule {
    /// The dotted name of the object's class. An array of references has the component of its elements' class; an array
    /// of primitive values has none by class. A `java.lang.Class` object has the component of the class.
    pub classes: Option<Names>,
    /// The loader of its class: `boot`, `platform`, `app`, the loader's own name, or the loader's class.
    pub loaders: Option<Names>,
    /// The module of its class.
    pub modules: Option<Names>,
    /// Reference paths that end at the object: a class and fields, `com.acme.Registry.caches.table[]`. The first field
    /// is static or of every instance; `[]` means all elements.
    pub paths: Vec<String>,
    /// The object's class or one of its superclasses.
    pub instances: Option<Names>,
    /// All `Class` objects, which have the static fields. This rule decides before `instances`.
    pub class_objects: bool,
    /// With `instances`: each becomes a node, named by the text of this field.
    pub name_field: Option<String>,
}

/// A component and its rule.
#[derive(Default)]
pub struct Definition {
    /// Its name; dots make it a part of the component before the last dot.
    pub name: String,
    /// Which references are suspended.
    pub suspend: Suspend,
    /// Its `instances` are those that no other rule assigns.
    pub last: bool,
    /// What belongs to it. An object must match all that are given of `classes`, `loaders` and `modules`.
    pub rule: Rule,
}

impl Assignment {
    /// Assigns the objects of a set. The first of these decides: nodes that the program made, paths, instances, then
    /// classes, loaders and modules. Among rules of one kind the first definition decides. Also gives the paths that lead
    /// to no object.
    ///
    /// # Errors
    /// The dump's file cannot be read any more.
    pub fn of(heap: &Heap, among: &NodeSet, definitions: &[Definition]) -> Result<(Assignment, Vec<String>), Error> {
        let mut tree = Tree { definitions, components: Vec::new(), known: HashMap::new() };
        let numbers: Vec<usize> = definitions.iter().map(|definition| tree.defined(&definition.name)).collect();
        let named = nodes::named(heap, among)?;
        let named: Vec<(ObjectIndex, usize)> =
            named.into_iter().map(|(object, name)| (object, tree.component(&name, &nodes::levels(&name)))).collect();
        let mut assignment =
            Assignment { components: tree.components, owners: vec![FREE; heap.len()], holders: Holders::All };
        named.into_iter().for_each(|(object, component)| assignment.claim(object, component));
        let mut nowhere = Vec::new();
        for (definition, number) in definitions.iter().zip(&numbers) {
            for path in &definition.rule.paths {
                let ends = follow(heap, path)?;
                if ends.is_empty() {
                    nowhere.push(path.clone());
                }
                ends.into_iter().filter(|end| among.has(*end)).for_each(|end| assignment.claim(end, *number));
            }
        }
        if let Some(at) = definitions.iter().position(|definition| definition.rule.class_objects) {
            let found = heap.objects().filter(|object| heap.class_object(*object).is_some() && among.has(*object));
            found.for_each(|object| assignment.claim(object, numbers[at]));
        }
        for (definition, number) in definitions.iter().zip(&numbers) {
            if !definition.last {
                assignment.claim_instances(heap, among, definition, *number)?;
            }
        }
        let by_class = by_class(heap, definitions)?;
        for object in heap.objects().filter(|object| among.has(*object)) {
            let class = heap.class_object(object).unwrap_or_else(|| heap.class_of(object));
            let Some(at) = by_class[class.as_usize()] else { continue };
            assignment.claim(object, numbers[at]);
        }
        for (definition, number) in definitions.iter().zip(&numbers).filter(|(definition, _)| definition.last) {
            assignment.claim_instances(heap, among, definition, *number)?;
        }
        Ok((assignment, nowhere))
    }

    fn claim(&mut self, object: ObjectIndex, component: usize) {
        let owner = &mut self.owners[object.as_usize()];
        if *owner == FREE {
            *owner = component as u32;
        }
    }

    fn claim_instances(
        &mut self,
        heap: &Heap,
        among: &NodeSet,
        definition: &Definition,
        number: usize,
    ) -> Result<(), Error> {
        let Some(instances) = &definition.rule.instances else { return Ok(()) };
        let named: Vec<bool> = heap.classes().iter().map(|(_, class)| instances(&class.name)).collect();
        let matches = |class| heap.classes().ancestry(class).any(|class| named[class.as_usize()]);
        let matching: Vec<bool> = heap.classes().iter().map(|(class, _)| matches(class)).collect();
        let found = heap.objects().filter(|object| {
            heap.class_object(*object).is_none() && matching[heap.class_of(*object).as_usize()] && among.has(*object)
        });
        let found: Vec<ObjectIndex> = found.filter(|object| self.component_of(*object).is_none()).collect();
        let Some(field) = definition.rule.name_field.as_ref().filter(|_| found.len() <= MOST_INSTANCES) else {
            found.into_iter().for_each(|object| self.claim(object, number));
            return Ok(());
        };
        let names = texts_of_field(heap, &found, field)?;
        for object in found {
            let text = names.get(&object).cloned().unwrap_or_else(|| format!("0x{:x}", heap.address(object)));
            let name = format!("{}[{text}]", definition.name);
            self.claim(object, self.components.len());
            self.components.push(Component { name, parent: Some(number), suspend: definition.suspend });
        }
        Ok(())
    }
}

/// The components while they are made. A part gets a parent even if no definition names it.
struct Tree<'a> {
    definitions: &'a [Definition],
    components: Vec<Component>,
    known: HashMap<String, usize>,
}

impl Tree<'_> {
    /// The component of a definition.
    fn defined(&mut self, name: &str) -> usize {
        let ends: Vec<usize> = name.match_indices('.').map(|(dot, _)| dot).chain([name.len()]).collect();
        self.component(name, &ends)
    }

    /// The component of a name. `ends` are the offsets at which the names of the components above it end, then its own.
    fn component(&mut self, name: &str, ends: &[usize]) -> usize {
        let mut parent = None;
        for end in ends {
            let name = &name[..*end];
            let number = self.known.get(name).copied().unwrap_or_else(|| {
                let definition = self.definitions.iter().find(|definition| definition.name == name);
                let suspend = definition.map_or(Suspend::default(), |definition| definition.suspend);
                self.known.insert(name.to_owned(), self.components.len());
                self.components.push(Component { name: name.to_owned(), parent, suspend });
                self.components.len() - 1
            });
            parent = Some(number);
        }
        parent.expect("a name ends somewhere")
    }
}

/// The definition that each class matches by `classes`, `loaders` and `modules`.
fn by_class(heap: &Heap, definitions: &[Definition]) -> Result<Vec<Option<usize>>, Error> {
    let rule = |definition: &Definition| definition.rule.loaders.is_some() || definition.rule.modules.is_some();
    let modules = match definitions.iter().any(|definition| definition.rule.modules.is_some()) {
        true => Modules::of(heap)?,
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
        let matches = |definition: &&Definition| {
            let Rule { classes, loaders: of_loaders, modules: of_modules, .. } = &definition.rule;
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

/// The objects at the end of a path: its longest prefix that names classes of the dump, then fields.
fn follow(heap: &Heap, path: &str) -> Result<Vec<ObjectIndex>, Error> {
    let dots: Vec<usize> = path.match_indices('.').map(|(dot, _)| dot).collect();
    let named = |name: &str| -> Vec<ClassIndex> {
        heap.classes().iter().filter(|(_, class)| class.name == name).map(|(class, _)| class).collect()
    };
    let start =
        dots.iter().rev().map(|dot| (named(&path[..*dot]), &path[dot + 1..])).find(|(found, _)| !found.is_empty());
    let Some((classes, fields)) = start else { return Ok(Vec::new()) };
    let is = |class: ClassIndex| classes.iter().any(|ancestor| heap.classes().is_a(class, *ancestor));
    let is: Vec<bool> = heap.classes().iter().map(|(class, _)| is(class)).collect();
    let holds = |object: &ObjectIndex| match heap.class_object(*object) {
        Some(class) => classes.contains(&class),
        None => is[heap.class_of(*object).as_usize()],
    };
    let mut objects: Vec<ObjectIndex> = heap.objects().filter(holds).collect();
    for field in fields.split('.') {
        let name = field.trim_end_matches("[]");
        objects =
            ends(heap, &objects, |link| matches!(link, Link::Field(found) | Link::Static(found) if found == name))?;
        for _ in 0..(field.len() - name.len()) / 2 {
            objects = ends(heap, &objects, |link| matches!(link, Link::Element(_)))?;
        }
    }
    Ok(objects)
}

fn ends(heap: &Heap, objects: &[ObjectIndex], wanted: impl Fn(&Link) -> bool) -> Result<Vec<ObjectIndex>, Error> {
    let mut ends: Vec<ObjectIndex> = values(heap, objects, wanted)?.into_iter().map(|(_, value)| value).collect();
    ends.sort_unstable();
    ends.dedup();
    Ok(ends)
}
