//! Traces by probes: the agent is asked, and brought into the JVM if there is none.

use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::Value;
use weighbridge_config::TraceRequest;
use weighbridge_control::{Command, Lines};
use weighbridge_jvms::AttachTarget;
use weighbridge_reporter::traces::Run;

use super::waiting::wait;
use super::what::{Chosen, What};
use crate::attach;
use crate::ctl::{self, Agent};
use crate::exit::{self, Failure, Outcome};
use crate::signals::Signals;

/// No class is measured.
const NOTHING: &str = "version = 1\n[instrument]\ninclude = []\n";
/// How long the agent may take to let somebody follow.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two looks whether the agent has ended the run.
const ASK: Duration = Duration::from_secs(1);
/// The agent ends a run by itself so long after we should have: we may be killed while another agent's session goes on.
const BY_ITSELF: Duration = Duration::from_secs(60);

/// Begin a run of traces by probes that stays in the JVM.
#[derive(clap::Args)]
pub(super) struct Start {
    /// The process. If it has no agent, one is brought, and stays until `weighbridge detach PID`.
    pid: u32,
    /// What is traced: methods, calls, coverage, objects, uses.
    #[arg(value_enum, value_name = "WHAT", required = true)]
    what: Vec<What>,
    #[command(flatten)]
    chosen: Chosen,
    /// End it after this time; what it has found stays until `stop`.
    #[arg(long = "for", value_name = "DURATION", value_parser = weighbridge_config::parse_duration)]
    duration: Option<Duration>,
}

/// List the runs.
#[derive(clap::Args)]
pub(super) struct ListRuns {
    /// The process.
    pid: u32,
}

pub(super) fn start(args: Start) -> Outcome {
    let traced: Option<Vec<_>> = args.what.iter().map(|what| what.kind()).collect();
    let traced = traced.ok_or_else(|| {
        Failure::usage("a run that stays is of traces by probes; Flight Recorder's end with the command")
    })?;
    let asked = args.chosen.into_request(traced, args.duration)?.context("traces")?;
    let target = AttachTarget::find(args.pid)?;
    let asked = Command::TraceStart(Box::new(asked));
    let told = Agent::when_none_ends(&target, |found| {
        let agent = found.map_or_else(|| attach::bring_agent(&target, NOTHING, None, &[], &|| false), Ok)?;
        agent.request_reply(&asked)
    })?;
    ctl::print(&told)
}

pub(super) fn list(args: ListRuns) -> Outcome {
    ctl::print(&Agent::from_pid(args.pid)?.request_reply(&Command::TraceList {})?)
}

pub(super) fn show(pid: u32, name: Option<String>) -> Result<Run, Failure> {
    run(Agent::from_pid(pid)?.request_reply(&Command::TraceShow { name })?)
}

pub(super) fn stop(pid: u32, name: Option<String>) -> Result<Run, Failure> {
    run(Agent::from_pid(pid)?.request_reply(&Command::TraceStop { name })?)
}

fn run(answer: Value) -> Result<Run, Failure> {
    Ok(serde_json::from_value(answer).context("the agent's answer")?)
}

/// What is shown while a run goes on.
pub(super) struct Watched<'a> {
    pub(super) every: Duration,
    pub(super) show: &'a mut dyn FnMut(Run) -> Result<(), Failure>,
}

/// A run that ends with this command.
pub(crate) struct Running {
    agent: Agent,
    pid: u32,
    name: String,
    /// If the agent is ours: its session ends with this connection.
    ours: Option<Lines>,
}

impl Running {
    pub(crate) fn begin(target: &AttachTarget, mut asked: TraceRequest) -> Result<Running, Failure> {
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
    pub(crate) fn wait(&self, duration: Duration, signals: &Signals) -> Result<(), Failure> {
        self.wait_and_show(duration, signals, None)
    }

    /// The same; shows what there is so far, so often.
    pub(super) fn wait_and_show(
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
    pub(crate) fn end(self) -> Result<Run, Failure> {
        let answer = self.agent.request_reply(&Command::TraceStop { name: Some(self.name.clone()) });
        self.leave();
        run(answer?)
    }

    /// Takes an agent away that is ours.
    fn leave(&self) {
        if self.ours.is_some() && ctl::detach(&self.agent, None).is_err() {
            exit::warn("the agent could not be asked to go; it goes when this command has ended");
        }
    }
}
