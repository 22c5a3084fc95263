//! Measures a JVM that runs already: what is asked of an agent that is brought into it.

use std::time::Duration;

use anyhow::Context;
use weighbridge_config::{Config, format_duration, parse_pause};
use weighbridge_ending::{Failure, messages};
use weighbridge_jvms::{AttachTarget, Jvm};

use crate::agent::Agent;
use crate::bring::Bring;

/// How long a JVM may take to load the agent and to change the classes that are loaded: thousands of them, on a machine that is
/// busy.
const PATIENCE: Duration = Duration::from_secs(300);

/// The first version that keeps its compiled code when an agent attaches (JDK-8324241).
const KEEPS_COMPILED_CODE: u32 = 23;

/// Brings the agent into a JVM that has none, or an idle one. `is_given_up`: the user wants it no more, so the agent goes again.
pub fn bring_agent(
    target: &AttachTarget,
    config: &str,
    token: Option<&str>,
    options: &[String],
    is_given_up: &(dyn Fn() -> bool + Sync),
) -> Result<Agent, Failure> {
    let jvm = weighbridge_jvms::list().unwrap_or_default().into_iter().find(|jvm| jvm.pid == target.pid());
    jvm.iter().for_each(warn_of_a_cold_attach);
    let idle = jvm.and_then(|jvm| jvm.weighbridge);
    // A walk of the heap may take what is granted.
    let granted = options.iter().filter_map(|option| parse_pause(option.strip_prefix("pause=")?).ok()).max();
    let patience = PATIENCE + granted.unwrap_or_default();
    let socket = Bring::new(target, idle, config, token, options)?.load(patience, is_given_up)?;
    Ok(Agent::with_socket(target, socket))
}

/// Fails if a JVM is measured. Waits for a session that is ending.
pub fn free(target: &AttachTarget) -> Result<(), Failure> {
    Agent::when_none_ends(target, |found| match found {
        Some(agent) => agent.status().and(Err(measured_already(target.pid()))),
        None => Ok(()),
    })
}

fn measured_already(pid: u32) -> Failure {
    Failure::input(format!(
        "process {pid} is measured already; `weighbridge detach {pid}` ends that, or attach without a configuration to \
         watch it"
    ))
}

/// The option that grants a budget of pauses.
pub fn pause_option(pause: Duration) -> String {
    format!("pause={}", format_duration(pause))
}

/// The options of a session that ends with its client, with those that the configuration leaves open.
pub fn own_options(config: &Config) -> Vec<String> {
    let has_interval = config.runtime_settings().iter().any(|(key, _)| *key == "interval");
    let interval = (!has_interval).then(|| "interval=5s".to_owned());
    [Some("end=client".to_owned()), interval].into_iter().flatten().collect()
}

/// The configuration that measures the classes whose names match, checked, and its text.
pub fn including(patterns: &[String]) -> Result<(Config, String), Failure> {
    let patterns = serde_json::to_string(patterns).context("patterns")?;
    let text = format!("version = 1\n[instrument]\ninclude = {patterns}\n");
    Ok((Config::parse(&text)?, text))
}

fn warn_of_a_cold_attach(jvm: &Jvm) {
    let major = jvm.version.as_deref().and_then(|version| version.split(['.', '+', '-']).next()?.parse().ok());
    if jvm.weighbridge.is_none()
        && let Some(major) = major.filter(|&major: &u32| major < KEEPS_COMPILED_CODE)
    {
        messages::warn(format!(
            "Java {major} throws its compiled code away when the first agent attaches (JDK-8324241): a program with \
             much code takes three to four times the CPU for about 5 seconds, and more than before for half a minute. One that \
             was started with the idle agent has no such cost (docs/attach.md)"
        ));
    }
}
