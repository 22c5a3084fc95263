//! Writes what a running agent records into a file of this side.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use flate2::Compression;
use flate2::write::GzEncoder;
use weighbridge_control::Lines;

use crate::ctl::Agent;
use crate::exit::Failure;
use crate::signals::Signals;

const PATIENCE: Duration = Duration::from_secs(30);
/// Between two looks at signals and at the end.
const LOOK: Duration = Duration::from_millis(50);

/// A file for a recording. One that is new is removed again if nothing was written.
pub(crate) struct Output {
    path: PathBuf,
    file: File,
    is_new: bool,
}

impl Output {
    /// Opens it before anything is changed in the JVM. What it has is kept until there is something to write.
    pub(crate) fn open(path: &Path) -> Result<Output, Failure> {
        let is_new = !path.exists();
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let file = file.with_context(|| format!("{}: cannot be written", path.display()))?;
        Ok(Output { path: path.to_owned(), file, is_new })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.is_new && self.file.metadata().is_ok_and(|about| about.is_file() && about.len() == 0) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// How the lines ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The agent said so: it has gone, or its JVM has ended in order.
    Told,
    /// The connection broke.
    Broken,
}

/// A thread that copies lines until the agent ends, or its JVM.
pub(crate) struct Follow {
    thread: JoinHandle<io::Result<End>>,
    ended: Arc<AtomicBool>,
    path: PathBuf,
}

impl Follow {
    /// Asks for the lines; the first of them are in the file soon after.
    pub(crate) fn begin(agent: &Agent, output: Output) -> Result<Follow, Failure> {
        let lines =
            agent.connect().and_then(|client| client.subscribe(PATIENCE)).with_context(|| agent.title().to_owned())?;
        let ended = Arc::new(AtomicBool::new(false));
        let tell = Arc::clone(&ended);
        let path = output.path().to_owned();
        let thread = thread::spawn(move || {
            let copied = copy(lines, &output);
            tell.store(true, Ordering::Release);
            copied
        });
        Ok(Follow { thread, ended, path })
    }

    /// Nothing more comes.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Waits for the end, or for a signal.
    pub(crate) fn wait(&self, signals: &Signals) {
        while !self.has_ended() && !signals.came() {
            thread::sleep(LOOK);
        }
    }

    /// Whether nothing more comes, soon.
    pub(crate) fn ends_within(&self, patience: Duration) -> bool {
        let begin = Instant::now();
        while !self.has_ended() && begin.elapsed() < patience {
            thread::sleep(LOOK);
        }
        self.has_ended()
    }

    /// Waits until the last line is in the file.
    pub(crate) fn finish(self) -> Result<End, Failure> {
        let copied = self.thread.join().map_err(|_| anyhow!("a thread panicked"))?;
        Ok(copied.with_context(|| format!("{}: cannot be written", self.path.display()))?)
    }
}

/// Lines that are of no use before the next one go into its gzip member.
const INCOMPLETE: [&str; 2] = ["{\"kind\":\"link\"", "{\"kind\":\"class\""];

fn copy(mut lines: Lines, output: &Output) -> io::Result<End> {
    let mut file = &output.file;
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    let mut member = GzEncoder::new(Vec::new(), Compression::default());
    let mut waiting = false;
    let mut end = End::Told;
    for line in &mut lines {
        let Ok(line) = line else {
            end = End::Broken;
            break;
        };
        member.write_all(line.as_bytes())?;
        member.write_all(b"\n")?;
        waiting = INCOMPLETE.iter().any(|kind| line.starts_with(kind));
        if !waiting {
            let full = std::mem::replace(&mut member, GzEncoder::new(Vec::new(), Compression::default()));
            file.write_all(&full.finish()?)?;
        }
    }
    if waiting {
        file.write_all(&member.finish()?)?;
    }
    Ok(end)
}
