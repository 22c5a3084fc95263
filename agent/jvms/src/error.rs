//! Why a JVM could not be found, reached or changed.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// One sentence that names the process, the reason and what to do. No error leaves a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// This is not Linux.
    #[error("attaching is built for Linux only; start the program with -agentpath instead")]
    OtherSystem,
    /// `/proc` cannot be read.
    #[error("cannot read /proc ({0}); mount it, then try again")]
    NoProc(io::Error),
    /// Nothing has that process id.
    #[error("there is no process {pid}; `weighbridge jvms` lists the JVMs")]
    NoProcess {
        /// The process id.
        pid: u32,
    },
    /// The process has no `libjvm.so` mapped. It got no signal.
    #[error("process {pid} ({name}) is no JVM; `weighbridge jvms` lists the JVMs")]
    NoJvm {
        /// The process id.
        pid: u32,
        /// The process's name (`/proc/PID/comm`).
        name: String,
    },
    /// The process runs as another user, and this one does not run as root.
    #[error("process {pid} belongs to the user {owner}; attach as {owner}{}", if .owner == "root" { "" } else { " or as root" })]
    OtherUser {
        /// The process id.
        pid: u32,
        /// The name of its user, or the uid.
        owner: String,
    },
    /// The process runs OpenJ9.
    #[error("process {pid} runs OpenJ9, and only HotSpot can be attached to; start the program with HotSpot")]
    OpenJ9 {
        /// The process id.
        pid: u32,
    },
    /// The JVM was told not to let anybody attach.
    #[error(
        "process {pid} was started with -XX:+DisableAttachMechanism; start it without this option, or with -agentpath"
    )]
    Disabled {
        /// The process id.
        pid: u32,
    },
    /// The process is stopped by a signal, so it cannot answer.
    #[error("process {pid} is stopped; continue it with `kill -CONT {pid}` and attach again")]
    Stopped {
        /// The process id.
        pid: u32,
    },
    /// A debugger holds the process, so it cannot answer.
    #[error("process {pid} is held by a debugger; let it continue and attach again")]
    Traced {
        /// The process id.
        pid: u32,
    },
    /// SIGQUIT would end the process, so it was not sent.
    #[error(
        "process {pid} does not handle SIGQUIT: it is starting or has signals off (-Xrs); attach later, or start it without -Xrs"
    )]
    NotReady {
        /// The process id.
        pid: u32,
    },
    /// The process ended, or another one has its id now.
    #[error("process {pid} ended before it answered; start the program again")]
    Ended {
        /// The process id.
        pid: u32,
    },
    /// The patience ended first. A command that was sent may still be carried out.
    #[error(
        "process {pid} did not answer within {patience:?}; see that it is not paused and can write to {temporary}, then attach again"
    )]
    NoAnswer {
        /// The process id.
        pid: u32,
        /// How long was waited.
        patience: Duration,
        /// The folder for its socket.
        temporary: PathBuf,
    },
    /// The folder for the socket is not there, or closed to this user.
    #[error("process {pid} has no folder {temporary} for its attach socket ({source}); make one that it can write to")]
    NoTemporary {
        /// The process id.
        pid: u32,
        /// The JVM's `/tmp` as seen from here.
        temporary: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file that asks the JVM to listen could not be made: the disk is full, or the folder read-only.
    #[error("cannot make {path}, which asks process {pid} to listen ({source}); make room or let it be written to")]
    CannotWrite {
        /// The process id.
        pid: u32,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file of the protocol belongs to another process or user.
    #[error("{path} is not of process {pid}; remove it and attach again")]
    Foreign {
        /// The process id.
        pid: u32,
        /// The file.
        path: PathBuf,
    },
    /// The socket is there, but nothing listens.
    #[error("process {pid} does not listen at {path} ({source}); remove this file and attach again")]
    NotListening {
        /// The process id.
        pid: u32,
        /// The socket.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The JVM ended the connection and said nothing.
    #[error(
        "process {pid} closed the connection without an answer; attach with its uid {uid} and gid {gid}, or as root"
    )]
    Closed {
        /// The process id.
        pid: u32,
        /// The user that the JVM answers.
        uid: u32,
        /// The group that the JVM answers.
        gid: u32,
    },
    /// The JVM answered with an error, in its own words.
    #[error("process {pid} refused the command `{command}`: {text}")]
    Refused {
        /// The process id.
        pid: u32,
        /// The command of the protocol.
        command: String,
        /// What the JVM says, on one line.
        text: String,
    },
    /// The library was loaded, and its `Agent_OnAttach` failed.
    #[error("the agent {library} failed in process {pid} with code {code}; see the standard error of that program")]
    Agent {
        /// The process id.
        pid: u32,
        /// The library, by its path in the JVM's file system.
        library: String,
        /// What `Agent_OnAttach` returned.
        code: i32,
    },
    /// The library is for another processor than the JVM.
    #[error("{library} is for {built_for}, but process {pid} runs on {needed}; use the library for {needed}")]
    Architecture {
        /// The process id.
        pid: u32,
        /// The library, by its path in the JVM's file system.
        library: String,
        /// What the library is for.
        built_for: String,
        /// What the JVM's executable is for.
        needed: String,
    },
    /// The protocol cannot carry this command or argument.
    #[error(
        "{what} cannot be sent to process {pid}: HotSpot takes at most {limit} bytes, without a zero byte; use a shorter one"
    )]
    Argument {
        /// The process id.
        pid: u32,
        /// The name or argument.
        what: String,
        /// The longest there is, in bytes.
        limit: usize,
    },
    /// A call to the system failed that should not.
    #[error("process {pid}: cannot {what} ({source}); attach again, as root if this user may not")]
    System {
        /// The process id.
        pid: u32,
        /// What was tried.
        what: &'static str,
        /// What the system says.
        source: io::Error,
    },
}
