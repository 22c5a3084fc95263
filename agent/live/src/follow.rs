//! Takes what a running agent records, into a file of this side or line by line.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use weighbridge_control::{Client, Lines};
use weighbridge_ending::signals::Signals;
use weighbridge_ending::{Failure, output};
use weighbridge_recording::Writer;

use crate::agent::Agent;

const PATIENCE: Duration = Duration::from_secs(30);
/// Between two looks at signals and at the end.
const LOOK: Duration = Duration::from_millis(50);

/// A file for a recording. One that is new is removed again if nothing was written.
pub struct FollowOutput {
    path: PathBuf,
    file: File,
    is_new: bool,
}

impl FollowOutput {
    /// Opens it before anything is changed in the JVM. What it has is kept until there is something to write.
    pub fn open(path: &Path) -> Result<FollowOutput, Failure> {
        let is_new = output::is_missing(path)?;
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let file = file.with_context(|| format!("{}: cannot be written", path.display()))?;
        Ok(FollowOutput { path: path.to_owned(), file, is_new })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for FollowOutput {
    fn drop(&mut self) {
        if self.is_new && self.file.metadata().is_ok_and(|about| about.is_file() && about.len() == 0) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// How the lines ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The agent said so: it has gone, or its JVM has ended in order.
    Told,
    /// The agent said so, but the recording's last line is missing.
    Unfinished,
    /// The connection broke.
    Broken,
}

/// A thread that takes lines until the agent ends, or its JVM.
pub struct Follow {
    thread: JoinHandle<anyhow::Result<End>>,
    ended: Arc<AtomicBool>,
}

impl Follow {
    /// Asks for the lines; the first of them are in the file soon after. `attached`: the session ends with this process.
    pub fn into_file(agent: &Agent, output: FollowOutput, attached: bool) -> Result<Follow, Failure> {
        let copy = move |lines| {
            copy(lines, &output).with_context(|| format!("{}: cannot be written", output.path().display()))
        };
        Follow::begin(agent, attached, copy)
    }

    /// Asks for the lines, and gives away each.
    pub fn each(
        agent: &Agent,
        take: impl FnMut(&str) -> anyhow::Result<()> + Send + 'static,
    ) -> Result<Follow, Failure> {
        Follow::begin(agent, false, move |lines| each(lines, take))
    }

    fn begin(
        agent: &Agent,
        attached: bool,
        take: impl FnOnce(Lines) -> anyhow::Result<End> + Send + 'static,
    ) -> Result<Follow, Failure> {
        let subscribe = if attached { Client::subscribe_attached } else { Client::subscribe };
        let lines = agent.connect().and_then(|client| subscribe(client, PATIENCE));
        let lines = lines.with_context(|| agent.title().to_owned())?;
        let ended = Arc::new(AtomicBool::new(false));
        let tell = Arc::clone(&ended);
        let thread = thread::spawn(move || {
            let taken = take(lines);
            tell.store(true, Ordering::Release);
            taken
        });
        Ok(Follow { thread, ended })
    }

    /// Nothing more comes.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Waits for the end, or for a signal.
    pub fn wait(&self, signals: &Signals) {
        while !self.has_ended() && !signals.came() {
            thread::sleep(LOOK);
        }
    }

    /// Whether nothing more comes, soon.
    pub fn ends_within(&self, patience: Duration) -> bool {
        let begin = Instant::now();
        while !self.has_ended() && begin.elapsed() < patience {
            thread::sleep(LOOK);
        }
        self.has_ended()
    }

    /// Waits until the last line is taken.
    pub fn finish(self) -> Result<End, Failure> {
        Ok(self.thread.join().map_err(|_| anyhow!("a thread panicked"))??)
    }
}

/// Lines that are of no use before the next one go into its gzip member.
const INCOMPLETE: [&str; 2] = ["{\"kind\":\"link\"", "{\"kind\":\"class\""];
/// How the last line of a recording begins.
const LAST: &str = "{\"kind\":\"footer\"";

fn copy(lines: Lines, output: &FollowOutput) -> anyhow::Result<End> {
    if output.file.metadata()?.is_file() {
        output.file.set_len(0)?;
    }
    let mut writer = Writer::new(&output.file);
    let mut is_finished = false;
    let end = each(lines, |line| {
        writer.text(line)?;
        is_finished = line.starts_with(LAST);
        if !INCOMPLETE.iter().any(|kind| line.starts_with(kind)) {
            writer.end_member()?;
        }
        Ok(())
    })?;
    writer.end_member()?;
    Ok(if end == End::Told && !is_finished { End::Unfinished } else { end })
}

fn each(lines: Lines, mut take: impl FnMut(&str) -> anyhow::Result<()>) -> anyhow::Result<End> {
    for line in lines {
        match line {
            Ok(line) => take(&line)?,
            Err(_) => return Ok(End::Broken),
        }
    }
    Ok(End::Told)
}
