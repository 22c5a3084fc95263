//! The folder `/tmp/weighbridge-UID` of a JVM, which only its user can open: for what goes into the JVM and comes out.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail};
use rustix::fs::OFlags;
use weighbridge_jvms::Target;
use weighbridge_library::FILE_NAME;

use crate::exit::Failure;
use crate::output;
use crate::signals::BeforeTheEnd;

/// What nobody has written to for this long belongs to no command that still runs.
const LEFT_OVER: Duration = Duration::from_secs(600);

/// The beginning of the names of folders with a dump that is being written.
pub(crate) const DUMP: &str = "heap-";
/// The same with a recording of Flight Recorder.
pub(crate) const TRACE: &str = "trace-";

/// The folder. Dropping removes it if it is empty.
pub(crate) struct PrivateFolder<'t> {
    target: &'t Target,
    name: String,
    path: PathBuf,
}

impl<'t> PrivateFolder<'t> {
    /// Makes it, if it is not there, and removes what commands that were killed have left in it.
    ///
    /// # Errors
    /// It cannot be made, or others can open the one that is there.
    pub(crate) fn make(target: &'t Target) -> anyhow::Result<PrivateFolder<'t>> {
        let name = format!("weighbridge-{}", target.uid());
        let path = target.open_temporary().join(&name);
        let folder = PrivateFolder { target, name, path };
        folder.make_again()?;
        remove_leftovers(&folder.path);
        Ok(folder)
    }

    /// Makes it once more: a command for another JVM of the user may just have removed it, as it was empty.
    ///
    /// # Errors
    /// Those of [`PrivateFolder::make`].
    pub(crate) fn make_again(&self) -> anyhow::Result<()> {
        make_folder(&self.path, &self.name, self.target)
    }

    /// Makes a folder of this name in it.
    ///
    /// # Errors
    /// It cannot be made, or others can open the one that is there.
    pub(crate) fn make_inner(&self, name: &str) -> anyhow::Result<()> {
        let (path, shown) = (self.path.join(name), format!("{}/{name}", self.name));
        if !self.path.exists() {
            self.make_again()?;
        }
        make_folder(&path, &shown, self.target)
    }

    /// Its path as seen from here, valid as long as the target.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens what the JVM has written in it. In the folder of another user it may be anything.
    pub(crate) fn open(&self, path: &Path, what: &str) -> Result<File, Failure> {
        let name = || format!("{what} of process {}", self.target.pid());
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
        let file = OpenOptions::new().read(true).custom_flags(flags.cast_signed()).open(path).with_context(name)?;
        let about = file.metadata().with_context(name)?;
        match about.is_file() && about.uid() == self.target.uid() {
            true => Ok(file),
            false => Err(Failure::input(format!("{}: is no file of the process's user", name()))),
        }
    }

    /// The path of what is in it, as the JVM sees it.
    pub(crate) fn inside(&self, name: &str) -> String {
        format!("/tmp/{}/{name}", self.name)
    }
}

impl Drop for PrivateFolder<'_> {
    fn drop(&mut self) {
        // The agent's socket may be in it.
        let _ = fs::remove_dir(&self.path);
    }
}

/// A folder that only the JVM's user can open; one that is there must be so.
fn make_folder(folder: &Path, name: &str, target: &Target) -> anyhow::Result<()> {
    let shown = || format!("{}/{name}", target.temporary().display());
    match DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => give(folder, target)?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error).with_context(|| format!("{} cannot be made", shown())),
    }
    let found = fs::symlink_metadata(folder)?;
    if !found.is_dir() || found.uid() != target.uid() || found.mode() & 0o077 != 0 {
        bail!("{}: not a folder that only its user can open; remove it and try again", shown());
    }
    Ok(())
}

/// Removes what commands that were killed have left; those that run are done with theirs long before.
fn remove_leftovers(folder: &Path) {
    let (stem, _) = FILE_NAME.split_once('.').unwrap_or((FILE_NAME, ""));
    for (path, about) in entries(folder) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !["attach-", DUMP, TRACE, stem].iter().any(|ours| name.starts_with(ours)) {
            continue;
        }
        // A JVM may write to a dump for longer.
        let inner = if about.is_dir() { entries(&path) } else { Vec::new() };
        let written =
            inner.iter().map(|(_, about)| about).chain([&about]).filter_map(|about| about.modified().ok()).max();
        if written.is_some_and(is_left_over) {
            let _ = if about.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
    }
}

fn is_left_over(written: SystemTime) -> bool {
    written.elapsed().is_ok_and(|age| age > LEFT_OVER)
}

fn entries(folder: &Path) -> Vec<(PathBuf, Metadata)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((entry.path(), entry.metadata().ok()?))).collect()
}

/// Root writes for the JVM's user.
pub(crate) fn give(path: &Path, target: &Target) -> io::Result<()> {
    match fs::symlink_metadata(path)?.uid() == target.uid() {
        true => Ok(()),
        false => std::os::unix::fs::lchown(path, Some(target.uid()), Some(target.gid())),
    }
}

/// Gives what a JVM has written a name, or copies it if it is on another disk or of another user. Nobody else can read it there.
pub(crate) fn keep(
    written: &Path,
    file: &File,
    (keep, force): (&Path, bool),
    before_the_end: &BeforeTheEnd,
) -> Result<(), Failure> {
    let name = keep.display();
    let is_mine = file.metadata().is_ok_and(|about| about.uid() == rustix::process::geteuid().as_raw());
    if is_mine && (if force { fs::rename(written, keep) } else { fs::hard_link(written, keep) }).is_ok() {
        return Ok(());
    }
    let mut copy = tempfile::Builder::new()
        .prefix(".weighbridge-")
        .tempfile_in(output::folder_of(keep))
        .map_err(|e| io::Error::from(e.kind()))
        .with_context(|| format!("{name}: cannot be written"))?;
    let unready = copy.path().to_owned();
    before_the_end.begin(move || drop(fs::remove_file(unready)), || ());
    io::copy(&mut &*file, copy.as_file_mut()).with_context(|| format!("{name}: cannot be written"))?;
    output::persist(copy, keep, force)
}

/// Removes a folder into which a JVM may still write.
pub(crate) fn remove_all(folder: &Path) {
    while fs::remove_dir_all(folder).is_err_and(|error| error.kind() == io::ErrorKind::DirectoryNotEmpty) {}
}
