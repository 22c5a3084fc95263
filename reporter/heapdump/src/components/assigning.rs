//! The state of assigning objects to components.

use super::assignment::FREE;
use super::rule::Definition;
use super::tree::ComponentTree;
use crate::graph::NodeSet;
use crate::heap::Heap;
use crate::index::ObjectIndex;

/// The components so far, and what they have.
pub(super) struct Assigning<'a> {
    pub(super) heap: &'a Heap,
    pub(super) among: &'a NodeSet,
    pub(super) definitions: &'a [Definition],
    pub(super) tree: ComponentTree<'a>,
    /// By object; `FREE` for those without a component.
    pub(super) owners: Vec<u32>,
    /// Paths that lead to no object.
    pub(super) nowhere: Vec<String>,
}

impl Assigning<'_> {
    /// Gives an object of the set to a component unless it has one.
    pub(super) fn claim(&mut self, object: ObjectIndex, component: usize) {
        if self.is_open(object) {
            self.owners[object.as_usize()] = component as u32;
        }
    }

    /// Whether an object is in the set and has no component.
    pub(super) fn is_open(&self, object: ObjectIndex) -> bool {
        self.among.has(object) && self.owners[object.as_usize()] == FREE
    }
}
