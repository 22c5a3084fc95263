//! Unpacks nested archives into files that a JVM can open.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use weighbridge_config::Nested;

use crate::error::{ErrorKind, Result};
use crate::instrument::Limits;
use crate::instrument::loaded::Loaders;
use crate::instrument::paths::{Meaning, meaning};
use crate::instrument::scan::name_of;
use crate::instrument::tree::Tree;
use crate::jar::temporary::unwritable;
use crate::jar::{Archive, Budget};
use crate::manifest::Manifest;

/// An archive or folder that a JVM can open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
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
pub fn unpack(input: &Path, to: &Path, limits: Limits) -> Result<Vec<Unit>> {
    let mut unpacker = Unpacker {
        to,
        limits,
        budget: Budget::new(limits.ratio, limits.total_bytes),
        units: vec![Unit { label: String::new(), path: input.to_path_buf() }],
    };
    let name = input.display().to_string();
    Tree::open(input).and_then(|tree| unpacker.nested(&tree, "", &name, 1)).map_err(|error| error.within(&name))?;
    Ok(unpacker.units)
}

struct Unpacker<'a> {
    to: &'a Path,
    limits: Limits,
    budget: Budget,
    units: Vec<Unit>,
}

impl Unpacker<'_> {
    /// Unpacks the archives in one; `name` has its extension.
    fn nested(&mut self, tree: &Tree, label: &str, name: &str, depth: u32) -> Result<()> {
        let is_archive = |&entry: &usize| tree.is_file(entry) && meaning(tree.name(entry)) == Meaning::Nested;
        let mut waiting: Vec<usize> = (0..tree.len()).filter(is_archive).collect();
        if waiting.is_empty() {
            return Ok(());
        }
        let manifest = self.manifest(tree);
        let mut loaders = Loaders::of(tree, name, manifest.as_ref(), Nested::Loaded, &self.budget);
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
        let is_rewritten = |tree: &Tree| (0..tree.len()).any(|e| matches!(meaning(tree.name(e)), Meaning::Bridge(_)));
        for entry in waiting {
            if let Some(inner) = self.open(tree, label, entry, depth)?.filter(is_rewritten) {
                self.unpack(tree, label, entry, &inner, depth)?;
            }
        }
        Ok(())
    }

    /// The manifest of an archive, if it has one that can be read.
    fn manifest(&self, tree: &Tree) -> Option<Manifest> {
        let entry = (0..tree.len()).find(|&entry| meaning(tree.name(entry)) == Meaning::Manifest)?;
        tree.content(entry, &self.budget).ok().map(Manifest::parse)
    }

    fn open(&self, tree: &Tree, label: &str, entry: usize, depth: u32) -> Result<Option<Tree>> {
        self.limits.check_depth(depth).map_err(|error| error.within(&below(label, &name_of(tree, entry))))?;
        match tree.nested(entry, &self.budget).and_then(Archive::open) {
            Ok(archive) => Ok(Some(Tree::Archive(archive))),
            Err(error) if error.kind() == ErrorKind::Io || self.budget.is_exceeded() => Err(error),
            Err(_) => Ok(None),
        }
    }

    fn unpack(&mut self, outer: &Tree, label: &str, entry: usize, inner: &Tree, depth: u32) -> Result<()> {
        let Tree::Archive(archive) = inner else { return Ok(()) };
        let name = name_of(outer, entry);
        let label = below(label, &name);
        // Not the name of the entry, which may lead out of the folder.
        let path = self.to.join(format!("{}.jar", self.units.len()));
        let mut file = BufWriter::new(File::create(&path).map_err(unwritable)?);
        archive.source().copy_to_temporary(&mut file)?;
        file.flush().map_err(unwritable)?;
        self.units.push(Unit { label: label.clone(), path: fs::canonicalize(path).map_err(unwritable)? });
        self.nested(inner, &label, &name, depth + 1)
    }
}

fn below(label: &str, name: &str) -> String {
    format!("{label}{}{name}", if label.is_empty() { "" } else { "!/" })
}
