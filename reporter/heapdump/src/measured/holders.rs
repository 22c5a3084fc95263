//! What holds the objects of a row: for each the nearest chosen object on its shortest path from the root, and the fields
//! from there.

use std::collections::HashMap;

use super::labels::ClassMembership;
use crate::class::ClassIndex;
use crate::error::Error;
use crate::graph::{Graph, NodeIndex};
use crate::heap::Heap;
use crate::index::ObjectIndex;
use crate::links::ObjectLink;
use crate::paths::ShortestPaths;

/// Rows with the largest deep size that are examined, as the runtime does (`HolderChains`).
pub(super) const ROWS: usize = 10;
/// Objects of a row that are examined, evenly spread: as the runtime does.
const OBJECTS: usize = 1000;
/// Chains that are told of a row.
const CHAINS: usize = 5;
/// Steps of a chain; of a longer one the last are told.
const STEPS: usize = 32;
/// Steps from an object upwards in which its holder is looked for.
const MOST_PASSED: usize = 10_000;

/// Of a row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RowHolders {
    /// Its number.
    pub row: usize,
    /// Objects examined.
    pub examined: u64,
    /// Of them, on whose path there is no other chosen object.
    pub outside: u64,
    /// Of them, at the end of a chain that is not told.
    pub others: u64,
    /// The most frequent first: how many objects, and the steps from the holder's field to the last one.
    pub chains: Vec<(u64, Vec<String>)>,
}

/// Examines rows. `kind_of` is asked for objects only; `objects` gives those of a row.
pub(super) fn holders(
    heap: &Heap,
    graph: &Graph,
    rows: Vec<usize>,
    kind_of: impl Fn(NodeIndex) -> ClassMembership,
    objects: impl Fn(u32) -> Vec<ObjectIndex>,
) -> Result<Vec<RowHolders>, Error> {
    let paths = ShortestPaths::from_graph(graph);
    let class = |node: NodeIndex| (node.as_usize() < graph.objects()).then(|| step_class(heap, ObjectIndex(node.0)));
    let first = paths.first_of_neighbours(|before, node| class(before).is_some() && class(before) == class(node));
    let mut found = Vec::new();
    for row in rows {
        let all = objects(row as u32);
        let stride = all.len().div_ceil(OBJECTS).max(1);
        let mut held = RowHolders { row, ..RowHolders::default() };
        let mut chains = Vec::new();
        for object in all.iter().step_by(stride) {
            held.examined += 1;
            let mut chain = ObjectChain::default();
            // One of another class says more: the nodes of a list hold each other.
            let mut of_same = None;
            let mut at = NodeIndex::from(*object);
            let holder = loop {
                let Some(holder) = paths.previous_node(at).filter(|_| chain.passed < MOST_PASSED) else {
                    break of_same;
                };
                chain.add(holder, at);
                let kind =
                    if holder.as_usize() < graph.objects() { kind_of(holder) } else { ClassMembership::default() };
                if kind.is_chosen && kind.row != Some(row as u32) {
                    break Some(chain);
                }
                if kind.is_chosen && of_same.is_none() {
                    of_same = Some(chain.clone());
                }
                at = first[holder.as_usize()];
            };
            match holder {
                Some(chain) => chains.push(chain),
                None => held.outside += 1,
            }
        }
        summarise_chains(heap, &mut held, &chains)?;
        found.push(held);
    }
    Ok(found)
}

/// The way from a holder down to an object. Neighbours of one class are one step, that of the last of them.
#[derive(Debug, Clone, Default)]
struct ObjectChain {
    /// From and to, the last one first, and one more than is told.
    steps: Vec<(ObjectIndex, ObjectIndex)>,
    passed: usize,
}

impl ObjectChain {
    fn add(&mut self, from: NodeIndex, to: NodeIndex) {
        self.passed += 1;
        if self.steps.len() <= STEPS {
            self.steps.push((ObjectIndex(from.0), ObjectIndex(to.0)));
        }
    }
}

/// A step is named after a class: that of the object, or for a class object, whose fields are static, the class itself.
fn step_class(heap: &Heap, object: ObjectIndex) -> (bool, ClassIndex) {
    match heap.class_object(object) {
        Some(class) => (true, class),
        None => (false, heap.class_of(object)),
    }
}

fn summarise_chains(heap: &Heap, held: &mut RowHolders, chains: &[ObjectChain]) -> Result<(), Error> {
    let pairs: Vec<_> = chains.iter().flat_map(|chain| chain.steps.iter().copied()).collect();
    let links = heap.links(&pairs)?;
    let mut distinct: HashMap<Vec<String>, u64> = HashMap::new();
    for chain in chains {
        let step = |pair: &(ObjectIndex, ObjectIndex)| {
            let class = &heap.classes().get(step_class(heap, pair.0).1).name;
            match links.get(pair) {
                Some(ObjectLink::Field(field) | ObjectLink::Static(field)) => format!("{class}.{field}"),
                Some(ObjectLink::Element(_)) => class.clone(),
                _ => format!("{class}.?"),
            }
        };
        let mut steps: Vec<String> = chain.steps.iter().take(STEPS).map(step).collect();
        if chain.steps.len() > STEPS {
            steps.push("...".to_owned());
        }
        steps.reverse();
        *distinct.entry(steps).or_default() += 1;
    }
    let mut all: Vec<(u64, Vec<String>)> = distinct.into_iter().map(|(steps, objects)| (objects, steps)).collect();
    all.sort_by(|(a, left), (b, right)| b.cmp(a).then_with(|| left.cmp(right)));
    held.others = all.iter().skip(CHAINS).map(|(objects, _)| objects).sum();
    all.truncate(CHAINS);
    held.chains = all;
    Ok(())
}
