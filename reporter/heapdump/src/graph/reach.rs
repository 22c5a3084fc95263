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

    /// Removes a node.
    #[inline]
    pub fn remove(&mut self, node: NodeIndex) {
        self.words[node.as_usize() / 64] &= !(1 << (node.0 % 64));
    }

    /// The first node of the set that is not before a node.
    pub(crate) fn first_from(&self, node: NodeIndex) -> Option<NodeIndex> {
        let start = node.as_usize() / 64;
        let first = self.words.get(start)? & (u64::MAX << (node.0 % 64));
        let rest = self.words.iter().copied().skip(start + 1);
        let mut words = std::iter::once(first).chain(rest).enumerate();
        let (at, word) = words.find(|(_, word)| *word != 0)?;
        Some(NodeIndex((start + at) as u32 * 64 + word.trailing_zeros()))
    }

    /// Removes nodes and gives them: those of whole words, until there are at least `room`.
    fn take_some(&mut self, room: usize) -> Vec<NodeIndex> {
        let mut taken = Vec::new();
        for (at, word) in self.words.iter_mut().enumerate().filter(|(_, word)| **word != 0) {
            while *word != 0 {
                taken.push(NodeIndex(at as u32 * 64 + word.trailing_zeros()));
                *word &= *word - 1;
            }
            if taken.len() >= room {
                break;
            }
        }
        taken
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

    /// The nodes that the root reaches. The others are garbage that was not collected yet; dumps of live objects have
    /// some too.
    ///
    /// The mark stack takes a quarter of a byte a node beside the set itself. Nodes for which it has no room are marked in
    /// a second set and found later (mark stack overflow: Jones, Hosking, Moss, "The Garbage Collection Handbook", 2nd
    /// edition, 2.2).
    pub fn reachable(&self) -> NodeSet {
        self.reached_with(self.len() / 16, |_| false)
    }

    /// The nodes that the root reaches by paths that pass no blocked node. Blocked nodes at their ends are in the set.
    pub fn reachable_without(&self, blocked: impl Fn(NodeIndex) -> bool) -> NodeSet {
        self.reached_with(self.len() / 16, blocked)
    }

    /// The same, with a mark stack for `room` nodes.
    fn reached_with(&self, room: usize, blocked: impl Fn(NodeIndex) -> bool) -> NodeSet {
        let mut reached = NodeSet::new(self.len());
        let mut later = NodeSet { words: Vec::new() };
        reached.insert(self.root());
        let mut open = vec![self.root()];
        loop {
            while let Some(node) = open.pop() {
                for target in self.references(node) {
                    if reached.insert(target) && self.starts[target.as_usize()] != 0 && !blocked(target) {
                        if open.len() <= room {
                            open.push(target);
                        } else {
                            later.words.resize(reached.words.len(), 0);
                            later.insert(target);
                        }
                    }
                }
            }
            open.extend(later.take_some(room));
            if open.is_empty() {
                return reached;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_room_for_open_nodes_changes_nothing() {
        // A wide node above lists, and an unreachable part.
        let wide: Vec<u32> = (1..600).collect();
        let mut references = vec![wide];
        references.extend((1..600).map(|node| vec![600 + node, (node * 7) % 600]));
        references.extend((0..601).map(|node| vec![node % 1300]));
        references.extend((0..300).map(|node| vec![node]));
        let graph = Graph::of_lists(&references, &[0]);
        let all = graph.reached_with(usize::MAX - 1, |_| false);
        assert!(all.contains(NodeIndex(1199)) && !all.contains(NodeIndex(1400)));
        for room in [0, 1, 10, 100] {
            assert_eq!(graph.reached_with(room, |_| false), all, "room for {room}");
        }
    }

    #[test]
    fn nodes_that_only_blocked_nodes_lead_to_are_not_reached() {
        // 1 is blocked; only 1 leads to 3, and both 1 and 2 lead to 4.
        let graph = Graph::of_lists(&[vec![1, 2], vec![3, 4], vec![4], vec![], vec![]], &[0]);
        let reached = graph.reachable_without(|node| node == NodeIndex(1));
        let of = |node| reached.contains(NodeIndex(node));
        assert_eq!([0, 1, 2, 3, 4].map(of), [true, true, true, false, true]);
    }
}
