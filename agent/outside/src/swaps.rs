//! What root does in a folder of `nobody`, while `nobody` swaps something between any two of its calls.

use std::fs::{self, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::geteuid;
use tempfile::TempDir;

use crate::as_user;
use crate::folder::{Fault, Folder, link_open_file};
use crate::step::{act_at_step, forget_step};

/// A user that has no rights: `nobody`.
const NOBODY: u32 = 65534;
const OURS: &str = "weighbridge-65534";
const ANSWER: &str = "attach-1.answer";
const SECRET: &str = "only root may read this";
/// The longest answer that is read.
const LIMIT: u64 = 100;

/// A `/tmp` that is wholly of `nobody`, which is the worst, and a folder of root's.
struct Scene {
    _folder: TempDir,
    temporary: PathBuf,
    /// What `nobody` swaps in.
    prepared: PathBuf,
    roots: PathBuf,
    listener: UnixListener,
}

impl Scene {
    fn new() -> Scene {
        // In memory, where there is such a folder: there are thousands of scenes, and files are synchronised.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o711)).unwrap();
        let inside = |name: &str| folder.path().join(name);
        let (temporary, prepared, roots) = (inside("tmp"), inside("prepared"), inside("roots"));
        for path in [&temporary, &prepared, &roots, &roots.join("heap-1"), &prepared.join(OURS)] {
            fs::create_dir(path).unwrap();
            fs::set_permissions(path, Permissions::from_mode(0o700)).unwrap();
        }
        for name in ["secret", ANSWER, "attach-old.toml", "heap-1/dump.hprof"] {
            fs::write(roots.join(name), SECRET).unwrap();
            fs::set_permissions(roots.join(name), Permissions::from_mode(0o600)).unwrap();
        }
        let listener = UnixListener::bind(roots.join("1.sock")).unwrap();
        listener.set_nonblocking(true).unwrap();
        // Linux may keep `nobody` from making a hard link to a file of root's (`protected_hardlinks`), but not everywhere.
        fs::hard_link(roots.join("secret"), prepared.join("hard link")).unwrap();
        symlink(roots.join("secret"), prepared.join("link to a file")).unwrap();
        symlink(&roots, prepared.join("link to a folder")).unwrap();
        symlink(roots.join("1.sock"), prepared.join("link to a socket")).unwrap();
        symlink("/dev/zero", prepared.join("link to a device")).unwrap();
        mknodat(CWD, prepared.join("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        symlink(roots.join("secret"), prepared.join(OURS).join(ANSWER)).unwrap();
        for path in [&temporary, &prepared, &prepared.join(OURS)] {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        Scene { _folder: folder, temporary, prepared, roots, listener }
    }

    /// All that is to be seen of root's folder: names, owners, modes, content.
    fn roots_files(&self) -> Vec<String> {
        let mut open = vec![self.roots.clone()];
        let mut seen = Vec::new();
        while let Some(path) = open.pop() {
            let about = fs::symlink_metadata(&path).unwrap();
            let content = if about.is_file() { fs::read_to_string(&path).unwrap() } else { String::new() };
            // Not the number of links: one of them is in the user's folder and may be removed.
            let numbers = (about.uid(), about.gid(), about.mode());
            seen.push(format!("{} {numbers:?} {content}", path.strip_prefix(&self.roots).unwrap().display()));
            if about.is_dir() {
                open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
        }
        seen.sort();
        seen
    }
}

/// What the commands do in the folder, in the order of an attach and of a dump; gives what they read. An error ends a part
/// and not the rest: `nobody` may cause any.
fn work_in(temporary: &Folder, open: impl Fn() -> Result<Folder, Fault>) -> Vec<Vec<u8>> {
    let mut read = Vec::new();
    let _ = open().and_then(|folder| {
        for entry in folder.list_entries()? {
            let _ = folder.remove_tree(&entry.name);
        }
        let _ = folder.write_file("attach-1.toml", b"version = 1");
        folder.write_file(ANSWER, b"an answer")?;
        read.extend(folder.read_file(ANSWER, NOBODY, LIMIT));
        let _ = folder.overwrite_file(ANSWER, NOBODY, b"another one");
        if let Ok(Some(socket)) = folder.find_socket("1.sock")
            && socket.owner() == NOBODY
        {
            let _ = UnixStream::connect(socket.path());
        }
        let inner = folder.make_private("heap-1");
        if let Ok(inner) = inner {
            let _ = inner.write_file("dump.hprof", b"a dump");
            if let Ok(dump) = inner.open_file("dump.hprof", NOBODY) {
                let mut bytes = Vec::new();
                let _ = dump.take(LIMIT).read_to_end(&mut bytes);
                read.push(bytes);
            }
        }
        let _ = folder.remove_tree("heap-1");
        let _ = folder.remove_file(ANSWER);
        Ok(())
    });
    let _ = temporary.remove_folder(OURS);
    read
}

/// Gives what is prepared a name that something has below `nobody`'s `/tmp`.
fn swap(temporary: &Path, prepared: &Path, name: &str) -> io::Result<()> {
    let target = temporary.join(name);
    // Not removed: root may have it open.
    match fs::rename(&target, temporary.join("before")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::rename(prepared, target),
    }
}

#[test]
fn whatever_a_user_swaps_between_two_steps_root_reads_makes_and_removes_nothing_elsewhere() {
    if !geteuid().is_root() {
        println!("only root can act as two users");
        return;
    }
    let unready = format!("weighbridge-65534/attach-1.answer.{}", std::process::id());
    let names = [
        OURS,
        "weighbridge-65534/attach-1.answer",
        &unready,
        "weighbridge-65534/attach-old.toml",
        "weighbridge-65534/heap-1",
        "weighbridge-65534/heap-1/dump.hprof",
        "weighbridge-65534/1.sock",
    ];
    let prepared =
        ["hard link", "link to a file", "link to a folder", "link to a socket", "link to a device", "pipe", OURS];
    let mut scenes = 0;
    for name in names {
        for prepared in prepared {
            // As the commands do it, and as root itself: then only the folder's own checks keep it.
            let mut swapped = 0;
            for acts_as_user in [true, false] {
                for step in 0.. {
                    let scene = Scene::new();
                    as_user((NOBODY, NOBODY), || {
                        fs::create_dir(scene.temporary.join(OURS)).unwrap();
                        fs::set_permissions(scene.temporary.join(OURS), Permissions::from_mode(0o700)).unwrap();
                        fs::write(scene.temporary.join(OURS).join("attach-old.toml"), "").unwrap();
                    })
                    .unwrap();
                    let before = scene.roots_files();
                    let (reached, done) = std::sync::mpsc::channel();
                    let act = {
                        let (temporary, prepared, name) =
                            (scene.temporary.clone(), scene.prepared.join(prepared), name.to_owned());
                        move || {
                            let swap = || swap(&temporary, &prepared, &name).is_ok();
                            let _ = reached.send(as_user((NOBODY, NOBODY), swap).unwrap());
                        }
                    };
                    let temporary = Folder::open(&scene.temporary).unwrap();
                    let work = || {
                        act_at_step(step, act);
                        let read = match acts_as_user {
                            true => work_in(&temporary, || temporary.make_private(OURS)),
                            false => work_in(&temporary, || temporary.open_private(OURS, NOBODY)),
                        };
                        (read, forget_step())
                    };
                    let (read, is_past_the_end) =
                        if acts_as_user { as_user((NOBODY, NOBODY), work).unwrap() } else { work() };
                    let case = format!("{prepared} as {name} before step {step}, as user: {acts_as_user}");
                    assert_eq!(scene.roots_files(), before, "{case}");
                    assert!(read.iter().all(|bytes| bytes.len() as u64 <= LIMIT), "{case}");
                    let has_secret = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).contains(SECRET);
                    assert!(!read.iter().any(has_secret), "{case}: {read:?}");
                    assert!(scene.listener.accept().is_err(), "{case}: root came to root's socket");
                    scenes += 1;
                    if is_past_the_end {
                        break;
                    }
                    swapped += usize::from(done.recv().unwrap());
                }
            }
            assert!(swapped > 0, "{prepared} as {name} was never swapped");
        }
    }
    println!("{scenes} scenes");
}

#[test]
fn a_file_that_is_too_long_is_not_read_whole() {
    let folder = tempfile::tempdir().unwrap();
    let user = geteuid().as_raw();
    let open = Folder::open(folder.path()).unwrap();
    open.write_file("answer", &[b'x'; 100]).unwrap();
    assert_eq!(open.read_file("answer", user, 100).unwrap().len(), 100);
    assert_eq!(open.read_file("answer", user, 99).unwrap_err().to_string(), "it is longer than 99 bytes");
    open.overwrite_file("answer", user, b"short").unwrap();
    assert_eq!(open.read_file("answer", user, 99).unwrap(), b"short");
    assert_eq!(open.read_file("none", user, 99).unwrap_err().to_string(), "No such file or directory (os error 2)");
    assert_eq!(fs::metadata(folder.path().join("answer")).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn a_folder_is_removed_with_all_in_it_and_what_its_links_lead_to_stays() {
    let folder = tempfile::tempdir().unwrap();
    let inside = |name: &str| folder.path().join(name);
    fs::create_dir_all(inside("heap-1/a/b/c")).unwrap();
    fs::write(inside("heap-1/a/b/file"), "").unwrap();
    fs::create_dir(inside("stays")).unwrap();
    fs::write(inside("stays/file"), "").unwrap();
    symlink(inside("stays"), inside("heap-1/a/link")).unwrap();
    symlink(inside("stays"), inside("link")).unwrap();
    let open = Folder::open(folder.path()).unwrap();
    for name in ["heap-1", "link", "none"] {
        open.remove_tree(name).unwrap();
    }
    let mut left: Vec<_> = open.list_entries().unwrap().into_iter().map(|entry| entry.name).collect();
    left.sort();
    assert_eq!(left, ["stays"]);
    assert!(inside("stays/file").exists());
}

#[test]
fn a_name_with_a_slash_leads_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("inner")).unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let inner = Folder::open(&folder.path().join("inner")).unwrap();
    for name in ["../file", "..", ".", "", "/etc"] {
        assert!(inner.open_file(name, geteuid().as_raw()).is_err(), "{name}");
        assert!(inner.create_file(name).is_err() && inner.remove_tree(name).is_err(), "{name}");
        assert!(inner.make_private(name).is_err() && inner.find_socket(name).is_err(), "{name}");
    }
    assert!(folder.path().join("file").exists());
}

#[test]
fn an_open_file_gets_a_name_though_another_one_has_its_old_name() {
    let folder = tempfile::tempdir().unwrap();
    let inside = |name: &str| folder.path().join(name);
    fs::write(inside("dump"), "the dump").unwrap();
    let open = Folder::open(folder.path()).unwrap();
    let file = open.open_file("dump", geteuid().as_raw()).unwrap();
    fs::rename(inside("dump"), inside("before")).unwrap();
    symlink("/etc/passwd", inside("dump")).unwrap();
    fs::write(inside("taken"), "something").unwrap();
    assert_eq!(link_open_file(&file, &inside("taken"), false).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read_to_string(inside("taken")).unwrap(), "something");
    for (name, replace) in [("taken", true), ("kept", false)] {
        link_open_file(&file, &inside(name), replace).unwrap();
        assert_eq!(fs::read_to_string(inside(name)).unwrap(), "the dump");
    }
    assert_eq!(open.list_entries().unwrap().len(), 4, "nothing is left over");
}
