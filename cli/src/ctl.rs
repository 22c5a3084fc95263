//! `weighbridge ctl` and `weighbridge detach`: ask the agent inside a JVM (docs/control.md).

use std::io::IsTerminal;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Map, Value};
use weighbridge_control::{AgentSocket, Client, Command, Error, Filters, list_agent_sockets, read_token};
use weighbridge_jvms::AttachTarget;
use weighbridge_outside::printable_json;
use weighbridge_reporter::json::pretty;
use weighbridge_reporter::{ShortageState, text};

use crate::exit::{DONE, Failure, Outcome};
use crate::input::InputPathParser;
use crate::output;
use crate::shown::write_text;

/// A measurement waits 30 s for another one, and may walk for a while.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long an address may take to answer, and to take the token.
const CONNECTING: Duration = Duration::from_secs(10);

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

/// Whether a text names a host and a port.
pub(crate) fn is_address(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
}

/// Nobody is served at an address without a token.
pub(crate) fn no_token(address: &str) -> Failure {
    Failure::usage(format!("{address}: an address wants a token; --token-file FILE"))
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

/// An agent that can be asked.
pub(crate) struct Agent {
    title: String,
    entrance: Entrance,
}

/// Where it listens, as seen from here.
enum Entrance {
    Socket(AgentSocket),
    /// One of the addresses of a host, for who knows the token.
    Tcp(Vec<SocketAddr>, String),
}

impl Agent {
    /// The agent of a JVM; `None` if none measures it.
    pub(crate) fn find(target: &AttachTarget) -> Result<Option<Agent>, Failure> {
        let found = target.act_as_user(|| list_agent_sockets(target.temporary_folder(), target.uid()))?;
        let found = found.context("sockets")?;
        let own = found.into_iter().find(|socket| socket.pid == target.inner_pid());
        Ok(own.map(|socket| Agent::with_socket(target, socket)))
    }

    /// Does something with the agent of a JVM, or with none. If that agent ends just then and so refuses, it is done again with
    /// what is there by then.
    pub(crate) fn when_none_ends<T>(
        target: &AttachTarget,
        mut act: impl FnMut(Option<Agent>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let begin = Instant::now();
        loop {
            match act(Agent::find(target)?) {
                Err(failure) if failure.is_an_end_of_the_agent() && begin.elapsed() < PATIENCE => {
                    thread::sleep(Duration::from_millis(20));
                }
                done => return done,
            }
        }
    }

    /// That of a process, if it has one that can be asked.
    pub(crate) fn find_by_pid(pid: u32) -> Option<Agent> {
        Agent::find(&AttachTarget::find(pid).ok()?).ok()?
    }

    /// The agent that listens at an address.
    pub(crate) fn from_address(address: &str, token: &Path) -> Result<Agent, Failure> {
        if !is_address(address) {
            return Err(Failure::usage(format!("{address}: --token-file is for HOST:PORT")));
        }
        let token = read_token(token).context("the token")?;
        let addresses = address.to_socket_addrs().with_context(|| address.to_owned())?;
        Ok(Agent { title: address.to_owned(), entrance: Entrance::Tcp(addresses.collect(), token) })
    }

    /// The agent of a JVM that listens at this socket.
    pub(crate) fn with_socket(target: &AttachTarget, socket: AgentSocket) -> Agent {
        Agent { title: format!("process {}", target.pid()), entrance: Entrance::Socket(socket) }
    }

    /// The agent in a process.
    pub(crate) fn from_pid(pid: u32) -> Result<Agent, Failure> {
        let target = AttachTarget::find(pid)?;
        let none = || Failure::input(format!("process {pid} is not measured; `weighbridge attach {pid}` does it"));
        Agent::find(&target)?.ok_or_else(none)
    }

    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// A new connection.
    pub(crate) fn connect(&self) -> weighbridge_control::Result<Client> {
        match &self.entrance {
            Entrance::Socket(socket) => socket.connect(),
            Entrance::Tcp(addresses, token) => {
                let mut connected = Err(Error::Address("it has no address".to_owned()));
                for &address in addresses {
                    connected = Client::connect_tcp(address, token, CONNECTING);
                    if !matches!(connected, Err(Error::Io { .. })) {
                        break;
                    }
                }
                connected
            }
        }
    }

    /// What the agent does now.
    pub(crate) fn status(&self) -> Result<Value, Failure> {
        self.request_reply(&Command::Status {})
    }

    pub(crate) fn request_reply(&self, command: &Command) -> Result<Value, Failure> {
        // It may take what was granted before it answers.
        let granted = Duration::from_millis(command.pause_ms().unwrap_or(0));
        let patience = PATIENCE.saturating_add(granted);
        let answer = self.connect().and_then(|mut client| client.request_reply(command, patience));
        Ok(answer.with_context(|| self.title.clone())?)
    }
}

/// Ends measuring; the answer says how many classes were changed back.
pub(crate) fn detach(agent: &Agent, pause: Option<Pause>) -> Result<Value, Failure> {
    agent.request_reply(&Command::Detach { pause_ms: pause.and_then(Pause::millis) })
}

pub(crate) fn execute_detach(args: DetachArgs) -> Outcome {
    print(&detach(&args.asked.agent()?, Some(args.pause))?)
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
    print(&args.asked.agent()?.request_reply(&command)?)
}

fn shortage(agent: &Agent, format: ShortageFormat, top: usize) -> Outcome {
    let answer = agent.request_reply(&Command::Shortage {})?;
    if format == ShortageFormat::Json {
        return print(&answer);
    }
    let state: ShortageState = serde_json::from_value(answer).context("the answer")?;
    let terminal = std::io::stdout().is_terminal().then(console::Term::stdout);
    let options = output::text_options(terminal.as_ref(), top);
    output::to_stdout_coloured(options.colour, |out| {
        write_text(out, options.colour, |mut out| text::shortage_state(&state, &options, &mut out))
    })?;
    Ok(DONE)
}

fn subscribe(agent: &Agent) -> Outcome {
    let lines = agent.connect().and_then(|client| client.subscribe(PATIENCE));
    for line in lines.with_context(|| agent.title.clone())? {
        let line = line.with_context(|| agent.title.clone())?;
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

pub(crate) fn print(answer: &Value) -> Outcome {
    output::to_stdout(|mut out| pretty(answer, &mut out))?;
    Ok(DONE)
}
