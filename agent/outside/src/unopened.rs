//! What is no file is not opened, however one comes to it.

use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::geteuid;
use tempfile::TempDir;

use crate::folder::Folder;
use crate::named::{open_file, read_start};
use crate::root::ProcessRoot;

/// A folder with a pipe and a link to it. Whoever opens the pipe is seen.
struct Pipe {
    folder: TempDir,
    seen: OwnedFd,
}

impl Pipe {
    fn new() -> Pipe {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        symlink("pipe", folder.path().join("link")).unwrap();
        let seen = inotify::init(CreateFlags::NONBLOCK).unwrap();
        inotify::add_watch(&seen, &pipe, WatchFlags::OPEN).unwrap();
        Pipe { folder, seen }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn was_opened(&self) -> bool {
        let mut buffer = [MaybeUninit::uninit(); 512];
        inotify::Reader::new(&self.seen, &mut buffer).next().is_ok()
    }
}

#[test]
fn what_is_no_file_is_not_even_opened() {
    let pipe = Pipe::new();
    let me = geteuid().as_raw();
    let folder = Folder::open(pipe.folder.path()).unwrap();
    let root = ProcessRoot::open_at(pipe.folder.path()).unwrap();
    for name in ["pipe", "link"] {
        assert!(open_file(&pipe.path(name)).is_err() && read_start(&pipe.path(name), 1).is_err(), "{name}");
        assert!(root.read(Path::new("/").join(name).as_ref(), 1).is_err(), "{name}");
        assert!(folder.open_file(name, me).is_err() && folder.read_file(name, me, 1).is_err(), "{name}");
        assert!(folder.overwrite_file(name, me, b"x").is_err(), "{name}");
    }
    assert!(!pipe.was_opened());
    File::options().read(true).write(true).open(pipe.path("link")).unwrap();
    assert!(pipe.was_opened(), "the test sees who opens it");
    for path in ["/dev/null", "/dev", "/none"] {
        assert!(open_file(path.as_ref()).is_err(), "{path}");
    }
}
