//! What can be seen of a process without touching it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;
use weighbridge_outside::{Folder, PROC_LIMIT, ProcessRoot, as_user, read_start};

use super::launcher::{self, CommandLine};
use super::maps::Maps;
use super::performance_data::PerformanceData;
use super::status::{Life, ProcessState, Status};
use crate::{Obstacle, Vm};

/// More than HotSpot writes: 32 KiB, unless an option says otherwise.
const PERFORMANCE_DATA_LIMIT: u64 = 16 << 20;

/// A process at one moment.
pub(super) struct LinuxProcess {
    pub(super) pid: u32,
    pub(super) status: Status,
    pub(super) life: Life,
    /// `None` if this user may not look.
    pub(super) maps: Option<Maps>,
    pub(super) root: io::Result<ProcessRoot>,
    is_java: bool,
    line: CommandLine,
    data: PerformanceData,
}

/// A file of `/proc/PID`; its text may hold any bytes.
fn read(pid: u32, name: &str) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&read_start(format!("/proc/{pid}/{name}").as_ref(), PROC_LIMIT)?).into_owned())
}

/// Whether the process runs; `None` if there is none.
pub(super) fn life(pid: u32) -> Option<Life> {
    Life::parse(&read(pid, "stat").ok()?).filter(|life| life.state != ProcessState::Ended)
}

/// The user and the signals of a process; `None` if there is none.
pub(super) fn status(pid: u32) -> Option<Status> {
    Status::parse(&read(pid, "status").ok()?)
}

/// The name of a process: that of its program, or another one that it gave itself.
pub(super) fn name(pid: u32) -> String {
    read(pid, "comm").unwrap_or_default()
}

/// The user and the group that a process runs as; `None` if there is none.
pub fn user_of(pid: u32) -> Option<(u32, u32)> {
    status(pid).map(|status| status.user())
}

/// What a JVM writes into its file of performance data now. It is read as the JVM's user, who says where it is.
pub(super) fn performance_data(user: (u32, u32), root: &ProcessRoot, path: &Path) -> Option<PerformanceData> {
    PerformanceData::parse(&read_as(user, root, path, PERFORMANCE_DATA_LIMIT)?)
}

/// Reads the start of a file by a path that a process says: as its user.
pub(super) fn read_as(user: (u32, u32), root: &ProcessRoot, path: &Path, limit: u64) -> Option<Vec<u8>> {
    as_user(user, || root.read(path, limit)).ok()?.ok()
}

impl LinuxProcess {
    /// Looks at a process; `None` if there is none.
    pub(super) fn from_pid(pid: u32) -> Option<LinuxProcess> {
        let before = life(pid)?;
        let maps = read(pid, "maps").ok().map(|text| Maps::parse(&text));
        let arguments: Vec<String> =
            read(pid, "cmdline").unwrap_or_default().split_terminator('\0').map(str::to_owned).collect();
        let root = ProcessRoot::open_process(pid);
        let status = status(pid)?;
        let data = || performance_data(status.user(), root.as_ref().ok()?, maps.as_ref()?.performance_data.as_ref()?);
        let data = data().unwrap_or_default();
        // All of this is of one process only if it is still the same.
        let life = life(pid).filter(|life| life.start == before.start)?;
        let is_java = arguments.first().is_some_and(|program| launcher::is_java(program));
        Some(LinuxProcess { pid, status, life, maps, root, is_java, line: CommandLine::parse(&arguments), data })
    }

    /// The process id that it sees itself.
    pub(super) fn inner_pid(&self) -> u32 {
        self.status.pids.last().copied().unwrap_or(self.pid)
    }

    /// Whether it is a JVM. Where its mapped files cannot be seen, its name and what HotSpot leaves in `/tmp` decide.
    pub(super) fn is_jvm(&self) -> bool {
        match &self.maps {
            Some(maps) => maps.vm.is_some(),
            None => self.is_java || self.shares_pids() && self.left_performance_data(),
        }
    }

    /// Which virtual machine it is, if it is one and may be looked into.
    pub(super) fn vm(&self) -> Option<Vm> {
        self.maps.as_ref()?.vm
    }

    fn shares_pids(&self) -> bool {
        self.status.pids.len() <= 1
    }

    fn left_performance_data(&self) -> bool {
        use std::os::unix::fs::MetadataExt;
        let folders = fs::read_dir("/tmp").into_iter().flatten().filter_map(Result::ok);
        folders
            .filter(|folder| folder.file_name().to_string_lossy().starts_with("hsperfdata_"))
            .filter_map(|folder| fs::symlink_metadata(folder.path().join(self.pid.to_string())).ok())
            // One that a killed JVM left can be of another user.
            .any(|file| file.is_file() && file.uid() == self.status.uid)
    }

    /// What it runs.
    pub(super) fn main(&self) -> Option<String> {
        launcher::main(self.data.command(), self.line.main.as_deref())
    }

    /// The version of Java, by the JVM's own word or by the file `release` of its home.
    pub(super) fn version(&self) -> Option<String> {
        self.data.version().map(str::to_owned).or_else(|| {
            let (root, libjvm) = (self.root.as_ref().ok()?, self.maps.as_ref()?.libjvm.as_ref()?);
            // It is in HOME/lib/server; before Java 9 in HOME/jre/lib/amd64/server.
            libjvm.ancestors().skip(2).take(4).find_map(|home| released(self.status.user(), root, home))
        })
    }

    /// Opens the folder `/tmp` that the JVM sees.
    pub(super) fn temporary(&self) -> Result<Folder, (PathBuf, io::Error)> {
        let path = PathBuf::from(format!("/proc/{}/root/tmp", self.pid));
        match &self.root {
            Ok(root) => root.open_folder("/tmp".as_ref(), path.clone()).map_err(|e| (path, e)),
            // A JVM that gained privileges by its file hides its root even from its user (JDK-8226919). With the same
            // process ids it most likely has the same `/tmp`, and the socket there tells its process.
            Err(_) if self.shares_pids() => {
                let here = ProcessRoot::open_here().and_then(|root| root.open_folder("/tmp".as_ref(), "/tmp".into()));
                here.map_err(|e| (path, e))
            }
            Err(e) => Err((path, io::Error::from(e.kind()))),
        }
    }

    /// Why one cannot attach to it now.
    pub(super) fn obstacle(&self) -> Option<Obstacle> {
        let me = geteuid();
        if !me.is_root() && me.as_raw() != self.status.uid {
            return Some(Obstacle::OtherUser);
        }
        if self.vm() == Some(Vm::OpenJ9) {
            return Some(Obstacle::OpenJ9);
        }
        if !self.data.lets_attach().unwrap_or(!self.line.disables_attach) {
            return Some(Obstacle::Disabled);
        }
        match self.life.state {
            ProcessState::Stopped => return Some(Obstacle::Stopped),
            ProcessState::Traced => return Some(Obstacle::Traced),
            ProcessState::Running | ProcessState::Ended => {}
        }
        // With -Xrs it listens from the start, if at all.
        let listens = || {
            let name = socket_name(self.inner_pid());
            self.temporary().is_ok_and(|folder| folder.find_socket(&name).is_ok_and(|socket| socket.is_some()))
        };
        (!self.status.handles_quit && !listens()).then_some(Obstacle::NotReady)
    }
}

/// The name of the socket at which a JVM listens.
pub(super) fn socket_name(inner_pid: u32) -> String {
    format!(".java_pid{inner_pid}")
}

/// The version in the file `release` of a Java home.
fn released(user: (u32, u32), root: &ProcessRoot, home: &Path) -> Option<String> {
    let text = read_as(user, root, &home.join("release"), 1 << 16)?;
    let text = String::from_utf8_lossy(&text);
    let version = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    Some(version.trim().trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::{LinuxProcess, life, name};

    #[test]
    fn this_process_is_seen_and_is_no_jvm() {
        let pid = std::process::id();
        let process = LinuxProcess::from_pid(pid).unwrap();
        assert_eq!(process.status.uid, rustix::process::geteuid().as_raw());
        assert_eq!(Some(process.life.start), life(pid).map(|life| life.start));
        assert!(!process.is_jvm());
        assert!(!name(pid).is_empty());
    }

    #[test]
    fn no_process_has_the_largest_number() {
        assert!(LinuxProcess::from_pid(u32::MAX).is_none());
    }
}
