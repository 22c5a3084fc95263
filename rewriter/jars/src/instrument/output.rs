//! Output paths, which are checked before anything is written, and outputs, which appear only when they are complete.

use std::fs;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempDir};

use super::options::{InstrumentOptions, InstrumentOutput};
use super::paths::FOLDER_MARK;
use super::tree::InputTree;
use crate::error::{Error, JarErrorKind, Result};
use crate::file_kind::FileKind;
use crate::jar::{Sink, unwritable};

/// Name of the runtime's jar beside the outputs.
pub(super) const RUNTIME_JAR: &str = "weighbridge-runtime.jar";
/// What the mark says to whoever finds it.
const MARK_TEXT: &str = "`weighbridge instrument --force` may replace this directory.\n";

/// The output of each input, in their order. `named` are the inputs as given, `inputs` the files that are read instead.
///
/// # Errors
/// [`ErrorKind::Output`] if one exists and may not be replaced, if one is, contains or is inside an input, or if two are
/// the same.
pub(super) fn resolve(named: &[PathBuf], inputs: &[PathBuf], options: &InstrumentOptions) -> Result<Vec<PathBuf>> {
    let refuse =
        |path: &Path, message: &str| Error::new(JarErrorKind::Output, message).in_location(&path.display().to_string());
    let outputs: Vec<PathBuf> = match &options.output {
        InstrumentOutput::File(path) if inputs.len() == 1 => vec![path.clone()],
        InstrumentOutput::File(path) => {
            let message = format!("one output cannot take {} inputs: name a folder for them", inputs.len());
            return Err(refuse(path, &message));
        }
        InstrumentOutput::Folder(folder) => named
            .iter()
            .map(|input| {
                // `canonicalize` gives `.` and `..` a name.
                let named = input.file_name().map(PathBuf::from);
                let name = named.or_else(|| Some(input.canonicalize().ok()?.file_name()?.into()));
                name.map(|name| folder.join(name)).ok_or_else(|| refuse(input, "has no name that an output could get"))
            })
            .collect::<Result<_>>()?,
    };
    if let InstrumentOutput::Folder(folder) = &options.output {
        if folder.exists() && !folder.is_dir() {
            return Err(refuse(folder, "is no folder"));
        }
        let runtime = folder.join(RUNTIME_JAR);
        let other = match FileKind::find(&runtime) {
            FileKind::Missing => false,
            FileKind::Regular => fs::read(&runtime).is_ok_and(|bytes| bytes != weighbridge_runtime::RUNTIME_JAR),
            kind => return Err(refuse(&runtime, &format!("is {}, and is to be the runtime's jar", kind.name()))),
        };
        if outputs.contains(&runtime) || (other && !options.force) {
            return Err(refuse(&runtime, "exists already with another content (--force replaces it)"));
        }
    }
    for (index, output) in outputs.iter().enumerate() {
        if let Some(earlier) = outputs[..index].iter().position(|other| other == output) {
            let (first, second) = (inputs[earlier].display(), inputs[index].display());
            return Err(refuse(output, &format!("would be the output of both {first} and {second}")));
        }
        for input in inputs {
            if is_same(input, output) {
                return Err(refuse(output, "the output is an input"));
            }
            if is_inside(output, input) {
                return Err(refuse(output, &format!("the output is inside the input {}", input.display())));
            }
            if is_inside(input, output) {
                return Err(refuse(output, &format!("the output holds the input {}", input.display())));
            }
        }
        check_replaceable(output, options.force)?;
    }
    Ok(outputs)
}

/// Refuses an output that exists and may not be replaced. A folder may hold anything, so only one with the mark of an
/// earlier output is replaced. What is no regular file is never replaced: it has no content that a new one could replace.
///
/// # Errors
/// [`ErrorKind::Output`].
fn check_replaceable(output: &Path, force: bool) -> Result<()> {
    let refuse =
        |message: String| Err(Error::new(JarErrorKind::Output, message).in_location(&output.display().to_string()));
    match FileKind::find(output) {
        FileKind::Missing => Ok(()),
        FileKind::Folder if FileKind::find(&output.join(FOLDER_MARK)) != FileKind::Regular => refuse(format!(
            "is a directory that weighbridge did not write (it has no file {FOLDER_MARK}), and is not replaced, with \
             --force neither"
        )),
        FileKind::Regular | FileKind::Folder if force => Ok(()),
        FileKind::Regular | FileKind::Folder => refuse("exists already (--force replaces it)".to_owned()),
        kind => refuse(format!("is {}, and is not replaced, with --force neither", kind.name())),
    }
}

/// True if both paths lead to the same file, also through links.
fn is_same(a: &Path, b: &Path) -> bool {
    same_file::is_same_file(a, b).unwrap_or(false)
}

/// True if `path`, which need not exist, is below the folder `outer`.
fn is_inside(path: &Path, outer: &Path) -> bool {
    let Ok(outer) = outer.canonicalize() else { return false };
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let existing = absolute.ancestors().find_map(|ancestor| ancestor.canonicalize().ok());
    outer.is_dir() && existing.is_some_and(|existing| existing != outer && existing.starts_with(&outer))
        || outer.is_dir() && absolute.parent().and_then(|parent| parent.canonicalize().ok()) == Some(outer)
}

/// Writes a temporary file beside the output and renames it. It gets the permissions of `like`.
pub(super) fn file(
    output: &Path,
    like: Option<&Path>,
    force: bool,
    write: impl FnOnce(&mut dyn Sink) -> Result<()>,
) -> Result<()> {
    let folder = parent(output)?;
    let temporary = NamedTempFile::new_in(folder).map_err(unwritable)?;
    let mut out = BufWriter::with_capacity(256 << 10, temporary);
    write(&mut out)?;
    let temporary = out.into_inner().map_err(|error| unwritable(error.into_error()))?;
    set_permissions(temporary.path(), like)?;
    // Once more: the check before may be hours old.
    check_replaceable(output, force)?;
    if FileKind::find(output) == FileKind::Folder {
        fs::remove_dir_all(output).map_err(unwritable)?;
    }
    let persisted = if force { temporary.persist(output) } else { temporary.persist_noclobber(output) };
    persisted.map(|_| ()).map_err(|error| unwritable(error.error))
}

/// Fills a temporary folder beside the output, marks it and renames it. What it replaces goes away with the temporary folder
/// once the new one has its name.
pub(super) fn folder(output: &Path, force: bool, write: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let temporary = TempDir::new_in(parent(output)?).map_err(unwritable)?;
    let (inner, replaced) = (temporary.path().join("output"), temporary.path().join("replaced"));
    fs::create_dir(&inner).map_err(unwritable)?;
    write(&inner)?;
    fs::write(inner.join(FOLDER_MARK), MARK_TEXT).map_err(unwritable)?;
    check_replaceable(output, force)?;
    if FileKind::find(output) != FileKind::Missing {
        fs::rename(output, &replaced).map_err(unwritable)?;
    }
    fs::rename(&inner, output).map_err(|error| {
        // If there was none, there is nothing to bring back.
        let _ = fs::rename(&replaced, output);
        unwritable(error)
    })
}

/// Bytes of an output: of the file, or of all files of the folder.
pub(super) fn bytes(output: &Path) -> Result<u64> {
    match fs::metadata(output).map_err(unwritable)? {
        written if written.is_dir() => InputTree::open(output).map(|tree| tree.bytes()),
        written => Ok(written.len()),
    }
}

fn parent(output: &Path) -> Result<&Path> {
    let folder = folder_of(output);
    fs::create_dir_all(folder).map_err(unwritable)?;
    Ok(folder)
}

/// The folder of a file.
pub(super) fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Gives an output the permissions of its input, or those of any new file: a temporary file is private.
fn set_permissions(path: &Path, like: Option<&Path>) -> Result<()> {
    let permissions = match like {
        Some(like) => fs::metadata(like).map_err(unwritable)?.permissions(),
        None => readable(path)?,
    };
    fs::set_permissions(path, permissions).map_err(unwritable)
}

#[cfg(unix)]
fn readable(_path: &Path) -> Result<fs::Permissions> {
    Ok(std::os::unix::fs::PermissionsExt::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(path: &Path) -> Result<fs::Permissions> {
    Ok(fs::metadata(path).map_err(unwritable)?.permissions())
}
