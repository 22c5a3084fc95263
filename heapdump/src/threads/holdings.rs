//! The threads and frames of a dump, with what they hold.

use super::document::{self, Kind};
use super::exact::{Dominance, Exact};
use super::{Entry, Frame, References, Row, Shared, Usage};
use crate::graph::{Graph, Node, NodeIndex, NodeSet, ThreadPart};
use crate::heap::Heap;
use crate::index::ObjectIndex;
use crate::{Dominators, Place};

/// A dominator tree with the graph it was made from: [`Dominators::of`] a clone.
pub struct TreeOfGraph<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// Its tree.
    pub tree: &'a Dominators,
    /// Retained bytes by place.
    pub retained: &'a [u64],
}

impl Dominance for TreeOfGraph<'_> {
    fn nodes(&self) -> u32 {
        self.tree.len() as u32
    }

    fn dominator(&self, node: u32) -> u32 {
        self.tree.immediate(Place(node)).0
    }

    fn retained(&self, node: u32) -> u64 {
        self.retained[node as usize]
    }

    fn each_reference(&self, visit: &mut dyn FnMut(u32, u32)) {
        for place in std::iter::once(Place::ROOT).chain(self.tree.places()) {
            for held in self.graph.references(self.tree.index(place)) {
                if let Some(held) = self.tree.place(held) {
                    visit(place.0, held.0);
                }
            }
        }
    }
}

/// The objects of a dump for [`document`].
struct Objects<'a>(&'a Heap, &'a Graph);

impl References for Objects<'_> {
    fn objects(&self) -> usize {
        self.0.len()
    }

    fn bytes(&self, object: u32) -> u64 {
        self.0.bytes(ObjectIndex(object))
    }

    fn each_reference(&self, object: u32, visit: &mut dyn FnMut(u32)) {
        self.1.references(NodeIndex(object)).for_each(|held| visit(held.0));
    }
}

impl Entry {
    /// The root object of an entry of [`Holdings`].
    pub fn object(&self) -> ObjectIndex {
        ObjectIndex(self.root)
    }
}

/// Whose reading of the figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// By reachability ([`super::exact`]).
    #[default]
    Exact,
    /// As the text of S0 computes them ([`super::document`]); what is no frame holds nothing there.
    Document,
}

impl Reading {
    /// `exact` or `document`.
    pub fn name(self) -> &'static str {
        match self {
            Reading::Exact => "exact",
            Reading::Document => "document",
        }
    }
}

/// A row of the frame table: which part of which thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Index into [`Graph::threads`].
    pub thread: u32,
    /// The part.
    pub part: ThreadPart,
}

/// Who holds what among a dump's threads and frames.
pub struct Holdings {
    parts: Vec<Part>,
    threads: u32,
    tables: Tables,
}

enum Tables {
    /// Roots of entries are places, to be found in the list of objects.
    Exact(Exact, Vec<[u32; 2]>),
    Document(document::Tables),
}

impl Holdings {
    /// Computes them.
    ///
    /// The exact reading makes a dominator tree of a copy of the graph; what globals reach belongs to no thread in
    /// either reading (N0.3).
    pub fn of(heap: &Heap, graph: &Graph, reading: Reading) -> Holdings {
        let wanted = |part: ThreadPart| reading == Reading::Exact || matches!(part, ThreadPart::Frame(_));
        let rows = || {
            let threads = (0..).zip(graph.threads());
            threads.flat_map(|(number, thread)| thread.frames.iter().map(move |frame| (number, frame)))
        };
        let rows: Vec<_> = rows().filter(|(_, frame)| wanted(frame.part)).collect();
        let parts = rows.iter().map(|&(thread, frame)| Part { thread, part: frame.part }).collect();
        let tables = match reading {
            Reading::Exact => exact(heap, graph),
            Reading::Document => {
                let frames: Vec<Frame> = rows
                    .iter()
                    .map(|&(thread, frame)| Frame {
                        thread,
                        roots: graph.references(frame.node).map(|node| node.0).collect(),
                    })
                    .collect();
                let global = globals(graph);
                Tables::Document(document::tables(&Objects(heap, graph), &frames, &|object| {
                    global.contains(NodeIndex(object))
                }))
            }
        };
        Holdings { parts, threads: graph.threads().len() as u32, tables }
    }

    /// The parts of all threads, in the order of the threads.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The row of a part.
    pub fn row(&self, part: u32) -> Row {
        match &self.tables {
            Tables::Exact(exact, _) => exact.row(part),
            Tables::Document(tables) => tables.rows[part as usize].clone(),
        }
    }

    /// How many frame-shared and thread-shared entries there are.
    pub fn counts(&self) -> [u32; 2] {
        match &self.tables {
            Tables::Exact(exact, _) => {
                let [_, frame, thread] = exact.counts();
                [frame, thread]
            }
            Tables::Document(tables) => [tables.frame_shared.len() as u32, tables.thread_shared.len() as u32],
        }
    }

    /// A frame-shared entry; its root is an object's number.
    pub fn frame_shared(&self, id: u32) -> Entry {
        match &self.tables {
            Tables::Exact(exact, objects) => object(exact.frame_shared(id), objects),
            Tables::Document(tables) => tables.frame_shared[id as usize].clone(),
        }
    }

    /// A thread-shared entry; its root is an object's number.
    pub fn thread_shared(&self, id: u32) -> Entry {
        match &self.tables {
            Tables::Exact(exact, objects) => object(exact.thread_shared(id), objects),
            Tables::Document(tables) => tables.thread_shared[id as usize].clone(),
        }
    }

    /// The thread of a frame-shared entry; in the document's reading the one that came to it first.
    pub fn frame_shared_owner(&self, id: u32) -> u32 {
        match &self.tables {
            Tables::Exact(exact, _) => exact.thread(id),
            Tables::Document(tables) => {
                let root = tables.frame_shared[id as usize].root;
                tables.first_frame[root as usize].map_or(0, |frame| self.parts[frame as usize].thread)
            }
        }
    }

    /// The threads that hold a thread-shared entry, ascending.
    pub fn owners(&self, id: u32) -> Vec<u32> {
        match &self.tables {
            Tables::Exact(exact, _) => exact.owners(id).to_vec(),
            Tables::Document(tables) => (0..self.threads)
                .filter(|&thread| tables.reached(&[thread]).thread.binary_search(&id).is_ok())
                .collect(),
        }
    }

    /// Everything that shared entries lead to, themselves included (S0.28).
    pub fn developed(&self, from: &Shared) -> Shared {
        match &self.tables {
            Tables::Exact(exact, _) => exact.developed(from),
            Tables::Document(tables) => tables.developed(from),
        }
    }

    /// The figures of every thread (S0.29-S0.31).
    pub fn usage(&self) -> Vec<Usage> {
        match &self.tables {
            Tables::Exact(exact, _) => exact.usage(),
            Tables::Document(tables) => (0..self.threads).map(|thread| tables.usage(&[thread])).collect(),
        }
    }

    /// What ends with some threads, given in ascending order (S0.37).
    pub fn release(&self, threads: &[u32]) -> Usage {
        match &self.tables {
            Tables::Exact(exact, _) => exact.release(threads),
            Tables::Document(tables) => tables.release(threads),
        }
    }

    /// What a thread adds to those that run (S0.36).
    pub fn growth(&self, thread: u32, running: &[u32]) -> u64 {
        match &self.tables {
            Tables::Exact(exact, _) => exact.growth(thread, running),
            Tables::Document(tables) => tables.growth(thread, running),
        }
    }

    /// At most so many threads whose end frees much, chosen greedily ([`Exact::best`]); the document has no such rule.
    pub fn best(&self, most: usize) -> Vec<u32> {
        match &self.tables {
            Tables::Exact(exact, _) => exact.best(most),
            Tables::Document(_) => Vec::new(),
        }
    }

    /// S0.17: the type that the document's tracing gave an object; `None` in the exact reading.
    pub fn kind(&self, object: ObjectIndex) -> Option<Kind> {
        match &self.tables {
            Tables::Exact(..) => None,
            Tables::Document(tables) => Some(tables.kinds[object.as_usize()]),
        }
    }
}

fn exact(heap: &Heap, graph: &Graph) -> Tables {
    let tree = Dominators::of(graph.clone());
    let retained = tree.retained(|node| heap.node_bytes(node));
    let place = |node: NodeIndex| tree.place(node).map_or(0, |place| place.0);
    let threads: Vec<(u32, Vec<u32>)> = graph
        .threads()
        .iter()
        .map(|thread| (place(thread.node), thread.frames.iter().map(|frame| place(frame.node)).collect()))
        .collect();
    let all = graph.synthetic().find(|(_, node)| *node == Node::AllThreads);
    let exact = Exact::of(
        &TreeOfGraph { graph, tree: &tree, retained: &retained },
        all.map_or(u32::MAX, |(node, _)| place(node)),
        &threads,
    );
    let [_, frame_shared, thread_shared] = exact.counts();
    let roots = (0..frame_shared).map(|id| exact.frame_shared(id).root);
    let mut objects: Vec<[u32; 2]> = roots
        .chain((0..thread_shared).map(|id| exact.thread_shared(id).root))
        .map(|root| [root, tree.index(Place(root)).0])
        .collect();
    objects.sort_unstable();
    Tables::Exact(exact, objects)
}

/// Puts an object's number in the place of its place.
fn object(mut entry: Entry, objects: &[[u32; 2]]) -> Entry {
    if let Ok(at) = objects.binary_search_by_key(&entry.root, |[place, _]| *place) {
        entry.root = objects[at][1];
    }
    entry
}

/// What the virtual machine itself reaches, without the threads.
fn globals(graph: &Graph) -> NodeSet {
    let mut reached = NodeSet::new(graph.len());
    let mut open: Vec<NodeIndex> =
        graph.references(graph.root()).filter(|held| graph.node(*held) != Node::AllThreads).collect();
    while let Some(node) = open.pop() {
        if reached.insert(node) {
            open.extend(graph.references(node));
        }
    }
    reached
}
