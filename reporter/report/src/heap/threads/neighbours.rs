//! The neighbours of shared objects: what they refer to and what refers to them, for the drill-down.

use std::collections::{HashMap, HashSet};

use weighbridge_heapdump::{ClassIndex, Graph, GraphNode, Heap, ObjectIndex};

use super::super::names::address;

/// Neighbours shown of an object or class.
pub(super) const MOST: usize = 20;

/// The shared entries' objects and classes, with their neighbours.
#[derive(Debug, Clone, Default)]
pub(super) struct Neighbours {
    pub(super) objects: Vec<Object>,
    pub(super) classes: Vec<ClassNeighbours>,
}

/// An object, the objects to which it refers, and those that refer to it: `class at 0x...`, and shallow bytes. Of each
/// list the first 20.
#[derive(Debug, Clone, Default)]
pub struct Object {
    /// `class at 0x...`.
    pub name: String,
    /// Shallow.
    pub bytes: u64,
    /// To which it refers.
    pub referents: Vec<(String, u64)>,
    /// How many there are.
    pub referents_total: u64,
    /// Which refer to it.
    pub referrers: Vec<(String, u64)>,
    /// How many there are.
    pub referrers_total: u64,
}

/// A class's reachable instances, and the references from and to them by class, the most common 20.
#[derive(Debug, Clone, Default)]
pub struct ClassNeighbours {
    /// Its name.
    pub name: String,
    /// Reachable ones.
    pub instances: u64,
    /// Their shallow bytes.
    pub bytes: u64,
    /// Classes to whose objects they refer, and how often.
    pub referents: Vec<(String, u64)>,
    /// Classes whose objects refer to them, and how often.
    pub referrers: Vec<(String, u64)>,
}

impl Neighbours {
    /// Visits every reachable reference once, unless there are no roots.
    pub(super) fn from_graph(heap: &Heap, graph: &Graph, roots: impl Iterator<Item = ObjectIndex>) -> Self {
        let mut wanted: Vec<ObjectIndex> = roots.collect();
        wanted.sort_unstable();
        wanted.dedup();
        if wanted.is_empty() {
            return Neighbours::default();
        }
        let index_of: HashMap<ObjectIndex, usize> = wanted.iter().zip(0..).map(|(object, at)| (*object, at)).collect();
        let classes: HashSet<ClassIndex> = wanted.iter().map(|object| heap.class_of(*object)).collect();
        let mut objects: Vec<Object> = wanted
            .iter()
            .map(|object| Object { name: name(heap, *object), bytes: heap.bytes(*object), ..Object::default() })
            .collect();
        let mut around: HashMap<ClassIndex, Around> = classes.iter().map(|class| (*class, Around::default())).collect();
        let reachable = graph.reachable();
        for object in heap.objects().filter(|object| reachable.has(*object)) {
            let class = heap.class_of(object);
            if let Some(around) = around.get_mut(&class) {
                around.instances += 1;
                around.bytes += heap.bytes(object);
            }
            for held in graph.references(object.into()) {
                let GraphNode::Object(held) = graph.node(held) else { continue };
                let held_class = heap.class_of(held);
                if let Some(around) = around.get_mut(&class) {
                    *around.referents.entry(held_class).or_default() += 1;
                }
                if let Some(around) = around.get_mut(&held_class) {
                    *around.referrers.entry(class).or_default() += 1;
                }
                if let Some(&at) = index_of.get(&object) {
                    objects[at].referents_total += 1;
                    note(heap, &mut objects[at].referents, held);
                }
                if let Some(&at) = index_of.get(&held) {
                    objects[at].referrers_total += 1;
                    note(heap, &mut objects[at].referrers, object);
                }
            }
        }
        let mut classes: Vec<ClassNeighbours> =
            around.into_iter().map(|(class, around)| around.ranked(heap, class)).collect();
        classes.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.name.cmp(&b.name)));
        Neighbours { objects, classes }
    }
}

#[derive(Default)]
struct Around {
    instances: u64,
    bytes: u64,
    referents: HashMap<ClassIndex, u64>,
    referrers: HashMap<ClassIndex, u64>,
}

impl Around {
    fn ranked(self, heap: &Heap, class: ClassIndex) -> ClassNeighbours {
        let ranked = |counts: HashMap<ClassIndex, u64>| {
            let named = counts.into_iter().map(|(class, count)| (heap.classes().get(class).name.clone(), count));
            let mut named: Vec<(String, u64)> = named.collect();
            named.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            named.truncate(MOST);
            named
        };
        ClassNeighbours {
            name: heap.classes().get(class).name.clone(),
            instances: self.instances,
            bytes: self.bytes,
            referents: ranked(self.referents),
            referrers: ranked(self.referrers),
        }
    }
}

fn note(heap: &Heap, list: &mut Vec<(String, u64)>, object: ObjectIndex) {
    if list.len() < MOST {
        list.push((name(heap, object), heap.bytes(object)));
    }
}

/// The class and address of an object.
fn name(heap: &Heap, object: ObjectIndex) -> String {
    format!("{} at {}", heap.classes().get(heap.class_of(object)).name, address(heap, object))
}
