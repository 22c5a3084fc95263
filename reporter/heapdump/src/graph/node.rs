//! What the nodes of a graph are.

use crate::index::ObjectIndex;

/// A node's number in a [`Graph`](super::Graph).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIndex(pub(crate) u32);

impl NodeIndex {
    /// As an index into an array with an element for each node.
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }
}

impl From<ObjectIndex> for NodeIndex {
    fn from(object: ObjectIndex) -> Self {
        NodeIndex(object.0)
    }
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GraphNode {
    /// An object.
    Object(ObjectIndex),
    /// Above everything: it references [`Node::AllThreads`] and the objects that the virtual machine itself holds.
    Root,
    /// Above the threads. What it dominates and no single thread does is shared by threads.
    AllThreads,
    /// A thread, as an index into [`Graph::threads`](super::Graph::threads): above its frames and other parts.
    Thread(usize),
    /// A frame or another part of a thread: an index into [`Graph::threads`](super::Graph::threads), and one into
    /// [`Thread::frames`].
    Frame(usize, usize),
    /// A node that [`Graph::overlay`](super::Graph::overlay) added, as an index into the added ones.
    Added(usize),
}

/// A thread of the dumped program, virtual ones included (JDK 25 dumps the parked ones).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Its number in the dump.
    pub serial: u32,
    /// Its `Thread` object, if the dump has it.
    pub object: Option<ObjectIndex>,
    /// Number of its stack trace in the dump.
    pub trace: u32,
    /// Its node.
    pub node: NodeIndex,
    /// Its parts that hold objects: frames from the top of the stack, then the rest.
    pub frames: Vec<PartNode>,
}

/// A part of a thread that holds objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartNode {
    /// Which part.
    pub part: ThreadPart,
    /// Its node.
    pub node: NodeIndex,
}

/// The parts of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ThreadPart {
    /// A frame, by its index in the stack trace: 0 at the top, native frames counted.
    Frame(u32),
    /// Native code outside any frame.
    Native,
    /// No frame: the `Thread` object, the task of the thread and its thread locals.
    Own,
}
