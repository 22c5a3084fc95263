//! Names of objects, threads and frames of a dump.

use weighbridge_heapdump::{Error, Graph, GraphNode, Heap, NodeIndex, ObjectIndex, ThreadPart, address_text};

/// Names of the nodes of a graph. Has the names of its threads in memory.
pub(super) struct Namer<'a> {
    pub(super) heap: &'a Heap,
    graph: &'a Graph,
    threads: Vec<String>,
}

impl<'a> Namer<'a> {
    /// Reads the names of the threads.
    pub(super) fn new(heap: &'a Heap, graph: &'a Graph) -> Result<Self, Error> {
        Ok(Namer { heap, graph, threads: heap.thread_names(graph.threads())? })
    }

    /// The class of an object; `class X` for the `Class` object of X.
    pub(super) fn class(&self, object: ObjectIndex) -> String {
        class_of(self.heap, object)
    }

    pub(super) fn thread(&self, thread: usize) -> String {
        format!("thread \"{}\"", self.threads[thread])
    }

    /// A frame as stack traces print it, without its thread.
    pub(super) fn frame(&self, thread: usize, frame: usize) -> String {
        let described = &self.graph.threads()[thread];
        match described.frames[frame].part {
            ThreadPart::Frame(depth) => {
                let trace = self.heap.dump().trace(described.trace);
                match trace.get(depth as usize) {
                    Some(at) => match at.line {
                        Some(line) => format!("frame {}.{}:{line}", at.class, at.method),
                        None => format!("frame {}.{}", at.class, at.method),
                    },
                    None => format!("frame {depth}"),
                }
            }
            ThreadPart::Native => "native frames".to_owned(),
            ThreadPart::Own => "the thread's own fields".to_owned(),
        }
    }

    pub(super) fn node(&self, node: NodeIndex) -> String {
        match self.graph.node(node) {
            GraphNode::Object(object) => self.class(object),
            GraphNode::Root => "the virtual machine".to_owned(),
            GraphNode::AllThreads => "all threads".to_owned(),
            GraphNode::Thread(thread) => self.thread(thread),
            GraphNode::Frame(thread, frame) => format!("{}, {}", self.thread(thread), self.frame(thread, frame)),
            GraphNode::Added(added) => format!("node {added}"),
        }
    }
}

/// The class of an object; `class X` for the `Class` object of X.
pub(super) fn class_of(heap: &Heap, object: ObjectIndex) -> String {
    match heap.class_object(object) {
        Some(class) => format!("class {}", heap.classes().get(class).name),
        None => heap.classes().get(heap.class_of(object)).name.clone(),
    }
}

/// The object of a node, if it is one.
pub(super) fn object_of(graph: &Graph, node: NodeIndex) -> Option<ObjectIndex> {
    match graph.node(node) {
        GraphNode::Object(object) => Some(object),
        _ => None,
    }
}

/// An object's address in the form of output and arguments.
pub(super) fn address(heap: &Heap, object: ObjectIndex) -> String {
    address_text(heap.address(object))
}
