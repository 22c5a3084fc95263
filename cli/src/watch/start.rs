//! When a process started, as `/proc` tells.

use std::fs;
use std::path::{Path, PathBuf};

/// What `/proc/PID/stat` says of a process's start.
#[derive(PartialEq, Eq)]
pub(super) enum Start {
    /// Clock ticks after the machine's.
    At(u64),
    /// It has ended, and its parent has not asked for its exit code yet.
    Ended,
    /// There is no such file, or it may not be read (`hidepid`, proc(5)).
    Hidden,
}

pub(super) fn start_ticks(pid: u32) -> Start {
    let Ok(stat) = fs::read_to_string(folder(pid).join("stat")) else { return Start::Hidden };
    // The name may hold spaces and brackets. Behind it: state, and 18 fields before the start (proc_pid_stat(5)).
    let mut fields = stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace();
    match fields.next() {
        Some("Z" | "X") => Start::Ended,
        _ => fields.nth(18).and_then(|ticks| ticks.parse().ok()).map_or(Start::Hidden, Start::At),
    }
}

pub(super) fn folder(pid: u32) -> PathBuf {
    Path::new("/proc").join(pid.to_string())
}
