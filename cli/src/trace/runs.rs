//! Runs of traces by probes that stay in the JVM.

use std::time::Duration;

use anyhow::Context;
use weighbridge_ending::Failure;
use weighbridge_live::traces;

use super::what::{Chosen, What};
use crate::answer::print_answer;
use crate::exit::Outcome;

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
    print_answer(&traces::begin_lasting(args.pid, asked)?)
}

pub(super) fn list(args: ListRuns) -> Outcome {
    print_answer(&traces::list(args.pid)?)
}
