//! The file `.attach_pidN`: at SIGQUIT HotSpot looks for it, and starts to listen instead of printing its threads.

use std::io;

use super::folder::Folder;
use crate::Error;

/// The file. Dropping removes it.
///
/// HotSpot looks in its working directory first, then in `/tmp`. This one is always in `/tmp`: the JVM has to make its
/// socket there anyway, and a program may watch its working directory.
pub(super) struct Trigger<'a> {
    folder: &'a Folder,
    name: String,
}

impl<'a> Trigger<'a> {
    /// Makes the file, owned by the user of this thread: older versions of HotSpot trust only their own user.
    ///
    /// One that is there already is of another tool that attaches now, or that was killed while it did: it serves, and
    /// is removed like our own.
    pub(super) fn create(folder: &'a Folder, pid: u32, inner_pid: u32, uid: u32) -> Result<Self, Error> {
        let name = format!(".attach_pid{inner_pid}");
        let path = folder.path().join(&name);
        match folder.create(&name) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                if !folder.owner(&name).is_some_and(|owner| owner == uid || owner == 0) {
                    return Err(Error::Foreign { pid, path });
                }
            }
            Err(source) => return Err(Error::CannotWrite { pid, path, source }),
        }
        Ok(Trigger { folder, name })
    }
}

impl Drop for Trigger<'_> {
    fn drop(&mut self) {
        self.folder.remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Trigger;
    use crate::linux::folder::Folder;
    use crate::linux::root::Root;

    fn folder() -> (tempfile::TempDir, Folder) {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("tmp")).unwrap();
        let folder = Folder::open(&Root::at(root.path()).unwrap(), root.path().join("tmp")).unwrap();
        (root, folder)
    }

    #[test]
    fn the_file_is_there_until_it_is_dropped() {
        let (root, folder) = folder();
        let uid = rustix::process::geteuid().as_raw();
        let file = root.path().join("tmp/.attach_pid7");
        let trigger = Trigger::create(&folder, 4711, 7, uid).unwrap();
        assert!(file.is_file());
        drop(trigger);
        assert!(!file.exists());
        fs::write(&file, "left by another tool").unwrap();
        drop(Trigger::create(&folder, 4711, 7, uid).unwrap());
        assert!(!file.exists());
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_named() {
        let (root, folder) = folder();
        fs::remove_dir(root.path().join("tmp")).unwrap();
        let error = Trigger::create(&folder, 4711, 7, 0).err().unwrap().to_string();
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
