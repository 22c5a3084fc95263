//! Finds the recording that a running process writes, in `/proc` (proc_pid_fd(5)).
//!
//! The process may be of another user, while this one is root. So no path of the process's is opened: its descriptors lead to
//! the very files that it has open, and its working directory is looked into as its user.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use weighbridge_ending::input;
use weighbridge_jvms::user_of;
use weighbridge_outside::{Fault, Folder, as_user, open_file};
use weighbridge_recording::{Follower, Header, ProcessIdentity, ReadLimits};

use super::plain::never_writes;
use super::start::{Start, folder, start_ticks};

/// What is known about a process's recording.
pub enum RecordingLookup {
    /// It is this file.
    File(ProcessFile),
    /// The process is running and has none yet: the runtime makes it when the first class is linked.
    NotYet,
    /// It has none and will have none, with the reason.
    Never(&'static str),
    /// There is no such process.
    NoProcess,
    /// The process cannot be inspected, with the reason.
    Closed(String),
}

/// The recording of a process.
#[derive(Clone)]
pub struct ProcessFile {
    /// For messages only.
    path: PathBuf,
    at: Arc<At>,
}

/// How one comes to the recording of a process, whatever has its path.
enum At {
    /// The process had it open, and so has this one.
    Open(File),
    /// It has this name in a folder, and is the process's user's.
    Named { folder: Folder, name: String, user: (u32, u32) },
}

impl ProcessFile {
    /// The path that it has for people.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// When it was written to last.
    pub fn modified(&self) -> Option<SystemTime> {
        modified(&self.at.open().ok()?)
    }

    /// Reads it while it grows.
    pub fn follow(&self, limits: ReadLimits) -> Follower {
        let at = Arc::clone(&self.at);
        Follower::opened_by(&self.path, limits, move || at.open())
    }
}

impl At {
    fn open(&self) -> io::Result<File> {
        match self {
            At::Open(file) => file.try_clone(),
            At::Named { folder, name, user } => {
                as_user(*user, || folder.open_file(name, user.0))?.map_err(|fault| match fault {
                    Fault::System(error) => error,
                    Fault::Unsafe(why) => io::Error::new(io::ErrorKind::InvalidInput, why),
                })
            }
        }
    }
}

/// The process that an argument means: a number, unless there is a file of that name.
pub fn parse_pid(argument: &Path) -> Option<u32> {
    argument.to_str()?.parse().ok().filter(|_| !argument.exists())
}

/// Whether the process is running; `None` if that is not known.
pub fn lives(pid: u32) -> Option<bool> {
    if !Path::new("/proc/self").exists() {
        return None;
    }
    Some(exists(pid) && start_ticks(pid) != Start::Ended)
}

/// Whether the JVM that wrote a header still runs; `None` if that is not known.
pub(super) fn runs(header: &Header) -> Option<bool> {
    let wrote = header.process.as_ref()?;
    let pid = u32::try_from(header.jvm.pid?).ok()?;
    let here = ProcessIdentity { start_ticks: wrote.start_ticks, ..this_machine()? };
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
fn this_machine() -> Option<ProcessIdentity> {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").ok()?.trim().to_owned();
    let namespace = fs::read_link("/proc/self/ns/pid").ok()?.display().to_string();
    Some(ProcessIdentity { host: Some(host), pid_namespace: Some(namespace), start_ticks: None })
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
pub fn recording_of(pid: u32) -> RecordingLookup {
    if !Path::new("/proc/self").exists() {
        return RecordingLookup::Closed("this system has no /proc to look into; name the recording".to_owned());
    }
    let folder = folder(pid);
    if !folder.exists() {
        return RecordingLookup::NoProcess;
    }
    let entries = match fs::read_dir(folder.join("fd")) {
        Ok(entries) => entries,
        Err(e) => return RecordingLookup::Closed(format!("its open files cannot be seen ({e}); name the recording")),
    };
    let recordings = entries.filter_map(|entry| {
        let descriptor = entry.ok()?.path();
        let path = fs::read_link(&descriptor).ok().filter(|path| input::is_recording(path))?;
        Some((open_file(&descriptor).ok()?, path))
    });
    let newest = recordings.max_by_key(|(file, _)| modified(file));
    let newest =
        newest.map(|(file, path)| ProcessFile { path: to_host_path(&folder, path), at: Arc::new(At::Open(file)) });
    match newest.or_else(|| in_working_directory(pid, &folder)) {
        Some(file) => RecordingLookup::File(file),
        None => never_writes(pid, &folder).map_or(RecordingLookup::NotYet, RecordingLookup::Never),
    }
}

/// The recording with the default name, if there is one.
fn in_working_directory(pid: u32, folder: &Path) -> Option<ProcessFile> {
    let user = user_of(pid)?;
    let (link, name) = (folder.join("cwd"), format!("weighbridge-{pid}.wbr"));
    let path = to_host_path(folder, fs::read_link(&link).ok()?.join(&name));
    let at = At::Named { folder: Folder::open(&link).ok()?, name, user };
    at.open().ok()?;
    Some(ProcessFile { path, at: Arc::new(at) })
}

/// The path of a file of the process in messages: a process in a container has its own root.
fn to_host_path(folder: &Path, path: PathBuf) -> PathBuf {
    let root = folder.join("root");
    let identity = |path: &Path| fs::metadata(path).map(|about| (about.dev(), about.ino())).ok();
    match (identity(&root), path.strip_prefix("/")) {
        (Some(of_process), Ok(inside)) if Some(of_process) != identity("/".as_ref()) => root.join(inside),
        _ => path,
    }
}

fn modified(file: &File) -> Option<SystemTime> {
    file.metadata().ok()?.modified().ok()
}
