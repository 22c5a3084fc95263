//! The call trees of a fleet: one by one of few JVMs, their sum of many.

use std::collections::{BTreeMap, HashMap};

use crate::call_tree::{CallNode, CallTree, ConstructedClass, finished};

/// JVMs that have trees of their own. A reader does not look through more, and a tree takes up to some 100 KB.
const MOST_JVMS: usize = 50;

/// Takes in the trees of one JVM after the other. Memory grows with the number of different stacks, not with the number
/// of JVMs.
#[derive(Debug, Default)]
pub(crate) struct CallTrees {
    jvms: usize,
    /// By JVM, of up to [`MOST_JVMS`]; empty from then on.
    single: Vec<Vec<CallTree>>,
    /// Of the last ones of all JVMs, once there are more.
    sum: SummedTree,
}

impl CallTrees {
    /// The trees of a JVM, that of its last snapshot behind the others.
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

    /// Those of each JVM, or the sum of their last ones.
    pub(crate) fn finish(self) -> Vec<CallTree> {
        if self.jvms <= MOST_JVMS {
            self.single.into_iter().flatten().collect()
        } else {
            vec![self.sum.finish(self.jvms)]
        }
    }
}

/// Trees laid upon one another: what was called by the same stack is one node.
#[derive(Debug, Default)]
struct SummedTree {
    /// Callers before what they call, each with its index as its number.
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
        // The nodes from the outermost to the one in hand: a tree stands depth first.
        let mut stack: Vec<usize> = Vec::new();
        for node in &tree.nodes {
            stack.truncate(node.depth);
            let caller = stack.last().copied();
            let next = self.nodes.len();
            let index = *self.index_of.entry((caller, node.frame.clone())).or_insert(next);
            if index == next {
                let parent = caller.map(|caller| caller as u64);
                let node =
                    CallNode { cut: node.cut, ..CallNode::new(next as u64, parent, node.frame.clone(), stack.len()) };
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
