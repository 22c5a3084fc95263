//! A process that is measured: its newest figures, as its agent sends them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use weighbridge_control::Command;
use weighbridge_ending::{Failure, messages};
use weighbridge_jvms::AttachTarget;
use weighbridge_live::agent::Agent;
use weighbridge_live::follow::Follow;
use weighbridge_live::recordings::{ProcessFile, RecordingLookup, recording_of};
use weighbridge_recording::Line;
use weighbridge_reporter::Aggregate;

use super::newest::Newest;

/// So long a snapshot that was taken may be on its way.
const PATIENCE: Duration = Duration::from_secs(30);

/// What can be exported of a process.
pub(super) enum Measured {
    /// What its agent sends.
    ByAgent(Agent),
    /// The recording that it writes.
    IntoFile(ProcessFile),
}

/// Its agent, and what has come of it.
pub(super) struct FollowedProcess {
    title: String,
    follow: Follow,
    received: Arc<Mutex<Received>>,
    pub(super) aggregate: Option<Aggregate>,
    warned_of_the_end: bool,
}

#[derive(Default)]
struct Received {
    newest: Newest,
    /// The number of the last snapshot, 0 before the first.
    snapshot: u64,
    /// Since the last look.
    changed: bool,
}

/// Looks for the agent of a process, or else for its recording.
pub(super) fn find(pid: u32) -> Result<Measured, Failure> {
    if let Some(agent) = Agent::find_by_pid(pid) {
        return Ok(Measured::ByAgent(agent));
    }
    Err(Failure::input(match recording_of(pid) {
        RecordingLookup::File(file) => return Ok(Measured::IntoFile(file)),
        RecordingLookup::NotYet => {
            // Says so if it is no JVM, or why one cannot attach to it.
            AttachTarget::find(pid)?;
            format!("process {pid} is not measured; `weighbridge attach {pid}` does it")
        }
        RecordingLookup::Never(why) => format!("process {pid}: {why}"),
        RecordingLookup::Closed(why) => format!("process {pid}: {why}"),
        RecordingLookup::NoProcess => format!("{pid}: there is no such process, and no such file"),
    }))
}

impl FollowedProcess {
    /// Follows an agent, and asks it for a snapshot: so there are figures, and they are those of now.
    pub(super) fn measured(agent: &Agent) -> Result<FollowedProcess, Failure> {
        let title = agent.title().to_owned();
        let received = Arc::<Mutex<Received>>::default();
        let (name, into) = (title.clone(), Arc::clone(&received));
        let follow = Follow::each(agent, move |line| {
            let line = Line::read(&name, line)?;
            lock(&into).take(line);
            Ok(())
        })?;
        let taken = agent.request_reply(&Command::Measure { label: None, pause_ms: None })?;
        let begin = Instant::now();
        while Some(lock(&received).snapshot) < taken["snapshot"].as_u64() {
            if follow.has_ended() {
                follow.finish()?;
                return Err(Failure::input(format!("{title} ended meanwhile, or is no longer measured")));
            }
            if begin.elapsed() > PATIENCE {
                return Err(Failure::input(format!("{title}: the snapshot that was taken does not come")));
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(FollowedProcess { title, follow, received, aggregate: None, warned_of_the_end: false })
    }

    /// The name of its figures.
    pub(super) fn title(&self) -> &str {
        &self.title
    }

    /// Takes what came since the last look.
    pub(super) fn refresh_figures(&mut self) {
        // First: what came before the end is seen below.
        let over = self.follow.has_ended();
        let mut received = lock(&self.received);
        if std::mem::take(&mut received.changed) {
            self.aggregate = received.newest.aggregate(&self.title);
        }
        drop(received);
        if over && !std::mem::replace(&mut self.warned_of_the_end, true) {
            messages::warn(format!("{} is no longer measured; its last figures stay", self.title));
        }
    }
}

impl Received {
    fn take(&mut self, line: Line) {
        if let Line::Snapshot(snapshot) = &line {
            self.snapshot = snapshot.seq;
        }
        self.newest.line(line);
        self.changed = true;
    }
}

fn lock(received: &Mutex<Received>) -> MutexGuard<'_, Received> {
    received.lock().unwrap_or_else(PoisonError::into_inner)
}
