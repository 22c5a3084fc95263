//! Traces by probes: the agent is asked, and brought into the JVM if there is none.

use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::Value;
use weighbridge_config::TraceRequest;
use weighbridge_control::{Command, Lines};
use weighbridge_ending::signals::Signals;
use weighbridge_ending::{Failure, messages};
use weighbridge_jvms::AttachTarget;
use weighbridge_reporter::traces::Run;

use super::waiting::wait;
use crate::agent::{Agent, detach};
use crate::attach;

/// No class is measured.
const NOTHING: &str = "version = 1\n[instrument]\ninclude = []\n";
/// How long the agent may take to let somebody follow.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two looks whether the agent has ended the run.
const ASK: Duration = Duration::from_secs(1);
/// The agent ends a run by itself so long after we should have: we may be killed while another agent's session goes on.
const BY_ITSELF: Duration = Duration::from_secs(60);

/// Begins a run that stays in the JVM; if that has no agent, one is brought, and stays. Gives its answer.
pub fn begin_lasting(pid: u32, asked: TraceRequest) -> Result<Value, Failure> {
    let target = AttachTarget::find(pid)?;
    let asked = Command::TraceStart(Box::new(asked));
    Agent::when_none_ends(&target, |found| {
        let agent = found.map_or_else(|| attach::bring_agent(&target, NOTHING, None, &[], &|| false), Ok)?;
        agent.request_reply(&asked)
    })
}

/// The runs of a JVM, as its agent lists them.
pub fn list(pid: u32) -> Result<Value, Failure> {
    Agent::from_pid(pid)?.request_reply(&Command::TraceList {})
}

/// What a run has found so far.
pub fn show(pid: u32, name: Option<String>) -> Result<Run, Failure> {
    run(Agent::from_pid(pid)?.request_reply(&Command::TraceShow { name })?)
}

/// Ends a run; gives what it has found.
pub fn stop(pid: u32, name: Option<String>) -> Result<Run, Failure> {
    run(Agent::from_pid(pid)?.request_reply(&Command::TraceStop { name })?)
}

fn run(answer: Value) -> Result<Run, Failure> {
    Ok(serde_json::from_value(answer).context("the agent's answer")?)
}

/// What is shown while a run goes on.
pub struct Watched<'a> {
    /// How often.
    pub every: Duration,
    /// Takes what there is so far.
    pub show: &'a mut dyn FnMut(Run) -> Result<(), Failure>,
}

/// A run that ends with this command.
pub struct Running {
    agent: Agent,
    pid: u32,
    name: String,
    /// If the agent is ours: its session ends with this connection.
    ours: Option<Lines>,
}

impl Running {
    /// Begins it. An agent that is brought for it goes at the end.
    pub fn begin(target: &AttachTarget, mut asked: TraceRequest) -> Result<Running, Failure> {
        asked.for_ms = asked.for_ms.map(|ms| ms.saturating_add(BY_ITSELF.as_millis() as u64));
        let name = asked.name.clone();
        let asked = Command::TraceStart(Box::new(asked));
        Agent::when_none_ends(target, |found| {
            let (agent, ours) = match found {
                Some(agent) => (agent, None),
                None => {
                    let agent = attach::bring_agent(target, NOTHING, None, &["end=client".to_owned()], &|| false)?;
                    let followed = agent.connect().and_then(|client| client.subscribe_attached(PATIENCE));
                    let lines = followed.with_context(|| agent.title().to_owned())?;
                    (agent, Some(lines))
                }
            };
            let running = Running { agent, pid: target.pid(), name: name.clone(), ours };
            match running.agent.request_reply(&asked) {
                Ok(_) => Ok(running),
                Err(reason) => {
                    running.leave();
                    Err(reason)
                }
            }
        })
    }

    /// Waits until it is time, somebody asks for the end, or the agent has ended the run.
    pub fn wait(&self, duration: Duration, signals: &Signals) -> Result<(), Failure> {
        self.wait_and_show(duration, signals, None)
    }

    /// The same; shows what there is so far, so often.
    pub fn wait_and_show(
        &self,
        duration: Duration,
        signals: &Signals,
        mut shown: Option<Watched<'_>>,
    ) -> Result<(), Failure> {
        let mut next = shown.as_ref().map(|shown| Instant::now() + shown.every);
        let mut asked = Instant::now();
        wait(self.pid, duration, signals, || {
            if let (Some(Watched { every, show }), Some(at)) = (&mut shown, &mut next)
                && Instant::now() >= *at
            {
                *at += *every;
                show(run(self.agent.request_reply(&Command::TraceShow { name: Some(self.name.clone()) })?)?)?;
            }
            if asked.elapsed() <= ASK {
                return Ok(true);
            }
            asked = Instant::now();
            let all = self.agent.request_reply(&Command::TraceList {})?;
            let own = all["runs"].as_array().into_iter().flatten().find(|run| run["name"] == *self.name);
            Ok(own.is_some_and(|run| run["state"] != "ended"))
        })
    }

    /// Ends it; gives what it has found.
    pub fn end(self) -> Result<Run, Failure> {
        let answer = self.agent.request_reply(&Command::TraceStop { name: Some(self.name.clone()) });
        self.leave();
        run(answer?)
    }

    /// Takes an agent away that is ours.
    fn leave(&self) {
        if self.ours.is_some() && detach(&self.agent, None).is_err() {
            messages::warn("the agent could not be asked to go; it goes when this command has ended");
        }
    }
}
