//! The aggregate for other tools, one file per format (docs/exports.md).
//!
//! What was not measured is left out of each of them: an empty cell, no sample, no line; never a 0.

pub mod csv;
pub mod folded;
pub mod openmetrics;
pub mod otlp;
pub mod parquet;
pub mod pprof;
mod series;

use crate::aggregate::Aggregate;
use crate::call_tree::CallTree;

/// The call tree of the last snapshot that has one, of each JVM: those of peaks count other moments.
fn last_call_trees(aggregate: &Aggregate) -> impl Iterator<Item = &CallTree> {
    let trees = &aggregate.call_trees;
    trees.iter().filter(|tree| !trees.iter().any(|other| other.jvm == tree.jvm && other.seq > tree.seq))
}
