//! `weighbridge attach`: measures a JVM that runs already.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::Value;
use weighbridge_config::Config;
use weighbridge_control::{Endpoint, read_token};
use weighbridge_ending::signals::Signals;
use weighbridge_ending::{Failure, messages, output};
use weighbridge_jvms::AttachTarget;
use weighbridge_live::agent::{Agent, detach};
use weighbridge_live::attach;
use weighbridge_live::follow::{End, Follow, FollowOutput};
use weighbridge_live::recordings::lives;

use crate::exit::{DONE, Outcome};
use crate::input::InputPathParser;
use crate::screen;

/// How long the end of a process, or of its agent, may take to be seen.
const PATIENCE_AT_THE_END: Duration = Duration::from_secs(1);

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
        Some(_) => attach::free(&target).map(|()| None)?,
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
        (None, Some((text, options))) => {
            attach::bring_agent(&target, &text, token.as_deref(), &options, &|| signals.came())?
        }
        (found, _) => found.context("an agent")?,
    };
    let follow = match Follow::into_file(&agent, output, ours) {
        Ok(follow) => follow,
        Err(reason) => {
            // The agent would wait for a while for who follows.
            let _ = ours.then(|| detach(&agent, None));
            return Err(reason);
        }
    };
    if ours && let Ok(status) = agent.status() {
        if let Some(address) = status["address"].as_str() {
            messages::print_message("note", &format!("{} can be asked at {address}, with the token", agent.title()));
        }
        for missing in status["left_out"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            messages::print_message("note", missing);
        }
    }
    let shown = if terminal && !signals.came() {
        screen::show(&file, args.pid, agent.title())
    } else {
        messages::print_message("note", &format!("{} is measured; Ctrl-C ends it", agent.title()));
        follow.wait(&signals);
        Ok(())
    };
    signals.let_go()?;
    if !follow.has_ended() && !ours {
        return shown.map(|()| DONE);
    }
    // One that is stopped would not answer; it ends the session when it goes on.
    let detach = || AttachTarget::find(args.pid).map_err(Failure::from).and_then(|_| detach(&agent, None));
    let detached = if follow.has_ended() { Ok(None) } else { detach().map(Some) };
    // It may have ended on its own just before.
    if detached.is_err() && !follow.ends_within(PATIENCE_AT_THE_END) {
        return detached.map(|_| DONE);
    }
    let end = follow.finish()?;
    shown?;
    if let Ok(Some(detached)) = detached {
        messages::print_message("note", &format!("{} classes have their own bytes again", detached["classes"]));
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

/// Whether a process whose connection broke has ended; that may take a moment.
fn has_ended(pid: u32) -> bool {
    let begin = Instant::now();
    while lives(pid) != Some(false) {
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
        None => attach::including(&args.include)?,
    };
    let more = [
        args.no_seed.then(|| "seed=off".to_owned()),
        args.listen.as_ref().map(|address| format!("listen={address}")),
        args.pause.map(attach::pause_option),
    ];
    let own = attach::own_options(&config).into_iter().chain(more.into_iter().flatten());
    Ok(Some((text, own.chain(args.set.iter().cloned()).collect())))
}

/// The token for clients by TCP, if there may be some.
fn token(args: &Args) -> Result<Option<String>, Failure> {
    let (Some(address), Some(file)) = (&args.listen, &args.token_file) else { return Ok(None) };
    Endpoint::tcp(address, file).map_err(Failure::usage)?;
    Ok(Some(read_token(file).context("the token")?))
}
