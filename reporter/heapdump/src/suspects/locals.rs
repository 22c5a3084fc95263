//! Thread locals: what their values retain in all threads together.

use std::collections::BTreeMap;

use super::tree::Weighed;
use crate::class::ClassIndex;
use crate::error::Error;
use crate::hprof::Record;
use crate::index::ObjectIndex;

/// The values of one thread local.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadLocalValues {
    /// The `ThreadLocal`; `None` for all whose `ThreadLocal` is gone: nobody can ask for these values any more.
    pub key: Option<ObjectIndex>,
    /// Values, one a thread.
    pub values: u64,
    /// Bytes that the values retain.
    pub bytes: u64,
    /// The value that retains most.
    pub largest: ObjectIndex,
    /// Its class.
    pub class: ClassIndex,
    /// The threads with the most bytes first: their numbers in the tree, and the bytes.
    pub threads: Vec<(usize, u64)>,
}

const ENTRY: &str = "java.lang.ThreadLocal$ThreadLocalMap$Entry";

/// Finds thread locals whose values retain `least` bytes, the greatest first. Reads their entries again.
///
/// # Errors
/// The dump's file cannot be read any more.
pub fn find(weighed: Weighed<'_>, least: u64) -> Result<Vec<ThreadLocalValues>, Error> {
    let heap = weighed.heap;
    let Some(entry) = heap.classes().find_by_name(ENTRY) else { return Ok(Vec::new()) };
    let (Some(referent), Some(value)) = (heap.field(entry, "referent"), heap.field(entry, "value")) else {
        return Ok(Vec::new());
    };
    let entries: Vec<ObjectIndex> =
        heap.instances(entry).filter(|entry| weighed.tree.number_of((*entry).into()).is_some()).collect();
    let mut found: BTreeMap<Option<ObjectIndex>, Vec<(ObjectIndex, ObjectIndex)>> = BTreeMap::new();
    heap.reread(&entries, |entry, record| {
        if let Record::Instance { fields, .. } = record
            && let Some(value) = heap.reference(fields, value)
        {
            found.entry(heap.reference(fields, referent)).or_default().push((entry, value));
        }
    })?;
    let mut all = Vec::new();
    for (key, values) in found {
        // A value that something else holds too is not below its entry.
        let held: Vec<_> = values
            .into_iter()
            .filter_map(|(entry, value)| {
                let (above, below) = (weighed.tree.number_of(entry.into())?, weighed.tree.number_of(value.into())?);
                (weighed.tree.immediate(below) == above).then(|| (above, value, weighed.bytes_of(value)))
            })
            .collect();
        let bytes = held.iter().map(|(.., bytes)| bytes).sum();
        let Some((_, largest, _)) = held.iter().max_by_key(|(.., bytes)| *bytes).copied().filter(|_| bytes >= least)
        else {
            continue;
        };
        let mut threads: Vec<(usize, u64)> = held
            .iter()
            .filter_map(|(entry, _, bytes)| {
                let thread = weighed.dominators_above(*entry).find_map(|above| match weighed.tree.node(above) {
                    crate::graph::GraphNode::Thread(thread) => Some(thread),
                    _ => None,
                });
                Some((thread?, *bytes))
            })
            .collect();
        threads.sort_by_key(|(thread, bytes)| (std::cmp::Reverse(*bytes), *thread));
        let class = heap.class_of(largest);
        all.push(ThreadLocalValues { key, values: held.len() as u64, bytes, largest, class, threads });
    }
    all.sort_by_key(|values| (std::cmp::Reverse(values.bytes), values.largest));
    Ok(all)
}
