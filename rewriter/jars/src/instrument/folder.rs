//! Writes a folder of classes again, file by file.

use std::fs;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::tree::{Folder, FolderItem, ItemKind};
use crate::error::{Error, JarErrorKind, Result};
use crate::jar::{Edit, Edits, Payload, unwritable};

/// Writes `folder` with `edits` applied into the existing, empty folder `to`.
///
/// Unchanged files keep permissions and modification time, changed ones permissions. Links are created again; one that
/// leaves the tree keeps its absolute target.
pub(super) fn write(folder: &Folder, edits: &dyn Edits, to: &Path) -> Result<()> {
    for item in &folder.items {
        if matches!(item.kind, ItemKind::Folder) {
            fs::create_dir_all(to.join(&item.path)).map_err(unwritable)?;
        }
    }
    let written: Vec<Result<()>> = folder
        .items
        .par_iter()
        .enumerate()
        .map(|(index, item)| {
            write_item(folder, edits, index, item, to).map_err(|error| match error.location() {
                None => error.in_location(&item.path.display().to_string()),
                Some(_) => error,
            })
        })
        .collect();
    written.into_iter().collect::<Result<()>>()?;
    for addition in edits.additions() {
        let path = to.join(&addition.name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(unwritable)?;
        }
        let mut file = BufWriter::new(fs::File::create(path).map_err(unwritable)?);
        addition.content.copy(0..addition.content.len(), &mut file)?;
        file.flush().map_err(unwritable)?;
    }
    Ok(())
}

fn write_item(folder: &Folder, edits: &dyn Edits, index: usize, item: &FolderItem, to: &Path) -> Result<()> {
    let (from, to) = (folder.root.join(&item.path), to.join(&item.path));
    match &item.kind {
        ItemKind::Folder => Ok(()),
        ItemKind::Link(target) => link(&from, &to, target, &folder.root),
        ItemKind::File { length } => {
            match edits.edit(index) {
                Edit::Remove => {}
                Edit::Keep => copy(&from, &to).map_err(unwritable)?,
                Edit::Replace => {
                    replace(edits.replace(index)?, &to).map_err(unwritable)?;
                    fs::metadata(&from)
                        .and_then(|metadata| fs::set_permissions(&to, metadata.permissions()))
                        .map_err(unwritable)?;
                }
            }
            edits.advance(*length);
            Ok(())
        }
    }
}

/// Copies bytes, permissions and modification time.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    let modified = fs::metadata(from)?.modified()?;
    // A read-only file cannot be opened for writing; it gets the time of the copy.
    match fs::File::options().write(true).open(to) {
        Ok(file) => file.set_modified(modified),
        Err(_) => Ok(()),
    }
}

fn replace(payload: Payload, to: &Path) -> io::Result<()> {
    match payload {
        Payload::Bytes(bytes) => fs::write(to, bytes),
        Payload::File(mut file, _) => {
            io::Seek::rewind(&mut file)?;
            io::copy(&mut BufReader::new(file), &mut fs::File::create(to)?).map(|_| ())
        }
    }
}

/// True for a link to something inside the copied folder.
fn stays_inside(link: &Path, target: &Path, root: &Path) -> bool {
    let resolved = link.parent().map(|parent| parent.join(target)).and_then(|path| path.canonicalize().ok());
    match (resolved, root.canonicalize()) {
        (Some(resolved), Ok(root)) => target.is_relative() && resolved.starts_with(root),
        // A link without a target stays as it is.
        _ => true,
    }
}

#[cfg(unix)]
fn link(from: &Path, to: &Path, target: &Path, root: &Path) -> Result<()> {
    let target: PathBuf = if stays_inside(from, target, root) {
        target.to_path_buf()
    } else {
        from.canonicalize().map_err(unwritable)?
    };
    std::os::unix::fs::symlink(target, to).map_err(unwritable)
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path, target: &Path, root: &Path) -> Result<()> {
    if from.is_file() {
        return copy(from, to).map_err(unwritable);
    }
    let inside = if stays_inside(from, target, root) { "inside" } else { "outside" };
    Err(Error::new(ErrorKind::Io, format!("a link to a folder {inside} the tree cannot be copied on this system")))
}

/// Refuses a name that leads out of the output folder.
pub(super) fn check_name(name: &str) -> Result<()> {
    let leaves = name.starts_with('/') || name.split(['/', '\\']).any(|part| part == "..") || name.contains(':');
    match leaves {
        true => Err(Error::new(JarErrorKind::Archive, "the name leaves the output folder").in_location(name)),
        false => Ok(()),
    }
}
