//! The walk: labels are passed along the references until nothing changes, round after round in one order ([`Order`]).

use std::collections::HashMap;

use super::figures::ChosenFigures;
use super::labels::{Belongs, ClassMembership, Labels};
use super::order::Order;
use super::sets::{EMPTY, Sets};
use crate::graph::{Graph, NodeIndex, NodeSet};

/// What an object refers to, where that is not all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Links {
    /// Followed.
    pub followed: Vec<NodeIndex>,
    /// Followed, but not for the object's own row: its class lists other fields.
    pub unlisted: Vec<NodeIndex>,
}

/// Measures. Objects that cannot be reached are left out: `reachable`.
///
/// `links` replaces the references of some objects; `tag_of` gives the combination of tags of those that have one. `weight`:
/// shallow bytes and bytes outside the heap. 16 bytes an object, and 4 for each reference that waits to be ordered.
pub fn walk(
    graph: &Graph,
    reachable: &NodeSet,
    belongs: &Belongs,
    kind_of: impl Fn(NodeIndex) -> ClassMembership,
    tag_of: impl Fn(NodeIndex) -> Option<u32>,
    links: &HashMap<NodeIndex, Links>,
    weight: impl Fn(NodeIndex) -> (u64, u64),
) -> ChosenFigures {
    let objects = graph.objects();
    let starts = || {
        let nodes = graph.nodes().take(objects).filter(|node| reachable.contains(*node));
        nodes.filter_map(|node| Some((node, kind_of(node))).filter(|(_, kind)| kind.row.is_some() && !kind.is_skipped))
    };
    let order = Order::new(objects, starts().map(|(node, _)| node), |node, stack| {
        let mut push = |target: NodeIndex| {
            if target.as_usize() < objects && !kind_of(target).is_skipped {
                stack.push(target.0);
            }
        };
        match links.get(&node) {
            None => graph.references(node).for_each(push),
            Some(links) => links.followed.iter().chain(&links.unlisted).for_each(|target| push(*target)),
        }
    });
    let mut walk = LabelWalk {
        deep: vec![EMPTY; objects],
        own: vec![EMPTY; objects],
        rows: Sets::new(),
        labels: Labels::new(belongs),
        waiting: NodeSet::new(order.nodes.len()),
        order,
        kind_of: &kind_of,
    };
    for (node, kind) in starts() {
        walk.deep[node.as_usize()] = walk.rows.intern(kind.row.into_iter().collect());
        walk.own[node.as_usize()] = walk.labels.make_initial_label(kind, tag_of(node));
        walk.wait(node);
    }
    let mut position = NodeIndex(0);
    // What a circle leads back to waits for the next round.
    while let Some(next) = walk.waiting.first_from(position).or_else(|| walk.waiting.first_from(NodeIndex(0))) {
        walk.waiting.remove(next);
        position = NodeIndex(next.0 + 1);
        let node = walk.order.nodes[next.as_usize()];
        let (deep, own) = (walk.deep[node.as_usize()], walk.own[node.as_usize()]);
        match links.get(&node) {
            None => graph.references(node).for_each(|target| walk.reach(target, objects, deep, own)),
            Some(links) => {
                links.followed.iter().for_each(|target| walk.reach(*target, objects, deep, own));
                let row = kind_of(node).row;
                let others = walk.rows.filter(deep, |member| Some(member) != row);
                if others != EMPTY {
                    links.unlisted.iter().for_each(|target| walk.reach(*target, objects, others, EMPTY));
                }
            }
        }
    }
    let mut sums = (vec![(0, 0, 0); walk.rows.all().count()], vec![0; walk.labels.sets.all().count()]);
    let mut of_rows = vec![(0, 0); belongs.rows.len()];
    for node in graph.nodes().take(objects).filter(|node| walk.deep[node.as_usize()] != EMPTY) {
        let (bytes, outside) = weight(node);
        let sum = &mut sums.0[walk.deep[node.as_usize()] as usize];
        *sum = (sum.0 + 1, sum.1 + bytes, sum.2 + outside);
        sums.1[walk.own[node.as_usize()] as usize] += bytes;
        if let Some(row) = kind_of(node).row {
            let of_row = &mut of_rows[row as usize];
            *of_row = (of_row.0 + 1, of_row.1 + bytes);
        }
    }
    ChosenFigures::sum(belongs, (&walk.rows, &sums.0), (&walk.labels, &sums.1), &of_rows)
}

struct LabelWalk<K> {
    /// By object: a set of rows.
    deep: Vec<u32>,
    /// By object: an own label.
    own: Vec<u32>,
    rows: Sets,
    labels: Labels,
    order: Order,
    /// By position in that order.
    waiting: NodeSet,
    kind_of: K,
}

impl<K: Fn(NodeIndex) -> ClassMembership> LabelWalk<K> {
    fn wait(&mut self, node: NodeIndex) {
        self.waiting.insert(NodeIndex(self.order.positions[node.as_usize()]));
    }

    /// An object that has these labels refers to another one.
    fn reach(&mut self, target: NodeIndex, objects: usize, deep: u32, own: u32) {
        let at = target.as_usize();
        if at >= objects {
            return;
        }
        let kind = (self.kind_of)(target);
        if kind.is_skipped {
            return;
        }
        let before = (self.deep[at], self.own[at]);
        let label = match before.0 {
            // Met for the first time.
            EMPTY => self.labels.make_initial_label(kind, None),
            _ => before.1,
        };
        let after = (self.rows.union(before.0, deep), self.labels.entered(kind, label, own));
        if after != before {
            (self.deep[at], self.own[at]) = after;
            self.wait(target);
        }
    }
}
