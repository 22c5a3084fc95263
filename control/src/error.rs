//! What can go wrong between a client and the agent, each in one sentence.

use std::io;
use std::path::{Path, PathBuf};

/// Why a server did not start, or a client got no answer.
///
/// `Display` gives one line without control characters, whatever the other side sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The folder or file is not as it has to be. Anybody else who may write there could act as the agent.
    #[error("{}: {why}", .path.display())]
    Unsafe {
        /// The folder or file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Another agent listens at this socket.
    #[error("{}: another agent listens there", .0.display())]
    InUse(PathBuf),
    /// Nobody listens at this socket.
    #[error("{}: no agent listens there", .0.display())]
    NoAgent(PathBuf),
    /// The system refused.
    #[error("{what}: {reason}")]
    Io {
        /// What was tried.
        what: String,
        /// The system's reason.
        reason: io::Error,
    },
    /// The agent answered with an error.
    #[error("the agent says: {}", printable(.0))]
    Refused(String),
    /// The agent sent something else than the protocol has.
    #[error("the agent's answer cannot be read: {}", printable(.0))]
    Protocol(String),
    /// No answer in the time that was given.
    #[error("the agent has not answered in time")]
    Late,
    /// The agent closed the connection, or its process ended.
    #[error("the agent closed the connection")]
    Closed,
    /// An address or token that cannot be used.
    #[error("{0}")]
    Address(String),
    /// This system has no control sockets that only their owner can open.
    #[error("there is no control channel on this system: it needs Unix sockets")]
    Unsupported,
}

/// The result of every fallible call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Error {
        move |reason| Error::Io { what: what.into(), reason }
    }

    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Error {
        Error::io(path.display().to_string())
    }
}

/// A text from the other side, with control characters escaped: a terminal must not act on them.
fn printable(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}
