//! The JVMs that run on this machine: which there are ([`list`]), and how an agent gets into one ([`Target`]).
//!
//! This is HotSpot's attach protocol. It needs no JDK: a file that asks the JVM to listen, SIGQUIT, and a Unix socket
//! in `/tmp`. A JVM in a container is reached through `/proc/PID/root`. Nothing is printed. A call waits
//! for its patience, and at most half a second more for the end of a process that closed the connection. The file is
//! removed whatever happens, unless a signal ends this process.
//!
//! Source: `attachListener.cpp` and `attachListener_posix.cpp` of HotSpot, JDK-8179498 and JDK-8226919 for containers.

mod error;
mod jvm;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod unsupported;

/// The options of the java launcher whose value is the next argument, but for `-m`, `--module` and `--describe-module`,
/// after which it runs or tells something (JDK sources, `java.c`: `IsWhiteSpaceOption`).
pub const WITH_VALUE: [&str; 15] = [
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--enable-native-access",
    "--limit-modules",
    "--add-exports",
    "--add-opens",
    "--add-reads",
    "--patch-module",
    "--source",
    "-d",
];

pub use error::Error;
pub use jvm::{Jvm, Obstacle, Safepoints, Vm};
#[cfg(target_os = "linux")]
pub use linux::{AttachTarget, list, user_of};
#[cfg(not(target_os = "linux"))]
pub use unsupported::{AttachTarget, list, user_of};
