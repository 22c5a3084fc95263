//! This program as the one that reads the heap dumps of a measured JVM.

use std::path::PathBuf;

use weighbridge_jvms::Target;

use crate::output::same_file;

/// The option of the agent that names it to a JVM that is started here; `None` if its path cannot be a word among options.
pub(crate) fn option() -> Option<String> {
    Some(format!("reader={}", path()?.to_str()?))
}

/// The same for a JVM that runs, if that sees this very file.
pub(crate) fn option_for(target: &Target) -> Option<String> {
    let path = path()?;
    let inside = PathBuf::from(format!("/proc/{}/root", target.pid())).join(path.strip_prefix("/").ok()?);
    option().filter(|_| same_file(&path, &inside))
}

fn path() -> Option<PathBuf> {
    std::env::current_exe().ok().filter(|path| path.to_str().is_some_and(|text| !text.contains([',', '='])))
}
