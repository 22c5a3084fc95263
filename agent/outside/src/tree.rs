//! Removes a folder with all that is in it, while another process may write to it.

use std::ffi::OsStr;
use std::io;

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::folder::Folder;

/// Folders in folders: deeper ones stay. Ours have one more level.
const DEEPEST: u32 = 16;

/// How often a folder is emptied that fills again. A JVM that writes its dump in parts makes a few more files.
const ROUNDS: u32 = 100;

impl Folder {
    /// Removes what has this name: a file, a link, or a folder and all in it. Links in it are removed, not followed.
    ///
    /// # Errors
    /// The system's, or that the folder fills again and again.
    pub fn remove_tree(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        self.remove_level(name.as_ref(), DEEPEST)
    }

    fn remove_level(&self, name: &OsStr, deeper: u32) -> io::Result<()> {
        let mut last = io::Error::from(Errno::NOTEMPTY);
        for _ in 0..ROUNDS {
            match self.remove_file(name) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) if !is_folder(&error) => return Err(error),
                Err(_) => {}
            }
            // Not a link, or it would have been removed; or one that came just now, and is not followed.
            let opened = self.open_at(name, OFlags::RDONLY | OFlags::DIRECTORY);
            if let Ok(open) = opened
                && deeper > 0
            {
                let folder = Folder::hold(open, self.path().join(name));
                for inner in folder.list_names()? {
                    folder.remove_level(&inner, deeper - 1)?;
                }
            }
            match self.remove_folder(name) {
                Ok(()) => return Ok(()),
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

/// Linux says that it is a folder, POSIX that the call is not permitted (unlink(2)).
fn is_folder(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::ISDIR | Errno::PERM))
}
