//! What has a name, found without opening it: a pipe that is opened may wait for ever, and a device may act.

use std::fs::File;
use std::io::{self, Read};
#[cfg(target_os = "linux")]
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fstat, openat};

/// Flags for a file that is opened. Whoever has a lease on it (fcntl(2)) is not waited for.
pub(crate) const AT_ONCE: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// A file, a folder or anything else that was found. It is not opened. On Linux it stays the same one, even if something
/// else has its name by now.
#[derive(Debug)]
pub struct Named {
    #[cfg(target_os = "linux")]
    open: OwnedFd,
    #[cfg(not(target_os = "linux"))]
    path: PathBuf,
    stat: Stat,
}

impl Named {
    /// Finds what a path leads to that nobody else can change, or that the system itself makes: `/proc/PID/fd/N` leads to
    /// the very file that the process has open. Links are followed.
    ///
    /// # Errors
    /// The system's.
    pub fn find(path: &Path) -> io::Result<Named> {
        #[cfg(target_os = "linux")]
        return Ok(Named::hold(openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?)?);
        #[cfg(not(target_os = "linux"))]
        Ok(Named { path: path.to_owned(), stat: rustix::fs::stat(path)? })
    }

    /// Takes a descriptor that only names something.
    #[cfg(target_os = "linux")]
    pub(crate) fn hold(open: OwnedFd) -> rustix::io::Result<Named> {
        Ok(Named { stat: fstat(&open)?, open })
    }

    /// Whether it is a file: no folder, pipe, socket or device.
    pub fn is_file(&self) -> bool {
        FileType::from_raw_mode(self.stat.st_mode) == FileType::RegularFile
    }

    /// Whether it is a folder.
    pub fn is_folder(&self) -> bool {
        FileType::from_raw_mode(self.stat.st_mode) == FileType::Directory
    }

    pub(crate) fn stat(&self) -> &Stat {
        &self.stat
    }

    /// A path that leads to it, valid as long as this value.
    pub fn path(&self) -> PathBuf {
        #[cfg(target_os = "linux")]
        return PathBuf::from(format!("/proc/self/fd/{}", self.open.as_raw_fd()));
        #[cfg(not(target_os = "linux"))]
        return self.path.clone();
    }

    /// Opens it for reading, if it is a file.
    ///
    /// # Errors
    /// The system's, and that it is no file.
    pub fn open(&self) -> io::Result<File> {
        self.check_is_file()?;
        let file = self.open_again(OFlags::RDONLY)?;
        // By its path it may be another one.
        #[cfg(not(target_os = "linux"))]
        check_same(&file, &self.stat)?;
        Ok(file)
    }

    fn check_is_file(&self) -> io::Result<()> {
        match FileType::from_raw_mode(self.stat.st_mode) {
            FileType::RegularFile => Ok(()),
            FileType::Directory => Err(io::ErrorKind::IsADirectory.into()),
            _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file")),
        }
    }

    /// Opens it, whatever it is.
    pub(crate) fn open_again(&self, access: OFlags) -> rustix::io::Result<File> {
        Ok(openat(CWD, self.path(), access | AT_ONCE, Mode::empty())?.into())
    }
}

/// Refuses a file that is not the one that was looked at.
pub(crate) fn check_same(file: &File, stat: &Stat) -> io::Result<()> {
    let opened = fstat(file)?;
    match (opened.st_dev, opened.st_ino) == (stat.st_dev, stat.st_ino) {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "something else has its name by now")),
    }
}

/// Opens a file for reading, by a path as of [`Named::find`]. What is no file is an error: it is not opened.
///
/// # Errors
/// The system's, and that it is no file.
pub fn open_file(path: &Path) -> io::Result<File> {
    let named = Named::find(path)?;
    match named.open() {
        // A program may run where there is no /proc.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let file = File::from(openat(CWD, path, OFlags::RDONLY | AT_ONCE, Mode::empty())?);
            check_same(&file, &named.stat).map(|()| file)
        }
        opened => opened,
    }
}

/// So much is read of a file in `/proc` at most. More than Linux lets a command line or variables have (6 MiB), and the lines
/// of 300,000 mappings. A process may make all of them longer.
pub const PROC_LIMIT: u64 = 32 << 20;

/// Reads the start of a file, at most `limit` bytes: of one in `/proc`, whose length is up to the process.
///
/// # Errors
/// As of [`open_file`].
pub fn read_start(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::{self, File};
    use std::os::fd::AsRawFd;

    use super::{Named, read_start};

    #[test]
    fn what_was_found_stays_the_same_whatever_gets_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "the first").unwrap();
        let named = Named::find(&path).unwrap();
        assert!(named.is_file() && !named.is_folder());
        fs::rename(&path, folder.path().join("moved")).unwrap();
        fs::write(&path, "the second").unwrap();
        assert_eq!(fs::read_to_string(named.path()).unwrap(), "the first");
        assert_eq!(std::io::read_to_string(named.open().unwrap()).unwrap(), "the first");
    }

    #[test]
    fn a_descriptor_of_a_process_leads_to_its_file_though_the_name_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "still there").unwrap();
        let open = File::open(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let link = format!("/proc/{}/fd/{}", std::process::id(), open.as_raw_fd());
        assert_eq!(read_start(link.as_ref(), 5).unwrap(), b"still");
    }
}
