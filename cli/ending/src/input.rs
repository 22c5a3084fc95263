//! Files that are named as inputs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use weighbridge_rewriter::file_kind::FileKind;

use crate::Failure;

/// Refuses an input that is a FIFO or a socket: to open one waits for another process, perhaps for ever, and most inputs are read
/// at more than one offset. Nothing is opened. What does not exist is for whoever reads it to tell.
pub fn check_input(path: &Path) -> Result<(), Failure> {
    let kind = FileKind::find(path);
    match kind.is_pipe() {
        true => Err(Failure::input(format!("{}: is {}; an input must be a file", path.display(), kind.name()))),
        false => Ok(()),
    }
}

/// The recordings that are named. A directory means the recordings in it, in alphabetical order.
pub fn recordings(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let name = path.display();
        let mut inside = inside(path).with_context(|| format!("{name}: cannot be read"))?;
        if inside.is_empty() {
            return Err(Failure::input(format!("{name}: no recording (*.wbr) in this directory")));
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

/// The recordings in a directory, in no order, without what could not be opened as a file.
pub fn inside(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory)?;
    Ok(entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| is_recording(path) && check_input(path).is_ok())
        .collect())
}

/// Whether a file is a recording, by its name.
pub fn is_recording(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "wbr")
}
