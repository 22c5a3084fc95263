//! The component of each object, and the references that the semantic tree leaves out because of it.

use std::collections::HashMap;

use crate::graph::NodeIndex;
use crate::index::ObjectIndex;

/// Which references between a component's objects and others are left out of the semantic tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Suspend {
    /// Those from others into the component's objects.
    #[default]
    Incoming,
    /// Those from the component's objects to others.
    Outgoing,
    /// Both.
    Both,
    /// None: the component's node is one holder among others.
    None,
}

impl Suspend {
    pub(super) fn incoming(self) -> bool {
        matches!(self, Suspend::Incoming | Suspend::Both)
    }

    pub(super) fn outgoing(self) -> bool {
        matches!(self, Suspend::Outgoing | Suspend::Both)
    }
}

/// What counts as a holder in the semantic tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SemanticHolders {
    /// All that keeps objects alive.
    #[default]
    All,
    /// Components alone: an object that no component reaches holds nothing that a component reaches. So semantic bytes
    /// are those that one component reaches and no other, whatever static fields, threads and the virtual machine hold.
    Components {
        /// References that hold nothing: source and target.
        weak: HashMap<NodeIndex, NodeIndex>,
    },
}

/// A node of the semantic tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SemanticComponent {
    /// Its whole name: `web.session`, or `web.session[42]` for the node of one object.
    pub name: String,
    /// The component of which it is a part; it comes before it.
    pub parent: Option<usize>,
    /// Which references are suspended.
    pub suspend: Suspend,
}

/// The component of each reachable object. Four bytes an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    pub(super) components: Vec<SemanticComponent>,
    /// By object; `FREE` for those without a component.
    pub(super) owners: Vec<u32>,
    pub(super) holders: SemanticHolders,
}

pub(super) const FREE: u32 = u32::MAX;

impl Assignment {
    /// An assignment by plain numbers: the component of each object.
    ///
    /// # Panics
    /// If a component's parent does not come before it, or an owner is no component.
    pub fn of_lists(components: Vec<SemanticComponent>, owners: &[Option<usize>]) -> Self {
        assert!(components.iter().enumerate().all(|(at, component)| component.parent.is_none_or(|parent| parent < at)));
        assert!(owners.iter().flatten().all(|owner| *owner < components.len()));
        let owners = owners.iter().map(|owner| owner.map_or(FREE, |owner| owner as u32)).collect();
        Assignment { components, owners, holders: SemanticHolders::default() }
    }

    /// The same with other holders.
    pub fn with_holders(self, holders: SemanticHolders) -> Self {
        Assignment { holders, ..self }
    }

    /// The components, a parent before its parts.
    pub fn components(&self) -> &[SemanticComponent] {
        &self.components
    }

    /// The component of an object.
    pub fn component_of(&self, object: ObjectIndex) -> Option<usize> {
        self.component_of_node(object.as_usize())
    }

    /// The component of a node, by its number; threads and frames have none.
    pub(super) fn component_of_node(&self, node: usize) -> Option<usize> {
        self.owners.get(node).copied().filter(|owner| *owner != FREE).map(|owner| owner as usize)
    }

    /// Whether the semantic tree leaves out a reference.
    pub(super) fn leaves_out(&self, from: NodeIndex, to: NodeIndex) -> bool {
        let is_weak = match &self.holders {
            SemanticHolders::All => false,
            SemanticHolders::Components { weak } => weak.get(&from) == Some(&to),
        };
        is_weak || self.suspended(self.component_of_node(from.as_usize()), self.component_of_node(to.as_usize()))
    }

    /// Whether references from objects of one component to those of another are suspended.
    pub(super) fn suspended(&self, from: Option<usize>, to: Option<usize>) -> bool {
        from != to
            && (to.is_some_and(|to| self.components[to].suspend.incoming())
                || from.is_some_and(|from| self.components[from].suspend.outgoing()))
    }
}
