//! Where an agent listens, and who may come there.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// The Unix socket `PID.sock` in this folder, which only its user may open. See [`folder`].
    Socket {
        /// The folder; it is made if there is none.
        folder: PathBuf,
    },
    /// A TCP address, for clients that know the token.
    Tcp {
        /// The address; port 0 takes a free port.
        address: SocketAddr,
        /// The file with the token. See [`read_token`](crate::read_token).
        token: PathBuf,
    },
}

impl Endpoint {
    /// The socket in this user's [`folder`], where clients look.
    pub fn own() -> Endpoint {
        Endpoint::Socket { folder: folder(Path::new("/"), user()) }
    }

    /// A TCP address, written as `PORT` (of the loopback interface) or `ADDRESS:PORT`.
    ///
    /// # Errors
    /// The text is neither. Names of hosts are not looked up.
    pub fn tcp(address: &str, token: impl Into<PathBuf>) -> Result<Endpoint> {
        let loopback = address.parse().map(|port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
        let address = loopback.or_else(|_| address.parse()).map_err(|_| {
            Error::Address(format!("{address:?} is neither a port nor an address with a port, like 127.0.0.1:7070"))
        })?;
        Ok(Endpoint::Tcp { address, token: token.into() })
    }
}

/// The folder of a user's control sockets: `/tmp/weighbridge-UID`, below `root`.
///
/// `root` is `/`, or `/proc/PID/root` for a process that has other file systems (a container). It is `/tmp` whatever
/// `TMPDIR` says, so that clients find it: the program may have another `TMPDIR`.
pub fn folder(root: &Path, user: u32) -> PathBuf {
    root.join("tmp").join(folder_name(user))
}

/// The name of a user's folder in `/tmp`.
pub(crate) fn folder_name(user: u32) -> String {
    format!("weighbridge-{user}")
}

/// The effective user id of this process; 0 where there are none.
pub fn user() -> u32 {
    #[cfg(unix)]
    return rustix::process::geteuid().as_raw();
    #[cfg(not(unix))]
    return 0;
}
