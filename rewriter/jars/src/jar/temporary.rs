//! Temporary files without a name, for what need not fit into memory.

use std::env;
use std::fs::File;
use std::io;

use crate::error::{Error, JarErrorKind, Result};

/// A new one, in the folder for temporary files (`TMPDIR`).
///
/// # Errors
/// As [`unwritable`].
pub(crate) fn file() -> Result<File> {
    tempfile::tempfile().map_err(unwritable)
}

/// An error of writing a temporary file. It names the folder: the output may be on another disk, with room enough.
pub fn unwritable(error: io::Error) -> Error {
    let folder = env::temp_dir();
    let message = format!("the folder for temporary files, {}, cannot be written (TMPDIR names it)", folder.display());
    Error::new(JarErrorKind::Io, message).because(error)
}
