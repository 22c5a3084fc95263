//! A recording that still grows, read from where the last call stopped.

use std::fs::{File, Metadata};
use std::io::{self, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::ahead::{Parsed, inflate, parse};
use crate::error::{Damage, DamageKind, Error, RecordingErrorKind};
use crate::limits::ReadLimits;
use crate::line::Line;
use crate::member::{BUFFER, Inflated, Members};
use crate::reader::{MemberStop, Next};

/// Reads a recording while its JVM writes it: every call of [`Follower::step`] reads some more gzip members.
///
/// The runtime writes a member whole, but another process may see part of it. The complete lines of such a part are
/// delivered at once, and not again when the rest has come. A member whose checksum fails delivers nothing.
/// It waits for a file that does not exist yet or has no header yet. A file that became shorter, or was replaced by
/// another one, is read from its beginning.
///
/// Memory is bounded by 4 MiB of text or two members ([`Limits`]), never by the file. The file is closed at its end,
/// until the next call.
pub struct Follower {
    path: PathBuf,
    opener: Opener,
    name: String,
    limits: ReadLimits,
    open: Option<OpenFile>,
    /// First byte of the first member that was not read as a whole.
    at: u64,
    /// Bytes of text in the members before it.
    inflated: u64,
    /// Lines of that member that were delivered, empty ones not counted.
    delivered: usize,
    /// Lines of all whole members, empty ones too.
    lines: u64,
    /// Which file `at` belongs to.
    identity: Option<Identity>,
    has_header: bool,
    damage: Option<Damage>,
}

/// Opens the file, from anew at each look: another one may have its name by then.
type Opener = Arc<dyn Fn() -> io::Result<File> + Send + Sync>;

struct OpenFile {
    members: Members<BufReader<File>>,
    /// Offset in the file at which `members` begins.
    base: u64,
    /// The next members, inflated while those before them were parsed.
    ahead: Vec<io::Result<Next>>,
}

/// What one [`Follower::step`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FollowStep {
    /// Lines were delivered; there may be more.
    Lines,
    /// The end of the file, for now. `cut` if it lies inside a member.
    End {
        /// Whether a member has begun that is not complete.
        cut: bool,
    },
    /// There is no such file, for now.
    Absent,
    /// The file was replaced or cut: forget what was delivered. It is read from its beginning.
    Restarted,
    /// What follows cannot be read, now or later. The lines delivered before remain valid.
    Damaged(Damage),
}

impl Follower {
    /// Follows the file at `path`, which need not exist yet.
    pub fn new(path: &Path) -> Self {
        Follower::with_limits(path, ReadLimits::default())
    }

    /// Like [`Follower::new`], with other limits.
    pub fn with_limits(path: &Path, limits: ReadLimits) -> Self {
        let at = path.to_owned();
        Follower::opened_by(path, limits, move || File::open(&at))
    }

    /// Follows what a function opens, which may give a file that is held open: `path` names it in messages, and is not
    /// opened. It is called at every look, and reads from the beginning of another file.
    pub fn opened_by(
        path: &Path,
        limits: ReadLimits,
        open: impl Fn() -> io::Result<File> + Send + Sync + 'static,
    ) -> Self {
        Follower::opened(path, limits, Arc::new(open))
    }

    fn opened(path: &Path, limits: ReadLimits, opener: Opener) -> Self {
        Follower {
            path: path.to_owned(),
            opener,
            name: path.display().to_string(),
            limits,
            open: None,
            at: 0,
            inflated: 0,
            delivered: 0,
            lines: 0,
            identity: None,
            has_header: false,
            damage: None,
        }
    }

    /// The file, as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes read of the file, and its length; `None` if it does not exist.
    pub fn progress(&self) -> Option<(u64, u64)> {
        Some((self.at, (self.opener)().ok()?.metadata().ok()?.len()))
    }

    /// Reads at most a batch of members, which several threads parse, and passes the lines to `take` in their order, the
    /// header first. As with [`crate::Reader::read_ahead`], only the last snapshot of each JVM is sure to have the ages
    /// and holders of its rows.
    ///
    /// # Errors
    /// The file cannot be read, is no recording or is of a newer format. The next call tries again.
    pub fn step(&mut self, take: &mut dyn FnMut(Line)) -> Result<FollowStep, Error> {
        if let Some(damage) = &self.damage
            && !self.restarted()?
        {
            return Ok(FollowStep::Damaged(damage.clone()));
        }
        if self.open.is_none()
            && let Some(step) = self.reopen()?
        {
            return Ok(step);
        }
        let Some(OpenFile { members, base, ahead }) = &mut self.open else { return Ok(FollowStep::Absent) };
        let base = *base;
        let batch = if ahead.is_empty() { inflate(members) } else { std::mem::take(ahead) };
        let more = matches!(batch.last(), Some(Ok(Next::Text(text))) if !text.cut);
        let limits = &self.limits;
        let (inflated, parsed) =
            rayon::join(|| if more { inflate(members) } else { Vec::new() }, || parse(batch, limits));
        *ahead = inflated;
        for Parsed { next, lines, stop } in parsed {
            let text = match next {
                Ok(Next::Text(text)) => text,
                Ok(Next::Damaged { kind, .. }) => return self.damaged(kind),
                Ok(Next::End) => {
                    self.open = None;
                    return Ok(FollowStep::End { cut: false });
                }
                Err(error) => {
                    self.open = None;
                    return Err(Error::new(&self.name, error));
                }
            };
            if let Some(kind) = self.deliver(lines, stop, take)? {
                return self.damaged(kind);
            }
            if text.cut {
                self.open = None;
                return Ok(FollowStep::End { cut: true });
            }
            self.lines += text.lines;
            self.inflated += text.length;
            (self.at, self.delivered) = (base + text.end, 0);
        }
        Ok(FollowStep::Lines)
    }

    /// Delivers the lines of a member that were not delivered before. Gives what is wrong with it.
    fn deliver(
        &mut self,
        lines: Vec<Line>,
        stop: Option<MemberStop>,
        take: &mut dyn FnMut(Line),
    ) -> Result<Option<DamageKind>, Error> {
        for line in lines.into_iter().skip(self.delivered) {
            if !self.has_header && !matches!(line, Line::Header(_)) {
                return Err(self.not_a_recording("its first line is no header"));
            }
            self.has_header = true;
            self.delivered += 1;
            take(line);
        }
        match stop {
            None => Ok(None),
            Some(MemberStop::Newer(found)) => {
                self.open = None;
                Err(Error::new(&self.name, RecordingErrorKind::NewerFormat { found, supported: crate::FORMAT }))
            }
            Some(MemberStop::Damage(DamageKind::BadLine { line, reason })) => {
                Ok(Some(DamageKind::BadLine { line: self.lines + line, reason }))
            }
            Some(MemberStop::Damage(kind)) => Ok(Some(kind)),
        }
    }

    fn damaged(&mut self, kind: DamageKind) -> Result<FollowStep, Error> {
        self.open = None;
        let damage = Damage { offset: self.at, member: self.at, kind };
        if !self.has_header {
            return Err(match damage.kind {
                DamageKind::Foreign => self.not_a_recording("it is not gzip"),
                _ => self.not_a_recording(&damage.to_string()),
            });
        }
        self.damage = Some(damage.clone());
        Ok(FollowStep::Damaged(damage))
    }

    fn not_a_recording(&mut self, reason: &str) -> Error {
        // The next look starts afresh: somebody may put a recording there. Nothing was delivered yet.
        self.open = None;
        Error::new(&self.name, RecordingErrorKind::NotARecording(reason.to_owned()))
    }

    /// Opens the file where the last call stopped.
    fn reopen(&mut self) -> Result<Option<FollowStep>, Error> {
        let mut file = match (self.opener)() {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Some(FollowStep::Absent)),
            Err(e) => return Err(Error::new(&self.name, e)),
        };
        let metadata = file.metadata().map_err(|e| Error::new(&self.name, e))?;
        if self.is_another(&metadata) {
            self.forget();
            self.identity = Some(Identity::from_metadata(&metadata));
            return Ok(Some(FollowStep::Restarted));
        }
        self.identity = Some(Identity::from_metadata(&metadata));
        file.seek(SeekFrom::Start(self.at)).map_err(|e| Error::new(&self.name, e))?;
        let members = Members::new(
            BufReader::with_capacity(BUFFER, file),
            self.limits,
            Inflated { packed: self.at, text: self.inflated },
        );
        self.open = Some(OpenFile { members, base: self.at, ahead: Vec::new() });
        Ok(None)
    }

    /// Whether a file that is damaged was replaced by another one.
    fn restarted(&self) -> Result<bool, Error> {
        match (self.opener)().and_then(|file| file.metadata()) {
            Ok(metadata) => Ok(self.is_another(&metadata)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(e) => Err(Error::new(&self.name, e)),
        }
    }

    fn is_another(&self, metadata: &Metadata) -> bool {
        self.identity.as_ref().is_some_and(|known| *known != Identity::from_metadata(metadata))
            || metadata.len() < self.at
    }

    fn forget(&mut self) {
        *self = Follower::opened(&self.path, self.limits, Arc::clone(&self.opener));
    }
}

/// Distinguishes a file from one that replaced it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Identity {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
    /// Inodes are reused. Not every file system has this time.
    created: Option<SystemTime>,
}

impl Identity {
    #[cfg(unix)]
    fn from_metadata(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Identity { device: metadata.dev(), inode: metadata.ino(), created: metadata.created().ok() }
    }

    #[cfg(not(unix))]
    fn from_metadata(metadata: &Metadata) -> Self {
        Identity { created: metadata.created().ok() }
    }
}
