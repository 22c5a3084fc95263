//! An archive laid out for a JVM: one class path root after the other, nested archives as files of their own.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};
use crate::instrument::Limits;
use crate::instrument::paths::{Meaning, meaning};
use crate::instrument::scan::name_of;
use crate::instrument::tree::Tree;
use crate::jar::{Archive, Budget, unwritable};

/// An archive or folder that a JVM can open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// `outer.jar!/inner.jar`, without the outermost name: empty for the input itself.
    pub label: String,
    /// The input itself, or where a nested archive was written.
    pub path: PathBuf,
}

/// Writes every nested archive into the folder `to`, under names of its own making, and lists them after the input.
///
/// # Errors
/// As [`super::verify`]; [`ErrorKind::Io`] if `to` cannot be written. Nested files that are no archives are left out.
pub fn unpack(input: &Path, to: &Path, limits: Limits) -> Result<Vec<Unit>> {
    let budget = Budget::new(limits.ratio, limits.total_bytes);
    let mut units = vec![Unit { label: String::new(), path: input.to_path_buf() }];
    Tree::open(input)
        .and_then(|tree| nested(&tree, "", to, 1, &limits, &budget, &mut units))
        .map_err(|error| error.within(&input.display().to_string()))?;
    Ok(units)
}

fn nested(
    tree: &Tree,
    label: &str,
    to: &Path,
    depth: u32,
    limits: &Limits,
    budget: &Budget,
    units: &mut Vec<Unit>,
) -> Result<()> {
    for entry in (0..tree.len()).filter(|&entry| tree.is_file(entry)) {
        if meaning(tree.name(entry)) != Meaning::Nested {
            continue;
        }
        let label = format!("{label}{}{}", if label.is_empty() { "" } else { "!/" }, name_of(tree, entry));
        if depth >= limits.depth {
            let message = format!("archives are nested deeper than the limit of {}", limits.depth);
            return Err(Error::new(ErrorKind::Archive, message).within(&label));
        }
        let archive = match tree.nested(entry, budget).and_then(Archive::open) {
            Ok(archive) => archive,
            Err(error) if error.kind() == ErrorKind::Io || budget.is_exceeded() => return Err(error),
            Err(_) => continue,
        };
        // Never the name of the entry: it may lead out of the folder.
        let path = to.join(format!("{}.jar", units.len()));
        let mut file = BufWriter::new(File::create(&path).map_err(unwritable)?);
        archive.source().copy(0..archive.source().len(), &mut file)?;
        file.flush().map_err(unwritable)?;
        units.push(Unit { label: label.clone(), path: fs::canonicalize(path).map_err(unwritable)? });
        self::nested(&Tree::Archive(archive), &label, to, depth + 1, limits, budget, units)?;
    }
    Ok(())
}
