//! Finds the original of a rewritten archive beside it, by the digest in every bridge.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::output::folder_of;
use super::tree::InputTree;
use crate::error::{Error, JarErrorKind, Result};
use weighbridge_probes::bridge::table_head;
use weighbridge_probes::table::ORIGINAL;

/// Names, CRCs and lengths of all entries in their order, as a SHA-256 in hexadecimal.
///
/// Reads only the directory of the archive. Archives that differ only in compression, time stamps or comments have the
/// same digest, because their classes are the same.
pub(super) fn digest(tree: &InputTree) -> String {
    let mut digest = Sha256::new();
    listing(tree, &mut digest);
    hex::encode(digest.finalize())
}

/// Adds the entries of a tree to a digest.
pub(super) fn listing(tree: &InputTree, digest: &mut Sha256) {
    for entry in 0..tree.len() {
        let (crc, length) = tree.fingerprint(entry);
        digest.update(tree.name(entry));
        digest.update([0]);
        digest.update(crc.to_le_bytes());
        digest.update(length.to_le_bytes());
    }
}

/// Whether a class with a bridge's name is one, of any version: every bridge has a table.
pub(super) fn is_bridge(class: &[u8]) -> bool {
    table_head(class).is_ok_and(|table| table.starts_with("weighbridge\t"))
}

/// The digest in a bridge class; `None` for one of another version, or a class that only has such a name.
pub(super) fn read_digest(bridge: &[u8]) -> Option<String> {
    in_table(&table_head(bridge).ok()?)
}

/// The original of a rewritten archive: a file in the same folder with this digest.
///
/// # Errors
/// [`ErrorKind::Unsupported`] if there is none.
pub(super) fn find_original(input: &Path, wanted: &str) -> Result<PathBuf> {
    find(input, wanted).ok_or_else(|| {
        let message = format!(
            "was rewritten by weighbridge before, and no file beside it is the original whose digest it keeps ({wanted})"
        );
        Error::new(JarErrorKind::Unsupported, message).in_location(&input.display().to_string())
    })
}

fn in_table(table: &str) -> Option<String> {
    table.lines().find_map(|line| line.strip_prefix(ORIGINAL)?.strip_prefix('\t').map(str::to_owned))
}

fn find(input: &Path, wanted: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder_of(input)).ok()?.flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| input.with_file_name(entry.file_name())).collect();
    files.sort();
    files.into_iter().find(|file| {
        file.is_file()
            && InputTree::open(file).is_ok_and(|tree| matches!(tree, InputTree::Archive(_)) && digest(&tree) == wanted)
    })
}
