//! Objects of one class that retain much together, while nothing retains them together.

use std::collections::{HashMap, HashSet};

use super::accumulation::Things;
use super::tree::Weighed;
use crate::class::ClassIndex;
use crate::graph::{Graph, GraphNode, NodeIndex};
use crate::index::ObjectIndex;

/// Objects of one class that no object dominates, or only a class loader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// How many, and what they retain.
    pub things: Things,
    /// The objects, those that retain most first.
    pub objects: Vec<ObjectIndex>,
}

/// Finds them, the greatest first. An object that retains `least` alone is in none, nor is what a class loader refers to
/// itself, nor are the maps of thread locals: their values are told by thread local.
pub fn find(weighed: Weighed<'_>, graph: &Graph, least: u64) -> Vec<Group> {
    let Weighed { heap, tree, retained } = weighed;
    let loaders = weighed.are("java.lang.ClassLoader");
    let of_loaders: HashSet<NodeIndex> = heap
        .objects()
        .filter(|object| loaders[heap.class_of(*object).as_usize()])
        .flat_map(|loader| graph.references(loader.into()))
        .collect();
    let locals = heap.classes().find_by_name("java.lang.ThreadLocal$ThreadLocalMap");
    let mut sums: HashMap<ClassIndex, Things> = HashMap::new();
    let free = || {
        tree.numbers().filter_map(|preorder| {
            let class = weighed.class(preorder)?;
            let is_free = match tree.node(tree.immediate(preorder)) {
                GraphNode::Object(above) => loaders[heap.class_of(above).as_usize()],
                _ => true,
            };
            let bytes = retained[preorder.as_usize()];
            let is_told = loaders[class.as_usize()] || Some(class) == locals;
            let is_own = of_loaders.contains(&tree.index(preorder));
            (is_free && !is_told && !is_own && bytes < least).then_some((preorder, class, bytes))
        })
    };
    for (_, class, bytes) in free() {
        let sum = sums.entry(class).or_insert(Things { class, objects: 0, bytes: 0 });
        sum.objects += 1;
        sum.bytes += bytes;
    }
    let wanted = sums.into_values().filter(|sum| sum.bytes >= least && sum.objects > 1);
    let mut groups: Vec<Group> = wanted
        .map(|things| {
            let mut members: Vec<_> = free().filter(|(_, class, _)| *class == things.class).collect();
            members.sort_by_key(|(preorder, _, bytes)| (std::cmp::Reverse(*bytes), *preorder));
            let objects = members.iter().filter_map(|(preorder, ..)| weighed.object(*preorder)).collect();
            Group { things, objects }
        })
        .collect();
    groups.sort_by_key(|group| (std::cmp::Reverse(group.things.bytes), group.things.class));
    groups
}
