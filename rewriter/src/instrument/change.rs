//! The planned changes of an archive and its entries.

use std::collections::HashMap;

use crate::jar::Addition;

/// The change of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Class { unit: usize, id: usize },
    Nested(usize),
    Manifest,
    Remove,
}

/// The changes of a node.
#[derive(Debug, Default)]
pub(super) struct NodePlan {
    pub(super) changes: HashMap<usize, Change>,
    pub(super) additions: Vec<Addition>,
    /// The runtime is added, and the manifest starts it.
    pub(super) carries_runtime: bool,
    /// Why the signature files and the digests of the manifest are removed, if they are.
    pub(super) unsigned: Option<Unsigned>,
}

impl NodePlan {
    pub(super) fn is_changed(&self) -> bool {
        !self.changes.is_empty()
    }
}

/// Why an archive loses its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsigned {
    /// Classes, the manifest or an archive in it changed.
    Changed,
    /// This node loses its signature, and both have classes of the same package.
    With(usize),
}
