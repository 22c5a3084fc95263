//! What only soft references hold: it is freed before memory runs out (`java.lang.ref.SoftReference`).

use std::collections::{HashMap, HashSet};

use weighbridge_heapdump::{Dominators, Error, Graph, Heap, NodeIndex, NodeSet, ObjectIndex, Preorder};

use super::Facts;

/// The objects directly below the soft references that alone hold them. Empty if soft references are not followed.
pub(super) struct Soft(HashSet<Preorder>);

impl Soft {
    /// Reads the soft references of a dump again.
    ///
    /// # Errors
    /// The dump's file cannot be read any more.
    pub(super) fn from_tree(heap: &Heap, tree: &Dominators, facts: &Facts) -> Result<Self, Error> {
        let mut below = HashSet::new();
        if facts.soft == Some("strong") {
            for (reference, referent) in heap.soft_referents()? {
                if let (Some(above), Some(preorder)) =
                    (tree.number_of(reference.into()), tree.number_of(referent.into()))
                    && tree.immediate(preorder) == above
                {
                    below.insert(preorder);
                }
            }
        }
        Ok(Soft(below))
    }

    /// Whether a soft reference alone holds a node or one that dominates it.
    pub(super) fn holds(&self, tree: &Dominators, preorder: Preorder) -> bool {
        let mut at = preorder;
        while at != Preorder::ROOT {
            if self.0.contains(&at) {
                return true;
            }
            at = tree.immediate(at);
        }
        false
    }

    /// Bytes below soft references, each once: one may be below another.
    pub(super) fn bytes(&self, tree: &Dominators, retained: &[u64]) -> u64 {
        let topmost = |preorder: &&Preorder| !self.holds(tree, tree.immediate(**preorder));
        self.0.iter().filter(topmost).map(|preorder| retained[preorder.as_usize()]).sum()
    }
}

/// The soft references of a dump and their referents, read again.
///
/// # Errors
/// The dump's file cannot be read any more.
pub(super) fn referents(heap: &Heap) -> Result<HashMap<NodeIndex, NodeIndex>, Error> {
    Ok(heap.soft_referents()?.into_iter().map(|(reference, target)| (reference.into(), target.into())).collect())
}

/// The objects that roots reach only through soft references: one or several. Needs no dominators. The result is the same
/// whether the graph follows soft references or not.
pub(super) struct OnlySoftly(NodeSet);

impl OnlySoftly {
    /// Reads the soft references of a dump again. Takes a bit a node and, if the graph follows soft references, up to four
    /// bytes a reachable node for the mark stack.
    ///
    /// # Errors
    /// The dump's file cannot be read any more.
    pub(super) fn from_graph(heap: &Heap, graph: &Graph, facts: &Facts) -> Result<Self, Error> {
        let referents = referents(heap)?;
        let reachable = graph.reachable();
        if facts.soft == Some("strong") {
            let mut firmly = NodeSet::new(graph.len());
            let firm = |node: NodeIndex| {
                let softly = referents.get(&node).copied();
                graph.references(node).filter(move |target| Some(*target) != softly)
            };
            reach(&mut firmly, vec![graph.root()], firm);
            let mut softly = NodeSet::new(graph.len());
            for node in graph.nodes().filter(|node| reachable.contains(*node) && !firmly.contains(*node)) {
                softly.insert(node);
            }
            return Ok(OnlySoftly(softly));
        }
        let mut softly = NodeSet::new(graph.len());
        let begin =
            referents.iter().filter(|(reference, _)| reachable.contains(**reference)).map(|(_, target)| *target);
        let begin = begin.filter(|target| !reachable.contains(*target)).collect();
        let below = |node: NodeIndex| {
            graph.references(node).chain(referents.get(&node).copied()).filter(|target| !reachable.contains(*target))
        };
        reach(&mut softly, begin, below);
        Ok(OnlySoftly(softly))
    }

    /// Whether an object is among them.
    pub(super) fn has(&self, object: ObjectIndex) -> bool {
        self.0.has(object)
    }
}

/// Adds everything that these nodes reach, themselves included.
fn reach<I: Iterator<Item = NodeIndex>>(set: &mut NodeSet, begin: Vec<NodeIndex>, below: impl Fn(NodeIndex) -> I) {
    let mut open: Vec<NodeIndex> = begin.into_iter().filter(|node| set.insert(*node)).collect();
    while let Some(node) = open.pop() {
        open.extend(below(node).filter(|target| set.insert(*target)));
    }
}
