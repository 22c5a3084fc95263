//! Call trees without calls that are too small to be visible.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::call_tree::{CallNode, CallTree};

/// Calls with a smaller part of a tree's bytes are added to their callers.
const LEAST_SHARE: f64 = 0.0005;
/// Classes named for a call.
const MOST_CLASSES: usize = 5;

/// How many calls are missing in a tree of the page.
#[derive(Debug, Serialize)]
pub(super) struct PrunedCalls {
    jvm: Option<usize>,
    seq: u64,
    nodes: usize,
}

/// The trees with small calls added to their callers. Cumulative bytes do not change.
pub(super) fn pruned(trees: &[CallTree]) -> (Vec<CallTree>, Vec<PrunedCalls>) {
    let mut pruned = Vec::new();
    let trees = trees.iter().map(|tree| {
        let (nodes, lost) = without_small(&tree.nodes);
        if lost > 0 {
            pruned.push(PrunedCalls { jvm: tree.jvm, seq: tree.seq, nodes: lost });
        }
        CallTree { nodes, reason: tree.reason.clone(), ..*tree }
    });
    (trees.collect(), pruned)
}

/// Outermost calls stay, however small: they have no caller.
fn without_small(nodes: &[CallNode]) -> (Vec<CallNode>, usize) {
    let small =
        |node: &CallNode| node.parent.is_some() && node.cumulative_share.is_some_and(|share| share < LEAST_SHARE);
    let mut kept: Vec<CallNode> = Vec::new();
    let mut index_of: BTreeMap<u64, usize> = BTreeMap::new();
    for node in nodes {
        let caller = node.parent.and_then(|parent| index_of.get(&parent)).copied();
        // The node of unknown callers constructed nothing.
        match caller.filter(|&caller| small(node) && !kept[caller].cut) {
            Some(caller) => {
                // The callees of a small call come after it and are small too: they get the same caller.
                index_of.insert(node.id, caller);
                let into = &mut kept[caller];
                into.own_bytes = into.own_bytes.saturating_add(node.own_bytes);
                into.own_objects = into.own_objects.saturating_add(node.own_objects);
                into.classes.extend(node.classes.iter().cloned());
            }
            None => {
                index_of.insert(node.id, kept.len());
                kept.push(node.clone());
            }
        }
    }
    for node in &mut kept {
        node.classes.sort_by_key(|made| std::cmp::Reverse(made.bytes));
        node.classes.truncate(MOST_CLASSES);
    }
    let lost = nodes.len() - kept.len();
    (kept, lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: u64, parent: Option<u64>, own: u64, share: f64) -> CallNode {
        CallNode {
            id,
            parent,
            frame: format!("a.A.m{id}"),
            depth: 0,
            own_objects: 1,
            own_bytes: own,
            cumulative_objects: 1,
            cumulative_bytes: own,
            own_share: None,
            cumulative_share: Some(share),
            classes: Vec::new(),
            cut: false,
        }
    }

    #[test]
    fn small_calls_with_all_they_call_go_to_the_caller_that_stays() {
        let nodes = [
            node(1, None, 9_990, 1.0),
            node(2, Some(1), 3, 0.000_4),
            node(3, Some(2), 1, 0.000_1),
            node(4, None, 0, 0.0),
        ];
        let (kept, lost) = without_small(&nodes);
        assert_eq!(lost, 2);
        assert_eq!(kept.iter().map(|node| (node.id, node.own_bytes)).collect::<Vec<_>>(), [(1, 9_994), (4, 0)]);
    }
}
