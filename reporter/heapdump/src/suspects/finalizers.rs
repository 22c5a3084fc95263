//! Objects that wait for their finalizer: garbage that cannot be freed before it ran.

use std::collections::HashMap;

use crate::class::ClassIndex;
use crate::error::Error;
use crate::graph::{Graph, NodeIndex, NodeSet};
use crate::heap::Heap;
use crate::hprof::Record;
use crate::index::ObjectIndex;

/// The backlog of the finalizer thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backlog {
    /// Objects with a finalizer that nothing else reaches.
    pub objects: u64,
    /// Bytes that they reach, their own included, and nothing else does. Not among the reachable bytes.
    pub bytes: u64,
    /// The commonest class, how many are of it, and one of them.
    pub commonest: (ClassIndex, u64, ObjectIndex),
}

/// Finds it, if it has at least `least` bytes. Reads the finalizers again.
///
/// # Errors
/// The dump's file cannot be read any more.
pub fn find(heap: &Heap, graph: &Graph, reachable: &NodeSet, least: u64) -> Result<Option<Backlog>, Error> {
    let Some(finalizer) = heap.classes().find_by_name("java.lang.ref.Finalizer") else { return Ok(None) };
    let Some(referent) = heap.field(finalizer, "referent") else { return Ok(None) };
    let references: Vec<ObjectIndex> =
        heap.instances(finalizer).filter(|reference| reachable.has(*reference)).collect();
    let mut waiting = Vec::new();
    heap.reread(&references, |_, record| {
        if let Record::Instance { fields, .. } = record
            && let Some(object) = heap.reference(fields, referent).filter(|object| !reachable.has(*object))
        {
            waiting.push(object);
        }
    })?;
    waiting.sort_unstable();
    let mut counts: HashMap<ClassIndex, (u64, ObjectIndex)> = HashMap::new();
    for object in &waiting {
        counts.entry(heap.class_of(*object)).or_insert((0, *object)).0 += 1;
    }
    let mut seen = NodeSet::new(graph.len());
    let mut bytes = 0;
    let mut open: Vec<NodeIndex> = waiting.iter().map(|object| NodeIndex::from(*object)).collect();
    open.retain(|node| seen.insert(*node));
    while let Some(node) = open.pop() {
        bytes += heap.node_bytes(node);
        open.extend(graph.references(node).filter(|to| !reachable.contains(*to) && seen.insert(*to)));
    }
    let commonest = counts.into_iter().map(|(class, (count, example))| (class, count, example));
    let commonest = commonest.max_by_key(|(class, count, _)| (*count, std::cmp::Reverse(*class)));
    Ok(commonest.filter(|_| bytes >= least).map(|commonest| Backlog {
        objects: waiting.len() as u64,
        bytes,
        commonest,
    }))
}
