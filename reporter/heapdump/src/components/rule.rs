//! What a rule says of the objects of a component.

use super::assignment::Suspend;

/// A test of a name.
pub type Names = Box<dyn Fn(&str) -> bool>;

/// Which objects belong to a component. An empty rule assigns nothing.
#[derive(Default)]
pub struct AssignmentRule {
    /// The dotted name of the object's class. An array of references has the component of its elements' class; an array
    /// of primitive values has none by class. A `java.lang.Class` object has the component of the class.
    pub classes: Option<Names>,
    /// The loader of its class: `boot`, `platform`, `app`, the loader's own name, or the loader's class.
    pub loaders: Option<Names>,
    /// The module of its class.
    pub modules: Option<Names>,
    /// Reference paths that end at the object: a class and fields, `com.acme.Registry.caches.table[]`. The first field
    /// is static or of every instance; `[]` means all elements. A path that starts with a dot has no class. It starts at
    /// the definition's own nodes, or at those of the nearest definition above: `.manager.context`.
    pub paths: Vec<String>,
    /// The object's class or one of its superclasses.
    pub instances: Option<Names>,
    /// All `Class` objects, which have the static fields. This rule decides before `instances`.
    pub class_objects: bool,
    /// Paths that end at maps of `java.util`. Each value becomes a node, named by its key.
    pub entries: Vec<String>,
    /// With `entries`: only values that have these texts at the end of these paths.
    pub only: Vec<(String, String)>,
    /// With `entries`: paths of fields from the value to `Class` objects. The node has the instances of these classes,
    /// not the value.
    pub instances_of: Vec<String>,
    /// With `instances`: each becomes a node, named by the text at the end of the first of these paths of fields that has
    /// one. With `entries` the names of the nodes, instead of keys.
    pub name_field: Vec<String>,
    /// With `instances`: a path of fields that ends at a node of the nearest definition above, below which the node is.
    pub within: Option<String>,
    /// Nodes are named by the first 8 hexadecimal digits of the SHA-256 of their names.
    pub secret: bool,
}

/// When the rules of a definition are applied. An object belongs to the first component that claims it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Turn {
    /// First.
    #[default]
    Rules,
    /// After all of these. Components without objects are left out.
    Frameworks,
    /// Last.
    Borders,
}

/// A component and its rule.
#[derive(Default)]
pub struct Definition {
    /// Its name; dots make it a part of the component before the last dot.
    pub name: String,
    /// Which references are suspended.
    pub suspend: Suspend,
    /// When its rule is applied.
    pub turn: Turn,
    /// What belongs to it. An object must match all that are given of `classes`, `loaders` and `modules`.
    pub rule: AssignmentRule,
}

impl AssignmentRule {
    /// Whether it assigns nothing but what nodes above lead to, so that its component is a part of nodes only.
    pub(super) fn begins_at_nodes(&self) -> bool {
        let mut all = self.paths.iter().chain(&self.entries).peekable();
        self.instances.is_none()
            && self.by_class().is_none()
            && !self.class_objects
            && all.peek().is_some()
            && all.all(|path| path.starts_with('.'))
    }

    /// The rule, if it has tests of classes.
    pub(super) fn by_class(&self) -> Option<&AssignmentRule> {
        (self.classes.is_some() || self.loaders.is_some() || self.modules.is_some()).then_some(self)
    }
}
