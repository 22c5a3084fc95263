//! The dominator tree of the semantic graph, and what is under each component.

use std::collections::BTreeMap;

use super::{Assignment, SemanticHolders};
use crate::class::{ClassIndex, UNKNOWN};
use crate::dominators::Dominators;
use crate::graph::{Graph, GraphNode, NodeIndex, NodeSet};
use crate::heap::Heap;

/// What components hold. Vectors are by component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SemanticFigures {
    /// Objects that a rule assigned to the component itself, not to its parts.
    pub instances: Vec<u64>,
    /// Their shallow bytes.
    pub shallow_bytes: Vec<u64>,
    /// Bytes under the component in the semantic tree, its parts included.
    pub semantic_bytes: Vec<u64>,
    /// The part of the semantic bytes of objects that no rule assigned and that several of its parts, or a part and the
    /// component itself, use.
    pub shared_bytes: Vec<u64>,
    /// Bytes under all components together: the application's.
    pub application_bytes: u64,
    /// The part of these of objects that no rule assigned and that several components at the top use.
    pub application_shared_bytes: u64,
    /// Bytes that only the framework uses: the virtual machine, threads, and objects of no component.
    pub framework_bytes: u64,
    /// Bytes that both use.
    pub common_bytes: u64,
    /// For each component what is directly under it, by class, most bytes first, without its parts.
    pub classes: Vec<Vec<ClassShare>>,
}

/// The objects of a class directly under a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassShare {
    /// The class.
    pub class: ClassIndex,
    /// Objects.
    pub instances: u64,
    /// Their shallow bytes.
    pub shallow_bytes: u64,
    /// Bytes of all that is under them, their own included.
    pub semantic_bytes: u64,
    /// Whether a rule assigned them.
    pub assigned: bool,
}

impl SemanticFigures {
    /// Computes them. Takes a copy of the graph, and the time of its dominators.
    pub fn from_heap(heap: &Heap, graph: &Graph, reachable: &NodeSet, assignment: &Assignment) -> Self {
        let tree = Dominators::from_graph(semantic(graph, reachable, assignment));
        let class = |node: NodeIndex| heap.class_of(crate::index::ObjectIndex(node.0));
        Self::sum(&tree, assignment, &|node| heap.node_bytes(node), &class)
    }

    /// The same for any graph and weights; all objects have one class.
    pub fn of_graph(
        graph: &Graph,
        reachable: &NodeSet,
        assignment: &Assignment,
        weight: impl Fn(NodeIndex) -> u64,
    ) -> Self {
        let tree = Dominators::from_graph(semantic(graph, reachable, assignment));
        Self::sum(&tree, assignment, &weight, &|_| UNKNOWN)
    }

    /// The figures of a semantic tree, for any weights and classes.
    fn sum(
        tree: &Dominators,
        assignment: &Assignment,
        weight: &dyn Fn(NodeIndex) -> u64,
        class: &dyn Fn(NodeIndex) -> ClassIndex,
    ) -> Self {
        let components = assignment.components();
        let none = vec![0; components.len()];
        let retained = tree.retained(weight);
        let mut figures = SemanticFigures {
            instances: none.clone(),
            shallow_bytes: none.clone(),
            semantic_bytes: none.clone(),
            shared_bytes: none,
            application_bytes: 0,
            application_shared_bytes: 0,
            framework_bytes: 0,
            common_bytes: 0,
            classes: Vec::new(),
        };
        let has_parts: Vec<bool> =
            (0..components.len()).map(|at| components.iter().any(|component| component.parent == Some(at))).collect();
        let mut shares: Vec<BTreeMap<(ClassIndex, bool), ClassShare>> = vec![BTreeMap::new(); components.len()];
        for preorder in tree.numbers() {
            let bytes = retained[preorder.as_usize()];
            let above = tree.node(tree.immediate(preorder));
            let node = tree.index(preorder);
            let owner = match tree.node(preorder) {
                GraphNode::Added(APPLICATION) => {
                    figures.application_bytes = bytes;
                    continue;
                }
                GraphNode::Added(FRAMEWORK) => {
                    figures.framework_bytes = bytes;
                    continue;
                }
                GraphNode::Added(component) => {
                    figures.semantic_bytes[component - FIRST] = bytes;
                    continue;
                }
                GraphNode::Object(_) => assignment.component_of_node(node.as_usize()),
                GraphNode::Root | GraphNode::AllThreads | GraphNode::Thread(_) | GraphNode::Frame(..) => None,
            };
            if let Some(owner) = owner {
                figures.instances[owner] += 1;
                figures.shallow_bytes[owner] += weight(node);
            }
            match above {
                GraphNode::Root => figures.common_bytes += bytes,
                GraphNode::Added(APPLICATION) => figures.application_shared_bytes += bytes,
                GraphNode::Added(component) if component >= FIRST => {
                    let component = component - FIRST;
                    if owner.is_none() && has_parts[component] {
                        figures.shared_bytes[component] += bytes;
                    }
                    let (class, assigned) = (class(node), owner == Some(component));
                    let empty = ClassShare { class, instances: 0, shallow_bytes: 0, semantic_bytes: 0, assigned };
                    let share = shares[component].entry((class, assigned)).or_insert(empty);
                    share.instances += 1;
                    share.shallow_bytes += weight(node);
                    share.semantic_bytes += bytes;
                }
                _ => {}
            }
        }
        figures.classes = shares.into_iter().map(by_bytes).collect();
        figures
    }
}

fn by_bytes(shares: BTreeMap<(ClassIndex, bool), ClassShare>) -> Vec<ClassShare> {
    let mut shares: Vec<ClassShare> = shares.into_values().collect();
    shares.sort_by_key(|share| std::cmp::Reverse(share.semantic_bytes));
    shares
}

/// The nodes that are added to the graph: above all components, above all else, and one for each component.
const APPLICATION: usize = 0;
const FRAMEWORK: usize = 1;
const FIRST: usize = 2;

/// The semantic graph: suspended references are left out, components are above their objects.
///
/// Objects that no path reaches any more, because references from a component's objects are suspended, are the
/// framework's. If components are the only holders, so are all objects that they do not reach, and these hold nothing
/// that components reach.
fn semantic(graph: &Graph, reachable: &NodeSet, assignment: &Assignment) -> Graph {
    let components = assignment.components();
    let node = |number: usize| NodeIndex(graph.first_added().0 + number as u32);
    let mut added: Vec<Vec<NodeIndex>> = vec![Vec::new(); FIRST + components.len()];
    for (number, component) in components.iter().enumerate() {
        added[component.parent.map_or(APPLICATION, |parent| FIRST + parent)].push(node(FIRST + number));
    }
    for object in graph.nodes().take(graph.objects()).filter(|object| reachable.contains(*object)) {
        if let Some(owner) = assignment.component_of_node(object.as_usize()) {
            added[FIRST + owner].push(object);
        }
    }
    let alone = assignment.holders != SemanticHolders::All;
    if !alone {
        let of_root = graph.references(graph.root());
        added[FRAMEWORK]
            .extend(of_root.filter(|to| !assignment.suspended(None, assignment.component_of_node(to.as_usize()))));
    }
    let roots = [node(APPLICATION), node(FRAMEWORK)];
    let overlay = graph.overlay(&added, &roots, |from, to| (!assignment.leaves_out(from, to)).then_some(to));
    if !alone && !components.iter().any(|component| component.suspend.outgoing()) {
        return overlay;
    }
    let reached = overlay.reachable();
    drop(overlay);
    let lost = graph.nodes().take(graph.first_added().as_usize());
    added[FRAMEWORK].extend(lost.filter(|node| reachable.contains(*node) && !reached.contains(*node)));
    graph.overlay(&added, &roots, |from, to| {
        let from_outside = alone && !reached.contains(from) && reached.contains(to);
        (!from_outside && !assignment.leaves_out(from, to)).then_some(to)
    })
}
