//! The second pass: carries out the planned changes of an archive or folder.

use std::io::BufWriter;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::carrier;
use super::change::{EntryChange, NodePlan};
use super::examine::rewrite;
use super::kept::Keeper;
use super::options::Progress;
use super::scan::{InputNode, name_of};
use super::summary::SkippedClassFile;
use super::tree::InputTree;
use super::unit::BridgeUnit;
use super::workers::Workers;
use crate::error::{Error, JarErrorKind, Result};
use crate::jar::{self, Addition, Edit, Edits, InflateBudget, Payload, WriteOptions, temporary};
use weighbridge_probes::constructor::Outcome;
use weighbridge_probes::table::dotted;

/// Nested archives up to this size are rewritten in memory, larger ones in a temporary file.
const IN_MEMORY: u64 = 4 << 20;

/// Everything that the second pass reads, and what it counts.
pub(super) struct Rewriter<'a> {
    pub(super) nodes: &'a [InputNode],
    pub(super) plans: &'a [NodePlan],
    pub(super) units: &'a [BridgeUnit],
    pub(super) budget: &'a InflateBudget,
    pub(super) write: WriteOptions,
    pub(super) keeper: &'a Keeper,
    pub(super) progress: &'a dyn Progress,
    pub(super) workers: &'a Workers,
    /// Classes that could not be written, by node.
    pub(super) damaged: Mutex<Vec<(usize, SkippedClassFile)>>,
}

/// The changes of one node.
pub(super) struct NodeEdits<'a> {
    rewriter: &'a Rewriter<'a>,
    node: usize,
    /// Class files and constructors that were rewritten, nested archives included.
    pub(super) classes: &'a AtomicU64,
    pub(super) constructors: &'a AtomicU64,
    /// Bytes reported to [`Progress`]; absent for nested archives, which the outer archive reports as entries.
    advanced: Option<AtomicU64>,
}

impl<'a> Rewriter<'a> {
    pub(super) fn edits(&'a self, node: usize, classes: &'a AtomicU64, constructors: &'a AtomicU64) -> NodeEdits<'a> {
        NodeEdits { rewriter: self, node, classes, constructors, advanced: Some(AtomicU64::new(0)) }
    }
}

impl NodeEdits<'_> {
    /// Bytes of the input that were reported to [`Progress`].
    pub(super) fn advanced(&self) -> u64 {
        self.advanced.as_ref().map_or(0, |advanced| advanced.load(Ordering::Relaxed))
    }

    fn tree(&self) -> &InputTree {
        &self.rewriter.nodes[self.node].tree
    }

    fn plan(&self) -> &NodePlan {
        &self.rewriter.plans[self.node]
    }

    fn class(&self, entry: usize, unit: usize, id: usize) -> Result<Payload> {
        let unit = &self.rewriter.units[unit];
        let content = match self.rewriter.keeper.take(self.tree(), entry) {
            Some(content) => content,
            None => self.tree().content(entry, self.rewriter.budget)?,
        };
        let reason = match rewrite(&content, &unit.probe(id)) {
            Ok(Outcome::Rewritten(rewritten)) => {
                self.classes.fetch_add(1, Ordering::Relaxed);
                self.constructors.fetch_add(rewritten.constructors() as u64, Ordering::Relaxed);
                return Ok(Payload::Bytes(rewritten.bytes));
            }
            Ok(Outcome::Skipped(reason)) => reason.to_string(),
            Err(error) => error.to_string(),
        };
        // Damaged code that no JVM runs may fail only now.
        let skipped = SkippedClassFile {
            class: dotted(self.rewriter.nodes[self.node].class_name(entry)),
            location: self.rewriter.nodes[self.node].location(entry),
            reason: reason.into(),
            harmless: false,
        };
        self.rewriter.damaged.lock().unwrap_or_else(PoisonError::into_inner).push((self.node, skipped));
        Ok(Payload::Bytes(content))
    }

    fn nested(&self, entry: usize, node: usize) -> Result<Payload> {
        let name = name_of(self.tree(), entry);
        let inner = &self.rewriter.nodes[node].tree;
        let mut edits = self.rewriter.edits(node, self.classes, self.constructors);
        edits.advanced = None;
        let written = |error: Error| error.in_location(&name);
        let InputTree::Archive(archive) = &**inner else {
            return Err(Error::new(JarErrorKind::Internal, "a nested archive is a folder"));
        };
        let length = archive.source().len();
        if length <= IN_MEMORY.min(self.rewriter.write.batch_bytes) {
            let mut bytes = Vec::with_capacity(length as usize);
            jar::write(archive, &edits, self.rewriter.write, &mut bytes).map_err(written)?;
            return Ok(Payload::Bytes(bytes));
        }
        let mut out = BufWriter::new(temporary::file()?);
        jar::write(archive, &edits, self.rewriter.write, &mut out).map_err(written)?;
        let file = out.into_inner().map_err(|error| temporary::unwritable(error.into_error()))?;
        let length = file.metadata().map_err(temporary::unwritable)?.len();
        Ok(Payload::File(file, length))
    }
}

impl Edits for NodeEdits<'_> {
    fn edit(&self, index: usize) -> Edit {
        match self.plan().change(index) {
            EntryChange::Keep => Edit::Keep,
            EntryChange::Remove => Edit::Remove,
            EntryChange::Class { .. } | EntryChange::Nested(_) | EntryChange::Manifest => Edit::Replace,
        }
    }

    fn replace(&self, index: usize) -> Result<Payload> {
        match self.plan().change(index) {
            EntryChange::Class { unit, id } => self.class(index, unit as usize, id as usize),
            EntryChange::Nested(node) => self.nested(index, node as usize),
            EntryChange::Manifest => match &self.rewriter.nodes[self.node].manifest {
                Some((_, manifest)) => Ok(Payload::Bytes(carrier::manifest(manifest, self.plan()))),
                None => Err(Error::new(JarErrorKind::Internal, "a manifest is to be edited and there is none")),
            },
            EntryChange::Remove | EntryChange::Keep => {
                Err(Error::new(JarErrorKind::Internal, "an entry without new content"))
            }
        }
    }

    fn additions(&self) -> &[Addition] {
        &self.plan().additions
    }

    fn advance(&self, bytes: u64) {
        if let Some(advanced) = &self.advanced {
            advanced.fetch_add(bytes, Ordering::Relaxed);
            self.rewriter.progress.advance(bytes);
        }
    }
}
