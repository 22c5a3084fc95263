//! Single objects that retain much, where it accumulates: what is directly below is small.

use std::collections::HashMap;

use super::tree::Weighed;
use crate::class::ClassIndex;
use crate::dominators::Preorder;
use crate::graph::{NodeIndex, NodeSet};

/// A node that retains much, while no node directly below it retains most of that. Neighbours of one class, as the nodes
/// of a linked list or a tree, are one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accumulation {
    /// The node: an object, a thread or a frame.
    pub preorder: Preorder,
    /// Bytes that it retains.
    pub retained_bytes: u64,
    /// Bytes that the largest node below retains.
    pub largest_below_bytes: u64,
    /// Bytes of the node itself and its neighbours.
    pub own_bytes: u64,
    /// What is in it, by class, the most bytes first; collections and arrays below it are looked through.
    pub things: Vec<Things>,
}

/// Objects of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Things {
    /// The class.
    pub class: ClassIndex,
    /// How many.
    pub objects: u64,
    /// Bytes that they retain.
    pub bytes: u64,
}

/// Finds them, the greatest first. Of what accumulates at least half must be of one class, or the object itself: what
/// holds many different things is the program.
pub fn find(weighed: Weighed<'_>, least: u64) -> Vec<Accumulation> {
    let heads = heads(weighed);
    // The largest below, and the bytes of the neighbours.
    let mut largest: HashMap<u32, (u64, u64)> = HashMap::new();
    let own = |preorder| weighed.heap.node_bytes(weighed.tree.index(preorder));
    for preorder in weighed.tree.numbers() {
        let above = heads[weighed.tree.immediate(preorder).as_usize()];
        if above != 0 && weighed.retained[above as usize] >= least {
            let (largest, neighbours) = largest.entry(above).or_default();
            match heads[preorder.as_usize()] == above {
                true => *neighbours += own(preorder),
                false => *largest = (*largest).max(weighed.retained[preorder.as_usize()]),
            }
        }
    }
    let drop = |preorder: Preorder| {
        let (largest_below_bytes, neighbours) = largest.get(&preorder.0).copied().unwrap_or_default();
        let retained_bytes = weighed.retained[preorder.as_usize()];
        let is_large = heads[preorder.as_usize()] == preorder.0 && retained_bytes - largest_below_bytes >= least;
        is_large.then(|| Accumulation {
            preorder,
            retained_bytes,
            largest_below_bytes,
            own_bytes: own(preorder) + neighbours,
            things: things(weighed, &heads, preorder),
        })
    };
    let mut found: Vec<Accumulation> = weighed.tree.numbers().filter_map(drop).collect();
    let mirror = weighed.heap.classes().mirror();
    found.retain(|drop| {
        let dropped = drop.retained_bytes - drop.largest_below_bytes;
        let most = drop.things.first().filter(|things| things.class != mirror).map_or(0, |things| things.bytes);
        most.max(drop.own_bytes) >= dropped / 2
    });
    found.sort_by_key(|drop| (std::cmp::Reverse(drop.retained_bytes - drop.largest_below_bytes), drop.preorder));
    found
}

/// For each node the uppermost of its neighbours of one class: itself, if what is above it has another class.
fn heads(weighed: Weighed<'_>) -> Vec<u32> {
    let mut heads = vec![0; weighed.tree.len()];
    for preorder in weighed.tree.numbers() {
        let above = weighed.tree.immediate(preorder);
        let same = weighed.class(preorder).is_some_and(|class| weighed.class(above) == Some(class));
        heads[preorder.as_usize()] = if same { heads[above.as_usize()] } else { preorder.0 };
    }
    heads
}

/// What is below a node, by class. Parts of collections are passed. One pass over the tree.
fn things(weighed: Weighed<'_>, heads: &[u32], top: Preorder) -> Vec<Things> {
    let structural = weighed.structural();
    let mut passed = NodeSet::new(weighed.tree.len());
    passed.insert(NodeIndex(top.0));
    let mut found: HashMap<ClassIndex, Things> = HashMap::new();
    for preorder in weighed.tree.numbers().skip(top.as_usize()) {
        if !passed.contains(NodeIndex(weighed.tree.immediate(preorder).0)) {
            continue;
        }
        let class = weighed.class(preorder);
        let is_part = class.is_some_and(|class| structural[class.as_usize()]);
        if heads[preorder.as_usize()] == top.0 || is_part {
            passed.insert(NodeIndex(preorder.0));
        } else if let Some(object) = weighed.object(preorder) {
            let class = weighed.heap.class_of(object);
            let things = found.entry(class).or_insert(Things { class, objects: 0, bytes: 0 });
            things.objects += 1;
            things.bytes += weighed.retained[preorder.as_usize()];
        }
    }
    let mut things: Vec<Things> = found.into_values().collect();
    things.sort_by_key(|things| (std::cmp::Reverse(things.bytes), things.class));
    things
}
