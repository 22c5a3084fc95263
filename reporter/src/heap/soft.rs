//! What soft references hold alone: gone before memory runs out (`java.lang.ref.SoftReference`).

use std::collections::{HashMap, HashSet};

use weighbridge_heapdump::{Dominators, Error, Graph, Heap, NodeIndex, NodeSet, ObjectIndex, Place};

use super::Facts;

/// The places right below the soft references that hold them alone. Empty where soft references are not followed.
pub(super) struct Soft(HashSet<Place>);

impl Soft {
    /// Reads the soft references of a dump again.
    ///
    /// # Errors
    /// The dump's file cannot be read any more.
    pub(super) fn of(heap: &Heap, tree: &Dominators, facts: &Facts) -> Result<Self, Error> {
        let mut below = HashSet::new();
        if facts.soft == Some("strong") {
            for (reference, referent) in heap.soft_referents()? {
                if let (Some(above), Some(place)) = (tree.place(reference.into()), tree.place(referent.into()))
                    && tree.immediate(place) == above
                {
                    below.insert(place);
                }
            }
        }
        Ok(Soft(below))
    }

    /// Whether a place or one that dominates it is held by a soft reference alone.
    pub(super) fn holds(&self, tree: &Dominators, place: Place) -> bool {
        let mut at = place;
        while at != Place::ROOT {
            if self.0.contains(&at) {
                return true;
            }
            at = tree.immediate(at);
        }
        false
    }

    /// Bytes below soft references, each once: one can lie below another.
    pub(super) fn bytes(&self, tree: &Dominators, retained: &[u64]) -> u64 {
        let topmost = |place: &&Place| !self.holds(tree, tree.immediate(**place));
        self.0.iter().filter(topmost).map(|place| retained[place.as_usize()]).sum()
    }
}

/// The soft references of a dump and what they refer to, read again.
///
/// # Errors
/// The dump's file cannot be read any more.
pub(super) fn referents(heap: &Heap) -> Result<HashMap<NodeIndex, NodeIndex>, Error> {
    Ok(heap.soft_referents()?.into_iter().map(|(reference, target)| (reference.into(), target.into())).collect())
}

/// The objects that roots reach through soft references and in no other way: through one that holds them alone, or through
/// several. Without dominators; they are the same whether the graph follows soft references or not.
pub(super) struct OnlySoftly(NodeSet);

impl OnlySoftly {
    /// Reads the soft references of a dump again. Takes a bit a node and, where the graph follows soft references, up to
    /// four bytes a reachable node for what is open.
    ///
    /// # Errors
    /// The dump's file cannot be read any more.
    pub(super) fn of(heap: &Heap, graph: &Graph, facts: &Facts) -> Result<Self, Error> {
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

/// Adds what these nodes reach, themselves included.
fn reach<I: Iterator<Item = NodeIndex>>(set: &mut NodeSet, begin: Vec<NodeIndex>, below: impl Fn(NodeIndex) -> I) {
    let mut open: Vec<NodeIndex> = begin.into_iter().filter(|node| set.insert(*node)).collect();
    while let Some(node) = open.pop() {
        open.extend(below(node).filter(|target| set.insert(*target)));
    }
}
