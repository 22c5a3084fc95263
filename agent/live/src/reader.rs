//! This program as the one that reads the heap dumps of a measured JVM.

use std::path::{Path, PathBuf};

use weighbridge_jvms::AttachTarget;

/// The option of the agent that names it to a JVM that is started here; `None` if its path cannot be a word among options.
pub fn option() -> Option<String> {
    Some(format!("reader={}", path()?.to_str()?))
}

/// The same for a JVM that runs, if that sees this very file.
pub(crate) fn option_for(target: &AttachTarget) -> Option<String> {
    let path = path()?;
    let inside = PathBuf::from(format!("/proc/{}/root", target.pid())).join(path.strip_prefix("/").ok()?);
    // Not by names: the link to the root of another mount namespace reads as that of ours.
    option().filter(|_| identity(&path).is_some_and(|ours| identity(&inside) == Some(ours)))
}

/// The file system and the number of a file in it.
#[cfg(unix)]
fn identity(file: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(file).ok().map(|about| (about.dev(), about.ino()))
}

/// There are no agents on this system.
#[cfg(not(unix))]
fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}

fn path() -> Option<PathBuf> {
    std::env::current_exe().ok().filter(|path| path.to_str().is_some_and(|text| !text.contains([',', '='])))
}
