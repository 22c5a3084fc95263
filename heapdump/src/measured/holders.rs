//! What holds the objects of a row: for each the nearest chosen object on its shortest path from the root, and the fields
//! from there.

use std::collections::HashMap;

use super::figures::Figures;
use super::labels::Kind;
use crate::error::Error;
use crate::graph::{Graph, NodeIndex};
use crate::heap::Heap;
use crate::index::ObjectIndex;
use crate::links::Link;
use crate::paths::ShortestPaths;

/// Rows with the largest deep size that are examined, and objects of each, evenly spread: as the runtime does
/// (`HolderChains`).
const ROWS: usize = 10;
const OBJECTS: usize = 1000;
/// Chains that are told of a row.
const CHAINS: usize = 5;
/// Steps of a chain; of a longer one the last are told.
const STEPS: usize = 32;

/// Of a row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holders {
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

/// Examines the largest rows. `kind_of` is asked for objects only; `objects` gives those of a row.
pub(super) fn holders(
    heap: &Heap,
    graph: &Graph,
    figures: &Figures,
    kind_of: impl Fn(NodeIndex) -> Kind,
    objects: impl Fn(u32) -> Vec<ObjectIndex>,
) -> Result<Vec<Holders>, Error> {
    let mut largest: Vec<usize> = (0..figures.rows.len()).filter(|row| figures.rows[*row].objects > 0).collect();
    largest.sort_by_key(|row| std::cmp::Reverse(figures.rows[*row].deep_bytes));
    largest.truncate(ROWS);
    let paths = ShortestPaths::of(graph);
    let mut found = Vec::new();
    for row in largest {
        let all = objects(row as u32);
        let stride = all.len().div_ceil(OBJECTS).max(1);
        let mut held = Holders { row, ..Holders::default() };
        let mut chains = Vec::new();
        for object in all.iter().step_by(stride) {
            held.examined += 1;
            let path = paths.path((*object).into()).unwrap_or_default();
            let above = &path[..path.len().saturating_sub(1)];
            let kind = |node: &NodeIndex| match node.as_usize() < graph.objects() {
                true => kind_of(*node),
                false => Default::default(),
            };
            // One of another class says more: the nodes of a list hold each other.
            let of_another = |node: &NodeIndex| kind(node).is_chosen && kind(node).row != Some(row as u32);
            let holder = above.iter().rposition(of_another);
            match holder.or_else(|| above.iter().rposition(|node| kind(node).is_chosen)) {
                Some(holder) => chains.push(path[holder..].to_vec()),
                None => held.outside += 1,
            }
        }
        tell(heap, &mut held, &chains)?;
        found.push(held);
    }
    Ok(found)
}

fn tell(heap: &Heap, held: &mut Holders, chains: &[Vec<NodeIndex>]) -> Result<(), Error> {
    let object = |node: NodeIndex| ObjectIndex(node.0);
    let pairs: Vec<_> =
        chains.iter().flat_map(|chain| chain.windows(2).map(|two| (object(two[0]), object(two[1])))).collect();
    let links = heap.links(&pairs)?;
    let mut distinct: HashMap<Vec<String>, u64> = HashMap::new();
    for chain in chains {
        let mut steps: Vec<(String, String)> = Vec::new();
        for two in chain.windows(2) {
            let (from, to) = (object(two[0]), object(two[1]));
            let class = heap.class_object(from).unwrap_or_else(|| heap.class_of(from));
            let class = &heap.classes().get(class).name;
            let step = match links.get(&(from, to)) {
                Some(Link::Field(field) | Link::Static(field)) => format!("{class}.{field}"),
                Some(Link::Element(_)) => class.clone(),
                _ => format!("{class}.?"),
            };
            // The nodes of a list are one step.
            match steps.last_mut().filter(|(last, _)| last == class) {
                Some(last) => last.1 = step,
                None => steps.push((class.clone(), step)),
            }
        }
        let mut steps: Vec<String> = steps.into_iter().map(|(_, step)| step).collect();
        if steps.len() > STEPS {
            steps.drain(..steps.len() - STEPS);
            steps.insert(0, "...".to_owned());
        }
        *distinct.entry(steps).or_default() += 1;
    }
    let mut all: Vec<(u64, Vec<String>)> = distinct.into_iter().map(|(steps, objects)| (objects, steps)).collect();
    all.sort_by(|(a, left), (b, right)| b.cmp(a).then_with(|| left.cmp(right)));
    held.others = all.iter().skip(CHAINS).map(|(objects, _)| objects).sum();
    all.truncate(CHAINS);
    held.chains = all;
    Ok(())
}
