//! What shall happen to an archive and its entries.

use std::collections::HashMap;

use crate::jar::Addition;

/// What shall happen to an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Class { unit: usize, id: usize },
    Nested(usize),
    Manifest,
    Remove,
}

/// What shall happen to a node.
#[derive(Debug, Default)]
pub(super) struct NodePlan {
    pub(super) changes: HashMap<usize, Change>,
    pub(super) additions: Vec<Addition>,
    /// The runtime goes in, and the manifest starts it.
    pub(super) carries_runtime: bool,
    /// The signature files go, and the digests of the manifest; why.
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
    /// This node loses its own, and both have classes of a package.
    With(usize),
}
