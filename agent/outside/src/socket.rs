//! Unix sockets in a folder that another user may change.

use std::io;
use std::path::PathBuf;

use rustix::fs::FileType;
#[cfg(target_os = "linux")]
use {rustix::fs::OFlags, rustix::fs::fstat, std::os::fd::AsRawFd, std::os::fd::OwnedFd};

use crate::folder::{Folder, check_name};

/// A socket that was found in a folder, and stays the same one. It is not connected.
#[derive(Debug)]
pub struct SocketName {
    #[cfg(target_os = "linux")]
    open: OwnedFd,
    #[cfg(not(target_os = "linux"))]
    path: PathBuf,
    owner: u32,
}

impl SocketName {
    /// The user who made it.
    pub fn owner(&self) -> u32 {
        self.owner
    }

    /// A path to connect to, valid as long as this value. On Linux it leads to the socket that was found, even if another one
    /// has its name by now, and it is short enough for the address of a socket.
    pub fn path(&self) -> PathBuf {
        #[cfg(target_os = "linux")]
        return PathBuf::from(format!("/proc/self/fd/{}", self.open.as_raw_fd()));
        #[cfg(not(target_os = "linux"))]
        return self.path.clone();
    }
}

impl Folder {
    /// Finds a socket; `None` if nothing has this name, or something else, such as a link to a socket.
    ///
    /// # Errors
    /// The system's.
    pub fn find_socket(&self, name: &str) -> io::Result<Option<SocketName>> {
        #[cfg(target_os = "linux")]
        let found = self.open_at(name.as_ref(), OFlags::PATH).and_then(|open| Ok((fstat(&open)?, open)));
        #[cfg(not(target_os = "linux"))]
        let found = self.stat(name.as_ref()).map(|stat| (stat, self.path().join(name)));
        match found {
            Ok((stat, _)) if FileType::from_raw_mode(stat.st_mode) != FileType::Socket => Ok(None),
            #[cfg(target_os = "linux")]
            Ok((stat, open)) => Ok(Some(SocketName { open, owner: stat.st_uid })),
            #[cfg(not(target_os = "linux"))]
            Ok((stat, path)) => Ok(Some(SocketName { path, owner: stat.st_uid })),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether something has this name that is no socket.
    pub fn is_no_socket(&self, name: &str) -> bool {
        self.stat(name.as_ref()).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) != FileType::Socket)
    }

    /// A path at which a socket of this name can be made, valid as long as the folder. On Linux it is in this folder, whatever
    /// has the folder's path by now. Making a socket follows no link.
    ///
    /// # Errors
    /// The name is no name.
    pub fn path_to_bind(&self, name: &str) -> io::Result<PathBuf> {
        check_name(name.as_ref())?;
        #[cfg(target_os = "linux")]
        {
            use std::os::fd::AsRawFd;
            let path = PathBuf::from(format!("/proc/self/fd/{}", self.descriptor().as_raw_fd()));
            // A program may run where there is no /proc.
            if path.exists() {
                return Ok(path.join(name));
            }
        }
        Ok(self.path().join(name))
    }
}
