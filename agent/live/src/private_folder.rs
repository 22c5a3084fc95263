//! The folder `/tmp/weighbridge-UID` of a JVM, which only its user can open: for what goes into the JVM and comes out.
//!
//! The JVM may be of another user, who may change all of it at any moment, while this process is root. So everything is done
//! by descriptors ([`Folder`]), as that user ([`Target::act_as_user`]); what is read is bounded by whoever reads it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, anyhow};
use weighbridge_ending::signals::BeforeTheEnd;
use weighbridge_ending::{Failure, output};
use weighbridge_jvms::AttachTarget;
use weighbridge_library::FILE_NAME;
use weighbridge_outside::{Fault, Folder, as_user, link_open_file};

/// What nobody has written to for this long belongs to no command that still runs.
const LEFT_OVER: Duration = Duration::from_secs(600);

/// The beginning of the names of folders with a dump that is being written.
pub(crate) const DUMP: &str = "heap-";
/// The same with a recording of Flight Recorder.
pub(crate) const TRACE: &str = "trace-";

/// The folder. Dropping removes it if it is empty.
pub(crate) struct PrivateFolder<'t> {
    target: &'t AttachTarget,
    name: String,
    folder: Folder,
}

impl<'t> PrivateFolder<'t> {
    /// Makes it, if it is not there, and removes what commands that were killed have left in it.
    ///
    /// # Errors
    /// It cannot be made, or others can open the one that is there.
    pub(crate) fn make(target: &'t AttachTarget) -> anyhow::Result<PrivateFolder<'t>> {
        let name = format!("weighbridge-{}", target.uid());
        let folder = make_private(target, target.temporary_folder(), &name)?;
        target.act_as_user(|| remove_leftovers(&folder))?;
        Ok(PrivateFolder { target, name, folder })
    }

    /// Writes a file whole, which only the JVM's user can open. One of the same name is replaced, not trusted.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn write(&mut self, name: &str, content: &[u8]) -> Result<(), Failure> {
        let mut written = self.target.act_as_user(|| self.folder.write_file(name, content))?;
        if written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            self.make_again()?;
            written = self.target.act_as_user(|| self.folder.write_file(name, content))?;
        }
        Ok(written.with_context(|| format!("{} cannot be written", self.inside(name)))?)
    }

    /// Reads a file that the JVM has written, of at most `limit` bytes.
    ///
    /// # Errors
    /// It is longer, or no file of the JVM's user.
    pub(crate) fn read(&self, name: &str, limit: u64) -> Result<Vec<u8>, Failure> {
        let read = self.target.act_as_user(|| self.folder.read_file(name, self.target.uid(), limit))?;
        Ok(read.with_context(|| self.inside(name))?)
    }

    /// Locks a file: whoever can open it sees by that whether this command still runs.
    ///
    /// # Errors
    /// It cannot be opened, or somebody else has locked it.
    pub(crate) fn lock(&self, name: &str) -> Result<File, Failure> {
        let opened = self.target.act_as_user(|| self.folder.open_file(name, self.target.uid()))?;
        let file = opened.with_context(|| self.inside(name))?;
        file.try_lock().with_context(|| self.inside(name))?;
        Ok(file)
    }

    /// Removes files, as far as they are there.
    pub(crate) fn remove_files(&self, names: &[String]) {
        let _ = self.target.act_as_user(|| names.iter().for_each(|name| drop(self.folder.remove_file(name))));
    }

    /// Makes a folder of this name in it.
    ///
    /// # Errors
    /// It cannot be made, or others can open the one that is there.
    pub(crate) fn make_inner(&mut self, name: &str) -> anyhow::Result<InnerFolder<'t>> {
        // A command for another JVM of the user may just have removed this one, as it was empty.
        if self.target.temporary_folder().find_owner(&self.name).is_none() {
            self.make_again()?;
        }
        let folder = make_private(self.target, &self.folder, name)?;
        Ok(InnerFolder { target: self.target, inside: self.inside(name), folder })
    }

    /// What removes the folder of this name in it, and then this folder if it is empty: also when the process ends.
    pub(crate) fn removal_of_inner(&self, name: &str) -> impl FnOnce() + Send + 'static + use<> {
        let (temporary, outer, inner) =
            (Arc::clone(self.target.temporary_folder()), self.name.clone(), name.to_owned());
        let user = (self.target.uid(), self.target.gid());
        move || {
            let _ = as_user(user, || {
                if let Ok(folder) = temporary.open_private(&outer, user.0) {
                    let _ = folder.remove_tree(&inner);
                }
                let _ = temporary.remove_folder(&outer);
            });
        }
    }

    /// The path of what is in it, as the JVM sees it.
    pub(crate) fn inside(&self, name: &str) -> String {
        format!("/tmp/{}/{name}", self.name)
    }

    fn make_again(&mut self) -> anyhow::Result<()> {
        self.folder = make_private(self.target, self.target.temporary_folder(), &self.name)?;
        Ok(())
    }
}

impl Drop for PrivateFolder<'_> {
    fn drop(&mut self) {
        // The agent's socket may be in it.
        let _ = self.target.act_as_user(|| drop(self.target.temporary_folder().remove_folder(&self.name)));
    }
}

/// A folder in it, for what a JVM writes.
pub(crate) struct InnerFolder<'t> {
    target: &'t AttachTarget,
    inside: String,
    folder: Folder,
}

impl InnerFolder<'_> {
    /// Writes a file whole, for the JVM to read.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn write(&self, name: &str, content: &[u8]) -> Result<(), Failure> {
        let written = self.target.act_as_user(|| self.folder.write_file(name, content))?;
        Ok(written.with_context(|| format!("{} cannot be written", self.inside(name)))?)
    }

    /// Opens what the JVM has written in it. In the folder of another user it may be anything.
    ///
    /// # Errors
    /// It is no file of the JVM's user.
    pub(crate) fn open(&self, name: &str, what: &str) -> Result<File, Failure> {
        let shown = || format!("{what} of process {}", self.target.pid());
        match self.target.act_as_user(|| self.folder.open_file(name, self.target.uid()))? {
            Err(Fault::Unsafe(_)) => Err(Failure::input(format!("{}: is no file of the process's user", shown()))),
            opened => Ok(opened.with_context(shown)?),
        }
    }

    /// Gives what a JVM has written a second name, or copies it if it is on another disk or of another user. Nobody else can
    /// read it there.
    pub(crate) fn keep(
        &self,
        name: &str,
        file: &File,
        (keep, force): (&Path, bool),
        before_the_end: &BeforeTheEnd,
    ) -> Result<(), Failure> {
        let is_mine = self.target.uid() == rustix::process::geteuid().as_raw();
        // Of the file that was looked at, whatever has its name by now.
        if is_mine && link_open_file(file, keep, force).is_ok() {
            return Ok(());
        }
        let cannot = || format!("{}: cannot be written", keep.display());
        let mut copy = tempfile::Builder::new()
            .prefix(".weighbridge-")
            .tempfile_in(output::folder_of(keep))
            .map_err(|e| io::Error::from(e.kind()))
            .with_context(cannot)?;
        let unready = copy.path().to_owned();
        before_the_end.begin(move || drop(fs::remove_file(unready)), || ());
        // The JVM has written it whole. What its user adds meanwhile could go on for ever.
        let length = file.metadata().with_context(cannot)?.len();
        let copied = io::copy(&mut file.take(length), copy.as_file_mut()).with_context(cannot)?;
        if copied < length {
            return Err(Failure::input(format!("{} became shorter while it was copied", self.inside(name))));
        }
        output::persist(copy, keep, force)
    }

    /// The path of what is in it, as the JVM sees it.
    pub(crate) fn inside(&self, name: &str) -> String {
        format!("{}/{name}", self.inside)
    }
}

/// A folder that only the JVM's user can open; one that is there must be so.
fn make_private(target: &AttachTarget, parent: &Folder, name: &str) -> anyhow::Result<Folder> {
    let shown = || parent.path().join(name).display().to_string();
    target.act_as_user(|| parent.make_private(name))?.map_err(|fault| match fault {
        Fault::Unsafe(_) => {
            anyhow!("{}: not a folder that only its user can open; remove it and try again", shown())
        }
        Fault::System(error) => anyhow::Error::new(error).context(format!("{} cannot be made", shown())),
    })
}

/// Removes what commands that were killed have left; those that run are done with theirs long before.
fn remove_leftovers(folder: &Folder) {
    let (stem, _) = FILE_NAME.split_once('.').unwrap_or((FILE_NAME, ""));
    for entry in folder.list_entries().unwrap_or_default() {
        let name = entry.name.to_string_lossy();
        if !["attach-", DUMP, TRACE, stem].iter().any(|ours| name.starts_with(ours)) {
            continue;
        }
        // A JVM may write to a dump for longer.
        let user = rustix::process::geteuid().as_raw();
        let inner = match entry.is_folder {
            true => folder.open_private(&name, user).and_then(|inner| Ok(inner.list_entries()?)).unwrap_or_default(),
            false => Vec::new(),
        };
        let written = inner.iter().map(|inner| inner.modified).chain([entry.modified]).max();
        if written.is_some_and(is_left_over) {
            let _ = folder.remove_tree(&entry.name);
        }
    }
}

fn is_left_over(written: SystemTime) -> bool {
    written.elapsed().is_ok_and(|age| age > LEFT_OVER)
}
