//! Reads in `/proc` when a process started.

use std::fs;
use std::path::{Path, PathBuf};

/// A process's start according to `/proc/PID/stat`.
#[derive(PartialEq, Eq)]
pub(super) enum Start {
    /// Clock ticks since the machine started.
    At(u64),
    /// It has ended, and its parent has not asked for its exit code yet.
    Ended,
    /// There is no such file, or it may not be read (`hidepid`, proc(5)).
    Hidden,
}

pub(super) fn start_ticks(pid: u32) -> Start {
    let Ok(stat) = fs::read_to_string(folder(pid).join("stat")) else { return Start::Hidden };
    // The name may hold spaces and brackets. After it come the state and 18 fields before the start (proc_pid_stat(5)).
    let mut fields = stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace();
    match fields.next() {
        Some("Z" | "X") => Start::Ended,
        _ => fields.nth(18).and_then(|ticks| ticks.parse().ok()).map_or(Start::Hidden, Start::At),
    }
}

pub(super) fn folder(pid: u32) -> PathBuf {
    Path::new("/proc").join(pid.to_string())
}
