//! Rules that make nodes of instances and of the entries of maps, and rules that begin at such nodes.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

use super::assigning::Assigning;
use super::rule::Definition;
use super::{follow, maps};
use crate::address::address_text;
use crate::class::ClassIndex;
use crate::error::Error;
use crate::index::ObjectIndex;

/// Most nodes that one rule makes; if there are more objects, they belong to the component above them.
const MOST: usize = 4096;
/// Characters of a name that are kept.
const LONGEST: usize = 200;

/// The objects at which a definition's nodes are: each with its component.
type Heads = Vec<(ObjectIndex, usize)>;

impl Assigning<'_> {
    /// Applies the rules of one turn that make nodes or begin at them: the definitions in their order, but each after
    /// those whose names are above its own.
    pub(super) fn claim_nodes(&mut self, turn: &[usize]) -> Result<(), Error> {
        let mut heads: HashMap<usize, Heads> = HashMap::new();
        let mut open: Vec<usize> = turn.iter().rev().copied().collect();
        let mut done: Vec<usize> = Vec::new();
        while let Some(&at) = open.last() {
            let above = turn.iter().copied().filter(|other| is_above(self.definitions, *other, at));
            let before: Vec<usize> = above.filter(|other| !done.contains(other)).collect();
            if !done.contains(&at) && !before.is_empty() {
                open.extend(before);
                continue;
            }
            open.pop();
            if !done.contains(&at) {
                done.push(at);
                let made = self.claim_of(at, &heads)?;
                heads.insert(at, made);
            }
        }
        Ok(())
    }

    /// Applies one definition's rules; gives its nodes.
    fn claim_of(&mut self, at: usize, known: &HashMap<usize, Heads>) -> Result<Heads, Error> {
        let definition = &self.definitions[at];
        let rule = &definition.rule;
        // The nearest definition above that has nodes.
        let above = known.keys().copied().filter(|other| is_above(self.definitions, *other, at));
        let above = above.filter(|other| makes_nodes(&self.definitions[*other]));
        let above = above.max_by_key(|other| self.definitions[*other].name.len());
        let rest = above.map_or("", |above| &definition.name[self.definitions[above].name.len()..]);
        let none = Vec::new();
        let upper = above.map_or(&none, |above| &known[&above]);
        let mut made = self.claim_instances(definition, upper, rest)?;
        made.extend(self.claim_entries(definition, upper, rest)?);
        for path in &rule.paths {
            let Some(fields) = path.strip_prefix('.') else { continue };
            let (starts, rest) = if makes_nodes(definition) { (&made, "") } else { (upper, rest) };
            let ends = self.from(starts, fields)?;
            for (end, component) in ends {
                if !self.is_open(end) {
                    continue;
                }
                let component = match rest {
                    "" => component,
                    rest => self.tree.intern_parts_below(component, rest, definition.suspend),
                };
                self.claim(end, component);
            }
        }
        Ok(made)
    }

    /// The objects at the end of a path from some nodes, each with the node's component. The first node that leads to an
    /// object counts.
    fn from(&self, heads: &Heads, fields: &str) -> Result<Heads, Error> {
        let component: HashMap<ObjectIndex, usize> = heads.iter().copied().collect();
        let starts: Vec<ObjectIndex> = heads.iter().map(|(object, _)| *object).collect();
        let ends = follow::from_objects(self.heap, &starts, fields)?;
        Ok(ends.into_iter().map(|(start, end)| (end, component[&start])).collect())
    }

    fn claim_instances(&mut self, definition: &Definition, upper: &Heads, rest: &str) -> Result<Heads, Error> {
        let rule = &definition.rule;
        let Some(instances) = &rule.instances else { return Ok(Vec::new()) };
        let classes = self.heap.classes();
        let named: Vec<bool> = classes.iter().map(|(_, class)| instances(&class.name)).collect();
        let matches = |class| classes.ancestry(class).any(|class| named[class.as_usize()]);
        let matching: Vec<bool> = classes.iter().map(|(class, _)| matches(class)).collect();
        let found = self.free_instances(|class| matching[class.as_usize()]);
        let mut above: HashMap<ObjectIndex, usize> = HashMap::new();
        if let Some(path) = &rule.within {
            let of_head: HashMap<ObjectIndex, usize> = upper.iter().copied().collect();
            for (object, end) in follow::from_objects(self.heap, &found, path)? {
                if let Some(component) = of_head.get(&end) {
                    above.entry(object).or_insert(*component);
                }
            }
        }
        let names = match !rule.name_field.is_empty() && found.len() <= MOST {
            true => Some(follow::texts(self.heap, &found, &rule.name_field)?),
            false => None,
        };
        let mut made = Vec::new();
        for object in found {
            let component = match above.get(&object) {
                Some(component) => self.tree.intern_parts_below(*component, rest, definition.suspend),
                None => self.tree.defined(&definition.name),
            };
            let component = match &names {
                Some(names) => self.node(component, definition, object, names.get(&object).map(String::as_str)),
                None => component,
            };
            self.claim(object, component);
            made.push((object, component));
        }
        Ok(made)
    }

    /// Instances without a component.
    fn free_instances(&self, matches: impl Fn(ClassIndex) -> bool) -> Vec<ObjectIndex> {
        let heap = self.heap;
        let found = heap.objects().filter(|object| {
            matches(heap.class_of(*object)) && heap.class_object(*object).is_none() && self.is_open(*object)
        });
        found.collect()
    }

    fn claim_entries(&mut self, definition: &Definition, upper: &Heads, rest: &str) -> Result<Heads, Error> {
        let rule = &definition.rule;
        // By map: the component of the node at which its path begins, or of the definition, and what is between it and nodes.
        let mut map_of: HashMap<ObjectIndex, (usize, &str)> = HashMap::new();
        for path in &rule.entries {
            match path.strip_prefix('.') {
                Some(fields) => {
                    for (map, component) in self.from(upper, fields)? {
                        map_of.entry(map).or_insert((component, rest));
                    }
                }
                None => {
                    let number = self.tree.defined(&definition.name);
                    let maps = follow::from_class(self.heap, path)?;
                    if maps.is_empty() {
                        self.nowhere.push(path.clone());
                    }
                    maps.into_iter().for_each(|map| _ = map_of.entry(map).or_insert((number, "")));
                }
            }
        }
        if map_of.is_empty() {
            return Ok(Vec::new());
        }
        let maps: Vec<ObjectIndex> = map_of.keys().copied().collect();
        let mut entries = maps::entries(self.heap, &maps)?;
        entries.sort_unstable_by_key(|entry| (entry.value, entry.key, entry.map));
        let values: Vec<ObjectIndex> = entries.iter().map(|entry| entry.value).collect();
        for (path, text) in &rule.only {
            let texts = follow::texts(self.heap, &values, std::slice::from_ref(path))?;
            entries.retain(|entry| texts.get(&entry.value) == Some(text));
        }
        let keys: Vec<ObjectIndex> = entries.iter().filter_map(|entry| entry.key).collect();
        let keys = self.heap.texts(&keys)?;
        let names = follow::texts(self.heap, &values, &rule.name_field)?;
        let of_classes = match rule.instances_of.is_empty() {
            true => None,
            false => Some(self.instances_of(&values, &rule.instances_of)?),
        };
        let many = entries.len() > MOST;
        let mut made = Vec::new();
        for entry in entries {
            let objects = match &of_classes {
                None => std::slice::from_ref(&entry.value),
                Some(found) => found.get(&entry.value).map_or(&[][..], Vec::as_slice),
            };
            let objects: Vec<ObjectIndex> = objects.iter().copied().filter(|object| self.is_open(*object)).collect();
            if objects.is_empty() {
                continue;
            }
            let name = names.get(&entry.value).filter(|name| !name.is_empty());
            let name = name.or_else(|| entry.key.and_then(|key| keys.get(&key))).map(String::as_str);
            let component = match map_of[&entry.map] {
                (component, _) if many => component,
                (component, "") => self.node(component, definition, entry.value, name),
                (component, rest) => {
                    let part = self.tree.intern_parts_below(component, rest, definition.suspend);
                    self.node(part, definition, entry.value, name)
                }
            };
            for object in objects {
                self.claim(object, component);
                made.push((object, component));
            }
        }
        Ok(made)
    }

    /// The instances without a component of the classes at the end of some paths from objects; subclasses have their own.
    fn instances_of(
        &self,
        values: &[ObjectIndex],
        paths: &[String],
    ) -> Result<HashMap<ObjectIndex, Vec<ObjectIndex>>, Error> {
        let mut starts: HashMap<ClassIndex, Vec<ObjectIndex>> = HashMap::new();
        for path in paths {
            for (start, end) in follow::from_objects(self.heap, values, path)? {
                if let Some(class) = self.heap.class_object(end) {
                    starts.entry(class).or_default().push(start);
                }
            }
        }
        let mut found: HashMap<ObjectIndex, Vec<ObjectIndex>> = HashMap::new();
        for object in self.free_instances(|class| starts.contains_key(&class)) {
            for start in &starts[&self.heap.class_of(object)] {
                found.entry(*start).or_default().push(object);
            }
        }
        Ok(found)
    }

    /// The node of an object below a component. Without a name, its address is the name.
    fn node(&mut self, parent: usize, definition: &Definition, object: ObjectIndex, name: Option<&str>) -> usize {
        let text = match name {
            Some(text) if definition.rule.secret => hex::encode(&Sha256::digest(text)[..4]),
            Some(text) => text.chars().take(LONGEST).collect(),
            None => address_text(self.heap.address(object)),
        };
        self.tree.part(Some(parent), &format!("[{text}]"), definition.suspend)
    }
}

fn makes_nodes(definition: &Definition) -> bool {
    definition.rule.instances.is_some() || !definition.rule.entries.is_empty()
}

/// Whether a definition's name is above that of another.
fn is_above(definitions: &[Definition], above: usize, part: usize) -> bool {
    definitions[part].name.strip_prefix(&definitions[above].name).is_some_and(|rest| rest.starts_with('.'))
}
