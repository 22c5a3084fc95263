//! Finds the recording that a running process writes, in `/proc` (proc_pid_fd(5)).

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use weighbridge_recording::{Header, Process};

use super::plain::never_writes;
use super::start::{Start, folder, start_ticks};
use crate::report;

/// What is known about a process's recording.
pub(crate) enum Found {
    /// It is this file.
    File(PathBuf),
    /// The process is running and has none yet: the runtime makes it when the first class is linked.
    NotYet,
    /// It has none and will have none, with the reason.
    Never(&'static str),
    /// There is no such process.
    NoProcess,
    /// The process cannot be inspected, with the reason.
    Closed(String),
}

/// The process that an argument means: a number, unless there is a file of that name.
pub(crate) fn named(argument: &Path) -> Option<u32> {
    argument.to_str()?.parse().ok().filter(|_| !argument.exists())
}

/// Whether the process is running; `None` if that is not known.
pub(crate) fn lives(pid: u32) -> Option<bool> {
    if !Path::new("/proc/self").exists() {
        return None;
    }
    Some(exists(pid) && start_ticks(pid) != Start::Ended)
}

/// Whether the JVM that wrote a header still runs; `None` if that is not known.
pub(super) fn runs(header: &Header) -> Option<bool> {
    let wrote = header.process.as_ref()?;
    let pid = u32::try_from(header.jvm.pid?).ok()?;
    let here = Process { start_ticks: wrote.start_ticks, ..this_machine()? };
    if *wrote != here {
        return None;
    }
    match start_ticks(pid) {
        Start::At(ticks) => Some(ticks == wrote.start_ticks?),
        Start::Ended => Some(false),
        Start::Hidden if exists(pid) => None,
        Start::Hidden => Some(false),
    }
}

/// Where this process runs, in the form that the runtime writes for a JVM.
fn this_machine() -> Option<Process> {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").ok()?.trim().to_owned();
    let namespace = fs::read_link("/proc/self/ns/pid").ok()?.display().to_string();
    Some(Process { host: Some(host), pid_namespace: Some(namespace), start_ticks: None })
}

/// Whether there is a process of that number, even if this user may not inspect it.
#[cfg(unix)]
fn exists(pid: u32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn exists(pid: u32) -> bool {
    folder(pid).exists()
}

/// Finds the recording that a process has open, else the one that has the default name in its working directory.
pub(crate) fn recording_of(pid: u32) -> Found {
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
        None => never_writes(pid, &folder).map_or(Found::NotYet, Found::Never),
    }
}

/// The path of the same file as seen from this process: a process in a container has its own root.
fn seen_from_here(folder: &Path, path: PathBuf) -> Option<PathBuf> {
    let inside = folder.join("root").join(path.strip_prefix("/").ok()?);
    [path, inside].into_iter().find(|path| path.is_file())
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}
