//! The recording that is watched, and its status.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use tempfile::TempDir;
use weighbridge_ending::Failure;
use weighbridge_ending::input::check_input;
use weighbridge_outside::open_file;
use weighbridge_recording::{FollowStep, Follower, Footer, Header, Line, ReadLimits};
use weighbridge_watch::{Model, Recorded, Status};

use super::process::{self, RecordingLookup};
use crate::agent::{Agent, is_address, no_token};
use crate::follow::{Follow, FollowOutput};

/// How long one frame waits for the first snapshot of an agent that writes no file.
const FIRST_SNAPSHOT: Duration = Duration::from_secs(10);

/// What takes the lines of a recording that grows.
pub trait Takes {
    /// The next line.
    fn line(&mut self, line: Line);
    /// The file was written anew: what was taken is of another one.
    fn restart(&mut self);
    /// The header of the newest JVM.
    fn header(&self) -> Option<&Header>;
    /// Its last line, if it has ended in order.
    fn end(&self) -> Option<&Footer>;
}

impl Takes for Recorded {
    fn line(&mut self, line: Line) {
        Recorded::line(self, line);
    }

    fn restart(&mut self) {
        *self = Recorded::default();
    }

    fn header(&self) -> Option<&Header> {
        Recorded::header(self)
    }

    fn end(&self) -> Option<&Footer> {
        Recorded::end(self)
    }
}

/// A recording, or a process whose recording is not found yet.
pub struct RecordingSource {
    title: String,
    process: Option<u32>,
    follower: Option<Follower>,
    /// What a native agent sends, if it writes no file, and the folder with its copy.
    followed: Option<(Follow, TempDir)>,
    limits: ReadLimits,
}

impl RecordingSource {
    /// What the agent at an address sends, with a file that has its token. Else a file of that name; else a process of that
    /// number; else a file that does not exist yet.
    pub fn find(target: &str, token: Option<&Path>, limits: ReadLimits) -> Result<Self, Failure> {
        let path = Path::new(target);
        check_input(path)?;
        if path.is_dir() {
            return Err(Failure::usage(format!("{target}: is a directory; name one recording")));
        }
        let process = process::parse_pid(path);
        let mut source = RecordingSource { title: target.to_owned(), process, follower: None, followed: None, limits };
        if let Some(token) = token {
            source.follow(&Agent::from_address(target, token)?)?;
        } else if is_address(target) && !path.exists() {
            return Err(no_token(target));
        } else if process.is_some() {
            source.title = format!("process {target}");
            source.look_into_process()?;
        } else {
            source.follower = Some(follow_path(path, limits));
        }
        Ok(source)
    }

    /// What it is called.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The process that is watched; none of a file or an address.
    pub fn process(&self) -> Option<u32> {
        self.process
    }

    /// Reads everything, for one frame.
    pub fn read_once(&mut self, model: &mut Model) -> Result<(), Failure> {
        let begin = Instant::now();
        loop {
            while self.read(model, Duration::MAX)? {}
            let waits = self.followed.as_ref().is_some_and(|(follow, _)| !follow.has_ended());
            if !waits || model.recorded.snapshots() > 0 || begin.elapsed() > FIRST_SNAPSHOT {
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
        match &model.status {
            Status::Waiting(why) => Err(Failure::input(why)),
            _ => Ok(()),
        }
    }

    /// Reads new lines for at most the given time; true if there are more.
    pub fn read(&mut self, model: &mut Model, at_most: Duration) -> Result<bool, Failure> {
        model.status = self.read_into(&mut model.recorded, at_most)?;
        model.recorded.update_tables();
        Ok(matches!(model.status, Status::Reading(_)))
    }

    /// The same for whoever takes them. There are more if the answer is [`Status::Reading`].
    pub fn read_into(&mut self, into: &mut impl Takes, at_most: Duration) -> Result<Status, Failure> {
        if self.follower.is_none() {
            self.look_into_process()?;
        }
        let Some(follower) = &mut self.follower else {
            return Ok(Status::Waiting(format!("{} has written no recording yet", self.title)));
        };
        let file = match self.followed {
            Some(_) => self.title.clone(),
            None => follower.path().display().to_string(),
        };
        let started = Instant::now();
        let mut known_gone = false;
        loop {
            let step = follower.step(&mut |line| into.line(line)).map_err(|e| Failure::Input(e.into()))?;
            // A process that has ended may have written more before: the file is read once again.
            let life = match (self.process, &self.followed) {
                (Some(pid), _) => process::lives(pid),
                (None, Some((follow, _))) => Some(!follow.has_ended()),
                (None, None) => into.header().and_then(process::runs),
            };
            if matches!(step, FollowStep::End { .. }) && life == Some(false) && !known_gone {
                known_gone = true;
                continue;
            }
            return Ok(match step {
                FollowStep::Lines if started.elapsed() > at_most => {
                    let percent = follower.progress().map_or(0, |(at, length)| at * 100 / length.max(1));
                    Status::Reading(percent)
                }
                FollowStep::Lines => continue,
                FollowStep::Restarted => {
                    into.restart();
                    continue;
                }
                FollowStep::Absent if into.header().is_some() => Status::Over(format!("{file}: is gone")),
                FollowStep::Absent => Status::Waiting(format!("{file}: not there yet")),
                FollowStep::End { .. } if into.header().is_none() && !known_gone => {
                    Status::Waiting(format!("{file}: has no complete header yet"))
                }
                FollowStep::End { .. } => match into.end() {
                    Some(end) => {
                        let reason = end.reason.as_deref().unwrap_or("no reason given");
                        Status::Over(format!("the program ended in order ({reason})"))
                    }
                    None if known_gone && self.process.is_none() && self.followed.is_some() => {
                        Status::Over("the connection ended without a last line".to_owned())
                    }
                    None if known_gone => Status::Over(ended_without_last_line(self.process, into.header())),
                    None if life == Some(true) => Status::Following,
                    None => Status::Unattended,
                },
                FollowStep::Damaged(damage) => Status::Over(format!("{damage}; the part before it is shown")),
            });
        }
    }

    /// Takes the lines from the agent itself; false if there is none.
    fn follow_agent(&mut self, pid: u32) -> Result<bool, Failure> {
        let Some(agent) = Agent::find_by_pid(pid) else { return Ok(false) };
        self.follow(&agent).map(|()| true)
    }

    fn follow(&mut self, agent: &Agent) -> Result<(), Failure> {
        let folder = tempfile::tempdir().context("no temporary directory can be made")?;
        let file = folder.path().join("watch.wbr");
        let follow = Follow::into_file(agent, FollowOutput::open(&file)?, false)?;
        self.follower = Some(follow_path(&file, self.limits));
        self.followed = Some((follow, folder));
        Ok(())
    }

    fn look_into_process(&mut self) -> Result<(), Failure> {
        let Some(pid) = self.process else { return Ok(()) };
        match process::recording_of(pid) {
            RecordingLookup::File(file) => self.follower = Some(file.follow(self.limits)),
            RecordingLookup::NotYet | RecordingLookup::Never(_) if self.follow_agent(pid)? => {}
            RecordingLookup::NotYet => {}
            RecordingLookup::Never(why) => return Err(Failure::input(format!("process {pid}: {why}"))),
            RecordingLookup::NoProcess => {
                return Err(Failure::input(format!("{pid}: there is no such process, and no such file")));
            }
            RecordingLookup::Closed(why) => return Err(Failure::input(format!("process {pid}: {why}"))),
        }
        Ok(())
    }
}

/// Reads a file while it grows. What gets its name and is no file is not opened: a pipe would be waited for.
pub fn follow_path(path: &Path, limits: ReadLimits) -> Follower {
    let at = path.to_owned();
    Follower::opened_by(path, limits, move || open_file(&at))
}

fn ended_without_last_line(process: Option<u32>, header: Option<&Header>) -> String {
    let pid = process.map(u64::from).or_else(|| header?.jvm.pid);
    let pid = pid.map_or_else(String::new, |pid| format!("process {pid} "));
    format!("{pid}is gone without a last line: killed, or crashed")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use weighbridge_recording::{FollowStep, ReadLimits};

    use super::follow_path;

    #[test]
    fn a_pipe_that_gets_the_name_of_a_recording_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.wbr");
        fs::write(&path, include_bytes!("../../../../reporter/recording/tests/fixtures/v1.wbr")).unwrap();
        let mut follower = follow_path(&path, ReadLimits::default());
        while matches!(follower.step(&mut |_| {}).unwrap(), FollowStep::Lines) {}
        fs::remove_file(&path).unwrap();
        assert_eq!(follower.step(&mut |_| {}).unwrap(), FollowStep::Absent);
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let error = follower.step(&mut |_| {}).unwrap_err();
        assert!(error.to_string().ends_with("it is not a file"), "{error}");
    }
}
