//! The dominator tree, and what each node retains.
//!
//! A node dominates another if every path from the root to that one leads through it: the bytes of all that an object
//! dominates are what its death would free (S2.6). Semi-NCA (Georgiadis, "Linear-Time Algorithms for Dominators and
//! Related Problems", 2005) on the preorder numbers of a depth-first search.
//!
//! Memory is what decides the form. The search replaces the nodes in the lists of references by preorder numbers and
//! marks tree edges. A pass over the lists in memory order takes these out, another one counts the other edges by
//! target, and a third one frees the lists and keeps only the sources of those edges, grouped by target. Each stage
//! gives back what the next one does not read: docs/decisions/0018 has the table, docs/heap-memory.md the sum.

use crate::graph::pool::{LAST, MARK, NODE, Pool};
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
        let reached = number(&mut places, &mut pool);
        let (parents, bounds, sources) = sources(pool, &places, reached);
        let immediate = semi_nca(parents, bounds, sources);
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
/// how many there are.
fn number(places: &mut [u32], pool: &mut Pool) -> usize {
    let root = places.len() - 1;
    let mut reached = 1_u32;
    // Where the lists of the nodes on the path go on.
    let mut path: Vec<u32> = Vec::new();
    if places[root] != 0 {
        path.push(places[root]);
    }
    places[root] = NUMBERED;
    while let Some(position) = path.last_mut() {
        let word = pool.get_mut(*position);
        let last = *word & LAST;
        *position += 1;
        if last != 0 {
            path.pop();
        }
        let entry = &mut places[(*word & NODE) as usize];
        let seen = *entry;
        if seen & NUMBERED != 0 {
            *word = seen & NODE | last;
        } else {
            *entry = reached | NUMBERED;
            *word = reached | MARK | last;
            reached += 1;
            if seen != 0 {
                path.push(seen);
            }
        }
    }
    reached as usize
}

/// Uses up the lists; gives each place's parent in the search tree and, between its bounds and the next place's, the
/// sources of the other edges into it.
fn sources(pool: Pool, places: &[u32], reached: usize) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut parents = vec![0; reached];
    // First only the tree edges leave: what is left of the lists is about half, before anything else is allocated.
    // Lists that were replaced have no owner.
    let place = |node: u32| places.get(node as usize).filter(|place| **place & NUMBERED != 0).map(|place| place & NODE);
    let others = pool.thin(place, |source, target| {
        if target & MARK != 0 {
            parents[(target & NODE) as usize] = source;
        }
        target & MARK == 0
    });
    let mut bounds = vec![0_u32; reached + 1];
    others.each(|_, target| bounds[target as usize] += 1);
    let mut total = 0_u32;
    for bound in &mut bounds {
        // Positions have 31 bits, so has their number.
        total += *bound;
        *bound = total;
    }
    let mut sources = vec![0; total as usize];
    others.consume(|source, target| {
        let bound = &mut bounds[target as usize];
        *bound -= 1;
        sources[*bound as usize] = source;
    });
    (parents, bounds, sources)
}

/// In an entry of a handled place: its ancestor in the forest of these, shortened as paths are walked, and the least
/// semidominator on the path to it. Side by side, because both are read together.
const ANCESTOR: usize = 0;
const LABEL: usize = 1;

/// Places after which the sources that were read are given back.
const GIVEN_BACK: u32 = 1 << 18;

/// Gives the immediate dominators, in the memory of the parents.
fn semi_nca(parents: Vec<u32>, mut bounds: Vec<u32>, mut sources: Vec<u32>) -> Vec<u32> {
    let reached = parents.len();
    // Zeros, which take no memory until they are written. Places are handled from the last to the first, and the
    // sources of the last ones stand last: what is written here takes the room of what was read there.
    let mut handled = vec![[0_u32; 2]; reached];
    let mut path = Vec::new();
    for place in (1..reached as u32).rev() {
        let at = place as usize;
        let mut semi = parents[at];
        for &source in &sources[bounds[at] as usize..bounds[at + 1] as usize] {
            let candidate = if source <= place { source } else { least(source, place, &mut handled, &mut path) };
            semi = semi.min(candidate);
        }
        handled[at] = [parents[at], semi];
        // The upper bound of this place's sources is not needed any more: the semidominator takes its room.
        bounds[at + 1] = semi;
        if place % GIVEN_BACK == 0 {
            sources.truncate(bounds[at] as usize);
            sources.shrink_to_fit();
        }
    }
    drop((handled, sources));
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
fn least(source: u32, handling: u32, handled: &mut [[u32; 2]], path: &mut Vec<u32>) -> u32 {
    let mut top = source;
    while handled[top as usize][ANCESTOR] > handling {
        path.push(top);
        top = handled[top as usize][ANCESTOR];
    }
    let [ancestor, mut label] = handled[top as usize];
    while let Some(place) = path.pop() {
        let own = &mut handled[place as usize];
        label = label.min(own[LABEL]);
        *own = [ancestor, label];
    }
    label
}
