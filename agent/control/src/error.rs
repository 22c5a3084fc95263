//! What can go wrong between a client and the agent, each in one sentence.

use std::io;
use std::path::{Path, PathBuf};

use weighbridge_outside::printable;

/// Why a server did not start, or a client got no answer.
///
/// `Display` gives one line without characters that act on a terminal, whatever the other side sent.
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

/// Why an agent that ends refuses what it has not done yet.
pub(crate) const STOPS: &str = "the agent stops";

/// The result of every fallible call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Whether the agent ended before it could answer: another may be there soon.
    pub fn is_an_end(&self) -> bool {
        match self {
            Error::Refused(why) => why == STOPS,
            error => matches!(error, Error::Closed | Error::NoAgent(_)),
        }
    }

    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Error {
        move |reason| Error::Io { what: what.into(), reason }
    }

    pub(crate) fn io_at_path(path: &Path) -> impl FnOnce(io::Error) -> Error {
        Error::io(path.display().to_string())
    }
}

#[cfg(unix)]
impl Error {
    pub(crate) fn fault(path: &Path) -> impl FnOnce(weighbridge_outside::Fault) -> Error {
        use weighbridge_outside::Fault;
        let path = path.to_owned();
        move |fault| match fault {
            Fault::Unsafe(why) => Error::Unsafe { path, why },
            Fault::System(reason) => Error::io_at_path(&path)(reason),
        }
    }
}
