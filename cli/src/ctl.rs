//! `weighbridge ctl` and `weighbridge detach`: ask the agent inside a JVM (docs/control.md).

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use serde_json::{Map, Value};
use weighbridge_control::{Client, Command, Filters, sockets};
use weighbridge_jvms::Target;

use crate::exit::{DONE, Failure, Outcome};
use crate::output;

/// A measurement waits 30 s for another one, and may walk for a while.
const PATIENCE: Duration = Duration::from_secs(120);

/// Ask the agent inside a JVM, and print its answer as JSON.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The process; `weighbridge jvms` lists them.
    #[arg(value_name = "PID")]
    pid: u32,
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
    /// End measuring: every class gets its own bytes back.
    Detach,
}

/// End measuring in a JVM: every class gets its own bytes back, and nothing is left behind.
#[derive(clap::Args)]
pub(crate) struct DetachArgs {
    /// The process; `weighbridge jvms` lists them.
    #[arg(value_name = "PID")]
    pid: u32,
}

/// Where the agent of a JVM listens, as seen from here.
pub(crate) struct Socket {
    pid: u32,
    path: PathBuf,
}

impl Socket {
    /// The socket of a JVM; `None` if no agent measures it.
    pub(crate) fn find(target: &Target) -> Result<Option<Socket>, Failure> {
        // The temporary folder is below the JVM's own root.
        let root = target.temporary().parent().unwrap_or(Path::new("/")).to_owned();
        let found = sockets(&root, target.uid()).context("sockets")?;
        let own = found.into_iter().find(|socket| socket.pid == target.inner_pid());
        Ok(own.map(|socket| Socket { pid: target.pid(), path: socket.path }))
    }

    /// That at a path which an agent has named.
    pub(crate) fn inside(target: &Target, path: &str) -> Socket {
        let below = path.strip_prefix("/tmp/").unwrap_or(path);
        Socket { pid: target.pid(), path: target.temporary().join(below) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn title(&self) -> String {
        format!("process {}", self.pid)
    }

    fn of(pid: u32) -> Result<Socket, Failure> {
        let target = Target::find(pid)?;
        let none = || Failure::input(format!("process {pid} is not measured; `weighbridge attach {pid}` does it"));
        Socket::find(&target)?.ok_or_else(none)
    }

    fn ask(&self, command: &Command) -> Result<Value, Failure> {
        let answer = Client::connect(&self.path).and_then(|mut client| client.ask(command, PATIENCE));
        Ok(answer.with_context(|| self.title())?)
    }
}

/// Ends measuring; the answer says how many classes were changed back.
pub(crate) fn detach(socket: &Socket) -> Result<Value, Failure> {
    socket.ask(&Command::Detach {})
}

pub(crate) fn execute_detach(args: DetachArgs) -> Outcome {
    print(&detach(&Socket::of(args.pid)?)?)
}

pub(crate) fn execute(args: Args) -> Outcome {
    let command = match args.command {
        Ask::Status => Command::Status {},
        Ask::Measure { label } => Command::Measure { label },
        Ask::Set { settings } => Command::Set { settings: parsed(&settings)? },
        Ask::Start { name, include, exclude, file, set } => {
            let filters = Filters { include, exclude };
            Command::Start { name, settings: parsed(&set)?, filters, file }
        }
        Ask::Stop { name } => Command::Stop { name },
        Ask::Detach => Command::Detach {},
        Ask::Subscribe => return subscribe(&Socket::of(args.pid)?),
    };
    print(&Socket::of(args.pid)?.ask(&command)?)
}

fn subscribe(socket: &Socket) -> Outcome {
    let lines = Client::connect(&socket.path).and_then(|client| client.subscribe(PATIENCE));
    for line in lines.with_context(|| socket.title())? {
        let line = line.with_context(|| socket.title())?;
        output::to_stdout(|out| writeln!(out, "{line}").and_then(|()| out.flush()))?;
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

fn print(answer: &Value) -> Outcome {
    let text = serde_json::to_string_pretty(answer).context("the answer")?;
    output::to_stdout(|out| writeln!(out, "{text}"))?;
    Ok(DONE)
}
