//! What the root reaches.

use super::{Graph, NodeIndex};
use crate::index::ObjectIndex;

/// A set of nodes, one bit each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeSet {
    words: Vec<u64>,
}

impl NodeSet {
    /// The empty set of a graph's nodes.
    pub fn new(nodes: usize) -> Self {
        NodeSet { words: vec![0; nodes.div_ceil(64)] }
    }

    /// Adds a node; false if it was there.
    #[inline]
    pub fn insert(&mut self, node: NodeIndex) -> bool {
        let (word, bit) = (&mut self.words[node.as_usize() / 64], 1_u64 << (node.0 % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Takes a node away.
    #[inline]
    pub fn remove(&mut self, node: NodeIndex) {
        self.words[node.as_usize() / 64] &= !(1 << (node.0 % 64));
    }

    /// Whether a node is in the set.
    #[inline]
    pub fn contains(&self, node: NodeIndex) -> bool {
        self.words[node.as_usize() / 64] >> (node.0 % 64) & 1 == 1
    }

    /// Whether an object's node is in the set.
    #[inline]
    pub fn has(&self, object: ObjectIndex) -> bool {
        self.contains(object.into())
    }
}

impl Graph {
    /// The nodes that reference a node, each once. A pass over all references.
    pub fn referrers(&self, node: NodeIndex) -> Vec<NodeIndex> {
        self.nodes().filter(|from| self.references(*from).any(|to| to == node)).collect()
    }

    /// The nodes that the root reaches. Everything else is garbage that no collection has removed yet; dumps of live
    /// objects hold some too.
    pub fn reachable(&self) -> NodeSet {
        let mut reached = NodeSet::new(self.len());
        reached.insert(self.root());
        let mut open = vec![self.root()];
        while let Some(node) = open.pop() {
            for target in self.references(node) {
                if reached.insert(target) && self.starts[target.as_usize()] != 0 {
                    open.push(target);
                }
            }
        }
        reached
    }
}
