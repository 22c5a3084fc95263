//! Files below the root folder of a process, which may be in a container.

use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::Errno;

use crate::folder::Folder;
use crate::named::Named;

/// The root folder of a process, held open: it stays the same one if the process ends.
#[derive(Debug)]
pub struct ProcessRoot(OwnedFd);

impl ProcessRoot {
    /// That of a process. Linux allows it to the process's user, if the process gained no privileges, and to root.
    ///
    /// # Errors
    /// The system's, among them that this user may not.
    pub fn open_process(pid: u32) -> io::Result<ProcessRoot> {
        ProcessRoot::open_at(format!("/proc/{pid}/root").as_ref())
    }

    /// That of this process.
    ///
    /// # Errors
    /// The system's.
    pub fn open_here() -> io::Result<ProcessRoot> {
        ProcessRoot::open_at("/".as_ref())
    }

    /// Any folder, taken for a root.
    ///
    /// # Errors
    /// The system's.
    pub fn open_at(path: &Path) -> io::Result<ProcessRoot> {
        Ok(ProcessRoot(openat(CWD, path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?))
    }

    /// Opens a folder by its absolute path in the process; `shown` names it in messages.
    ///
    /// # Errors
    /// The system's.
    pub fn open_folder(&self, path: &Path, shown: PathBuf) -> io::Result<Folder> {
        Ok(Folder::hold(self.open(path, OFlags::PATH | OFlags::DIRECTORY)?, shown))
    }

    /// Finds what has an absolute path in the process, without opening it.
    ///
    /// # Errors
    /// The system's.
    pub fn find(&self, path: &Path) -> io::Result<Named> {
        Ok(Named::hold(self.open(path, OFlags::PATH)?)?)
    }

    /// Opens an absolute path of the process. A symbolic link in a container leads to a file in the container, never to
    /// one of this system.
    fn open(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::CLOEXEC;
        match openat2(&self.0, path, flags, Mode::empty(), ResolveFlags::IN_ROOT) {
            // Before Linux 5.6, and where a sandbox does not know the call.
            Err(Errno::NOSYS | Errno::PERM) => self.open_without_links(path, flags),
            opened => Ok(opened?),
        }
    }

    /// The same for a path without symbolic links; one with a link is an error.
    fn open_without_links(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let mut names = path.components().filter(|name| *name != Component::RootDir).peekable();
        let mut open = self.0.try_clone()?;
        while let Some(name) = names.next() {
            let Component::Normal(name) = name else { return Err(io::ErrorKind::InvalidInput.into()) };
            let folder = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let flags = if names.peek().is_some() { folder } else { flags };
            open = openat(&open, name, flags | OFlags::NOFOLLOW, Mode::empty())?;
        }
        Ok(open)
    }

    /// Reads the start of a file, at most `limit` bytes. What is no file, such as a pipe, is an error and not waited for.
    ///
    /// # Errors
    /// The system's.
    pub fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let file = self.find(path)?.open()?;
        let mut bytes = Vec::new();
        file.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use rustix::fs::OFlags;

    use super::ProcessRoot;

    #[test]
    fn links_lead_to_files_below_the_root() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("etc")).unwrap();
        fs::write(folder.path().join("etc/passwd"), "inside").unwrap();
        symlink("/etc/passwd", folder.path().join("absolute")).unwrap();
        symlink("../../../../../../../etc/passwd", folder.path().join("relative")).unwrap();
        let root = ProcessRoot::open_at(folder.path()).unwrap();
        for path in ["/etc/passwd", "/absolute", "/relative"] {
            assert_eq!(root.read(path.as_ref(), 3).unwrap(), b"ins", "{path}");
        }
        symlink("/etc", folder.path().join("folder")).unwrap();
        let opens = |path: &str| root.open_without_links(path.as_ref(), OFlags::RDONLY).is_ok();
        assert!(opens("/etc/passwd") && opens("/etc"));
        for path in ["/absolute", "/relative", "/folder", "/folder/passwd", "/../etc/passwd", "/etc/no"] {
            assert!(!opens(path), "{path}");
        }
    }

    #[test]
    fn only_files_are_read() {
        let root = ProcessRoot::open_here().unwrap();
        assert!(root.read("/dev/null".as_ref(), 1).is_err());
        assert!(root.read("/".as_ref(), 1).is_err());
    }
}
