//! The folder of control sockets: who may have made it, which sockets are live, how one is made.

use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, chmodat};
use socket2::{Domain, SockAddr, Socket, Type};
use weighbridge_outside::{Folder, SocketName};

use crate::error::{Error, Result};

/// How often a socket is tried while other agents remove the folder that they leave empty.
const TRIES: usize = 10;

/// A listening socket's file; dropping removes it, and the folder if it is empty.
pub(crate) struct SocketFile {
    pub(crate) path: PathBuf,
    name: String,
    folder: Folder,
    parent: Folder,
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // Nobody is told if this fails: whoever lists the folder next removes what is dead.
        let _ = self.folder.remove_file(&self.name);
        let _ = self.folder.path().file_name().map(|name| self.parent.remove_folder(name));
    }
}

/// Listens at `PID.sock` of a folder of this user, which is made if there is none.
pub(crate) fn listen(folder: &Path, pid: u32) -> Result<(UnixListener, SocketFile)> {
    let mut tried = 0;
    loop {
        tried += 1;
        match try_to_listen(folder, pid) {
            Err(Error::Io { reason, .. }) if reason.kind() == ErrorKind::NotFound && tried < TRIES => {}
            result => return result,
        }
    }
}

fn try_to_listen(path: &Path, pid: u32) -> Result<(UnixListener, SocketFile)> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Err(Error::Unsafe { path: path.to_owned(), why: "it is no folder for a socket".to_owned() });
    };
    let parent = Folder::open(parent).map_err(Error::io_at_path(parent))?;
    let folder = parent.make_private(name).map_err(Error::fault(path))?;
    let (name, path) = (format!("{pid}.sock"), path.join(format!("{pid}.sock")));
    match folder.find_socket(&name).map_err(Error::io_at_path(&path))? {
        Some(socket) if is_live(&socket) => return Err(Error::InUse(path)),
        // One that has come just now is no fault.
        None if folder.is_no_socket(&name) => {
            return Err(Error::Unsafe { path, why: "it is not a socket".to_owned() });
        }
        _ => {}
    }
    // Renamed when it listens: a client that finds the name must not find a socket that refuses, which looks dead.
    let unready = format!("{pid}.new");
    let _ = folder.remove_file(&unready);
    let listener = folder
        .path_to_bind(&unready)
        .and_then(UnixListener::bind)
        .map_err(Error::io_at_path(&folder.path().join(&unready)))?;
    let mut file = SocketFile { path, name: unready, folder, parent };
    let listens = || {
        chmodat(file.folder.descriptor(), &*file.name, Mode::RUSR | Mode::WUSR, AtFlags::empty())?;
        listener.set_nonblocking(true)?;
        file.folder.rename(&file.name, &name)
    };
    listens().map_err(Error::io_at_path(&file.path))?;
    file.name = name;
    Ok((listener, file))
}

/// Lists the live sockets of a user's folder, with the numbers of their processes, and removes the dead ones.
pub(crate) fn list(folder: &Folder, user: u32) -> Result<Vec<u32>> {
    let mut live = Vec::new();
    for entry in folder.list_entries().map_err(Error::io_at_path(folder.path()))? {
        let Some(name) = entry.name.to_str() else { continue };
        let Some(pid) = name.strip_suffix(".sock").and_then(|pid| pid.parse().ok()) else { continue };
        match folder.find_socket(name) {
            Ok(Some(socket)) if socket.owner() != user => {}
            Ok(Some(socket)) if is_live(&socket) => live.push(pid),
            Ok(Some(_)) => drop(folder.remove_file(name)),
            // Removed just now, or no socket.
            Ok(None) | Err(_) => {}
        }
    }
    live.sort_unstable();
    Ok(live)
}

/// Whether somebody listens. Also what refuses for another reason than that: it must not be removed.
fn is_live(socket: &SocketName) -> bool {
    let gone = |error: io::Error| matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::NotFound);
    !connect(socket).is_err_and(gone)
}

/// Connects without waiting: a stopped process accepts nobody, and its queue may be full (`WouldBlock`).
pub(crate) fn connect(found: &SocketName) -> io::Result<UnixStream> {
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    socket.connect(&SockAddr::unix(found.path())?)?;
    socket.set_nonblocking(false)?;
    Ok(UnixStream::from(OwnedFd::from(socket)))
}
