//! Which recording a running process writes, as `/proc` tells (proc_pid_fd(5)).

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::report;

/// What is known of a process's recording.
pub(super) enum Found {
    /// It is this file.
    File(PathBuf),
    /// The process lives and has none yet: the runtime makes it when the first class is linked.
    NotYet,
    /// There is no such process.
    NoProcess,
    /// The process cannot be looked into; why.
    Closed(String),
}

/// Whether the process lives; true where that cannot be told.
pub(super) fn lives(pid: u32) -> bool {
    !Path::new("/proc/self").exists() || folder(pid).exists()
}

/// Finds the recording that a process has open, else the one that has the default name in its working directory.
pub(super) fn recording_of(pid: u32) -> Found {
    if !Path::new("/proc/self").exists() {
        return Found::Closed("this system has no /proc to look into; name the recording".to_owned());
    }
    let folder = folder(pid);
    if !folder.exists() {
        return Found::NoProcess;
    }
    let entries = match fs::read_dir(folder.join("fd")) {
        Ok(entries) => entries,
        Err(e) => return Found::Closed(format!("its open files cannot be seen ({e}); name the recording")),
    };
    let open = entries.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    let recordings = open.filter(|path| report::is_recording(path));
    let named = folder.join("cwd").join(format!("weighbridge-{pid}.wbr"));
    let newest = recordings.filter_map(|path| seen_from_here(&folder, path)).max_by_key(|path| modified(path));
    match newest.or_else(|| fs::canonicalize(named).ok()) {
        Some(path) => Found::File(path),
        None => Found::NotYet,
    }
}

fn folder(pid: u32) -> PathBuf {
    Path::new("/proc").join(pid.to_string())
}

/// The same file by a path that leads to it from here: a process in a container has a root of its own.
fn seen_from_here(folder: &Path, path: PathBuf) -> Option<PathBuf> {
    let inside = folder.join("root").join(path.strip_prefix("/").ok()?);
    [path, inside].into_iter().find(|path| path.is_file())
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}
