//! A folder that another user may change at any moment.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fdatasync, fstat, linkat, mkdirat, openat, renameat, statat,
    unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;

#[cfg(target_os = "linux")]
use crate::named::Named;
use crate::named::{AT_ONCE, check_same};
use crate::step::step;

/// Why a folder or file is not used.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It is not what it has to be: somebody else may have put it there.
    #[error("{0}")]
    Unsafe(String),
    /// The system refused.
    #[error("{0}")]
    System(#[from] io::Error),
}

impl From<Errno> for Fault {
    fn from(error: Errno) -> Fault {
        Fault::System(error.into())
    }
}

impl Fault {
    /// Whether the file or folder is not there, or the folder that it was in has been removed.
    pub fn is_absent(&self) -> bool {
        matches!(self, Fault::System(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

/// What is in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderEntry {
    /// Its name.
    pub name: OsString,
    /// Whether it is a folder, not a link to one.
    pub is_folder: bool,
    /// When it was written to last.
    pub modified: SystemTime,
}

/// A folder, held open: it stays the same one, whatever is moved or linked meanwhile.
///
/// What is in it is named by one name without slashes, and no symbolic link with that name is followed. Each call looks at
/// what it opened, never at a path and then at the path again. What is made belongs to the user of the calling thread:
/// root calls [`as_user`](crate::as_user).
#[derive(Debug)]
pub struct Folder {
    open: OwnedFd,
    path: PathBuf,
}

/// A descriptor that only names what it opens, so that a pipe or a device is not touched by it.
#[cfg(target_os = "linux")]
const NAMED: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const NAMED: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::DIRECTORY);

/// A folder has no more entries that are looked at: another user may have put any number there.
const MOST_ENTRIES: usize = 10_000;

impl Folder {
    /// Takes a descriptor of a folder; `path` names it in messages.
    pub(crate) fn hold(open: OwnedFd, path: PathBuf) -> Folder {
        Folder { open, path }
    }

    /// Opens a folder by a path that nobody else can change. Links are followed.
    ///
    /// # Errors
    /// The system's.
    pub fn open(path: &Path) -> io::Result<Folder> {
        let open = openat(CWD, path, NAMED | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Folder { open, path: path.to_owned() })
    }

    /// Its path as seen from here, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The descriptor, for calls that take one.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.open.as_fd()
    }

    /// Opens a folder in this one that only the user can open.
    ///
    /// # Errors
    /// [`Fault::Unsafe`] if it is a link or a file, belongs to somebody else, or others can open it.
    pub fn open_private(&self, name: &str, user: u32) -> Result<Folder, Fault> {
        let open = self.open_at(name.as_ref(), NAMED)?;
        let stat = fstat(&open)?;
        let why = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => "it is a symbolic link, not a folder".to_owned(),
            FileType::Directory if stat.st_uid != user => {
                format!("it belongs to the user {}, not to {user}", stat.st_uid)
            }
            FileType::Directory if stat.st_mode & 0o077 != 0 => {
                format!("others can open it (mode {:03o}); it must be 700", stat.st_mode & 0o777)
            }
            FileType::Directory => return Ok(Folder { open, path: self.path.join(name) }),
            _ => "it is not a folder".to_owned(),
        };
        Err(Fault::Unsafe(why))
    }

    /// The same, and makes the folder if there is none; it is the calling thread's user's.
    ///
    /// # Errors
    /// As of [`Folder::open_private`].
    pub fn make_private(&self, name: &str) -> Result<Folder, Fault> {
        check_name(name.as_ref())?;
        step();
        match mkdirat(&self.open, name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        // Whoever may write to this folder can put another one there at this moment. So it is looked at, new or not.
        self.open_private(name, geteuid().as_raw())
    }

    /// Makes an empty file that is not there yet, with mode 0600.
    ///
    /// # Errors
    /// The system's, among them that there is something of this name.
    pub fn create_file(&self, name: &str) -> io::Result<File> {
        check_name(name.as_ref())?;
        step();
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.open, name, flags, Mode::RUSR | Mode::WUSR)?.into())
    }

    /// Writes a file whole: under another name, which is then given up for this one. What had the name before is replaced,
    /// not written to.
    ///
    /// # Errors
    /// The system's.
    pub fn write_file(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let unready = format!("{name}.{}", std::process::id());
        match self.remove_file(&unready) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = self.create_file(&unready)?;
        let written = file.write_all(content).and_then(|()| Ok(fdatasync(&file)?));
        written.and_then(|()| self.rename(&unready, name)).inspect_err(|_| {
            let _ = self.remove_file(&unready);
        })
    }

    /// Writes to a file that is there and is the user's, and replaces what it has.
    ///
    /// # Errors
    /// As of [`Folder::open_file`].
    pub fn overwrite_file(&self, name: &str, user: u32, content: &[u8]) -> Result<(), Fault> {
        let mut file = self.open_plain(name, user, OFlags::WRONLY)?;
        // Only now: before, it was not known what was opened.
        rustix::fs::ftruncate(&file, 0)?;
        Ok(file.write_all(content)?)
    }

    /// Opens a file for reading.
    ///
    /// # Errors
    /// [`Fault::Unsafe`] if it is a link, a pipe or a device, or if it is not the user's: such as a hard link to a file of
    /// somebody else.
    pub fn open_file(&self, name: &str, user: u32) -> Result<File, Fault> {
        self.open_plain(name, user, OFlags::RDONLY)
    }

    /// Reads a file of at most `limit` bytes.
    ///
    /// # Errors
    /// As of [`Folder::open_file`], and if it is longer.
    pub fn read_file(&self, name: &str, user: u32, limit: u64) -> Result<Vec<u8>, Fault> {
        let file = self.open_file(name, user)?;
        let mut bytes = Vec::new();
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        match bytes.len() as u64 > limit {
            true => Err(Fault::Unsafe(format!("it is longer than {limit} bytes"))),
            false => Ok(bytes),
        }
    }

    /// Looks what it is before it is opened: a pipe or a device is not touched.
    fn open_plain(&self, name: &str, user: u32, access: OFlags) -> Result<File, Fault> {
        #[cfg(target_os = "linux")]
        let named = Named::hold(self.open_at(name.as_ref(), OFlags::PATH)?)?;
        #[cfg(target_os = "linux")]
        let stat = *named.stat();
        #[cfg(not(target_os = "linux"))]
        let stat = self.stat(name.as_ref())?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile if stat.st_uid == user => {}
            FileType::RegularFile => {
                return Err(Fault::Unsafe(format!("it belongs to the user {}, not to {user}", stat.st_uid)));
            }
            FileType::Symlink => return Err(Fault::Unsafe("it is a symbolic link, not a file".to_owned())),
            _ => return Err(Fault::Unsafe("it is not a file".to_owned())),
        }
        #[cfg(target_os = "linux")]
        match named.open_again(access) {
            // A program may run where there is no /proc.
            Err(Errno::NOENT) => {}
            opened => return Ok(opened?),
        }
        let file = File::from(self.open_at(name.as_ref(), access | AT_ONCE)?);
        check_same(&file, &stat).map_err(|error| Fault::Unsafe(error.to_string()))?;
        Ok(file)
    }

    /// Opens what has this name, never what a link of this name leads to.
    pub(crate) fn open_at(&self, name: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
        check_name(name)?;
        step();
        openat(&self.open, name, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
    }

    /// The owner of what has this name, if there is something.
    pub fn find_owner(&self, name: &str) -> Option<u32> {
        self.stat(name.as_ref()).ok().map(|stat| stat.st_uid)
    }

    pub(crate) fn stat(&self, name: &OsStr) -> Result<Stat, Errno> {
        check_name(name)?;
        step();
        statat(&self.open, name, AtFlags::SYMLINK_NOFOLLOW)
    }

    /// What is in it, in no order: at most 10,000 entries.
    ///
    /// # Errors
    /// The system's.
    pub fn list_entries(&self) -> io::Result<Vec<FolderEntry>> {
        let mut entries = Vec::new();
        for name in self.list_names()? {
            let Ok(stat) = self.stat(&name) else { continue };
            let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
            let since = Duration::from_secs(u64::try_from(stat.st_mtime).unwrap_or(0));
            entries.push(FolderEntry { name, is_folder, modified: SystemTime::UNIX_EPOCH + since });
        }
        Ok(entries)
    }

    pub(crate) fn list_names(&self) -> io::Result<Vec<OsString>> {
        // A descriptor that only names a folder cannot list it.
        let readable = openat(&self.open, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let mut names = Vec::new();
        for entry in Dir::new(readable)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                names.push(name.to_owned());
            }
            if names.len() == MOST_ENTRIES {
                break;
            }
        }
        Ok(names)
    }

    /// Gives a file in it another name in it. What has that name is replaced.
    ///
    /// # Errors
    /// The system's.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        check_name(from.as_ref())?;
        check_name(to.as_ref())?;
        step();
        Ok(renameat(&self.open, from, &self.open, to)?)
    }

    /// Gives a file in it a second name in it, which must be free.
    ///
    /// # Errors
    /// The system's, among them that there is something of this name.
    pub fn link(&self, name: &str, second: &str) -> io::Result<()> {
        check_name(name.as_ref())?;
        check_name(second.as_ref())?;
        step();
        Ok(linkat(&self.open, name, &self.open, second, AtFlags::empty())?)
    }

    /// Removes what has this name and is no folder.
    ///
    /// # Errors
    /// The system's.
    pub fn remove_file(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        check_name(name.as_ref())?;
        step();
        Ok(unlinkat(&self.open, name.as_ref(), AtFlags::empty())?)
    }

    /// Removes a folder that is empty.
    ///
    /// # Errors
    /// The system's.
    pub fn remove_folder(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        check_name(name.as_ref())?;
        step();
        Ok(unlinkat(&self.open, name.as_ref(), AtFlags::REMOVEDIR)?)
    }
}

/// Gives a file that is open a second name: a path of this process's user, where it replaces another file if it may. No name
/// that the file has is looked at.
///
/// # Errors
/// The system's, among them that the path is on another disk, and that there is no `/proc`.
pub fn link_open_file(file: &File, path: &Path, replace: bool) -> io::Result<()> {
    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    let link = |to: &Path| linkat(CWD, open.as_str(), CWD, to, AtFlags::SYMLINK_FOLLOW);
    match link(path) {
        Err(Errno::EXIST) if replace => {}
        linked => return Ok(linked?),
    }
    // A link replaces nothing: it gets a name beside the path, which is then given up for it.
    let unready = path.with_file_name(format!(".weighbridge-{}", std::process::id()));
    link(&unready)?;
    renameat(CWD, &unready, CWD, path).inspect_err(|_| {
        let _ = unlinkat(CWD, &unready, AtFlags::empty());
    })?;
    Ok(())
}

/// A name is that of an entry. A path with slashes would lead elsewhere, and by links.
pub(crate) fn check_name(name: &OsStr) -> Result<(), Errno> {
    match name.as_bytes() {
        b"" | b"." | b".." => Err(Errno::INVAL),
        bytes if bytes.contains(&b'/') => Err(Errno::INVAL),
        _ => Ok(()),
    }
}
