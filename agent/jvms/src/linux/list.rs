//! All JVMs that can be seen.

use std::fs;

use super::process::LinuxProcess;
use super::users;
use crate::{Error, Jvm};

/// All JVMs that this user can see, by process id: those of other users by their program's name `java` or by what they
/// leave in `/tmp`. It reads a few files of `/proc` for each process and touches none.
///
/// # Errors
/// [`Error::NoProc`] if there is no `/proc`, [`Error::OtherSystem`] where there cannot be one.
pub fn list() -> Result<Vec<Jvm>, Error> {
    let entries = fs::read_dir("/proc").map_err(Error::NoProc)?;
    let mut pids: Vec<u32> = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    pids.sort_unstable();
    let processes = pids.into_iter().filter_map(LinuxProcess::from_pid).filter(LinuxProcess::is_jvm);
    Ok(processes.map(jvm).collect())
}

fn jvm(process: LinuxProcess) -> Jvm {
    Jvm {
        pid: process.pid,
        inner_pid: process.inner_pid(),
        uid: process.status.uid,
        user: users::name(process.status.uid),
        main: process.main(),
        version: process.version(),
        vm: process.vm(),
        obstacle: process.obstacle(),
        weighbridge: process.maps.and_then(|maps| maps.weighbridge),
    }
}
