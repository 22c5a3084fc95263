//! `weighbridge run`: runs a java command and measures it, by the native agent or with its jars rewritten.

mod agent;
mod child;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use weighbridge_check::aggregate;
use weighbridge_classpath::prepare_rewritten;
use weighbridge_config::Config;
use weighbridge_ending::{Failure, messages};
use weighbridge_recording::ReadLimits;
use weighbridge_replay::Trace;

use crate::exit::{self, Outcome};
use crate::input::InputPathParser;
use crate::progress::Bar;
use crate::report_options::{ReportOptions, Stream};

/// Run a java command and measure it, and print the report when it ends.
///
/// The native agent gives the selected classes their probes when they are loaded, by whatever class loader; the command and its
/// files stay as they are. The program has its own standard input, output, error and exit code; the report goes to standard
/// error behind it. `weighbridge watch PID` and `ctl PID` work meanwhile (docs/attach.md).
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which classes to measure, and how (docs/configuration.md).
    #[arg(long, value_name = "FILE", value_parser = InputPathParser)]
    config: PathBuf,
    /// Keep the recording in this file.
    #[arg(long, value_name = "FILE")]
    recording: Option<PathBuf>,
    /// Rewrite the jars instead, for a JVM that cannot load the agent: those of -cp, -jar (with the Class-Path of manifests)
    /// and --module-path, into $XDG_CACHE_HOME/weighbridge or ~/.cache/weighbridge, once for the same content.
    #[arg(long)]
    rewrite: bool,
    /// Also trace every event that decides how long objects live, of all classes and the JDK's, into this file
    /// [default: run.wbe]; `weighbridge replay` reads it (docs/replay.md). The program is several times slower. If it ends
    /// with 0 and the trace is not whole, the exit code is 4.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "run.wbe",
        conflicts_with = "rewrite")]
    every_event: Option<PathBuf>,
    /// The configuration may select no class. Without this that is an error (exit code 3): at the end, if the program
    /// itself ended with 0; with --rewrite before the start.
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    options: ReportOptions,
    /// The command, behind `--`: java and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(crate) fn execute(mut args: Args) -> Outcome {
    let java = java_of(&args.command[0])?;
    let (config, text) = Config::read_with_text(&args.config)?;
    args.options.check(&[])?;
    let temporary = tempfile::tempdir().context("no temporary directory can be made")?;
    let recording = match &args.recording {
        Some(file) => args.options.new_file(file)?,
        None => temporary.path().join("run.wbr"),
    };
    let events = args.every_event.as_deref().map(|file| args.options.new_file(file)).transpose()?;
    let words = &args.command[1..];
    let prepared = match args.rewrite {
        true => {
            let must_select = (!args.allow_empty).then_some(args.config.as_path());
            prepare_rewritten(words, &config, must_select, &recording, Bar::new)?
        }
        false => agent::prepare(words, &text, temporary.path(), &recording, events.as_deref())?,
    };
    let mut command = Command::new(&java);
    command.args(prepared.arguments);
    let status = child::run(&mut command).with_context(|| format!("{}: cannot be run", java.display()))?;
    drop(prepared.files);
    let code = child::code(status);
    if !prepared.runs_program {
        return Ok(code);
    }

    prepared.warnings.iter().for_each(messages::warn);
    let untraced = events.as_deref().and_then(missing_trace);
    untraced.iter().for_each(messages::warn);
    // The program's own code counts, unless it is that of success.
    let code = if code == exit::DONE && untraced.is_some() { exit::UNTRACED } else { code };
    if !recording.is_file() {
        messages::warn(match args.rewrite {
            true => "the program left no recording: it was killed, halted, or runs on a Java without agents",
            false => {
                "the program left no recording: it was killed, halted, or its JVM cannot be measured by the native agent \
                 (--rewrite does without)"
            }
        });
        return Ok(code);
    }
    // The program's exit code counts, even if the report fails.
    let mut empty = false;
    let shown = aggregate(&[recording], ReadLimits::default(), Bar::new).and_then(|(aggregate, _)| {
        empty = aggregate.jvms.iter().all(|jvm| jvm.classes == 0) && aggregate.skipped_total == 0;
        args.options.write(&aggregate, Stream::Stderr)
    });
    match shown {
        Err(Failure::Usage(error) | Failure::Input(error) | Failure::Defect(error)) => {
            messages::warn(format!("{error:#}"))
        }
        Ok(()) | Err(Failure::BrokenPipe) => {}
    }
    // Rewriting has told before. Who only controls memory shortages measures no class.
    if !empty || args.rewrite || events.is_some() || config.selects_no_class() && config.shortage.is_some() {
        return Ok(code);
    }
    let why = format!("{}: the configuration selects no class that the program loaded", args.config.display());
    if code == exit::DONE && !args.allow_empty {
        return Err(Failure::input(format!("{why}; with --allow-empty that is no error")));
    }
    messages::warn(why);
    Ok(code)
}

/// Why there is no whole trace of every event.
fn missing_trace(file: &Path) -> Option<String> {
    let name = file.display();
    match Trace::has_end(file) {
        Ok(true) => None,
        Ok(false) => Some(format!(
            "{name}: the trace of every event lacks its end: it could not be written, or the program was killed or halted"
        )),
        Err(error) => Some(format!("the program left no trace of every event: {name}: {error}")),
    }
}

/// The java launcher that a command names, found as a shell would.
fn java_of(word: &OsStr) -> Result<PathBuf, Failure> {
    let path = Path::new(word);
    let name = path.display();
    if path.file_stem().is_none_or(|stem| stem != "java" && stem != "javaw") {
        return Err(Failure::usage(format!(
            "{name}: not the java launcher; `run` needs `-- java ...`. For a script that starts java: `weighbridge agent` \
             writes the agent's library; start the script with JAVA_TOOL_OPTIONS=-agentpath:LIBRARY=config=FILE"
        )));
    }
    if path.components().count() > 1 {
        let exists = path.is_file().then(|| path.to_owned());
        return exists.ok_or_else(|| Failure::input(format!("{name}: no such file")));
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut candidates = std::env::split_paths(&folders).map(|folder| folder.join(path));
    candidates.find(|file| file.is_file()).ok_or_else(|| Failure::input(format!("{name}: not found on the PATH")))
}
