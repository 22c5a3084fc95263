//! A dominator tree with its heap and retained bytes.

use crate::class::ClassIndex;
use crate::dominators::{Dominators, Preorder};
use crate::graph::GraphNode;
use crate::heap::Heap;
use crate::index::ObjectIndex;

/// What the search for suspects reads.
#[derive(Clone, Copy)]
pub struct Weighed<'a> {
    /// The heap.
    pub heap: &'a Heap,
    /// Its dominator tree.
    pub tree: &'a Dominators,
    /// Bytes that each node retains ([`Dominators::retained`]).
    pub retained: &'a [u64],
}

impl Weighed<'_> {
    /// All reachable bytes.
    pub fn reachable_bytes(&self) -> u64 {
        self.retained[0]
    }

    /// The object of a node, if it is one.
    pub fn object(&self, preorder: Preorder) -> Option<ObjectIndex> {
        match self.tree.node(preorder) {
            GraphNode::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Bytes that an object retains; 0 if the root does not reach it.
    pub fn bytes_of(&self, object: ObjectIndex) -> u64 {
        self.tree.number_of(object.into()).map_or(0, |preorder| self.retained[preorder.as_usize()])
    }

    /// The nodes above one, the nearest first, without the root.
    pub fn dominators_above(&self, preorder: Preorder) -> impl Iterator<Item = Preorder> + '_ {
        let above =
            move |preorder: &Preorder| Some(self.tree.immediate(*preorder)).filter(|above| *above != Preorder::ROOT);
        std::iter::successors(above(&preorder), above)
    }

    /// The class of an object that is no `Class` object.
    pub(super) fn class(&self, preorder: Preorder) -> Option<ClassIndex> {
        let object = self.object(preorder).filter(|object| self.heap.class_object(*object).is_none())?;
        Some(self.heap.class_of(object))
    }

    /// Whether the objects of each class are parts of a collection: arrays of references, and classes of `java.util`.
    pub(super) fn structural(&self) -> Vec<bool> {
        let is = |name: &str, loader: u64| match name.strip_suffix("[]") {
            Some(element) => element.contains(['.', '[']),
            None => loader == 0 && name.starts_with("java.util."),
        };
        self.heap.classes().iter().map(|(_, class)| is(&class.name, class.loader)).collect()
    }

    /// Whether the objects of each class are instances of a class or of a subclass.
    pub(super) fn are(&self, ancestor: &str) -> Vec<bool> {
        let classes = self.heap.classes();
        let ancestor = classes.find_by_name(ancestor);
        classes.iter().map(|(class, _)| ancestor.is_some_and(|ancestor| classes.is_a(class, ancestor))).collect()
    }
}
