//! The threads and frames of a dump, with what they hold.

use super::exact::{Dominance, Exact};
use super::{FrameHolding, Shared, SharedHolding, Usage};
use crate::graph::{Graph, GraphNode, NodeIndex, ThreadPart};
use crate::heap::Heap;
use crate::index::ObjectIndex;
use crate::{Dominators, Preorder};

/// A dominator tree with the graph it was made from: [`Dominators::of`] a clone.
pub struct TreeOfGraph<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// Its tree.
    pub tree: &'a Dominators,
    /// Retained bytes by preorder number.
    pub retained: &'a [u64],
}

impl Dominance for TreeOfGraph<'_> {
    fn nodes(&self) -> u32 {
        self.tree.len() as u32
    }

    fn dominator(&self, node: u32) -> u32 {
        self.tree.immediate(Preorder(node)).0
    }

    fn retained(&self, node: u32) -> u64 {
        self.retained[node as usize]
    }

    fn each_reference(&self, visit: &mut dyn FnMut(u32, u32)) {
        for preorder in std::iter::once(Preorder::ROOT).chain(self.tree.numbers()) {
            for held in self.graph.references(self.tree.index(preorder)) {
                if let Some(held) = self.tree.number_of(held) {
                    visit(preorder.0, held.0);
                }
            }
        }
    }
}

impl SharedHolding {
    /// The root object of an entry of [`Holdings`].
    pub fn object(&self) -> ObjectIndex {
        ObjectIndex(self.root)
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

/// What the threads and frames of a dump hold.
pub struct Holdings {
    parts: Vec<Part>,
    exact: Exact,
    /// The preorder number of each entry's root, and its object's index.
    objects: Vec<[u32; 2]>,
}

impl Holdings {
    /// Computes them with a dominator tree of a copy of the graph. What globals reach belongs to no thread.
    pub fn from_heap(heap: &Heap, graph: &Graph) -> Holdings {
        let parts = (0..)
            .zip(graph.threads())
            .flat_map(|(thread, of)| of.frames.iter().map(move |frame| Part { thread, part: frame.part }));
        let (exact, objects) = exact(heap, graph);
        Holdings { parts: parts.collect(), exact, objects }
    }

    /// The parts of all threads, in the order of the threads.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The row of a part.
    pub fn row(&self, part: u32) -> FrameHolding {
        self.exact.row(part)
    }

    /// The numbers of frame-shared and thread-shared entries.
    pub fn counts(&self) -> [u32; 2] {
        let [_, frame, thread] = self.exact.counts();
        [frame, thread]
    }

    /// A frame-shared entry; its root is an object's index.
    pub fn frame_shared(&self, id: u32) -> SharedHolding {
        object(self.exact.frame_shared(id), &self.objects)
    }

    /// A thread-shared entry; its root is an object's index.
    pub fn thread_shared(&self, id: u32) -> SharedHolding {
        object(self.exact.thread_shared(id), &self.objects)
    }

    /// The thread of a frame-shared entry.
    pub fn thread_of_frame_shared(&self, id: u32) -> u32 {
        self.exact.thread(id)
    }

    /// The threads that hold a thread-shared entry, ascending.
    pub fn threads_of(&self, id: u32) -> Vec<u32> {
        self.exact.threads_of(id).to_vec()
    }

    /// Every entry that the given ones reach, themselves included.
    pub fn developed(&self, from: &Shared) -> Shared {
        self.exact.developed(from)
    }

    /// The figures of every thread.
    pub fn usage(&self) -> Vec<Usage> {
        self.exact.usage()
    }

    /// What is freed when these threads end, given in ascending order.
    pub fn release(&self, threads: &[u32]) -> Usage {
        self.exact.release(threads)
    }

    /// What a thread adds to those that run.
    pub fn growth(&self, thread: u32, running: &[u32]) -> u64 {
        self.exact.growth(thread, running)
    }

    /// At most `most` threads whose end frees much, chosen greedily ([`Exact::best`]).
    pub fn best(&self, most: usize) -> Vec<u32> {
        self.exact.best(most)
    }
}

fn exact(heap: &Heap, graph: &Graph) -> (Exact, Vec<[u32; 2]>) {
    let tree = Dominators::from_graph(graph.clone());
    let retained = tree.retained(|node| heap.node_bytes(node));
    let preorder = |node: NodeIndex| tree.number_of(node).map_or(0, |preorder| preorder.0);
    let threads: Vec<(u32, Vec<u32>)> = graph
        .threads()
        .iter()
        .map(|thread| (preorder(thread.node), thread.frames.iter().map(|frame| preorder(frame.node)).collect()))
        .collect();
    let all = graph.synthetic().find(|(_, node)| *node == GraphNode::AllThreads);
    let exact = Exact::from_tree(
        &TreeOfGraph { graph, tree: &tree, retained: &retained },
        all.map_or(u32::MAX, |(node, _)| preorder(node)),
        &threads,
    );
    let [_, frame_shared, thread_shared] = exact.counts();
    let roots = (0..frame_shared).map(|id| exact.frame_shared(id).root);
    let mut objects: Vec<[u32; 2]> = roots
        .chain((0..thread_shared).map(|id| exact.thread_shared(id).root))
        .map(|root| [root, tree.index(Preorder(root)).0])
        .collect();
    objects.sort_unstable();
    (exact, objects)
}

/// Replaces the preorder number of an entry's root by its object's index.
fn object(mut entry: SharedHolding, objects: &[[u32; 2]]) -> SharedHolding {
    if let Ok(at) = objects.binary_search_by_key(&entry.root, |[preorder, _]| *preorder) {
        entry.root = objects[at][1];
    }
    entry
}
