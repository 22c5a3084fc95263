//! The agent in a JVM, as who is asked.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::Value;
use weighbridge_control::{AgentSocket, Client, Command, Error, Lines, list_agent_sockets, read_token};
use weighbridge_ending::Failure;
use weighbridge_jvms::AttachTarget;

/// A measurement waits 30 s for another one, and may walk for a while.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long an address may take to answer, and to take the token.
const CONNECTING: Duration = Duration::from_secs(10);

/// An agent that can be asked.
pub struct Agent {
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
    pub fn find(target: &AttachTarget) -> Result<Option<Agent>, Failure> {
        let found = target.act_as_user(|| list_agent_sockets(target.temporary_folder(), target.uid()))?;
        let found = found.context("sockets")?;
        let own = found.into_iter().find(|socket| socket.pid == target.inner_pid());
        Ok(own.map(|socket| Agent::with_socket(target, socket)))
    }

    /// Does something with the agent of a JVM, or with none. If that agent ends just then and so refuses, it is done again with
    /// what is there by then.
    pub fn when_none_ends<T>(
        target: &AttachTarget,
        mut act: impl FnMut(Option<Agent>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let begin = Instant::now();
        loop {
            match act(Agent::find(target)?) {
                Err(failure) if is_an_end_of_the_agent(&failure) && begin.elapsed() < PATIENCE => {
                    thread::sleep(Duration::from_millis(20));
                }
                done => return done,
            }
        }
    }

    /// That of a process, if it has one that can be asked.
    pub fn find_by_pid(pid: u32) -> Option<Agent> {
        Agent::find(&AttachTarget::find(pid).ok()?).ok()?
    }

    /// The agent that listens at an address.
    pub fn from_address(address: &str, token: &Path) -> Result<Agent, Failure> {
        if !is_address(address) {
            return Err(Failure::usage(format!("{address}: --token-file is for HOST:PORT")));
        }
        let token = read_token(token).context("the token")?;
        let addresses = address.to_socket_addrs().with_context(|| address.to_owned())?;
        Ok(Agent { title: address.to_owned(), entrance: Entrance::Tcp(addresses.collect(), token) })
    }

    /// The agent of a JVM that listens at this socket.
    pub fn with_socket(target: &AttachTarget, socket: AgentSocket) -> Agent {
        Agent { title: format!("process {}", target.pid()), entrance: Entrance::Socket(socket) }
    }

    /// The agent in a process.
    pub fn from_pid(pid: u32) -> Result<Agent, Failure> {
        let target = AttachTarget::find(pid)?;
        let none = || Failure::input(format!("process {pid} is not measured; `weighbridge attach {pid}` does it"));
        Agent::find(&target)?.ok_or_else(none)
    }

    /// What it is called in messages.
    pub fn title(&self) -> &str {
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

    /// The lines of what it records, from now on.
    pub fn subscribe(&self) -> Result<Lines, Failure> {
        let lines = self.connect().and_then(|client| client.subscribe(PATIENCE));
        Ok(lines.with_context(|| self.title.clone())?)
    }

    /// What the agent does now.
    pub fn status(&self) -> Result<Value, Failure> {
        self.request_reply(&Command::Status {})
    }

    /// Asks for something, and waits for the answer.
    pub fn request_reply(&self, command: &Command) -> Result<Value, Failure> {
        // It may take what was granted before it answers.
        let granted = Duration::from_millis(command.pause_ms().unwrap_or(0));
        let patience = PATIENCE.saturating_add(granted);
        let answer = self.connect().and_then(|mut client| client.request_reply(command, patience));
        Ok(answer.with_context(|| self.title.clone())?)
    }
}

/// Whether an agent was asked that ended.
fn is_an_end_of_the_agent(failure: &Failure) -> bool {
    let Failure::Input(error) = failure else { return false };
    error.downcast_ref().is_some_and(Error::is_an_end)
}

/// Ends measuring; the answer says how many classes were changed back.
pub fn detach(agent: &Agent, pause_ms: Option<u64>) -> Result<Value, Failure> {
    agent.request_reply(&Command::Detach { pause_ms })
}

/// Whether a text names a host and a port.
pub fn is_address(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
}

/// Nobody is served at an address without a token.
pub fn no_token(address: &str) -> Failure {
    Failure::usage(format!("{address}: an address wants a token; --token-file FILE"))
}
