//! The dominator tree, and what each node retains.
//!
//! A node dominates another if every path from the root to that one leads through it: the bytes of all that an object
//! dominates are what its death would free. Semi-NCA (Georgiadis, "Linear-Time Algorithms for Dominators and
//! Related Problems", 2005) on the preorder numbers of a depth-first search.
//!
//! Memory is what decides the form. The search replaces the nodes in the lists of references by preorder numbers and
//! marks tree edges. A pass over the lists in memory order takes these out and counts the other edges by target, and
//! another one frees the lists and keeps only the sources of those edges, grouped by target. Each stage gives back what
//! the next one does not read, or hands its memory on: docs/decisions/0018 has the table, docs/heap-memory.md the sum.

use std::sync::Mutex;

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

/// The dominator tree of the reachable part of a graph. Twelve bytes a node, and room for the retained bytes of each.
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
    /// Memory of the computation, which the first retained bytes take: what it has not given back need not be had
    /// from the system and filled with zeros again.
    room: Mutex<Vec<u64>>,
}

impl Dominators {
    /// Computes the tree and uses up the graph. Near linear in nodes and references.
    pub fn of(graph: Graph) -> Self {
        let Graph { starts, mut pool, objects, above, threads } = graph;
        let mut places = starts;
        let parents = number(&mut places, &mut pool);
        let (bounds, sources) = sources(pool, parents.len());
        let Tree { immediate, mut nodes, room } = semi_nca(parents, bounds, sources);
        for (node, place) in places.iter().enumerate().filter(|(_, place)| **place & NUMBERED != 0) {
            nodes[(place & NODE) as usize] = node as u32;
        }
        Dominators { nodes, places, immediate, objects, above, threads, room: Mutex::new(room) }
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
        let mut retained = std::mem::take(&mut *self.room.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
        retained.clear();
        retained.extend(self.nodes.iter().map(|node| weight(NodeIndex(*node))));
        for place in (1..retained.len()).rev() {
            let bytes = retained[place];
            let above = &mut retained[self.immediate[place] as usize];
            *above = above.saturating_add(bytes);
        }
        retained
    }
}

/// Numbers what the root reaches in preorder, and rewrites its lists to these numbers, those of their owners with
/// [`MARK`]; tree edges get it, too. Gives each place's parent in the search tree, the root's being itself.
fn number(places: &mut [u32], pool: &mut Pool) -> Vec<u32> {
    let root = places.len() - 1;
    // Grows with the numbers: what is not reached takes no memory.
    let mut parents: Vec<u32> = Vec::with_capacity(places.len());
    // Where the lists of the places above go on, and whose they are. A list of which nothing is left is not there.
    let mut path: Vec<(u32, u32)> = Vec::new();
    let (mut position, mut at) = (places[root], 0);
    places[root] = NUMBERED;
    parents.push(0);
    if position == 0 {
        return parents;
    }
    *pool.owner_mut(position) = MARK;
    loop {
        let word = pool.get_mut(position);
        let last = *word & LAST;
        let entry = &mut places[(*word & NODE) as usize];
        let seen = *entry;
        if seen & NUMBERED != 0 {
            *word = seen & NODE | last;
        } else {
            let place = parents.len() as u32;
            *entry = place | NUMBERED;
            *word = place | MARK | last;
            parents.push(at);
            if seen != 0 {
                *pool.owner_mut(seen) = place | MARK;
                if last == 0 {
                    path.push((position + 1, at));
                }
                (position, at) = (seen, place);
                continue;
            }
        }
        if last == 0 {
            position += 1;
        } else {
            let Some(above) = path.pop() else { break };
            (position, at) = above;
        }
    }
    parents.shrink_to_fit();
    parents
}

/// Uses up the lists; gives, between a place's bounds and the next place's, the sources of the edges into it that are
/// no tree edges.
fn sources(pool: Pool, reached: usize) -> (Vec<u32>, Vec<u32>) {
    let mut bounds = vec![0_u32; reached + 1];
    // First the tree edges leave: what is left of the lists is about half, before the sources are allocated.
    let others = pool.thin(|_, target| {
        let stays = target & MARK == 0;
        if stays {
            bounds[target as usize] += 1;
        }
        stays
    });
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
    (bounds, sources)
}

/// A handled place: above, its ancestor in the forest of these, shortened as paths are walked; below, the least
/// semidominator on the path to it. Side by side, because both are read together.
#[inline]
fn handled_place(ancestor: u32, label: u32) -> u64 {
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

/// Places after which the sources that were read are given back.
const GIVEN_BACK: u32 = 1 << 18;

/// What is found, and memory.
struct Tree {
    /// In the memory of the parents.
    immediate: Vec<u32>,
    /// An element for each place, to be filled: in the memory of the bounds.
    nodes: Vec<u32>,
    /// Eight bytes a place.
    room: Vec<u64>,
}

/// Gives the immediate dominators.
fn semi_nca(parents: Vec<u32>, mut bounds: Vec<u32>, mut sources: Vec<u32>) -> Tree {
    let reached = parents.len();
    // Zeros, which take no memory until they are written. Places are handled from the last to the first, and the
    // sources of the last ones stand last: what is written here takes the room of what was read there.
    let mut handled = vec![0_u64; reached];
    let mut path = Vec::new();
    for place in (1..reached as u32).rev() {
        let at = place as usize;
        let mut semi = parents[at];
        for &source in &sources[bounds[at] as usize..bounds[at + 1] as usize] {
            let candidate = if source <= place { source } else { least(source, place, &mut handled, &mut path) };
            semi = semi.min(candidate);
        }
        handled[at] = handled_place(parents[at], semi);
        // The upper bound of this place's sources is not needed any more: the semidominator takes its room.
        bounds[at + 1] = semi;
        if place % GIVEN_BACK == 0 {
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
    Tree { immediate, nodes: bounds, room: handled }
}

/// The least label from a place up to the first ancestor that was not handled, which all on the path then have as
/// their ancestor.
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
    while let Some(place) = path.pop() {
        let own = &mut handled[place as usize];
        least = least.min(label(*own));
        *own = handled_place(ancestor, least);
    }
    least
}
