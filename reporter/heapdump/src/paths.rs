//! Why objects are alive: shortest paths from the root. Paths of many objects are merged by class.
//!
//! One breadth-first search from the root gives every object one of its shortest paths. Weak references are on no path.
//! Whether soft references are followed was decided when the graph was made ([`crate::Modes`]).

use std::collections::HashMap;

use crate::class::ClassIndex;
use crate::graph::{Graph, GraphNode, NodeIndex, NodeSet};
use crate::heap::Heap;
use crate::hprof::GcRoot;
use crate::index::ObjectIndex;

const NONE: u32 = u32::MAX;

/// A shortest path to every reachable node. Eight bytes a node.
#[derive(Debug)]
pub struct ShortestPaths {
    /// The node before each; `NONE` for the root and unreachable nodes.
    before: Vec<u32>,
    /// Reachable nodes in the order of the search: nearer ones first.
    met: Vec<u32>,
}

/// Why the virtual machine holds an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HeldBy {
    /// A class that is never unloaded.
    StickyClass,
    /// A global reference of native code.
    JniGlobal,
    /// A monitor in use.
    Monitor,
    /// Native code of a thread: an argument, or a local of a thread that the dump does not describe.
    NativeStack,
    /// A thread's block.
    ThreadBlock,
    /// A live thread, if threads are no nodes.
    Thread,
    /// A local variable of a thread that the dump does not describe.
    JavaFrame,
    /// Android: interned strings and what the runtime holds for itself.
    VmInternal,
    /// No reason is given.
    Unknown,
}

impl HeldBy {
    /// In the words of the HPROF format.
    pub fn name(self) -> &'static str {
        match self {
            HeldBy::StickyClass => "sticky class",
            HeldBy::JniGlobal => "JNI global",
            HeldBy::Monitor => "monitor in use",
            HeldBy::NativeStack => "native stack",
            HeldBy::ThreadBlock => "thread block",
            HeldBy::Thread => "thread",
            HeldBy::JavaFrame => "Java frame",
            HeldBy::VmInternal => "VM internal",
            HeldBy::Unknown => "unknown root",
        }
    }
}

/// A step of a path: objects by class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MergedStep {
    /// The virtual machine, for a reason.
    Held(HeldBy),
    /// A thread, as an index into [`Graph::threads`].
    Thread(usize),
    /// A frame or another part of a thread, as indices into [`Graph::threads`] and [`crate::Thread::frames`].
    Frame(usize, usize),
    /// Objects of a class.
    Instances(ClassIndex),
    /// The `java.lang.Class` object of a class, with its static fields.
    ClassObject(ClassIndex),
}

/// A node of the tree of merged paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Branches above it; 0 for what the root holds.
    pub depth: u32,
    /// What is here.
    pub step: MergedStep,
    /// Requested objects whose paths end here or pass here.
    pub objects: u64,
    /// Requested objects that are here.
    pub ends: u64,
    /// Objects of the class that are here. Neighbours of one class, such as the nodes of a linked list, are one step.
    pub passed: u64,
    /// A node that is here, and the one before it on its path.
    pub example: (NodeIndex, NodeIndex),
}

/// The paths of many objects, merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The tree in preorder; of siblings the one with most objects comes first. It is a flat list because paths can be as
    /// long as a linked list.
    pub branches: Vec<Branch>,
    /// Requested objects that the root reaches.
    pub reached: u64,
    /// Requested objects.
    pub asked: u64,
    /// Merged paths that end at a requested object, shown or not.
    pub ways: u64,
    /// Merged paths that are shown.
    pub ways_shown: u64,
    /// Objects at the ends of merged paths that are not shown.
    pub objects_not_shown: u64,
}

impl ShortestPaths {
    /// Searches a graph. Linear in nodes and references.
    pub fn from_graph(graph: &Graph) -> Self {
        let mut before = vec![NONE; graph.len()];
        let mut seen = NodeSet::new(graph.len());
        let mut met = vec![graph.root().0];
        seen.insert(graph.root());
        let mut next = 0;
        while let Some(node) = met.get(next).copied() {
            next += 1;
            for target in graph.references(NodeIndex(node)) {
                if seen.insert(target) {
                    before[target.as_usize()] = node;
                    met.push(target.0);
                }
            }
        }
        ShortestPaths { before, met }
    }

    /// The nodes of the path to a node, without the root; `None` if the root does not reach it.
    pub fn path(&self, node: NodeIndex) -> Option<Vec<NodeIndex>> {
        let mut path = Vec::new();
        let mut at = node.0;
        while self.before[at as usize] != NONE {
            path.push(NodeIndex(at));
            at = self.before[at as usize];
        }
        path.reverse();
        (!path.is_empty()).then_some(path)
    }

    /// The node before one on its path; `None` for the root and what it does not reach.
    pub fn previous_node(&self, node: NodeIndex) -> Option<NodeIndex> {
        Some(self.before[node.as_usize()]).filter(|before| *before != NONE).map(NodeIndex)
    }

    /// For each node the first of its neighbours on its path that are like it, such as the nodes of a linked list: paths can
    /// be as long as one. `is_like` is asked for two neighbours. Four bytes a node.
    pub fn first_of_neighbours(&self, is_like: impl Fn(NodeIndex, NodeIndex) -> bool) -> Vec<NodeIndex> {
        let mut first: Vec<NodeIndex> = (0..self.before.len() as u32).map(NodeIndex).collect();
        for node in self.met.iter().copied().map(NodeIndex) {
            if let Some(before) = self.previous_node(node).filter(|before| is_like(*before, node)) {
                first[node.as_usize()] = first[before.as_usize()];
            }
        }
        first
    }

    /// Merges the paths of objects by class, and keeps the `most` merged paths with the most objects at their ends.
    ///
    /// Takes 4 bytes a node beside the result, and time linear in the nodes on the paths.
    pub fn merged(&self, heap: &Heap, graph: &Graph, objects: &[ObjectIndex], most: usize) -> Merged {
        let reasons = reasons(heap);
        let mut wanted = NodeSet::new(graph.len());
        let asked = objects.iter().filter(|object| wanted.insert((**object).into())).count() as u64;
        let on_path = self.on_paths(graph, objects);
        let mut ways = Ways::default();
        let mut way_of = vec![NONE; graph.len()];
        for node in self.met.iter().copied().filter(|node| on_path.contains(NodeIndex(*node))) {
            let before = self.before[node as usize];
            if before == NONE {
                continue;
            }
            let above = way_of[before as usize];
            let held = (before == graph.root().0 && (node as usize) < graph.objects())
                .then(|| MergedStep::Held(reasons.get(&ObjectIndex(node)).copied().unwrap_or(HeldBy::Unknown)));
            let above = held.map_or(above, |step| ways.enter(NONE, step, before, node, false));
            let here = match graph.node(NodeIndex(node)) {
                GraphNode::Root | GraphNode::AllThreads | GraphNode::Added(_) => above,
                GraphNode::Thread(thread) => ways.enter(above, MergedStep::Thread(thread), before, node, true),
                GraphNode::Frame(thread, frame) => {
                    ways.enter(above, MergedStep::Frame(thread, frame), before, node, true)
                }
                GraphNode::Object(object) => {
                    let step = match heap.class_object(object) {
                        Some(class) => MergedStep::ClassObject(class),
                        None => MergedStep::Instances(heap.class_of(object)),
                    };
                    ways.enter(above, step, before, node, true)
                }
            };
            way_of[node as usize] = here;
            if here != NONE && wanted.contains(NodeIndex(node)) {
                ways.list[here as usize].ends += 1;
            }
        }
        ways.finish(asked, most)
    }

    /// The nodes on the paths of some objects.
    fn on_paths(&self, graph: &Graph, objects: &[ObjectIndex]) -> NodeSet {
        let mut on_path = NodeSet::new(graph.len());
        for object in objects {
            let mut at = object.0;
            while self.before[at as usize] != NONE && on_path.insert(NodeIndex(at)) {
                at = self.before[at as usize];
            }
        }
        on_path
    }
}

/// Why the objects that roots name are held: the first reason in the order of [`HeldBy`].
fn reasons(heap: &Heap) -> HashMap<ObjectIndex, HeldBy> {
    let mut reasons = HashMap::new();
    for root in heap.roots() {
        let (address, reason) = match *root {
            GcRoot::Unknown(object) => (object, HeldBy::Unknown),
            GcRoot::JniGlobal(object) => (object, HeldBy::JniGlobal),
            GcRoot::NativeStack(object, _) | GcRoot::JniLocal(object, ..) => (object, HeldBy::NativeStack),
            GcRoot::JavaFrame(object, ..) => (object, HeldBy::JavaFrame),
            GcRoot::StickyClass(object) => (object, HeldBy::StickyClass),
            GcRoot::ThreadBlock(object, _) => (object, HeldBy::ThreadBlock),
            GcRoot::Monitor(object) => (object, HeldBy::Monitor),
            GcRoot::VmInternal(object) => (object, HeldBy::VmInternal),
            GcRoot::Thread(object, ..) => (object, HeldBy::Thread),
        };
        if let Some(object) = heap.find(address) {
            reasons.entry(object).and_modify(|known: &mut HeldBy| *known = reason.min(*known)).or_insert(reason);
        }
    }
    reasons
}

/// The tree of merged paths while it is built; each node comes after its parent.
#[derive(Default)]
struct Ways {
    list: Vec<Way>,
    numbers: HashMap<(u32, MergedStep), u32>,
}

#[derive(Clone, Copy)]
struct Way {
    above: u32,
    step: MergedStep,
    ends: u64,
    passed: u64,
    example: (NodeIndex, NodeIndex),
}

impl Ways {
    fn enter(&mut self, above: u32, step: MergedStep, before: u32, node: u32, merge: bool) -> u32 {
        let same = merge && above != NONE && self.list[above as usize].step == step;
        let number = match same {
            true => above,
            false => *self.numbers.entry((above, step)).or_insert_with(|| {
                let example = (NodeIndex(node), NodeIndex(before));
                self.list.push(Way { above, step, ends: 0, passed: 0, example });
                self.list.len() as u32 - 1
            }),
        };
        self.list[number as usize].passed += 1;
        number
    }

    fn finish(self, asked: u64, most: usize) -> Merged {
        let Ways { list, .. } = self;
        let mut ends: Vec<usize> = (0..list.len()).filter(|way| list[*way].ends > 0).collect();
        ends.sort_by_key(|way| (std::cmp::Reverse(list[*way].ends), *way));
        let ways = ends.len() as u64;
        let hidden = ends.split_off(most.min(ends.len()));
        let mut shown = vec![false; list.len()];
        for end in &ends {
            let mut at = *end as u32;
            while at != NONE && !std::mem::replace(&mut shown[at as usize], true) {
                at = list[at as usize].above;
            }
        }
        let objects_not_shown = hidden.iter().map(|way| list[*way].ends).sum();
        let mut objects: Vec<u64> = list.iter().map(|way| way.ends).collect();
        for way in (0..list.len()).rev() {
            let passing = objects[way];
            if let Some(above) = objects.get_mut(list[way].above as usize) {
                *above += passing;
            }
        }
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); list.len()];
        let mut open = Vec::new();
        for (at, way) in list.iter().enumerate().filter(|(at, _)| shown[*at]) {
            below.get_mut(way.above as usize).unwrap_or(&mut open).push(at);
        }
        // `pop` takes the last one first.
        let order = |ways: &mut Vec<usize>| ways.sort_by_key(|way| (objects[*way], std::cmp::Reverse(list[*way].step)));
        order(&mut open);
        let mut depths = vec![0_u32; list.len()];
        let mut branches = Vec::new();
        while let Some(at) = open.pop() {
            let Way { above, step, ends, passed, example } = list[at];
            depths[at] = depths.get(above as usize).map_or(0, |depth| depth + 1);
            branches.push(Branch { depth: depths[at], step, objects: objects[at], ends, passed, example });
            order(&mut below[at]);
            open.append(&mut below[at]);
        }
        let reached = list.iter().map(|way| way.ends).sum();
        Merged { branches, reached, asked, ways, ways_shown: ends.len() as u64, objects_not_shown }
    }
}
