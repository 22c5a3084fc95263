//! The file `.attach_pidN`: at SIGQUIT HotSpot looks for it, and starts to listen instead of printing its threads.

use std::fs::File;
use std::io;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use weighbridge_outside::{Fault, Folder};

use crate::Error;

/// A tool that made the file has had its answer after this time, or was killed: HotSpot's own wait for ten seconds
/// (`sun.tools.attach.attachTimeout`).
const LEFT_OVER: Duration = Duration::from_secs(15);

/// Whose the file is now.
pub(super) enum Claim<'a> {
    /// This process's: nobody else who takes part in the lock sends the signal.
    Ours(Trigger<'a>),
    /// That of a tool that knows no lock, such as `jcmd`, which sends the signal itself.
    OfAnother(Trigger<'a>),
    /// Another one of us attaches now.
    Busy,
}

/// The file. Dropping removes it.
///
/// HotSpot looks in its working directory first, then in `/tmp`. This one is always in `/tmp`: the JVM has to make its
/// socket there anyway, and a program may watch its working directory.
pub(super) struct Trigger<'a> {
    folder: &'a Folder,
    name: String,
    /// Locked (flock(2)), unless it is of another user. The lock ends with the process, so that a killed one keeps nobody out.
    _locked: Option<File>,
    stays: bool,
}

impl<'a> Trigger<'a> {
    /// Makes the file, owned by the user of this thread: older versions of HotSpot trust only their own user. Or tells whose
    /// the one is that is there.
    ///
    /// One that is left over serves, and is removed like our own.
    pub(super) fn claim(folder: &'a Folder, pid: u32, inner_pid: u32, uid: u32) -> Result<Claim<'a>, Error> {
        let name = format!(".attach_pid{inner_pid}");
        let path = || folder.path().join(&name);
        let trigger = |locked| Trigger { folder, name: name.clone(), _locked: locked, stays: false };
        loop {
            match create_locked(folder, &name) {
                Ok(locked) => return Ok(Claim::Ours(trigger(Some(locked)))),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(Error::CannotWrite { pid, path: path(), source }),
            }
            let locked = match folder.open_file(&name, uid) {
                Ok(file) => file,
                // Removed just now.
                Err(fault) if fault.is_absent() => continue,
                Err(fault) => match (folder.find_owner(&name), fault) {
                    (None, _) => continue,
                    // Of root's tools, which is trusted. It cannot be locked.
                    (Some(0), _) if uid != 0 => return Ok(Claim::OfAnother(trigger(None))),
                    (_, Fault::System(source)) => return Err(Error::CannotWrite { pid, path: path(), source }),
                    (_, Fault::Unsafe(_)) => return Err(Error::Foreign { pid, path: path() }),
                },
            };
            if flock(&locked, FlockOperation::NonBlockingLockExclusive).is_err() {
                return Ok(Claim::Busy);
            }
            // Its maker may have removed it between the two calls.
            let about = locked.metadata().map_err(|source| Error::CannotWrite { pid, path: path(), source })?;
            use std::os::unix::fs::MetadataExt;
            if about.nlink() == 0 {
                continue;
            }
            let is_left_over =
                about.modified().ok().and_then(|at| at.elapsed().ok()).is_some_and(|age| age > LEFT_OVER);
            let trigger = trigger(Some(locked));
            return Ok(if is_left_over { Claim::Ours(trigger) } else { Claim::OfAnother(trigger) });
        }
    }

    /// Lets the file be.
    pub(super) fn leave(mut self) {
        self.stays = true;
    }
}

impl Drop for Trigger<'_> {
    fn drop(&mut self) {
        if !self.stays {
            let _ = self.folder.remove_file(&self.name);
        }
    }
}

/// Makes the file, which is locked before it has its name: else another one of us could lock it first and take it for one of
/// another tool.
fn create_locked(folder: &Folder, name: &str) -> io::Result<File> {
    // Threads of one process may attach at once, too.
    let unready = format!("{name}.{}-{:?}", std::process::id(), std::thread::current().id());
    let _ = folder.remove_file(&unready);
    let file = folder.create_file(&unready)?;
    let linked = flock(&file, FlockOperation::NonBlockingLockExclusive)
        .map_err(io::Error::from)
        .and_then(|()| folder.link(&unready, name));
    folder.remove_file(&unready)?;
    linked.map(|()| file)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::SystemTime;

    use weighbridge_outside::Folder;

    use super::{Claim, LEFT_OVER, Trigger};
    use crate::Error;

    fn claim(folder: &Folder) -> Result<Claim<'_>, Error> {
        Trigger::claim(folder, 4711, 7, rustix::process::geteuid().as_raw())
    }

    #[test]
    fn the_file_is_there_until_it_is_dropped() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path()).unwrap();
        let file = root.path().join(".attach_pid7");
        let trigger = claim(&folder).unwrap();
        assert!(matches!(trigger, Claim::Ours(_)) && file.is_file());
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
        drop(trigger);
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }

    #[test]
    fn one_of_us_at_a_time_has_the_file() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path()).unwrap();
        let first = claim(&folder).unwrap();
        assert!(matches!(claim(&folder).unwrap(), Claim::Busy));
        drop(first);
        assert!(matches!(claim(&folder).unwrap(), Claim::Ours(_)));
    }

    #[test]
    fn the_file_of_another_tool_is_taken_over_when_the_tool_must_have_ended() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path()).unwrap();
        let file = root.path().join(".attach_pid7");
        fs::write(&file, "made by another tool").unwrap();
        match claim(&folder).unwrap() {
            Claim::OfAnother(trigger) => trigger.leave(),
            _ => panic!("not of another"),
        }
        assert!(file.exists());
        let long_ago = SystemTime::now() - 2 * LEFT_OVER;
        fs::File::options().write(true).open(&file).unwrap().set_modified(long_ago).unwrap();
        let taken = claim(&folder).unwrap();
        assert!(matches!(taken, Claim::Ours(_)));
        drop(taken);
        assert!(!file.exists());
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_named() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("tmp")).unwrap();
        let folder = Folder::open(&root.path().join("tmp")).unwrap();
        fs::remove_dir(root.path().join("tmp")).unwrap();
        let error = claim(&folder).err().unwrap().to_string();
        let file = root.path().join("tmp/.attach_pid7").display().to_string();
        assert_eq!(
            error,
            format!(
                "cannot make {file}, which asks process 4711 to listen (No such file or directory (os error 2)); \
                 make room or let it be written to"
            )
        );
    }
}
