//! The folder of control sockets: who may have made it, which sockets are live, how one is made.

use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use socket2::{Domain, SockAddr, Socket, Type};

use crate::error::{Error, Result};

/// How often a socket is tried while other agents remove the folder that they leave empty.
const TRIES: usize = 10;

/// A listening socket's file; dropping removes it, and the folder if it is empty.
pub(crate) struct SocketFile(pub(crate) PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        // Nobody is told if this fails: whoever lists the folder next removes what is dead.
        let _ = fs::remove_file(&self.0);
        let _ = self.0.parent().map(fs::remove_dir);
    }
}

/// Listens at `PID.sock` of a folder of this user, which is made if there is none.
pub(crate) fn listen(folder: &Path, user: u32, pid: u32) -> Result<(UnixListener, SocketFile)> {
    let mut tried = 0;
    loop {
        tried += 1;
        match try_to_listen(folder, user, pid) {
            Err(Error::Io { reason, .. }) if reason.kind() == ErrorKind::NotFound && tried < TRIES => {}
            result => return result,
        }
    }
}

fn try_to_listen(folder: &Path, user: u32, pid: u32) -> Result<(UnixListener, SocketFile)> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(Error::at(folder)(error)),
        _ => check(folder, user)?,
    }
    let path = folder.join(format!("{pid}.sock"));
    if state(&path)? == State::Live {
        return Err(Error::InUse(path));
    }
    // Renamed when it listens: a client that finds the name must not find a socket that refuses, which looks dead.
    let unready = folder.join(format!("{pid}.new"));
    let _ = fs::remove_file(&unready);
    let listener = UnixListener::bind(&unready).map_err(Error::at(&unready))?;
    let mut file = SocketFile(unready);
    fs::set_permissions(&file.0, Permissions::from_mode(0o600)).map_err(Error::at(&file.0))?;
    listener.set_nonblocking(true).map_err(Error::at(&file.0))?;
    fs::rename(&file.0, &path).map_err(Error::at(&path))?;
    file.0 = path;
    Ok((listener, file))
}

/// Lists the live sockets of a user's folder, with the numbers of their processes, and removes the dead ones.
pub(crate) fn list(folder: &Path, user: u32) -> Result<Vec<(u32, PathBuf)>> {
    match check(folder, user) {
        Err(Error::Io { reason, .. }) if reason.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        result => result?,
    }
    let mut live = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::at(folder))? {
        let path = entry.map_err(Error::at(folder))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let Some(pid) = name.and_then(|name| name.strip_suffix(".sock")?.parse().ok()) else { continue };
        match state(&path) {
            Ok(State::Live) => live.push((pid, path)),
            Ok(State::Dead) => drop(fs::remove_file(&path)),
            Ok(State::Absent) | Err(_) => {}
        }
    }
    live.sort();
    Ok(live)
}

/// Whether only this user can have put something into the folder.
fn check(folder: &Path, user: u32) -> Result<()> {
    let about = fs::symlink_metadata(folder).map_err(Error::at(folder))?;
    let why = if about.is_symlink() {
        "it is a symbolic link, not a folder".to_owned()
    } else if !about.is_dir() {
        "it is not a folder".to_owned()
    } else if about.uid() != user {
        format!("it belongs to the user {}, not to {user}", about.uid())
    } else if about.mode() & 0o077 != 0 {
        format!("others can open it (mode {:03o}); it must be 700", about.mode() & 0o777)
    } else {
        return Ok(());
    };
    Err(Error::Unsafe { path: folder.to_owned(), why })
}

#[derive(PartialEq)]
enum State {
    Absent,
    /// A socket at which nobody listens: its process has ended.
    Dead,
    Live,
}

fn state(path: &Path) -> Result<State> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(State::Absent),
        Err(error) => return Err(Error::at(path)(error)),
        Ok(about) if !about.file_type().is_socket() => {
            return Err(Error::Unsafe { path: path.to_owned(), why: "it is not a socket".to_owned() });
        }
        Ok(_) => {}
    }
    match connect(path).map_err(|error| error.kind()) {
        Err(ErrorKind::ConnectionRefused) => Ok(State::Dead),
        Err(ErrorKind::NotFound) => Ok(State::Absent),
        // Also what refuses for another reason: it must not be removed.
        _ => Ok(State::Live),
    }
}

/// Connects without waiting: a stopped process accepts nobody, and its queue may be full (`WouldBlock`).
pub(crate) fn connect(path: &Path) -> io::Result<UnixStream> {
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    socket.connect(&SockAddr::unix(path)?)?;
    socket.set_nonblocking(false)?;
    Ok(UnixStream::from(OwnedFd::from(socket)))
}
