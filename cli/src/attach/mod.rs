//! `weighbridge attach`: measures a JVM that runs already.

mod bring;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::Value;
use weighbridge_config::{Config, format_duration, parse_pause};
use weighbridge_control::{Endpoint, read_token};
use weighbridge_jvms::{AttachTarget, Jvm};

use crate::ctl::{self, Agent};
use crate::exit::{self, DONE, Failure, Outcome};
use crate::follow::{End, Follow, FollowOutput};
use crate::input::InputPathParser;
use crate::output;
use crate::signals::Signals;
use crate::watch;
use bring::Bring;

/// How long a JVM may take to load the agent and to change the classes that are loaded: thousands of them, on a machine that is
/// busy.
const PATIENCE: Duration = Duration::from_secs(300);

/// How long the end of a process, or of its agent, may take to be seen.
const PATIENCE_AT_THE_END: Duration = Duration::from_secs(1);

/// The first version that keeps its compiled code when an agent attaches (JDK-8324241).
const KEEPS_COMPILED_CODE: u32 = 23;

/// Measure a JVM that runs already, and show what `watch` shows; end with q or Ctrl-C.
///
/// The classes get their probes now, and their own bytes back at the end; objects that exist before are not counted as
/// constructed. Without a terminal, -o FILE takes the recording. A JVM that is measured already is only watched.
/// Linux only, and HotSpot 11 or newer; docs/attach.md.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The process; `weighbridge jvms` lists them.
    #[arg(value_name = "PID")]
    pid: u32,
    /// Which classes to measure, and how (docs/configuration.md).
    #[arg(long, value_name = "FILE", group = "what", value_parser = InputPathParser)]
    config: Option<PathBuf>,
    /// Measure the classes whose names match, without a file: `com.acme.**`.
    #[arg(long, value_name = "PATTERN", num_args = 1.., group = "what")]
    include: Vec<String>,
    /// Keep the recording in this file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, requires = "output")]
    force: bool,
    /// How long the program may be stopped at once, such as 500ms or 3s; 100ms unless set. What would take longer is left out,
    /// and named with its time: objects that exist already, full collections before measurements.
    #[arg(long, value_name = "DURATION", value_parser = weighbridge_config::parse_pause, requires = "what")]
    pause: Option<Duration>,
    /// Leave out the objects that exist before: the program does not wait until they are found in its heap.
    #[arg(long, requires = "what")]
    no_seed: bool,
    /// Let clients ask by TCP, too: at the loopback interface, unless an address is named. There is no encryption.
    #[arg(long, value_name = "[ADDRESS:]PORT", requires_all = ["token_file", "what"])]
    listen: Option<String>,
    /// What these clients must know, 16 bytes or more in a file that nobody else can open.
    #[arg(long, value_name = "FILE", requires = "listen", value_parser = InputPathParser)]
    token_file: Option<PathBuf>,
    /// A runtime option, such as interval=30s (docs/configuration.md). The interval is 5s unless set.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let terminal = io::stdout().is_terminal() && io::stdin().is_terminal();
    if !terminal && args.output.is_none() {
        return Err(Failure::usage("standard output is no terminal; -o FILE takes the recording"));
    }
    if let Some(file) = &args.output {
        output::check_free(file, args.force)?;
    }
    let text = config_text(&args)?;
    let token = token(&args)?;
    let target = AttachTarget::find(args.pid)?;
    let found = match &text {
        Some(_) => free(&target).map(|()| None)?,
        None => Agent::find(&target)?,
    };
    if found.is_none() && text.is_none() {
        return Err(Failure::usage("what to measure? --config FILE or --include PATTERN"));
    }
    // From here on a signal is an orderly end: no file is left, and no class keeps its probes.
    let signals = Signals::catch()?;
    let temporary = tempfile::tempdir().context("no temporary directory can be made")?;
    let file = args.output.clone().unwrap_or_else(|| temporary.path().join("attach.wbr"));
    let output = FollowOutput::open(&file)?;
    let ours = found.is_none();
    let agent = match (found, text) {
        (None, Some((text, options))) => bring_agent(&target, &text, token.as_deref(), &options, &|| signals.came())?,
        (found, _) => found.context("an agent")?,
    };
    let follow = match Follow::into_file(&agent, output, ours) {
        Ok(follow) => follow,
        Err(reason) => {
            // The agent would wait for a while for who follows.
            let _ = ours.then(|| ctl::detach(&agent, None));
            return Err(reason);
        }
    };
    if ours && let Ok(status) = agent.status() {
        if let Some(address) = status["address"].as_str() {
            exit::print_message("note", &format!("{} can be asked at {address}, with the token", agent.title()));
        }
        for missing in status["left_out"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            exit::print_message("note", missing);
        }
    }
    let shown = if terminal && !signals.came() {
        watch::show(&file, args.pid, agent.title())
    } else {
        exit::print_message("note", &format!("{} is measured; Ctrl-C ends it", agent.title()));
        follow.wait(&signals);
        Ok(())
    };
    signals.let_go()?;
    if !follow.has_ended() && !ours {
        return shown.map(|()| DONE);
    }
    // One that is stopped would not answer; it ends the session when it goes on.
    let detach = || AttachTarget::find(args.pid).map_err(Failure::from).and_then(|_| ctl::detach(&agent, None));
    let detached = if follow.has_ended() { Ok(None) } else { detach().map(Some) };
    // It may have ended on its own just before.
    if detached.is_err() && !follow.ends_within(PATIENCE_AT_THE_END) {
        return detached.map(|_| DONE);
    }
    let end = follow.finish()?;
    shown?;
    if let Ok(Some(detached)) = detached {
        exit::print_message("note", &format!("{} classes have their own bytes again", detached["classes"]));
    }
    match end {
        End::Told => Ok(DONE),
        End::Unfinished => Err(Failure::input(format!(
            "{} ended the recording without its last lines; the program's standard error says why",
            agent.title()
        ))),
        End::Broken if has_ended(args.pid) => {
            Err(Failure::input(format!("{} ended without a last line: killed, or crashed", agent.title())))
        }
        End::Broken => Err(Failure::input(format!("{} closed the connection, so lines are missing", agent.title()))),
    }
}

/// Brings the agent into a JVM that has none, or an idle one. `is_given_up`: the user wants it no more, so the agent goes again.
pub(crate) fn bring_agent(
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
pub(crate) fn free(target: &AttachTarget) -> Result<(), Failure> {
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

/// Whether a process whose connection broke has ended; that may take a moment.
fn has_ended(pid: u32) -> bool {
    let begin = Instant::now();
    while watch::lives(pid) != Some(false) {
        if begin.elapsed() > PATIENCE_AT_THE_END {
            return false;
        }
        thread::sleep(Duration::from_millis(20));
    }
    true
}

/// The configuration as text, checked, and the options of the agent that it leaves open; `None` if none was given.
fn config_text(args: &Args) -> Result<Option<(String, Vec<String>)>, Failure> {
    let (config, text) = match &args.config {
        Some(file) => Config::read_with_text(file)?,
        None if args.include.is_empty() => return Ok(None),
        None => including(&args.include)?,
    };
    let more = [
        args.no_seed.then(|| "seed=off".to_owned()),
        args.listen.as_ref().map(|address| format!("listen={address}")),
        args.pause.map(pause_option),
    ];
    let own = own_options(&config).into_iter().chain(more.into_iter().flatten());
    Ok(Some((text, own.chain(args.set.iter().cloned()).collect())))
}

/// The option that grants a budget of pauses.
pub(crate) fn pause_option(pause: Duration) -> String {
    format!("pause={}", format_duration(pause))
}

/// The options of a session that ends with its client, with those that the configuration leaves open.
pub(crate) fn own_options(config: &Config) -> Vec<String> {
    let has_interval = config.runtime_settings().iter().any(|(key, _)| *key == "interval");
    let interval = (!has_interval).then(|| "interval=5s".to_owned());
    [Some("end=client".to_owned()), interval].into_iter().flatten().collect()
}

/// The configuration that measures the classes whose names match, checked, and its text.
pub(crate) fn including(patterns: &[String]) -> Result<(Config, String), Failure> {
    let patterns = serde_json::to_string(patterns).context("patterns")?;
    let text = format!("version = 1\n[instrument]\ninclude = {patterns}\n");
    Ok((Config::parse(&text)?, text))
}

/// The token for clients by TCP, if there may be some.
fn token(args: &Args) -> Result<Option<String>, Failure> {
    let (Some(address), Some(file)) = (&args.listen, &args.token_file) else { return Ok(None) };
    Endpoint::tcp(address, file).map_err(Failure::usage)?;
    Ok(Some(read_token(file).context("the token")?))
}

fn warn_of_a_cold_attach(jvm: &Jvm) {
    let major = jvm.version.as_deref().and_then(|version| version.split(['.', '+', '-']).next()?.parse().ok());
    if jvm.weighbridge.is_none()
        && let Some(major) = major.filter(|&major: &u32| major < KEEPS_COMPILED_CODE)
    {
        exit::warn(format!(
            "Java {major} throws its compiled code away when the first agent attaches (JDK-8324241): a program with \
             much code takes three to four times the CPU for about 5 seconds, and more than before for half a minute. One that \
             was started with the idle agent has no such cost (docs/attach.md)"
        ));
    }
}
