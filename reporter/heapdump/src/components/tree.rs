//! The components while they are made.

use std::collections::HashMap;

use super::assignment::{SemanticComponent, Suspend};
use super::nodes;
use super::rule::Definition;

/// The components so far. A part gets a parent even if no definition names it.
pub(super) struct ComponentTree<'a> {
    definitions: &'a [Definition],
    pub(super) components: Vec<SemanticComponent>,
    /// By parent and what follows the parent's name.
    known: HashMap<(Option<usize>, String), usize>,
}

impl<'a> ComponentTree<'a> {
    pub(super) fn new(definitions: &'a [Definition]) -> Self {
        ComponentTree { definitions, components: Vec::new(), known: HashMap::new() }
    }

    /// The component of a dotted name.
    pub(super) fn defined(&mut self, name: &str) -> usize {
        let ends: Vec<usize> = name.match_indices('.').map(|(dot, _)| dot).chain([name.len()]).collect();
        self.component(name, &ends)
    }

    /// The component of a name that the program gave; see [`nodes::levels`].
    pub(super) fn intern_node_name(&mut self, name: &str) -> usize {
        self.component(name, &nodes::levels(name))
    }

    /// The component below `parent` that a definition describes: `rest` is what its name has after the parent's
    /// definition, such as `.session`.
    pub(super) fn intern_parts_below(&mut self, mut parent: usize, rest: &str, suspend: Suspend) -> usize {
        for part in rest.split('.').skip(1) {
            parent = self.part(Some(parent), &format!(".{part}"), suspend);
        }
        parent
    }

    /// `ends` are the offsets at which the names of the components down to the last end.
    fn component(&mut self, name: &str, ends: &[usize]) -> usize {
        let (mut parent, mut start) = (None, 0);
        for end in ends {
            let whole = &name[..*end];
            let definition = self.definitions.iter().find(|definition| definition.name == whole);
            let suspend = definition.map_or(Suspend::default(), |definition| definition.suspend);
            parent = Some(self.part(parent, &name[start..*end], suspend));
            start = *end;
        }
        parent.expect("a name ends somewhere")
    }

    /// The component of this name; made if there is none.
    pub(super) fn part(&mut self, parent: Option<usize>, suffix: &str, suspend: Suspend) -> usize {
        let key = (parent, suffix.to_owned());
        if let Some(number) = self.known.get(&key) {
            return *number;
        }
        let above = parent.map_or("", |parent| self.components[parent].name.as_str());
        let name = format!("{above}{suffix}");
        self.components.push(SemanticComponent { name, parent, suspend });
        self.known.insert(key, self.components.len() - 1);
        self.components.len() - 1
    }
}
