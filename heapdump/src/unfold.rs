//! The upper part of a dominator tree, as much as somebody wants to see.

use std::collections::HashMap;
use std::hash::Hash;

use crate::dominators::{Dominators, Place};
use crate::graph::{NodeIndex, NodeSet};

/// A node of what is shown, with the largest of what lies below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch<T> {
    /// What it stands for: a place in the tree, or the key of a group of places.
    pub what: T,
    /// Places that it stands for.
    pub places: u64,
    /// Their own bytes.
    pub shallow_bytes: u64,
    /// Bytes of all that they dominate, their own included.
    pub retained_bytes: u64,
    /// The largest of what lies directly below, largest first.
    pub below: Vec<Branch<T>>,
    /// How many lie directly below, shown or not.
    pub below_total: u64,
}

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Branches below one, the largest first.
    pub top: usize,
    /// Levels; 1 shows what lies directly below the root.
    pub depth: usize,
}

/// The bytes of a tree's places.
#[derive(Clone, Copy)]
pub struct Bytes<'a> {
    /// A place's own.
    pub shallow: &'a dyn Fn(Place) -> u64,
    /// What it retains, by place ([`Dominators::retained`]).
    pub retained: &'a [u64],
}

/// The largest places below the root, below these, and so on. One pass over the tree a level.
pub fn by_place(tree: &Dominators, bytes: Bytes<'_>, extent: Extent) -> Branch<Place> {
    let branch = |place: Place| Branch {
        what: place,
        places: 1,
        shallow_bytes: (bytes.shallow)(place),
        retained_bytes: bytes.retained[place.as_usize()],
        below: Vec::new(),
        below_total: 0,
    };
    // All branches in one list; each knows those below it by their numbers.
    let mut branches = vec![(branch(Place::ROOT), Vec::new())];
    let mut level = vec![0_usize];
    let mut shown = NodeSet::new(tree.len());
    for _ in 0..extent.depth {
        let numbers: HashMap<u32, usize> = level.iter().map(|at| (branches[*at].0.what.0, *at)).collect();
        for place in numbers.keys() {
            shown.insert(NodeIndex(*place));
        }
        let mut found: HashMap<usize, Vec<Place>> = HashMap::new();
        for place in tree.places() {
            let above = tree.immediate(place);
            if shown.contains(NodeIndex(above.0))
                && let Some(at) = numbers.get(&above.0)
            {
                branches[*at].0.below_total += 1;
                let largest = found.entry(*at).or_default();
                largest.push(place);
                if largest.len() >= extent.top.saturating_mul(2).max(64) {
                    keep_largest(largest, extent.top, bytes.retained);
                }
            }
        }
        numbers.keys().for_each(|place| shown.remove(NodeIndex(*place)));
        let mut next = Vec::new();
        for at in level {
            let mut largest = found.remove(&at).unwrap_or_default();
            keep_largest(&mut largest, extent.top, bytes.retained);
            for place in largest {
                let number = branches.len();
                branches[at].1.push(number);
                next.push(number);
                branches.push((branch(place), Vec::new()));
            }
        }
        level = next;
    }
    assemble(branches)
}

/// Orders by retained bytes, the greatest first, then by place, and forgets the rest.
fn keep_largest(places: &mut Vec<Place>, top: usize, retained: &[u64]) {
    places.sort_unstable_by_key(|place| (std::cmp::Reverse(retained[place.as_usize()]), *place));
    places.truncate(top);
}

/// The places directly below the root as groups of one key each, the places directly below each group as groups of
/// their keys, and so on. No byte is in two groups of a level. One pass over the tree.
pub fn by_key<K: Clone + Eq + Hash + Ord>(
    tree: &Dominators,
    bytes: Bytes<'_>,
    extent: Extent,
    root: K,
    key: impl Fn(Place) -> K,
) -> Branch<K> {
    const NONE: u32 = u32::MAX;
    let empty =
        |what| Branch { what, places: 0, shallow_bytes: 0, retained_bytes: 0, below: Vec::new(), below_total: 0 };
    let mut branches = vec![(empty(root), Vec::new())];
    branches[0].0.places = 1;
    branches[0].0.retained_bytes = bytes.retained[0];
    let mut levels = vec![0_usize];
    let mut numbers: HashMap<(u32, K), u32> = HashMap::new();
    let mut group_of = vec![NONE; tree.len()];
    group_of[0] = 0;
    for place in tree.places() {
        let above = group_of[tree.immediate(place).as_usize()];
        if above == NONE || levels[above as usize] == extent.depth {
            continue;
        }
        let what = key(place);
        let number = *numbers.entry((above, what.clone())).or_insert_with(|| {
            branches.push((empty(what), Vec::new()));
            levels.push(levels[above as usize] + 1);
            let number = branches.len() - 1;
            branches[above as usize].1.push(number);
            number as u32
        });
        group_of[place.as_usize()] = number;
        let group = &mut branches[number as usize].0;
        group.places += 1;
        group.shallow_bytes += (bytes.shallow)(place);
        group.retained_bytes += bytes.retained[place.as_usize()];
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

/// Nests a list of branches in which each stands before those below it.
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

/// A place where much memory comes together: it retains much, and nothing below it retains most of that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accumulation {
    /// The place.
    pub place: Place,
    /// Bytes that it retains.
    pub retained_bytes: u64,
    /// Bytes that the largest place directly below it retains.
    pub largest_below_bytes: u64,
    /// Places directly below it.
    pub below: u64,
}

/// The places, largest first, from which the retained bytes drop by at least `least` to the largest place below.
pub fn drops(tree: &Dominators, retained: &[u64], least: u64) -> Vec<Accumulation> {
    let least = least.max(1);
    // One bit a place, which a core's own cache holds: those that retain that much, then of these those from which it
    // drops. Many places of a long list retain that much, few are where it drops.
    let mut drops = NodeSet::new(tree.len());
    for place in tree.places().filter(|place| retained[place.as_usize()] >= least) {
        drops.insert(NodeIndex(place.0));
    }
    for place in tree.places() {
        let above = tree.immediate(place);
        if drops.contains(NodeIndex(above.0)) && retained[above.as_usize()] - retained[place.as_usize()] < least {
            drops.remove(NodeIndex(above.0));
        }
    }
    let is_drop = |place: Place| drops.contains(NodeIndex(place.0));
    let found = tree.places().filter(|place| is_drop(*place)).map(|place| Accumulation {
        place,
        retained_bytes: retained[place.as_usize()],
        largest_below_bytes: 0,
        below: 0,
    });
    let mut found: Vec<Accumulation> = found.collect();
    let mut last = 0;
    for place in tree.places() {
        let above = tree.immediate(place);
        if is_drop(above) {
            // Neighbours mostly lie below the same one.
            if found[last].place != above {
                last = found.partition_point(|drop| drop.place < above);
            }
            found[last].below += 1;
            found[last].largest_below_bytes = found[last].largest_below_bytes.max(retained[place.as_usize()]);
        }
    }
    found.sort_by_key(|drop| (std::cmp::Reverse(drop.retained_bytes - drop.largest_below_bytes), drop.place));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    /// 0 -> 1, 2; 1 -> 3, 4; 2 -> 5; 5 -> 6.
    fn tree() -> Dominators {
        Dominators::of(Graph::of_lists(&[vec![1, 2], vec![3, 4], vec![5], vec![], vec![], vec![6], vec![]], &[0]))
    }

    fn weight(node: usize) -> u64 {
        [1, 10, 1, 100, 200, 1, 50, 0][node]
    }

    #[test]
    fn branches_are_the_largest_and_say_how_many_there_are() {
        let tree = tree();
        let retained = tree.retained(|node| weight(node.as_usize()));
        let shallow = |place| weight(tree.index(place).as_usize());
        let bytes = Bytes { shallow: &shallow, retained: &retained };
        let root = by_place(&tree, bytes, Extent { top: 1, depth: 3 });
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
        let shallow = |place| weight(tree.index(place).as_usize());
        let bytes = Bytes { shallow: &shallow, retained: &retained };
        let parity = |place| tree.index(place).as_usize() % 2;
        let root = by_key(&tree, bytes, Extent { top: 9, depth: 3 }, 9, parity);
        let zero = &root.below[0];
        assert_eq!((zero.what, zero.places, zero.retained_bytes), (0, 1, 363));
        let below: Vec<_> = zero.below.iter().map(|b| (b.what, b.places, b.shallow_bytes, b.retained_bytes)).collect();
        assert_eq!(below, [(1, 1, 10, 310), (0, 1, 1, 52)]);
        assert_eq!(zero.shallow_bytes + 310 + 52, zero.retained_bytes);
    }

    #[test]
    fn a_drop_is_where_the_bytes_are_not_those_of_one_child() {
        let tree = tree();
        let retained = tree.retained(|node| weight(node.as_usize()));
        let found = drops(&tree, &retained, 100);
        let found: Vec<_> = found.iter().map(|d| (tree.index(d.place).as_usize(), d.retained_bytes, d.below)).collect();
        assert_eq!(found, [(4, 200, 0), (1, 310, 2), (3, 100, 0)]);
    }
}
