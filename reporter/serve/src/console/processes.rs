//! The JVMs that run here: the list, what the console attached to, and what their agents are asked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::Context;
use hyper::StatusCode;
use hyper::body::Bytes;
use serde_json::{Value, json};
use tempfile::TempDir;
use weighbridge_config::{Config, parse_pause};
use weighbridge_control::Command;
use weighbridge_ending::{Failure, messages};
use weighbridge_jvms::AttachTarget;
use weighbridge_live::agent::{Agent, detach};
use weighbridge_live::follow::{Follow, FollowOutput};
use weighbridge_live::{attach, jvms};
use weighbridge_reporter::traces::Run;

use super::answer::{Refusal, in_json};
use super::pace::{Pace, locked};

/// What was asked of all processes, or of one, is told again for so long: pages may ask as often as they like.
const FRESH: Duration = Duration::from_secs(2);
/// How long the last lines may take at the end.
const LAST_LINES: Duration = Duration::from_secs(5);

/// An answer, and when it came.
type Told = (Instant, Bytes);

/// What the console has to do with JVMs.
#[derive(Default)]
pub(super) struct Processes {
    attached: Mutex<BTreeMap<u32, Attached>>,
    pub(super) pace: Pace,
    list: Mutex<Option<Told>>,
    /// By process, and the run of traces that was looked at; none of the agent's state.
    looks: Mutex<BTreeMap<(u32, Option<String>), Told>>,
    /// Folders of recordings whose JVMs are no longer measured.
    kept: Mutex<Vec<TempDir>>,
}

/// A JVM to which the console has attached. Its session ends with the connection, whatever happens to the console.
struct Attached {
    follow: Follow,
    folder: TempDir,
}

/// What is measured, as the agent gets it.
#[derive(Clone)]
pub(super) struct Measured {
    config: String,
    options: Vec<String>,
}

impl Measured {
    /// What a configuration says.
    pub(super) fn by_file(file: &Path) -> Result<Measured, Failure> {
        let (config, text) = Config::read_with_text(file)?;
        Ok(Measured { options: attach::own_options(&config), config: text })
    }

    /// The classes whose names match; none match if only traces and dumps are wanted.
    pub(super) fn by_patterns(include: &[String]) -> Result<Measured, Failure> {
        let (config, text) = attach::including(include)?;
        Ok(Measured { options: attach::own_options(&config), config: text })
    }

    /// The same, with another budget of pauses.
    pub(super) fn with_pause(mut self, pause: Option<&str>) -> Result<Measured, String> {
        if let Some(pause) = pause {
            self.options.push(attach::pause_option(parse_pause(pause)?));
        }
        Ok(self)
    }
}

impl Processes {
    /// The JVMs, as `jvms -o json` lists them.
    pub(super) fn list(&self) -> Result<Bytes, Refusal> {
        let mut kept = locked(&self.list);
        if let Some((at, list)) = &*kept
            && at.elapsed() < FRESH
        {
            return Ok(list.clone());
        }
        let list = in_json(&jvms::list_in_json()?)?;
        *kept = Some((Instant::now(), list.clone()));
        Ok(list)
    }

    /// Measures a JVM; gives the recording, and what the budget of pauses left out.
    pub(super) fn attach(&self, pid: u32, measured: &Measured) -> Result<(PathBuf, Value), Refusal> {
        let attached = self.pace.costly(pid, || -> Result<_, Refusal> {
            let target = AttachTarget::find(pid).map_err(Failure::from)?;
            attach::free(&target)?;
            let folder = tempfile::tempdir().context("no temporary directory can be made").map_err(Failure::from)?;
            let file = folder.path().join("attached.wbr");
            let output = FollowOutput::open(&file)?;
            let agent = attach::bring_agent(&target, &measured.config, None, &measured.options, &|| false)?;
            let follow = Follow::into_file(&agent, output, true).inspect_err(|_| {
                // The agent would wait for a while for who follows.
                let _ = detach(&agent, None);
            })?;
            locked(&self.attached).insert(pid, Attached { follow, folder });
            let left_out = agent.status().map(|mut status| status["left_out"].take()).unwrap_or_default();
            Ok((file, left_out))
        });
        self.forget(pid);
        attached
    }

    /// Ends what the console began; nothing else.
    pub(super) fn detach(&self, pid: u32) -> Result<Bytes, Refusal> {
        let attached = locked(&self.attached).remove(&pid);
        let attached = attached.ok_or_else(|| {
            Refusal::new(StatusCode::CONFLICT, format!("the console has not attached to process {pid}"))
        })?;
        let told = self.pace.in_turn(pid, || self.leave(pid, attached));
        self.forget(pid);
        in_json(&told?)
    }

    /// Its classes get their own bytes back. The recording stays to be read.
    fn leave(&self, pid: u32, Attached { follow, folder }: Attached) -> Result<Value, Failure> {
        let told = match follow.has_ended() {
            true => Ok(json!({ "ended": true })),
            false => Agent::from_pid(pid).and_then(|agent| detach(&agent, None)),
        };
        // The last lines are on their way.
        let ended = follow.ends_within(LAST_LINES);
        locked(&self.kept).push(folder);
        match told {
            // It went by itself just before.
            Err(_) if ended => Ok(json!({ "ended": true })),
            told => told,
        }
    }

    /// Ends whatever the console began.
    pub(super) fn end(&self) -> Result<(), Failure> {
        let mut left = Ok(());
        for (pid, attached) in std::mem::take(&mut *locked(&self.attached)) {
            match self.leave(pid, attached) {
                Ok(told) if told["classes"].is_u64() => {
                    let classes = &told["classes"];
                    messages::print_message(
                        "note",
                        &format!("process {pid}: {classes} classes have their own bytes again"),
                    );
                }
                Ok(_) => {}
                // Its session ends with this process all the same.
                Err(failure) => left = Err(failure),
            }
        }
        locked(&self.kept).clear();
        left
    }

    /// What one is doing: the agent's state, its runs of traces, and memory shortage.
    pub(super) fn fetch_state(&self, pid: u32) -> Result<Bytes, Refusal> {
        self.looked(pid, None, || {
            let agent = Agent::from_pid(pid)?;
            let ours = locked(&self.attached).contains_key(&pid);
            in_json(&json!({
                "ours": ours,
                "status": agent.status()?,
                "traces": agent.request_reply(&Command::TraceList {})?["runs"],
                "shortage": agent.request_reply(&Command::Shortage {})?,
            }))
        })
    }

    /// What a run of traces has found so far, as the tables of `trace show`.
    pub(super) fn traced(&self, pid: u32, name: &str) -> Result<Bytes, Refusal> {
        let name = Some(name.to_owned());
        self.looked(pid, name.clone(), || {
            run_to_json(Agent::from_pid(pid)?.request_reply(&Command::TraceShow { name })?)
        })
    }

    /// What an agent tells, or has told a moment ago.
    fn looked(
        &self,
        pid: u32,
        at: Option<String>,
        ask: impl FnOnce() -> Result<Bytes, Refusal>,
    ) -> Result<Bytes, Refusal> {
        let key = (pid, at);
        let known = locked(&self.looks).get(&key).cloned();
        if let Some((at, look)) = &known
            && at.elapsed() < FRESH
        {
            return Ok(look.clone());
        }
        let asked = self.pace.if_free(pid, || {
            let look = ask()?;
            locked(&self.looks).insert(key, (Instant::now(), look.clone()));
            Ok::<_, Refusal>(look)
        });
        // While something else is done, what was known before has to do.
        match (asked, known) {
            (Err(refusal), Some((_, look))) if refusal.is_too_soon() => Ok(look),
            (asked, _) => asked,
        }
    }

    /// Asks for something that costs the program.
    pub(super) fn request_costly_reply(&self, pid: u32, command: &Command) -> Result<Bytes, Refusal> {
        let told = self.pace.costly(pid, || Agent::from_pid(pid)?.request_reply(command));
        self.forget(pid);
        in_json(&told?)
    }

    /// Asks for the end of something.
    pub(super) fn end_of(&self, pid: u32, command: &Command) -> Result<Value, Refusal> {
        let told = self.pace.in_turn(pid, || Agent::from_pid(pid)?.request_reply(command));
        self.forget(pid);
        told
    }

    /// Ends a run of traces; what it has found.
    pub(super) fn end_of_trace(&self, pid: u32, name: &str) -> Result<Bytes, Refusal> {
        run_to_json(self.end_of(pid, &Command::TraceStop { name: Some(name.to_owned()) })?)
    }

    fn forget(&self, pid: u32) {
        locked(&self.looks).retain(|(of, _), _| *of != pid);
        *locked(&self.list) = None;
    }
}

/// A run of traces as the tables of `trace show`.
fn run_to_json(answer: Value) -> Result<Bytes, Refusal> {
    let run: Run = serde_json::from_value(answer).context("the agent's answer").map_err(Failure::from)?;
    in_json(&run.sheet().data())
}
