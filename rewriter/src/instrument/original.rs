//! The original of a rewritten archive: known by the digest that every bridge keeps, found beside the archive.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::options::Limits;
use super::paths::{Meaning, meaning};
use super::table::ORIGINAL;
use super::tree::Tree;
use crate::error::{Error, ErrorKind, Result};
use crate::jar::{Archive, Budget};
use crate::probe::table_head;

/// Names, CRCs and lengths of all entries in their order, as a SHA-256 in hexadecimal.
///
/// Costs no reading beyond the archive's directory. Archives that differ in compression, time stamps or comments alone
/// have the same digest: their classes are the same.
pub(super) fn digest(tree: &Tree) -> String {
    let mut digest = Sha256::new();
    listing(tree, &mut digest);
    hex::encode(digest.finalize())
}

/// Adds the entries of a tree to a digest.
pub(super) fn listing(tree: &Tree, digest: &mut Sha256) {
    for entry in 0..tree.len() {
        let (crc, length) = tree.fingerprint(entry);
        digest.update(tree.name(entry));
        digest.update([0]);
        digest.update(crc.to_le_bytes());
        digest.update(length.to_le_bytes());
    }
}

/// The inputs, those that were rewritten before replaced by their originals: a file of the same folder that has the
/// digest which the rewritten archive keeps.
///
/// # Errors
/// [`ErrorKind::Unsupported`] if there is no such file. What cannot be opened stays an input: the scan says why.
pub(super) fn originals(inputs: &[PathBuf], limits: Limits) -> Result<Vec<PathBuf>> {
    inputs.iter().map(|input| original(input, limits)).collect()
}

fn original(input: &Path, limits: Limits) -> Result<PathBuf> {
    let budget = Budget::new(limits.ratio, limits.total_bytes);
    let kept = match Tree::open(input) {
        Ok(tree @ Tree::Archive(_)) => kept(&tree, &budget, limits.depth),
        _ => None,
    };
    let Some(digest) = kept else { return Ok(input.to_path_buf()) };
    beside(input, &digest).ok_or_else(|| {
        let message = format!(
            "was rewritten by weighbridge before, and no file beside it is the original whose digest it keeps ({digest})"
        );
        Error::new(ErrorKind::Unsupported, message).within(&input.display().to_string())
    })
}

/// The digest in the first bridge of an archive or of the archives in it; `None` if it was not rewritten.
fn kept(tree: &Tree, budget: &Budget, depth: u32) -> Option<String> {
    (0..tree.len()).filter(|&entry| tree.is_file(entry)).find_map(|entry| match meaning(tree.name(entry)) {
        Meaning::Bridge => in_table(&table_head(&tree.content(entry, budget).ok()?).ok()?),
        Meaning::Nested if depth > 1 => {
            let nested = tree.nested(entry, budget).and_then(Archive::open).ok()?;
            kept(&Tree::Archive(nested), budget, depth - 1)
        }
        _ => None,
    })
}

fn in_table(table: &str) -> Option<String> {
    table.lines().find_map(|line| line.strip_prefix(ORIGINAL)?.strip_prefix('\t').map(str::to_owned))
}

fn beside(input: &Path, wanted: &str) -> Option<PathBuf> {
    let folder = match input.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let entries = fs::read_dir(folder).ok()?.flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| input.with_file_name(entry.file_name())).collect();
    files.sort();
    files.into_iter().find(|file| {
        file.is_file() && Tree::open(file).is_ok_and(|tree| matches!(tree, Tree::Archive(_)) && digest(&tree) == wanted)
    })
}
