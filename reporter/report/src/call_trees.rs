//! The call trees of a fleet: those of each JVM if there are few, else their sum.

use std::collections::{BTreeMap, HashMap};

use crate::call_tree::{CallNode, CallTree, ConstructedClass, finished};

/// Most JVMs whose trees are kept one by one. A reader does not look at more, and a tree takes up to some 100 KB.
const MOST_JVMS: usize = 50;

/// Adds the trees of one JVM after the other. Memory grows with the number of different stacks, not of JVMs.
#[derive(Debug, Default)]
pub(crate) struct CallTrees {
    jvms: usize,
    /// By JVM, for at most [`MOST_JVMS`]; empty if there are more.
    single: Vec<Vec<CallTree>>,
    /// The sum of the last trees of all JVMs, once there are more.
    sum: SummedTree,
}

impl CallTrees {
    /// Adds the trees of a JVM; that of its last snapshot comes last.
    pub(crate) fn add(&mut self, jvm: usize, trees: Vec<CallTree>) {
        if trees.is_empty() {
            return;
        }
        self.jvms += 1;
        self.single.push(trees.into_iter().map(|tree| CallTree { jvm: Some(jvm), ..tree }).collect());
        if self.jvms > MOST_JVMS {
            self.single.drain(..).filter_map(|mut trees| trees.pop()).for_each(|last| self.sum.add(&last));
        }
    }

    /// The trees of each JVM, or the sum of their last ones.
    pub(crate) fn finish(self) -> Vec<CallTree> {
        if self.jvms <= MOST_JVMS {
            self.single.into_iter().flatten().collect()
        } else {
            vec![self.sum.finish(self.jvms)]
        }
    }
}

/// A sum of trees. Methods called by the same stack are one node.
#[derive(Debug, Default)]
struct SummedTree {
    /// Callers before callees; the number of each is its index.
    nodes: Vec<SummedNode>,
    /// By caller and frame.
    index_of: HashMap<(Option<usize>, String), usize>,
    unknown_objects: u64,
}

#[derive(Debug)]
struct SummedNode {
    node: CallNode,
    /// Objects and bytes by class.
    classes: BTreeMap<String, (u64, u64)>,
}

impl SummedTree {
    fn add(&mut self, tree: &CallTree) {
        self.unknown_objects = self.unknown_objects.saturating_add(tree.unknown_objects.unwrap_or(0));
        // The nodes from the outermost to the current one: a tree is in depth-first order.
        let mut stack: Vec<usize> = Vec::new();
        for node in &tree.nodes {
            stack.truncate(node.depth);
            let caller = stack.last().copied();
            let next = self.nodes.len();
            let index = *self.index_of.entry((caller, node.frame.clone())).or_insert(next);
            if index == next {
                let node = CallNode {
                    id: next as u64,
                    parent: caller.map(|caller| caller as u64),
                    frame: node.frame.clone(),
                    depth: stack.len(),
                    cut: node.cut,
                    ..CallNode::default()
                };
                self.nodes.push(SummedNode { node, classes: BTreeMap::new() });
            }
            stack.push(index);
            let SummedNode { node: sum, classes } = &mut self.nodes[index];
            sum.own_objects = sum.own_objects.saturating_add(node.own_objects);
            sum.own_bytes = sum.own_bytes.saturating_add(node.own_bytes);
            for made in &node.classes {
                let (objects, bytes) = classes.entry(made.class.clone()).or_default();
                *objects = objects.saturating_add(made.objects);
                *bytes = bytes.saturating_add(made.bytes);
            }
        }
    }

    fn finish(self, jvms: usize) -> CallTree {
        let index_of = (0..self.nodes.len()).map(|index| (index as u64, index)).collect();
        let made = |(class, (objects, bytes))| ConstructedClass { class, objects, bytes };
        let with_classes =
            |sum: SummedNode| CallNode { classes: sum.classes.into_iter().map(made).collect(), ..sum.node };
        let nodes = finished(self.nodes.into_iter().map(with_classes).collect(), &index_of);
        CallTree { jvm: None, jvms, seq: 0, reason: None, unknown_objects: Some(self.unknown_objects), nodes }
    }
}
