//! The graph of references: objects, threads and frames as nodes below one root.
//!
//! Objects are the nodes 0 to n - 1, in the order of their addresses. After them come the nodes that are no objects: the
//! frames of each thread and the thread, one above all threads, and the root above everything.

mod count;
mod modes;
mod node;
mod overlay;
mod own;
pub(crate) mod pool;
mod reach;
mod references;
mod shape;
mod threads;

pub(crate) use count::count;
pub use modes::{FollowSoft, Modes, ReferenceModel};
pub use node::{GraphNode, NodeIndex, PartNode, Thread, ThreadPart};
pub(crate) use own::OwnFrames;
pub use own::RUNTIME;
pub use reach::NodeSet;
pub(crate) use references::{Dangling, read};
pub(crate) use shape::Shape;
pub(crate) use threads::assemble;

use pool::Pool;

use crate::index::ObjectIndex;

/// The references of a heap, each once. Four bytes a reference, four a node, four a node that has references.
#[derive(Debug, Clone)]
pub struct Graph {
    /// Index of a node's list in the pool, 0 for none.
    pub(crate) starts: Vec<u32>,
    pub(crate) pool: Pool,
    pub(crate) objects: u32,
    /// What the nodes after the objects are; the last is the root.
    pub(crate) above: Vec<GraphNode>,
    pub(crate) threads: Vec<Thread>,
}

impl Graph {
    /// A graph of plain numbers: the nodes that each node references, and those that the root references.
    ///
    /// # Panics
    /// If there are 2^30 nodes, or 2^31 references, or more.
    pub fn of_lists(references: &[Vec<u32>], roots: &[u32]) -> Self {
        let next = std::sync::atomic::AtomicU32::new(0);
        let most = references.iter().map(|list| list.len() as u64 + 1).sum::<u64>() + roots.len() as u64 + 1;
        let mut writer = pool::Writer::new(&next, most);
        let mut starts: Vec<u32> = Vec::with_capacity(references.len() + 1);
        assert!(references.len() < pool::NODE as usize, "too many nodes");
        for list in references.iter().map(Vec::as_slice).chain([roots]) {
            let source = starts.len() as u32;
            starts.push(if list.is_empty() { 0 } else { writer.add(source, list).expect("few enough references") });
        }
        let pool = Pool::from_chunks(writer.finish());
        Graph { starts, pool, objects: references.len() as u32, above: vec![GraphNode::Root], threads: Vec::new() }
    }

    /// An address with several records has several lists, of which only the last counts. Hides the others from passes
    /// over all lists in memory order.
    pub(crate) fn forget_replaced(&mut self) {
        let Graph { starts, pool, .. } = self;
        pool.hide(|source, index| starts[source as usize] != index);
    }

    /// Number of nodes.
    #[expect(clippy::len_without_is_empty, reason = "the root is always there")]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// All nodes, the root last.
    pub fn nodes(&self) -> impl Iterator<Item = NodeIndex> + use<> {
        (0..self.starts.len() as u32).map(NodeIndex)
    }

    /// Number of objects; their nodes come first.
    pub fn objects(&self) -> usize {
        self.objects as usize
    }

    /// The root.
    pub fn root(&self) -> NodeIndex {
        NodeIndex(self.starts.len() as u32 - 1)
    }

    /// What a node is.
    pub fn node(&self, node: NodeIndex) -> GraphNode {
        match node.0.checked_sub(self.objects) {
            None => GraphNode::Object(ObjectIndex(node.0)),
            Some(at) => self.above[at as usize],
        }
    }

    /// The nodes that are no objects; the root is the last of them.
    pub fn synthetic(&self) -> impl Iterator<Item = (NodeIndex, GraphNode)> + '_ {
        self.above.iter().enumerate().map(|(at, node)| (NodeIndex(self.objects + at as u32), *node))
    }

    /// The threads of the dump, by serial number.
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// The nodes that a node references, one for each reference. An object's class is the first, unless the virtual
    /// machine holds it anyway.
    pub fn references(&self, node: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        let start = Some(self.starts[node.as_usize()]).filter(|start| *start != 0);
        start.into_iter().flat_map(|start| self.pool.list(start)).map(NodeIndex)
    }
}
