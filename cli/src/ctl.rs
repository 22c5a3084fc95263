//! `weighbridge ctl` and `weighbridge detach`: ask the agent inside a JVM (docs/control.md).

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use serde_json::{Map, Value};
use weighbridge_control::{Command, Filters};
use weighbridge_ending::{Failure, output, write_text};
use weighbridge_live::agent::{Agent, detach, is_address, no_token};
use weighbridge_outside::printable_json;
use weighbridge_reporter::{ShortageState, text};

use crate::answer::print_answer;
use crate::exit::{DONE, Outcome};
use crate::input::InputPathParser;
use crate::output_target;

/// Which agent is asked.
#[derive(clap::Args)]
pub(crate) struct Asked {
    /// The process; `weighbridge jvms` lists them. Or the address at which its agent listens.
    #[arg(value_name = "PID|HOST:PORT")]
    target: String,
    /// The file with the token for the address.
    #[arg(long, value_name = "FILE", global = true, value_parser = InputPathParser)]
    token_file: Option<PathBuf>,
}

impl Asked {
    fn agent(&self) -> Result<Agent, Failure> {
        match (self.target.parse(), &self.token_file) {
            (Ok(pid), None) => Agent::from_pid(pid),
            (Ok(_), Some(_)) => {
                Err(Failure::usage("--token-file is for HOST:PORT; the agent of a process wants no token"))
            }
            (Err(_), Some(file)) => Agent::from_address(&self.target, file),
            (Err(_), None) if is_address(&self.target) => Err(no_token(&self.target)),
            (Err(_), None) => {
                Err(Failure::usage(format!("{}: neither the number of a process nor HOST:PORT", self.target)))
            }
        }
    }
}

/// Ask the agent inside a JVM, and print its answer: JSON, of `shortage` text.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    asked: Asked,
    #[command(subcommand)]
    command: Ask,
}

#[derive(clap::Subcommand)]
enum Ask {
    /// What it measures, and since when.
    Status,
    /// Take a snapshot now.
    Measure {
        /// Written into the snapshot.
        label: Option<String>,
        #[command(flatten)]
        pause: Pause,
    },
    /// Begin a run: a recording of its own, with snapshots at its start, interval and end.
    Start {
        /// By which `stop` finds it.
        name: String,
        /// Where: classes whose names match; all that have probes unless given.
        #[arg(long, value_name = "PATTERN")]
        include: Vec<String>,
        /// Not these.
        #[arg(long, value_name = "PATTERN")]
        exclude: Vec<String>,
        /// The recording, a path of the program's file system; weighbridge-PID-NAME.wbr in its working directory unless given.
        #[arg(long, value_name = "FILE")]
        file: Option<String>,
        /// What: interval, cpu_percent, gc or holders.
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
    },
    /// End a run.
    Stop {
        /// The run, or the only one.
        name: Option<String>,
    },
    /// Change settings.
    Set {
        /// Such as interval=30s.
        #[arg(value_name = "KEY=VALUE", required = true)]
        settings: Vec<String>,
    },
    /// Print the recording's lines as they are written.
    Subscribe,
    /// Whether memory is short, and what was decided about it.
    Shortage {
        /// What to write.
        #[arg(short = 'o', long = "output", value_name = "FORMAT", value_enum, default_value_t = ShortageFormat::Text)]
        output: ShortageFormat,
        /// Decisions that the text has, 0 for all that the JVM remembers.
        #[arg(long, value_name = "N", default_value_t = 20)]
        top: usize,
    },
    /// End measuring: every class gets its own bytes back.
    Detach {
        #[command(flatten)]
        pause: Pause,
    },
}

/// What a single request may cost the program.
#[derive(Clone, Copy, clap::Args)]
pub(crate) struct Pause {
    /// How long the program may be stopped at once, such as 500ms or 3s; what takes longer is left out, and the answer says
    /// so. As the setting `pause` says unless given (docs/attach.md).
    #[arg(long, value_name = "DURATION", value_parser = weighbridge_config::parse_pause)]
    pause: Option<Duration>,
}

impl Pause {
    fn millis(self) -> Option<u64> {
        self.pause.map(|pause| pause.as_millis() as u64)
    }
}

/// The form of an answer.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ShortageFormat {
    /// Tables for people.
    Text,
    /// The answer as it came.
    Json,
}

/// End measuring in a JVM: every class gets its own bytes back, and nothing is left behind.
#[derive(clap::Args)]
pub(crate) struct DetachArgs {
    #[command(flatten)]
    asked: Asked,
    #[command(flatten)]
    pause: Pause,
}

pub(crate) fn execute_detach(args: DetachArgs) -> Outcome {
    print_answer(&detach(&args.asked.agent()?, args.pause.millis())?)
}

pub(crate) fn execute(args: Args) -> Outcome {
    let command = match args.command {
        Ask::Status => Command::Status {},
        Ask::Measure { label, pause } => Command::Measure { label, pause_ms: pause.millis() },
        Ask::Set { settings } => Command::Set { settings: parsed(&settings)? },
        Ask::Start { name, include, exclude, file, set } => {
            // What else it may be is for the program to tell: the path is of its file system.
            file.as_deref().map_or(Ok(()), |file| output::check_name(Path::new(file)))?;
            let filters = Filters { include, exclude };
            Command::Start { name, settings: parsed(&set)?, filters, file }
        }
        Ask::Stop { name } => Command::Stop { name },
        Ask::Detach { pause } => Command::Detach { pause_ms: pause.millis() },
        Ask::Shortage { output, top } => return shortage(&args.asked.agent()?, output, top),
        Ask::Subscribe => return subscribe(&args.asked.agent()?),
    };
    print_answer(&args.asked.agent()?.request_reply(&command)?)
}

fn shortage(agent: &Agent, format: ShortageFormat, top: usize) -> Outcome {
    let answer = agent.request_reply(&Command::Shortage {})?;
    if format == ShortageFormat::Json {
        return print_answer(&answer);
    }
    let state: ShortageState = serde_json::from_value(answer).context("the answer")?;
    let terminal = std::io::stdout().is_terminal().then(console::Term::stdout);
    let options = output_target::text_options(terminal.as_ref(), top);
    output::to_stdout_coloured(options.colour, |out| {
        write_text(out, options.colour, |mut out| text::shortage_state(&state, &options, &mut out))
    })?;
    Ok(DONE)
}

fn subscribe(agent: &Agent) -> Outcome {
    for line in agent.subscribe()? {
        let line = line.with_context(|| agent.title().to_owned())?;
        output::to_stdout(|out| writeln!(out, "{}", printable_json(&line)).and_then(|()| out.flush()))?;
    }
    Ok(DONE)
}

fn parsed(settings: &[String]) -> Result<Map<String, Value>, Failure> {
    let pairs = settings.iter().map(|setting| {
        let pair = setting.split_once('=').ok_or_else(|| Failure::usage(format!("{setting}: not KEY=VALUE")))?;
        Ok((pair.0.to_owned(), Value::from(pair.1)))
    });
    pairs.collect()
}
