//! Files below the root folder of a process, which may be in a container.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::Errno;

/// The root folder of a process, held open: it stays the same one if the process ends.
#[derive(Debug)]
pub(super) struct Root(OwnedFd);

impl Root {
    /// That of a process. Linux allows it to the process's user, if the process gained no privileges, and to root.
    pub(super) fn of(pid: u32) -> io::Result<Root> {
        Root::at(format!("/proc/{pid}/root").as_ref())
    }

    /// That of this process.
    pub(super) fn here() -> io::Result<Root> {
        Root::at("/".as_ref())
    }

    pub(super) fn at(path: &Path) -> io::Result<Root> {
        Ok(Root(openat(CWD, path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?))
    }

    /// Opens an absolute path of the process. A symbolic link in a container leads to a file in the container, never to
    /// one of this system.
    pub(super) fn open(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
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
    pub(super) fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let file = File::from(self.open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?);
        if !file.metadata()?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
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

    use super::Root;

    #[test]
    fn links_lead_to_files_below_the_root() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("etc")).unwrap();
        fs::write(folder.path().join("etc/passwd"), "inside").unwrap();
        symlink("/etc/passwd", folder.path().join("absolute")).unwrap();
        symlink("../../../../../../../etc/passwd", folder.path().join("relative")).unwrap();
        let root = Root::at(folder.path()).unwrap();
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
        let root = Root::here().unwrap();
        assert!(root.read("/dev/null".as_ref(), 1).is_err());
        assert!(root.read("/".as_ref(), 1).is_err());
    }
}
