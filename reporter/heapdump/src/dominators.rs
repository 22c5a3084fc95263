//! The dominator tree, and what each node retains.
//!
//! A node dominates another if every path from the root to the other passes through it. If an object died, the bytes of
//! all that it dominates would be free. Semi-NCA (Georgiadis, "Linear-Time Algorithms for Dominators and Related
//! Problems", 2005) on the preorder numbers of a depth-first search.
//!
//! The stages are ordered to save memory:
//! 1. The search replaces the nodes in the lists of references by preorder numbers and marks tree edges.
//! 2. A pass over the lists in memory order removes tree edges and counts the other edges by target.
//! 3. Another pass frees the lists and keeps only the sources of those edges, grouped by target.
//!
//! Each stage frees what later ones do not read, or reuses its memory: docs/heap-memory.md has the model.

use std::sync::Mutex;

use crate::graph::pool::{LAST, MARK, NODE, Pool};
use crate::graph::{Graph, GraphNode, NodeIndex, NodeSet, Thread};

/// Set in a node's entry once the search has numbered it. Before that the entry is the index of its list in the pool.
const NUMBERED: u32 = 1 << 31;

/// A node's preorder number in the depth-first search, 0 for the root. Its dominator has a smaller number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Preorder(pub(crate) u32);

impl Preorder {
    /// The root's number.
    pub const ROOT: Preorder = Preorder(0);

    /// As an index into an array with an element for each reachable node.
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }
}

/// The dominator tree of the reachable part of a graph. Twelve bytes a node, and eight for its retained bytes.
#[derive(Debug)]
pub struct Dominators {
    /// Node of each preorder number.
    nodes: Vec<u32>,
    /// Preorder number of each node, with [`NUMBERED`]; without it the node is not reachable.
    preorder_of_node: Vec<u32>,
    /// Immediate dominator of each preorder number.
    immediate: Vec<u32>,
    objects: u32,
    above: Vec<GraphNode>,
    threads: Vec<Thread>,
    /// Memory of the computation, which the first retained bytes reuse: the system need not provide it again.
    room: Mutex<Vec<u64>>,
}

impl Dominators {
    /// Computes the tree and uses up the graph. Near linear in nodes and references.
    pub fn from_graph(graph: Graph) -> Self {
        let Graph { starts, mut pool, objects, above, threads } = graph;
        let mut preorder_of_node = starts;
        let parents = number(&mut preorder_of_node, &mut pool);
        let (bounds, sources) = sources(pool, parents.len());
        let ImmediateDominators { immediate, mut nodes, room } = semi_nca(parents, bounds, sources);
        for (node, preorder) in preorder_of_node.iter().enumerate().filter(|(_, preorder)| **preorder & NUMBERED != 0) {
            nodes[(preorder & NODE) as usize] = node as u32;
        }
        Dominators { nodes, preorder_of_node, immediate, objects, above, threads, room: Mutex::new(room) }
    }

    /// Number of reachable nodes, the root included.
    #[expect(clippy::len_without_is_empty, reason = "the root is always there")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All preorder numbers but the root's, ascending: a dominator comes before what it dominates.
    pub fn numbers(&self) -> impl DoubleEndedIterator<Item = Preorder> + use<> {
        (1..self.nodes.len() as u32).map(Preorder)
    }

    /// The nodes that the root reaches, the root included.
    pub fn reachable(&self) -> NodeSet {
        let mut set = NodeSet::new(self.preorder_of_node.len());
        self.nodes.iter().for_each(|node| {
            set.insert(NodeIndex(*node));
        });
        set
    }

    /// The preorder number of a node; `None` if the root does not reach it.
    pub fn number_of(&self, node: NodeIndex) -> Option<Preorder> {
        let entry = self.preorder_of_node[node.as_usize()];
        (entry & NUMBERED != 0).then_some(Preorder(entry & NODE))
    }

    /// The node with a preorder number, as an index.
    pub fn index(&self, preorder: Preorder) -> NodeIndex {
        NodeIndex(self.nodes[preorder.as_usize()])
    }

    /// What the node with a preorder number is.
    pub fn node(&self, preorder: Preorder) -> GraphNode {
        match self.index(preorder).0.checked_sub(self.objects) {
            None => GraphNode::Object(crate::index::ObjectIndex(self.index(preorder).0)),
            Some(at) => self.above[at as usize],
        }
    }

    /// The immediate dominator of a node; the root's is itself.
    pub fn immediate(&self, preorder: Preorder) -> Preorder {
        Preorder(self.immediate[preorder.as_usize()])
    }

    /// The threads of the graph.
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// For each preorder number the sum of the weights of everything that the node dominates, its own included.
    pub fn retained(&self, weight: impl Fn(NodeIndex) -> u64) -> Vec<u64> {
        let mut retained = std::mem::take(&mut *self.room.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
        retained.clear();
        retained.extend(self.nodes.iter().map(|node| weight(NodeIndex(*node))));
        for preorder in (1..retained.len()).rev() {
            let bytes = retained[preorder];
            let above = &mut retained[self.immediate[preorder] as usize];
            *above = above.saturating_add(bytes);
        }
        retained
    }
}

/// Numbers what the root reaches in preorder, and replaces the nodes in its lists by these numbers. The source of a list
/// and the targets of tree edges get [`MARK`]. Gives each number's parent in the search tree; the root's is itself.
fn number(preorder_of_node: &mut [u32], pool: &mut Pool) -> Vec<u32> {
    let root = preorder_of_node.len() - 1;
    // Pages that are not written take no memory: nodes that are not reached cost nothing.
    let mut parents: Vec<u32> = Vec::with_capacity(preorder_of_node.len());
    // Where the lists of the nodes above continue, and their preorder numbers. A list with nothing left is not here.
    let mut path: Vec<(u32, u32)> = Vec::new();
    let (mut index, mut at) = (preorder_of_node[root], 0);
    preorder_of_node[root] = NUMBERED;
    parents.push(0);
    if index == 0 {
        return parents;
    }
    *pool.source_mut(index) = MARK;
    loop {
        let word = pool.get_mut(index);
        let last = *word & LAST;
        let entry = &mut preorder_of_node[(*word & NODE) as usize];
        let seen = *entry;
        if seen & NUMBERED != 0 {
            *word = seen & NODE | last;
        } else {
            let preorder = parents.len() as u32;
            *entry = preorder | NUMBERED;
            *word = preorder | MARK | last;
            parents.push(at);
            if seen != 0 {
                *pool.source_mut(seen) = preorder | MARK;
                if last == 0 {
                    path.push((index + 1, at));
                }
                (index, at) = (seen, preorder);
                continue;
            }
        }
        if last == 0 {
            index += 1;
        } else {
            let Some(above) = path.pop() else { break };
            (index, at) = above;
        }
    }
    parents.shrink_to_fit();
    parents
}

/// Uses up the lists. Gives the sources of all edges that are no tree edges, grouped by target, and for each target the
/// bounds of its group.
fn sources(pool: Pool, reached: usize) -> (Vec<u32>, Vec<u32>) {
    let mut bounds = vec![0_u32; reached + 1];
    // Tree edges go first: that leaves about half of the lists before the sources are allocated.
    let others = pool.thin(|_, target| {
        let stays = target & MARK == 0;
        if stays {
            bounds[target as usize] += 1;
        }
        stays
    });
    let mut total = 0_u32;
    for bound in &mut bounds {
        // Cannot overflow: there are fewer than 2^31 references.
        total += *bound;
        *bound = total;
    }
    let mut sources = vec![0; total as usize];
    others.consume(|source, target| {
        let bound = &mut bounds[target as usize];
        *bound -= 1;
        sources[*bound as usize] = source;
    });
    (bounds, sources)
}

/// The entry of a handled number. Upper half: its ancestor in the forest of handled numbers; walks shorten the path.
/// Lower half: the least semidominator on the path to it. Both are read together.
#[inline]
fn handled_number(ancestor: u32, label: u32) -> u64 {
    u64::from(ancestor) << 32 | u64::from(label)
}

#[inline]
fn ancestor(handled: u64) -> u32 {
    (handled >> 32) as u32
}

#[inline]
fn label(handled: u64) -> u32 {
    handled as u32
}

/// After this many numbers, the sources that were read are freed.
const GIVEN_BACK: u32 = 1 << 18;

/// The immediate dominators, and memory to reuse.
struct ImmediateDominators {
    /// In the memory of the parents.
    immediate: Vec<u32>,
    /// An element for each number, to be filled; in the memory of the bounds.
    nodes: Vec<u32>,
    /// Eight bytes for each number.
    room: Vec<u64>,
}

fn semi_nca(parents: Vec<u32>, mut bounds: Vec<u32>, mut sources: Vec<u32>) -> ImmediateDominators {
    let reached = parents.len();
    // Zeros take no memory until they are written. Numbers are handled from the last to the first, and the sources of
    // the last are at the end: this grows while `sources` shrinks.
    let mut handled = vec![0_u64; reached];
    let mut path = Vec::new();
    for preorder in (1..reached as u32).rev() {
        let at = preorder as usize;
        let mut semi = parents[at];
        for &source in &sources[bounds[at] as usize..bounds[at + 1] as usize] {
            let candidate = if source <= preorder { source } else { least(source, preorder, &mut handled, &mut path) };
            semi = semi.min(candidate);
        }
        handled[at] = handled_number(parents[at], semi);
        // The upper bound of this group is not needed any more; the semidominator is stored there.
        bounds[at + 1] = semi;
        if preorder % GIVEN_BACK == 0 {
            sources.truncate(bounds[at] as usize);
            sources.shrink_to_fit();
        }
    }
    drop(sources);
    let mut immediate = parents;
    for at in 1..reached {
        let semi = bounds[at + 1];
        let mut dominator = immediate[at];
        while dominator > semi {
            dominator = immediate[dominator as usize];
        }
        immediate[at] = dominator;
    }
    bounds.truncate(reached);
    ImmediateDominators { immediate, nodes: bounds, room: handled }
}

/// The least label from `source` up to the first ancestor that was not handled. All on the path then get it as their
/// ancestor.
#[inline]
fn least(source: u32, handling: u32, handled: &mut [u64], path: &mut Vec<u32>) -> u32 {
    let mut top = source;
    let mut above = handled[top as usize];
    while ancestor(above) > handling {
        path.push(top);
        top = ancestor(above);
        above = handled[top as usize];
    }
    let (ancestor, mut least) = (ancestor(above), label(above));
    while let Some(preorder) = path.pop() {
        let own = &mut handled[preorder as usize];
        least = least.min(label(*own));
        *own = handled_number(ancestor, least);
    }
    least
}
