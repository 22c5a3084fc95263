//! `weighbridge attach`: measures a JVM that runs already.

mod bring;
mod follow;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use weighbridge_config::Config;
use weighbridge_jvms::Target;

use crate::ctl::{self, Socket};
use crate::exit::{self, DONE, Failure, Outcome};
use crate::output;
use crate::watch;
use bring::Bring;
use follow::Follow;

/// How long a JVM may take to load the agent and to change the classes that are loaded.
const PATIENCE: Duration = Duration::from_secs(60);

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
    #[arg(long, value_name = "FILE", conflicts_with = "include")]
    config: Option<PathBuf>,
    /// Measure the classes whose names match, without a file: `com.acme.**`.
    #[arg(long, value_name = "PATTERN", num_args = 1..)]
    include: Vec<String>,
    /// Keep the recording in this file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, requires = "output")]
    force: bool,
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
    let target = Target::find(args.pid).map_err(failure)?;
    let (socket, ours) = match (Socket::find(&target)?, &text) {
        (Some(_), Some(_)) => {
            return Err(Failure::input(format!(
                "process {0} is measured already; `weighbridge detach {0}` ends that, or attach without a configuration \
                 to watch it",
                args.pid
            )));
        }
        (Some(socket), None) => (socket, false),
        (None, None) => return Err(Failure::usage("what to measure? --config FILE or --include PATTERN")),
        (None, Some(text)) => {
            warn_of_a_cold_attach(args.pid);
            let answer = Bring::new(&target, text, &args.set)?.load(PATIENCE).map_err(failure)?;
            (Socket::inside(&target, &answer), true)
        }
    };
    let temporary = tempfile::tempdir().context("no temporary directory can be made")?;
    let file = args.output.clone().unwrap_or_else(|| temporary.path().join("attach.wbr"));
    let follow = Follow::begin(&socket, &file)?;
    if terminal {
        watch::show(&file, &format!("process {}", args.pid))?;
    } else {
        follow.wait()?;
    }
    let detached = if ours && !follow.has_ended() { Some(ctl::detach(&socket)?) } else { None };
    follow.finish()?;
    if let Some(detached) = detached {
        exit::say("note", &format!("{} classes have their own bytes again", detached["classes"]));
    }
    Ok(DONE)
}

/// The configuration as text, checked; `None` if none was given.
fn config_text(args: &Args) -> Result<Option<String>, Failure> {
    let text = match &args.config {
        Some(file) => {
            Config::read(file)?;
            std::fs::read_to_string(file).with_context(|| file.display().to_string())?
        }
        None if args.include.is_empty() => return Ok(None),
        None => {
            let patterns = serde_json::to_string(&args.include).context("patterns")?;
            let text = format!("version = 1\n[instrument]\ninclude = {patterns}\n");
            Config::parse(&text)?;
            text
        }
    };
    Ok(Some(text))
}

fn warn_of_a_cold_attach(pid: u32) {
    let jvms = weighbridge_jvms::list().unwrap_or_default();
    let Some(jvm) = jvms.into_iter().find(|jvm| jvm.pid == pid) else { return };
    let major = jvm.version.as_deref().and_then(|version| version.split(['.', '+', '-']).next()?.parse().ok());
    if jvm.weighbridge.is_none()
        && let Some(major) = major.filter(|&major: &u32| major < KEEPS_COMPILED_CODE)
    {
        exit::warn(format!(
            "Java {major} throws its compiled code away when the first agent attaches (JDK-8324241): the program runs at \
             about half speed or less for some seconds, and somewhat slower for about a minute. A program that was started \
             with the idle agent has no such cost (docs/attach.md)"
        ));
    }
}

fn failure(error: weighbridge_jvms::Error) -> Failure {
    Failure::Input(error.into())
}
