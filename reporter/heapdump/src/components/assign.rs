//! Applies rules: which objects belong to which component.

use super::assigning::Assigning;
use super::assignment::{Assignment, FREE, SemanticHolders};
use super::by_class::by_class;
use super::rule::{Definition, Turn};
use super::tree::ComponentTree;
use super::{follow, nodes};
use crate::error::Error;
use crate::graph::NodeSet;
use crate::heap::Heap;

impl Assignment {
    /// Assigns the objects of a set. The first of these decides: nodes that the program made; then in each [`Turn`] paths
    /// from a class, `Class` objects, nodes of instances and entries with paths from them, then classes, loaders and
    /// modules. Among rules of one kind the first definition decides. Also gives the paths that lead to no object.
    ///
    /// # Errors
    /// The dump's file cannot be read any more.
    pub fn from_definitions(
        heap: &Heap,
        among: &NodeSet,
        definitions: &[Definition],
    ) -> Result<(Assignment, Vec<String>), Error> {
        let owners = vec![FREE; heap.len()];
        let tree = ComponentTree::new(definitions);
        let mut assigning = Assigning { heap, among, definitions, tree, owners, nowhere: Vec::new() };
        for definition in definitions.iter().filter(|definition| definition.turn != Turn::Frameworks) {
            if !definition.rule.begins_at_nodes() {
                assigning.tree.defined(&definition.name);
            }
        }
        for (object, name) in nodes::find_named_objects(heap, among)? {
            let component = assigning.tree.intern_node_name(&name);
            assigning.claim(object, component);
        }
        for turn in [Turn::Rules, Turn::Frameworks, Turn::Borders] {
            assigning.apply(turn)?;
        }
        let Assigning { tree, owners, nowhere, .. } = assigning;
        Ok((Assignment { components: tree.components, owners, holders: SemanticHolders::All }, nowhere))
    }
}

impl Assigning<'_> {
    fn apply(&mut self, turn: Turn) -> Result<(), Error> {
        let numbers = 0..self.definitions.len();
        let of_turn: Vec<usize> = numbers.filter(|at| self.definitions[*at].turn == turn).collect();
        for definition in of_turn.iter().map(|at| &self.definitions[*at]) {
            for path in definition.rule.paths.iter().filter(|path| !path.starts_with('.')) {
                let ends = follow::from_class(self.heap, path)?;
                if ends.is_empty() {
                    self.nowhere.push(path.clone());
                }
                if !ends.iter().any(|end| self.is_open(*end)) {
                    continue;
                }
                let component = self.tree.defined(&definition.name);
                ends.into_iter().for_each(|end| self.claim(end, component));
            }
        }
        if let Some(definition) = of_turn.iter().map(|at| &self.definitions[*at]).find(|one| one.rule.class_objects) {
            let component = self.tree.defined(&definition.name);
            let found = self.heap.objects().filter(|object| self.heap.class_object(*object).is_some());
            found.for_each(|object| self.claim(object, component));
        }
        self.claim_nodes(&of_turn)?;
        let tested = of_turn.iter().map(|at| &self.definitions[*at]).filter(|one| one.rule.by_class().is_some());
        let tested: Vec<&Definition> = tested.collect();
        if tested.is_empty() {
            return Ok(());
        }
        let components: Vec<usize> = tested.iter().map(|definition| self.tree.defined(&definition.name)).collect();
        let by_class = by_class(self.heap, &tested)?;
        for object in self.heap.objects() {
            let class = self.heap.class_object(object).unwrap_or_else(|| self.heap.class_of(object));
            let Some(at) = by_class[class.as_usize()] else { continue };
            self.claim(object, components[at]);
        }
        Ok(())
    }
}
