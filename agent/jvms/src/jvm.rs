//! What is known of a JVM without attaching to it.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// A JVM that runs on this machine.
///
/// Its texts come from the process: whoever prints them replaces control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jvm {
    /// The process id as seen from here.
    pub pid: u32,
    /// The process id that the JVM itself sees: another one if it runs in a container.
    pub inner_pid: u32,
    /// The user it runs as (effective uid).
    pub uid: u32,
    /// The name of that user in `/etc/passwd`, or else the uid.
    pub user: String,
    /// The main class, jar, `module/class`, source file or `@file` of options; `None` if there is none to be seen.
    pub main: Option<String>,
    /// The version of Java, such as `21.0.8`; `None` if it cannot be read.
    pub version: Option<String>,
    /// Which virtual machine it is; `None` if the process may not be looked into.
    pub vm: Option<Vm>,
    /// Why one cannot attach to it now; `None` if one can.
    pub obstacle: Option<Obstacle>,
    /// The mapped file whose name begins with `libweighbridge`, by its path in `/proc/PID/maps`: the JVM has the agent.
    pub weighbridge: Option<PathBuf>,
}

/// What a JVM has counted, since it started, of the moments at which it stopped all threads of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Safepoints {
    /// How many there were.
    pub count: u64,
    /// How long the program was stopped by them, from the request to the release of the threads.
    pub time: Duration,
}

/// The kinds of virtual machine that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vm {
    /// OpenJDK's, and what descends from it.
    HotSpot,
    /// Eclipse OpenJ9, IBM Semeru.
    OpenJ9,
}

impl fmt::Display for Vm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Vm::HotSpot => "HotSpot",
            Vm::OpenJ9 => "OpenJ9",
        })
    }
}

/// Why one cannot attach to a JVM. `Display` gives a word or two for a table; [`Error`](crate::Error) has the sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// It runs as another user, and this process is not root.
    OtherUser,
    /// It is OpenJ9, which has another protocol.
    OpenJ9,
    /// It was started with `-XX:+DisableAttachMechanism`.
    Disabled,
    /// It is stopped, by SIGSTOP or the terminal.
    Stopped,
    /// A debugger such as gdb holds it.
    Traced,
    /// It has no handler for SIGQUIT and does not listen: it is starting, or was started with `-Xrs`.
    NotReady,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Obstacle::OtherUser => "other user's",
            Obstacle::OpenJ9 => "OpenJ9",
            Obstacle::Disabled => "disabled",
            Obstacle::Stopped => "stopped",
            Obstacle::Traced => "in a debugger",
            Obstacle::NotReady => "not ready",
        })
    }
}
