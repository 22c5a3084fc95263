//! The dominator tree, and what each node retains.
//!
//! A node dominates another if every path from the root to that one leads through it: the bytes of all that an object
//! dominates are what its death would free (S2.6). Semi-NCA (Georgiadis, "Linear-Time Algorithms for Dominators and
//! Related Problems", 2005) on the preorder numbers of a depth-first search.
//!
//! Memory is what decides the form. The search replaces the nodes in the lists of references by preorder numbers and
//! marks tree edges; a second pass over the lists in memory order frees them and keeps only the sources of the other
//! edges, grouped by target. At the peak, beside what the caller keeps: 16 bytes a reachable node, 4 a reference that
//! is no tree edge, and 4 a node that is not reached; during the search, 8 bytes a node of the deepest path.

use crate::graph::pool::{LAST, MARK, NODE};
use crate::graph::{Graph, Node, NodeIndex, Thread};

/// Set in a node's entry once the search has numbered it; before, the entry is the position of its list.
const NUMBERED: u32 = 1 << 31;

/// A place in the dominator tree: the node's preorder number in the search, 0 for the root.
///
/// A node's dominator has a smaller number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(pub(crate) u32);

impl Place {
    /// The root's.
    pub const ROOT: Place = Place(0);

    /// As an index into an array with an element for each place.
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }
}

/// The dominator tree of the reachable part of a graph. Twelve bytes a node.
#[derive(Debug)]
pub struct Dominators {
    /// Node of each place.
    nodes: Vec<u32>,
    /// Place of each node with [`NUMBERED`]; without it the node is not reachable.
    places: Vec<u32>,
    /// Immediate dominator of each place.
    immediate: Vec<u32>,
    objects: u32,
    above: Vec<Node>,
    threads: Vec<Thread>,
}

impl Dominators {
    /// Computes the tree and uses up the graph. Near linear in nodes and references.
    pub fn of(graph: Graph) -> Self {
        let Graph { starts, mut pool, objects, above, threads } = graph;
        let mut places = starts;
        let incoming = number(&mut places, &mut pool);
        let reached = incoming.len() - 1;
        let (parents, bounds, sources) = sources(pool, &places, incoming);
        let immediate = semi_nca(parents, bounds, &sources);
        drop(sources);
        let mut nodes = vec![0; reached];
        for (node, place) in places.iter().enumerate().filter(|(_, place)| **place & NUMBERED != 0) {
            nodes[(place & NODE) as usize] = node as u32;
        }
        Dominators { nodes, places, immediate, objects, above, threads }
    }

    /// Number of places: of reachable nodes, the root included.
    #[expect(clippy::len_without_is_empty, reason = "the root is always there")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All places but the root's, ascending: a dominator comes before what it dominates.
    pub fn places(&self) -> impl DoubleEndedIterator<Item = Place> + use<> {
        (1..self.nodes.len() as u32).map(Place)
    }

    /// The place of a node; `None` if the root does not reach it.
    pub fn place(&self, node: NodeIndex) -> Option<Place> {
        let entry = self.places[node.as_usize()];
        (entry & NUMBERED != 0).then_some(Place(entry & NODE))
    }

    /// The node at a place, as a number.
    pub fn index(&self, place: Place) -> NodeIndex {
        NodeIndex(self.nodes[place.as_usize()])
    }

    /// What the node at a place stands for.
    pub fn node(&self, place: Place) -> Node {
        match self.index(place).0.checked_sub(self.objects) {
            None => Node::Object(crate::index::ObjectIndex(self.index(place).0)),
            Some(at) => self.above[at as usize],
        }
    }

    /// The immediate dominator of a place; the root's is itself.
    pub fn immediate(&self, place: Place) -> Place {
        Place(self.immediate[place.as_usize()])
    }

    /// The threads of the graph.
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// For each place the sum of the weights of everything it dominates, its own included.
    pub fn retained(&self, weight: impl Fn(NodeIndex) -> u64) -> Vec<u64> {
        let mut retained: Vec<u64> = self.nodes.iter().map(|node| weight(NodeIndex(*node))).collect();
        for place in (1..retained.len()).rev() {
            let bytes = retained[place];
            let above = &mut retained[self.immediate[place] as usize];
            *above = above.saturating_add(bytes);
        }
        retained
    }
}

/// Numbers what the root reaches in preorder, and rewrites its lists to these numbers; tree edges get [`MARK`]. Gives
/// the number of other edges into each place, and room for one more number.
fn number(places: &mut [u32], pool: &mut crate::graph::pool::Pool) -> Vec<u32> {
    let root = places.len() - 1;
    let mut incoming = vec![0_u32];
    // Where a node's list goes on, and its number.
    let mut path: Vec<(u32, u32)> = Vec::new();
    if places[root] != 0 {
        path.push((places[root], 0));
    }
    places[root] = NUMBERED;
    while let Some((position, _)) = path.last_mut() {
        let word = pool.get_mut(*position);
        let last = *word & LAST;
        *position += 1;
        let entry = &mut places[(*word & NODE) as usize];
        let seen = *entry;
        if seen & NUMBERED != 0 {
            *word = seen & NODE | last;
            incoming[(seen & NODE) as usize] += 1;
            if last != 0 {
                path.pop();
            }
        } else {
            let place = incoming.len() as u32;
            incoming.push(0);
            *entry = place | NUMBERED;
            *word = place | MARK | last;
            if last != 0 {
                path.pop();
            }
            if seen != 0 {
                path.push((seen, place));
            }
        }
    }
    incoming.push(0);
    incoming
}

/// Uses up the lists; gives each place's parent in the search tree and, between its bounds and the next place's, the
/// sources of the other edges into it.
fn sources(pool: crate::graph::pool::Pool, places: &[u32], incoming: Vec<u32>) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut bounds = incoming;
    let mut total = 0_u32;
    for bound in &mut bounds {
        // Positions have 31 bits, so has their number.
        total += *bound;
        *bound = total;
    }
    let mut parents = vec![0; bounds.len() - 1];
    let mut sources = vec![0; total as usize];
    pool.consume(|owner, word| {
        let place = places[owner as usize];
        if place & NUMBERED == 0 {
            return;
        }
        let target = (word & NODE) as usize;
        if word & MARK != 0 {
            parents[target] = place & NODE;
        } else {
            bounds[target] -= 1;
            sources[bounds[target] as usize] = place & NODE;
        }
    });
    (parents, bounds, sources)
}

/// Gives the immediate dominators, in the memory of the parents.
fn semi_nca(parents: Vec<u32>, mut bounds: Vec<u32>, sources: &[u32]) -> Vec<u32> {
    let reached = parents.len();
    // Ancestors in the forest of what was handled, shortened as paths are walked.
    let mut ancestors = parents.clone();
    // The least semidominator on the path to the ancestor.
    let mut labels = vec![0_u32; reached];
    let mut path = Vec::new();
    for place in (1..reached as u32).rev() {
        let at = place as usize;
        let mut semi = parents[at];
        for &source in &sources[bounds[at] as usize..bounds[at + 1] as usize] {
            let candidate =
                if source <= place { source } else { least(source, place, &mut ancestors, &mut labels, &mut path) };
            semi = semi.min(candidate);
        }
        labels[at] = semi;
        // The upper bound of this place's sources is not needed any more: the semidominator takes its room.
        bounds[at + 1] = semi;
    }
    drop((labels, ancestors));
    let mut immediate = parents;
    for at in 1..reached {
        let semi = bounds[at + 1];
        let mut dominator = immediate[at];
        while dominator > semi {
            dominator = immediate[dominator as usize];
        }
        immediate[at] = dominator;
    }
    immediate
}

/// The least label from a place up to the first ancestor that was not handled, which all on the path then have as
/// their ancestor.
#[inline]
fn least(source: u32, handling: u32, ancestors: &mut [u32], labels: &mut [u32], path: &mut Vec<u32>) -> u32 {
    let mut top = source;
    while ancestors[top as usize] > handling {
        path.push(top);
        top = ancestors[top as usize];
    }
    let (mut label, ancestor) = (labels[top as usize], ancestors[top as usize]);
    while let Some(place) = path.pop() {
        let own = &mut labels[place as usize];
        label = label.min(*own);
        *own = label;
        ancestors[place as usize] = ancestor;
    }
    labels[source as usize]
}
