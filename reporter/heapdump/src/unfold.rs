//! The upper part of a dominator tree, to be shown.

use std::collections::HashMap;
use std::hash::Hash;

use crate::dominators::{Dominators, Preorder};
use crate::graph::{NodeIndex, NodeSet};

/// A node to be shown, with the largest nodes below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch<T> {
    /// A node's preorder number, or the key of a group of nodes.
    pub what: T,
    /// How many nodes it sums up.
    pub nodes: u64,
    /// Their own bytes.
    pub shallow_bytes: u64,
    /// Bytes of all that they dominate, their own included.
    pub retained_bytes: u64,
    /// The largest directly below, largest first.
    pub below: Vec<Branch<T>>,
    /// How many are directly below, shown or not.
    pub below_total: u64,
}

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Branches below one, the largest first.
    pub top: usize,
    /// Levels; 1 shows what is directly below the root.
    pub depth: usize,
}

/// The bytes of a tree's nodes.
#[derive(Clone, Copy)]
pub struct Bytes<'a> {
    /// A node's own bytes.
    pub shallow: &'a dyn Fn(Preorder) -> u64,
    /// The bytes that each node retains ([`Dominators::retained`]).
    pub retained: &'a [u64],
}

/// The largest nodes below the root, below these, and so on. One pass over the tree for each level.
pub fn by_node(tree: &Dominators, bytes: Bytes<'_>, extent: Extent) -> Branch<Preorder> {
    let branch = |preorder: Preorder| Branch {
        what: preorder,
        nodes: 1,
        shallow_bytes: (bytes.shallow)(preorder),
        retained_bytes: bytes.retained[preorder.as_usize()],
        below: Vec::new(),
        below_total: 0,
    };
    // All branches are in one list; each has the indices of those below it.
    let mut branches = vec![(branch(Preorder::ROOT), Vec::new())];
    let mut level = vec![0_usize];
    let mut shown = NodeSet::new(tree.len());
    for _ in 0..extent.depth {
        let numbers: HashMap<u32, usize> = level.iter().map(|at| (branches[*at].0.what.0, *at)).collect();
        for preorder in numbers.keys() {
            shown.insert(NodeIndex(*preorder));
        }
        let mut found: HashMap<usize, Vec<Preorder>> = HashMap::new();
        for preorder in tree.numbers() {
            let above = tree.immediate(preorder);
            if shown.contains(NodeIndex(above.0))
                && let Some(at) = numbers.get(&above.0)
            {
                branches[*at].0.below_total += 1;
                let largest = found.entry(*at).or_default();
                largest.push(preorder);
                if largest.len() >= extent.top.saturating_mul(2).max(64) {
                    keep_largest(largest, extent.top, bytes.retained);
                }
            }
        }
        numbers.keys().for_each(|preorder| shown.remove(NodeIndex(*preorder)));
        let mut next = Vec::new();
        for at in level {
            let mut largest = found.remove(&at).unwrap_or_default();
            keep_largest(&mut largest, extent.top, bytes.retained);
            for preorder in largest {
                let number = branches.len();
                branches[at].1.push(number);
                next.push(number);
                branches.push((branch(preorder), Vec::new()));
            }
        }
        level = next;
    }
    assemble(branches)
}

/// Sorts by retained bytes, the greatest first, then by number, and keeps the first `top`.
fn keep_largest(numbers: &mut Vec<Preorder>, top: usize, retained: &[u64]) {
    numbers.sort_unstable_by_key(|preorder| (std::cmp::Reverse(retained[preorder.as_usize()]), *preorder));
    numbers.truncate(top);
}

/// Groups the nodes directly below the root by key, then the nodes directly below each group, and so on. No byte is in two
/// groups of a level. One pass over the tree.
pub fn by_key<K: Clone + Eq + Hash + Ord>(
    tree: &Dominators,
    bytes: Bytes<'_>,
    extent: Extent,
    root: K,
    key: impl Fn(Preorder) -> K,
) -> Branch<K> {
    const NONE: u32 = u32::MAX;
    let empty =
        |what| Branch { what, nodes: 0, shallow_bytes: 0, retained_bytes: 0, below: Vec::new(), below_total: 0 };
    let mut branches = vec![(empty(root), Vec::new())];
    branches[0].0.nodes = 1;
    branches[0].0.retained_bytes = bytes.retained[0];
    let mut levels = vec![0_usize];
    let mut numbers: HashMap<(u32, K), u32> = HashMap::new();
    let mut group_of = vec![NONE; tree.len()];
    group_of[0] = 0;
    for preorder in tree.numbers() {
        let above = group_of[tree.immediate(preorder).as_usize()];
        if above == NONE || levels[above as usize] == extent.depth {
            continue;
        }
        let what = key(preorder);
        let number = *numbers.entry((above, what.clone())).or_insert_with(|| {
            branches.push((empty(what), Vec::new()));
            levels.push(levels[above as usize] + 1);
            let number = branches.len() - 1;
            branches[above as usize].1.push(number);
            number as u32
        });
        group_of[preorder.as_usize()] = number;
        let group = &mut branches[number as usize].0;
        group.nodes += 1;
        group.shallow_bytes += (bytes.shallow)(preorder);
        group.retained_bytes += bytes.retained[preorder.as_usize()];
    }
    for at in 0..branches.len() {
        let mut below = std::mem::take(&mut branches[at].1);
        branches[at].0.below_total = below.len() as u64;
        below.sort_by(|a, b| {
            let (a, b) = (&branches[*a].0, &branches[*b].0);
            b.retained_bytes.cmp(&a.retained_bytes).then_with(|| a.what.cmp(&b.what))
        });
        below.truncate(extent.top);
        branches[at].1 = below;
    }
    assemble(branches)
}

/// Nests a list of branches in which each comes before those below it.
fn assemble<T>(branches: Vec<(Branch<T>, Vec<usize>)>) -> Branch<T> {
    let mut nested: Vec<Option<Branch<T>>> = Vec::new();
    nested.resize_with(branches.len(), || None);
    let mut root = None;
    for (at, (mut branch, below)) in branches.into_iter().enumerate().rev() {
        branch.below = below.into_iter().filter_map(|number| nested[number].take()).collect();
        match at {
            0 => root = Some(branch),
            _ => nested[at] = Some(branch),
        }
    }
    root.expect("the root comes first")
}

/// A node that retains much while no node directly below it retains most of that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accumulation {
    /// The node.
    pub preorder: Preorder,
    /// Bytes that it retains.
    pub retained_bytes: u64,
    /// Bytes that the largest node directly below it retains.
    pub largest_below_bytes: u64,
    /// Nodes directly below it.
    pub below: u64,
}

/// The nodes from which the retained bytes drop by at least `least` to the largest node below, largest drop first.
pub fn drops(tree: &Dominators, retained: &[u64], least: u64) -> Vec<Accumulation> {
    let least = least.max(1);
    // One bit a node, which fits a core's cache: first those that retain that much, then only those from which it drops.
    // Many nodes of a long list retain that much, but it drops from few.
    let mut drops = NodeSet::new(tree.len());
    for preorder in tree.numbers().filter(|preorder| retained[preorder.as_usize()] >= least) {
        drops.insert(NodeIndex(preorder.0));
    }
    for preorder in tree.numbers() {
        let above = tree.immediate(preorder);
        if drops.contains(NodeIndex(above.0)) && retained[above.as_usize()] - retained[preorder.as_usize()] < least {
            drops.remove(NodeIndex(above.0));
        }
    }
    let is_drop = |preorder: Preorder| drops.contains(NodeIndex(preorder.0));
    let found = tree.numbers().filter(|preorder| is_drop(*preorder)).map(|preorder| Accumulation {
        preorder,
        retained_bytes: retained[preorder.as_usize()],
        largest_below_bytes: 0,
        below: 0,
    });
    let mut found: Vec<Accumulation> = found.collect();
    let mut last = 0;
    for preorder in tree.numbers() {
        let above = tree.immediate(preorder);
        if is_drop(above) {
            // Neighbours are mostly below the same node.
            if found[last].preorder != above {
                last = found.partition_point(|drop| drop.preorder < above);
            }
            found[last].below += 1;
            found[last].largest_below_bytes = found[last].largest_below_bytes.max(retained[preorder.as_usize()]);
        }
    }
    found.sort_by_key(|drop| (std::cmp::Reverse(drop.retained_bytes - drop.largest_below_bytes), drop.preorder));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    /// 0 -> 1, 2; 1 -> 3, 4; 2 -> 5; 5 -> 6.
    fn tree() -> Dominators {
        Dominators::from_graph(Graph::of_lists(
            &[vec![1, 2], vec![3, 4], vec![5], vec![], vec![], vec![6], vec![]],
            &[0],
        ))
    }

    fn weight(node: usize) -> u64 {
        [1, 10, 1, 100, 200, 1, 50, 0][node]
    }

    #[test]
    fn branches_are_the_largest_and_have_the_number_of_all() {
        let tree = tree();
        let retained = tree.retained(|node| weight(node.as_usize()));
        let shallow = |preorder| weight(tree.index(preorder).as_usize());
        let bytes = Bytes { shallow: &shallow, retained: &retained };
        let root = by_node(&tree, bytes, Extent { top: 1, depth: 3 });
        assert_eq!((root.retained_bytes, root.below_total), (363, 1));
        let zero = &root.below[0];
        assert_eq!((zero.retained_bytes, zero.below_total, zero.below.len()), (363, 2, 1));
        let one = &zero.below[0];
        assert_eq!((one.retained_bytes, one.below_total), (310, 2));
        assert_eq!(one.below[0].retained_bytes, 200);
        assert!(one.below[0].below.is_empty());
    }

    #[test]
    fn groups_of_a_level_add_up_to_what_lies_there() {
        let tree = tree();
        let retained = tree.retained(|node| weight(node.as_usize()));
        let shallow = |preorder| weight(tree.index(preorder).as_usize());
        let bytes = Bytes { shallow: &shallow, retained: &retained };
        let parity = |preorder| tree.index(preorder).as_usize() % 2;
        let root = by_key(&tree, bytes, Extent { top: 9, depth: 3 }, 9, parity);
        let zero = &root.below[0];
        assert_eq!((zero.what, zero.nodes, zero.retained_bytes), (0, 1, 363));
        let below: Vec<_> = zero.below.iter().map(|b| (b.what, b.nodes, b.shallow_bytes, b.retained_bytes)).collect();
        assert_eq!(below, [(1, 1, 10, 310), (0, 1, 1, 52)]);
        assert_eq!(zero.shallow_bytes + 310 + 52, zero.retained_bytes);
    }

    #[test]
    fn a_drop_is_where_the_bytes_are_not_those_of_one_child() {
        let tree = tree();
        let retained = tree.retained(|node| weight(node.as_usize()));
        let found = drops(&tree, &retained, 100);
        let found: Vec<_> =
            found.iter().map(|d| (tree.index(d.preorder).as_usize(), d.retained_bytes, d.below)).collect();
        assert_eq!(found, [(4, 200, 0), (1, 310, 2), (3, 100, 0)]);
    }
}
