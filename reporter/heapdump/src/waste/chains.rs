//! Hash tables whose keys collide: chains of nodes in one bucket.

use std::collections::{HashMap, HashSet};

use crate::graph::{Graph, NodeIndex};
use crate::heap::Heap;
use crate::index::ObjectIndex;

/// Shorter chains are not reported. `HashMap` turns longer ones into trees if its table has 64 slots or more. At the load
/// factor of 0.75, about one bucket in ten million has this many keys by chance.
const LEAST: u64 = 8;

/// Keys of one bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HashChain {
    /// The first node.
    pub first: ObjectIndex,
    /// Nodes.
    pub length: u64,
    /// Whether the bucket has become a tree: a look-up then compares few keys if these are comparable.
    pub tree: bool,
    /// The map that holds the table, if it was found.
    pub map: Option<ObjectIndex>,
}

/// Nodes that have a next one, and that one.
#[derive(Default)]
pub(super) struct BucketNodes(Vec<(u32, u32)>);

impl BucketNodes {
    pub(super) fn see(&mut self, node: ObjectIndex, next: ObjectIndex) {
        self.0.push((node.0, next.0));
    }

    pub(super) fn add(&mut self, mut other: BucketNodes) {
        self.0.append(&mut other.0);
    }

    pub(super) fn finish(mut self, heap: &Heap, graph: &Graph, most: usize) -> Vec<HashChain> {
        self.0.sort_unstable();
        let mut later: Vec<u32> = self.0.iter().map(|(_, next)| *next).collect();
        later.sort_unstable();
        let next_of = |node: u32| self.0.binary_search_by_key(&node, |(node, _)| *node).ok().map(|at| self.0[at].1);
        let mut chains = Vec::new();
        for (first, _) in self.0.iter().filter(|(node, _)| later.binary_search(node).is_err()) {
            let length =
                std::iter::successors(Some(*first), |node| next_of(*node)).take(self.0.len() + 1).count() as u64;
            if length >= LEAST {
                let first = ObjectIndex(*first);
                let tree = heap.classes().get(heap.class_of(first)).name.ends_with("$TreeNode");
                chains.push(HashChain { first, length, tree, map: None });
            }
        }
        chains.sort_by_key(|chain| (std::cmp::Reverse(chain.length), chain.first));
        chains.truncate(most);
        find_maps(&mut chains, heap, graph);
        chains
    }
}

/// Follows references backwards from the first nodes to bins of trees, tables and maps. Each step is a pass over the graph.
fn find_maps(chains: &mut [HashChain], heap: &Heap, graph: &Graph) {
    let maps =
        ["java.util.HashMap", "java.util.concurrent.ConcurrentHashMap"].map(|name| heap.classes().find_by_name(name));
    let is_map = |class| maps.iter().flatten().any(|map| heap.classes().is_a(class, *map));
    let is_part = |name: &str| name.ends_with("Node[]") || name.ends_with("$TreeBin");
    let kinds: Vec<(bool, bool)> =
        heap.classes().iter().map(|(class, described)| (is_map(class), is_part(&described.name))).collect();
    let mut at: HashMap<u32, Vec<usize>> = HashMap::new();
    chains.iter().enumerate().for_each(|(number, chain)| at.entry(chain.first.0).or_default().push(number));
    for _ in 0..3 {
        if at.is_empty() {
            return;
        }
        let mut above: HashMap<u32, Vec<usize>> = HashMap::new();
        let mut led: HashSet<usize> = HashSet::new();
        for holder in heap.objects().filter(|object| heap.class_object(*object).is_none()) {
            let (map, part) = kinds[heap.class_of(holder).as_usize()];
            if !map && !part {
                continue;
            }
            for target in graph.references(NodeIndex::from(holder)) {
                for number in at.get(&target.0).into_iter().flatten() {
                    if map {
                        chains[*number].map.get_or_insert(holder);
                    } else if led.insert(*number) {
                        above.entry(holder.0).or_default().push(*number);
                    }
                }
            }
        }
        at = above;
    }
}
