//! Unpacks nested archives into files that a JVM can open.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use weighbridge_config::Nested;

use crate::error::{JarErrorKind, Result};
use crate::instrument::ArchiveLimits;
use crate::instrument::loaded::Loaders;
use crate::instrument::paths::{Meaning, meaning};
use crate::instrument::scan::name_of;
use crate::instrument::tree::InputTree;
use crate::jar::temporary::unwritable;
use crate::jar::{Archive, InflateBudget};
use crate::manifest::Manifest;

/// An archive or folder that a JVM can open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnpackedUnit {
    /// `outer.jar!/inner.jar`, without the outermost name: empty for the input itself.
    pub label: String,
    /// The input itself, or where a nested archive was written.
    pub path: PathBuf,
}

/// Writes nested archives into the folder `to`, a temporary one, under new names, and lists them after the input: those from
/// which a class loader loads classes, and those that were rewritten. Classes of others may need classes that are not here.
///
/// # Errors
/// As [`super::verify`]; [`ErrorKind::Io`] if `to` cannot be written. Nested files that are no archives are left out.
pub fn unpack(input: &Path, to: &Path, limits: ArchiveLimits) -> Result<Vec<UnpackedUnit>> {
    let mut unpacker = Unpacker {
        to,
        limits,
        budget: InflateBudget::new(limits.ratio, limits.total_bytes),
        units: vec![UnpackedUnit { label: String::new(), path: input.to_path_buf() }],
    };
    let name = input.display().to_string();
    InputTree::open(input)
        .and_then(|tree| unpacker.nested(&tree, "", &name, 1))
        .map_err(|error| error.in_location(&name))?;
    Ok(unpacker.units)
}

struct Unpacker<'a> {
    to: &'a Path,
    limits: ArchiveLimits,
    budget: InflateBudget,
    units: Vec<UnpackedUnit>,
}

impl Unpacker<'_> {
    /// Unpacks the archives in one; `name` has its extension.
    fn nested(&mut self, tree: &InputTree, label: &str, name: &str, depth: u32) -> Result<()> {
        let is_archive = |&entry: &usize| tree.is_file(entry) && meaning(tree.name(entry)) == Meaning::Nested;
        let mut waiting: Vec<usize> = (0..tree.len()).filter(is_archive).collect();
        if waiting.is_empty() {
            return Ok(());
        }
        let manifest = self.manifest(tree);
        let mut loaders = Loaders::from_tree(tree, name, manifest.as_ref(), Nested::Loaded, &self.budget);
        loop {
            let (loaded, rest): (Vec<usize>, Vec<usize>) =
                waiting.iter().partition(|&&entry| loaders.take(tree.name(entry)));
            waiting = rest;
            if loaded.is_empty() {
                break;
            }
            for entry in loaded {
                if let Some(inner) = self.open(tree, label, entry, depth)? {
                    if let Some(manifest) = self.manifest(&inner) {
                        loaders.add(tree.name(entry), &manifest);
                    }
                    self.unpack(tree, label, entry, &inner, depth)?;
                }
            }
        }
        let is_rewritten =
            |tree: &InputTree| (0..tree.len()).any(|e| matches!(meaning(tree.name(e)), Meaning::Bridge(_)));
        for entry in waiting {
            if let Some(inner) = self.open(tree, label, entry, depth)?.filter(is_rewritten) {
                self.unpack(tree, label, entry, &inner, depth)?;
            }
        }
        Ok(())
    }

    /// The manifest of an archive, if it has one that can be read.
    fn manifest(&self, tree: &InputTree) -> Option<Manifest> {
        let entry = (0..tree.len()).find(|&entry| meaning(tree.name(entry)) == Meaning::Manifest)?;
        tree.content(entry, &self.budget).ok().map(Manifest::parse)
    }

    fn open(&self, tree: &InputTree, label: &str, entry: usize, depth: u32) -> Result<Option<InputTree>> {
        self.limits.check_depth(depth).map_err(|error| error.in_location(&join_label(label, &name_of(tree, entry))))?;
        match tree.nested(entry, &self.budget).and_then(Archive::open) {
            Ok(archive) => Ok(Some(InputTree::Archive(archive))),
            Err(error) if error.kind() == JarErrorKind::Io || self.budget.is_exceeded() => Err(error),
            Err(_) => Ok(None),
        }
    }

    fn unpack(&mut self, outer: &InputTree, label: &str, entry: usize, inner: &InputTree, depth: u32) -> Result<()> {
        let InputTree::Archive(archive) = inner else { return Ok(()) };
        let name = name_of(outer, entry);
        let label = join_label(label, &name);
        // Not the name of the entry, which may lead out of the folder.
        let path = self.to.join(format!("{}.jar", self.units.len()));
        let mut file = BufWriter::new(File::create(&path).map_err(unwritable)?);
        archive.source().copy_to_temporary(&mut file)?;
        file.flush().map_err(unwritable)?;
        self.units.push(UnpackedUnit { label: label.clone(), path: fs::canonicalize(path).map_err(unwritable)? });
        self.nested(inner, &label, &name, depth + 1)
    }
}

fn join_label(label: &str, name: &str) -> String {
    format!("{label}{}{name}", if label.is_empty() { "" } else { "!/" })
}
