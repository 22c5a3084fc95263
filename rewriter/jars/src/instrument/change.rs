//! The planned changes of an archive and its entries.

use crate::jar::Addition;

/// The change of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryChange {
    /// None: its bytes are copied.
    Keep,
    Class {
        unit: u32,
        id: u32,
    },
    Nested(u32),
    Manifest,
    Remove,
}

/// The changes of a node.
#[derive(Debug, Default)]
pub(super) struct NodePlan {
    /// By entry, up to the last one that changes. Mostly all or none do, so a map would take more.
    changes: Vec<EntryChange>,
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

    /// Frees the memory of the changes, when all are carried out.
    pub(super) fn forget_changes(&mut self) {
        self.changes = Vec::new();
    }

    /// Plans the change of an entry of an archive with so many.
    pub(super) fn set_change(&mut self, entries: usize, entry: usize, change: EntryChange) {
        if self.changes.is_empty() {
            self.changes = vec![EntryChange::Keep; entries];
        }
        self.changes[entry] = change;
    }

    /// The change of an entry.
    pub(super) fn change(&self, entry: usize) -> EntryChange {
        self.changes.get(entry).copied().unwrap_or(EntryChange::Keep)
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
