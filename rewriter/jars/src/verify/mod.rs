//! Checks whether a jar is sound: every entry inflates, every class has the structure of JVMS §4, and rewritten classes
//! find their bridge and runtime.
//!
//! No code of the jar runs. A JVM can verify the classes of [`unpack`]ed units; this module does not do that.

mod bridge;
mod carried;
mod class;
mod entry;
mod finding;
mod unpack;

use std::collections::BTreeSet;
use std::path::Path;

use rayon::prelude::*;

use crate::error::{JarErrorKind, Result};
use crate::instrument::ArchiveLimits;
use crate::instrument::paths::{ClassRoot, Meaning, meaning};
use crate::instrument::scan::name_of;
use crate::instrument::tree::InputTree;
use crate::jar::{Archive, InflateBudget};
use crate::manifest::Manifest;

pub use finding::{Finding, Verification};
pub use unpack::{UnpackedUnit, unpack};

/// Entries that are checked at once; this bounds the memory.
const BATCH: usize = 256;

/// Checks an archive or a folder of classes, and every archive in it.
///
/// Inflates the archive and reads each class twice; memory is bounded by [`BATCH`] entries.
///
/// # Errors
/// [`ErrorKind::Io`] if reading fails, [`ErrorKind::Archive`] if the outermost file is no archive or its entries
/// exceed `limits`. Everything else that is wrong is a [`Verification::problems`] entry.
pub fn verify(input: &Path, limits: ArchiveLimits) -> Result<Verification> {
    let label = input.file_name().map_or_else(|| input.display().to_string(), |name| name.to_string_lossy().into());
    let verifier = Verifier { budget: InflateBudget::new(limits.ratio, limits.total_bytes), limits };
    let mut verification = Verification::default();
    InputTree::open(input)
        .and_then(|tree| verifier.tree(&tree, &label, 1, &mut verification))
        .map_err(|error| error.in_location(&input.display().to_string()))?;
    Ok(verification)
}

struct Verifier {
    budget: InflateBudget,
    limits: ArchiveLimits,
}

/// The findings about one entry.
#[derive(Default)]
struct EntryFindings {
    class: Option<ClassSeen>,
    manifest: Option<Manifest>,
    problems: Vec<String>,
    notes: Vec<String>,
}

struct ClassSeen {
    root: ClassRoot,
    /// Of a bridge: the number of its contract, or why it has none.
    bridge: Option<Result<u32, String>>,
    /// Internal names of the bridges that the class calls.
    calls: Vec<Vec<u8>>,
}

impl Verifier {
    fn tree(&self, tree: &InputTree, label: &str, depth: u32, found: &mut Verification) -> Result<()> {
        found.archives += u64::from(matches!(tree, InputTree::Archive(_)));
        let mut calls: BTreeSet<(ClassRoot, Vec<u8>)> = BTreeSet::new();
        let mut manifest = None;
        let location = |entry: usize| format!("{label}!/{}", name_of(tree, entry));
        let entries: Vec<usize> = (0..tree.len()).collect();
        for batch in entries.chunks(BATCH) {
            let seen: Vec<Result<EntryFindings>> = batch.par_iter().map(|&entry| self.entry(tree, entry)).collect();
            for (&entry, seen) in batch.iter().zip(seen) {
                let seen = seen?;
                found.entries += 1;
                let finding = |reason| Finding { location: location(entry), reason };
                found.problems.extend(seen.problems.into_iter().map(finding));
                found.notes.extend(seen.notes.into_iter().map(finding));
                manifest = manifest.or(seen.manifest);
                let Some(class) = seen.class else { continue };
                found.classes += 1;
                found.rewritten += u64::from(!class.calls.is_empty());
                calls.extend(class.calls.into_iter().map(|bridge| (class.root, bridge)));
                if let Some(contract) = class.bridge {
                    found.bridges += 1;
                    found.problems.extend(bridge::unknown(contract).map(finding));
                }
            }
        }
        bridge::missing(tree, label, &calls, &mut found.problems);
        for entry in (0..tree.len()).filter(|&entry| tree.is_file(entry)) {
            if meaning(tree.name(entry)) == Meaning::Nested {
                self.nested(tree, entry, &location(entry), depth, found)?;
            }
        }
        if depth == 1 {
            carried::check(tree, label, manifest.as_ref(), found)?;
        }
        Ok(())
    }

    fn entry(&self, tree: &InputTree, entry: usize) -> Result<EntryFindings> {
        let mut seen = EntryFindings::default();
        seen.problems.extend(entry::disagreement(tree, entry)?);
        if let InputTree::Folder(_) = tree
            && !tree.is_file(entry)
        {
            return Ok(seen);
        }
        let content = match tree.content(entry, &self.budget) {
            Ok(content) => content,
            Err(error) if error.kind() == JarErrorKind::Io || self.budget.is_exceeded() => return Err(error),
            Err(error) => {
                seen.problems.push(entry::reason(&error));
                return Ok(seen);
            }
        };
        if !tree.is_file(entry) {
            return Ok(seen);
        }
        match meaning(tree.name(entry)) {
            Meaning::Class { root, name, .. } => {
                let calls = class::check(&content, name, &mut seen.problems, &mut seen.notes);
                seen.class = Some(ClassSeen { root, bridge: None, calls });
            }
            Meaning::Bridge(_) => {
                class::check(&content, b"", &mut seen.problems, &mut seen.notes);
                let bridge = Some(bridge::contract(&content).map_err(|error| entry::reason(&error)));
                seen.class = Some(ClassSeen { root: ClassRoot::Top, bridge, calls: Vec::new() });
            }
            Meaning::Manifest => seen.manifest = Some(Manifest::parse(content)),
            _ => {}
        }
        Ok(seen)
    }

    fn nested(&self, tree: &InputTree, entry: usize, label: &str, depth: u32, found: &mut Verification) -> Result<()> {
        self.limits.check_depth(depth).map_err(|error| error.in_location(label))?;
        let archive = match tree.nested(entry, &self.budget).and_then(Archive::open) {
            Ok(archive) => archive,
            Err(error) if error.kind() == JarErrorKind::Io || self.budget.is_exceeded() => return Err(error),
            Err(error) => {
                let finding = Finding { location: label.to_owned(), reason: entry::reason(&error) };
                // A test resource may only look like an archive, but a file that starts as a zip file should be one.
                match entry::starts_as_zip(tree, entry, &self.budget) {
                    true => found.problems.push(finding),
                    false => found.notes.push(finding),
                }
                return Ok(());
            }
        };
        self.tree(&InputTree::Archive(archive), label, depth + 1, found)
    }
}
