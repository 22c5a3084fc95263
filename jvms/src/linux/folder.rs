//! The folder `/tmp` of a JVM: HotSpot on Linux makes its socket there, whatever `java.io.tmpdir` says.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat, unlinkat};

use super::root::Root;

/// The folder, held open.
#[derive(Debug)]
pub(super) struct Folder {
    open: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens `/tmp` below a root folder; `path` names it in messages.
    pub(super) fn open(root: &Root, path: PathBuf) -> Result<Folder, (PathBuf, io::Error)> {
        match root.open("/tmp".as_ref(), OFlags::PATH | OFlags::DIRECTORY) {
            Ok(open) => Ok(Folder { open, path }),
            Err(e) => Err((path, e)),
        }
    }

    /// Its path as seen from here, for messages.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Its path by the open descriptor: it leads to this folder even if the process ends or a link is changed, and it
    /// is short enough for the address of a socket.
    pub(super) fn open_path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.open.as_raw_fd()))
    }

    /// The owner of a socket in it; `None` if there is no such socket.
    pub(super) fn owner_of_socket(&self, name: &str) -> Option<u32> {
        let stat = statat(&self.open, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        (FileType::from_raw_mode(stat.st_mode) == FileType::Socket).then_some(stat.st_uid)
    }

    /// The owner of a file in it, if there is one.
    pub(super) fn owner(&self, name: &str) -> Option<u32> {
        statat(&self.open, name, AtFlags::SYMLINK_NOFOLLOW).ok().map(|stat| stat.st_uid)
    }

    /// Makes an empty file that is not there yet.
    pub(super) fn create(&self, name: &str) -> io::Result<()> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        openat(&self.open, name, flags, Mode::RUSR | Mode::WUSR)?;
        Ok(())
    }

    /// Removes a file, if it can.
    pub(super) fn remove(&self, name: &str) {
        let _ = unlinkat(&self.open, name, AtFlags::empty());
    }
}
