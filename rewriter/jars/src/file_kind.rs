//! What is at a path, found without opening it: to open a FIFO waits for whoever writes to it, perhaps for ever.

use std::fs;
use std::path::Path;

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Nothing, or nothing that can be looked at.
    Missing,
    /// A regular file, or a link to one.
    Regular,
    /// A folder.
    Folder,
    /// A link to a folder.
    LinkToFolder,
    /// A link whose target does not exist.
    LinkToNothing,
    /// A FIFO, or a link to one: `/dev/stdin` behind a pipe is one, too.
    Fifo,
    /// A socket, or a link to one.
    Socket,
    /// A character or block device, or a link to one.
    Device,
}

impl FileKind {
    /// Looks at a path.
    pub fn find(path: &Path) -> FileKind {
        let Ok(named) = fs::symlink_metadata(path) else { return FileKind::Missing };
        let is_link = named.file_type().is_symlink();
        match fs::metadata(path) {
            Err(_) if is_link => FileKind::LinkToNothing,
            Err(_) => FileKind::Missing,
            Ok(found) if found.is_file() => FileKind::Regular,
            Ok(found) if found.is_dir() && is_link => FileKind::LinkToFolder,
            Ok(found) if found.is_dir() => FileKind::Folder,
            Ok(found) => special_kind(found.file_type()),
        }
    }

    /// True if opening it may wait for another process, or cannot work.
    pub fn is_pipe(self) -> bool {
        matches!(self, FileKind::Fifo | FileKind::Socket)
    }

    /// The kind for a message: `a FIFO`.
    pub fn name(self) -> &'static str {
        match self {
            FileKind::Missing => "missing",
            FileKind::Regular => "a file",
            FileKind::Folder => "a directory",
            FileKind::LinkToFolder => "a link to a directory",
            FileKind::LinkToNothing => "a link that leads nowhere",
            FileKind::Fifo => "a FIFO",
            FileKind::Socket => "a socket",
            FileKind::Device => "a device",
        }
    }
}

#[cfg(unix)]
fn special_kind(found: fs::FileType) -> FileKind {
    use std::os::unix::fs::FileTypeExt;
    if found.is_fifo() {
        FileKind::Fifo
    } else if found.is_socket() {
        FileKind::Socket
    } else {
        FileKind::Device
    }
}

#[cfg(not(unix))]
fn special_kind(_found: fs::FileType) -> FileKind {
    FileKind::Device
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_link_is_what_it_leads_to_except_that_one_to_a_folder_is_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "").unwrap();
        let fifo = rustix::fs::Mode::RUSR;
        rustix::fs::mknodat(rustix::fs::CWD, path("fifo"), rustix::fs::FileType::Fifo, fifo, 0).unwrap();
        let _socket = UnixListener::bind(path("socket")).unwrap();
        for target in ["file", "fifo", "socket", "nothing", "."] {
            symlink(target, path(&format!("to-{}", target.replace('.', "folder")))).unwrap();
        }
        for (name, kind) in [
            ("file", FileKind::Regular),
            ("to-file", FileKind::Regular),
            (".", FileKind::Folder),
            ("to-folder", FileKind::LinkToFolder),
            ("fifo", FileKind::Fifo),
            ("to-fifo", FileKind::Fifo),
            ("socket", FileKind::Socket),
            ("to-socket", FileKind::Socket),
            ("to-nothing", FileKind::LinkToNothing),
            ("nothing", FileKind::Missing),
        ] {
            assert_eq!(FileKind::find(&path(name)), kind, "{name}");
        }
        assert_eq!(FileKind::find(Path::new("/dev/null")), FileKind::Device);
    }
}
