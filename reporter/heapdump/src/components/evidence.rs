//! Which component keeps which alive: references between components, by class.

use std::collections::HashMap;

use super::Assignment;
use crate::class::ClassIndex;
use crate::graph::{Graph, NodeIndex, NodeSet};
use crate::heap::Heap;
use crate::index::ObjectIndex;

/// References from the objects of one component to those of another, by the classes of both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrossReferences {
    /// The component that refers; `None` for the framework: objects of no component, threads, the virtual machine.
    pub from: Option<usize>,
    /// The class that refers; `None` for threads and the virtual machine.
    pub from_class: Option<ClassIndex>,
    /// The component referred to; `None` for the framework.
    pub to: Option<usize>,
    /// The class referred to.
    pub to_class: ClassIndex,
    /// References.
    pub references: u64,
    /// Objects referred to.
    pub objects: u64,
    /// Their shallow bytes.
    pub bytes: u64,
    /// Whether the semantic tree leaves them out.
    pub suspended: bool,
}

/// Counts the references of reachable objects between components, and from the framework to components. Most bytes
/// first. Takes 8 bytes a counted reference.
///
/// References from a component to objects without one are not counted: the component uses these objects; they keep no
/// other component alive.
pub fn evidence(heap: &Heap, graph: &Graph, reachable: &NodeSet, assignment: &Assignment) -> Vec<CrossReferences> {
    let mut numbers: HashMap<(Option<usize>, Option<ClassIndex>, usize, ClassIndex), u32> = HashMap::new();
    let mut rows: Vec<CrossReferences> = Vec::new();
    let mut counted: Vec<(u32, u32)> = Vec::new();
    for node in graph.nodes().filter(|node| reachable.contains(*node)) {
        let from = assignment.component_of_node(node.as_usize());
        for target in graph.references(node) {
            let Some(to) = assignment.component_of_node(target.as_usize()).filter(|to| Some(*to) != from) else {
                continue;
            };
            let from_class = (node.as_usize() < graph.objects()).then(|| heap.class_of(ObjectIndex(node.0)));
            let to_class = heap.class_of(ObjectIndex(target.0));
            let row = *numbers.entry((from, from_class, to, to_class)).or_insert_with(|| {
                let suspended = assignment.suspended(from, Some(to));
                let (to, references, objects, bytes) = (Some(to), 0, 0, 0);
                rows.push(CrossReferences { from, from_class, to, to_class, references, objects, bytes, suspended });
                rows.len() as u32 - 1
            });
            rows[row as usize].references += 1;
            counted.push((row, target.0));
        }
    }
    counted.sort_unstable();
    counted.dedup();
    for (row, target) in counted {
        rows[row as usize].objects += 1;
        rows[row as usize].bytes += heap.node_bytes(NodeIndex(target));
    }
    let name = |class: ClassIndex| &heap.classes().get(class).name;
    rows.sort_by(|a, b| {
        let classes = |row: &CrossReferences| (row.from_class.map(name), name(row.to_class));
        b.bytes.cmp(&a.bytes).then_with(|| (a.from, a.to, classes(a)).cmp(&(b.from, b.to, classes(b))))
    });
    rows
}
