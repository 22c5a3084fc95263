//! A host of a server, and a client that writes bytes.

#![allow(dead_code, reason = "each target uses a part of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use weighbridge_control::{Client, Command, Endpoint, Next, Server, ServerLimits, Ticket};

/// No test takes so long unless something hangs.
pub const LONG: Duration = Duration::from_secs(60);

/// The first lines that a subscriber gets.
pub const FIRST: [&str; 2] = [r#"{"kind":"header"}"#, r#"{"kind":"class"}"#];

/// A server with a thread that answers: `measure` by its label, `stop` never, `set` by an error, the others by `{}`.
pub struct Host {
    pub server: Arc<Server>,
    pub folder: TempDir,
    thread: Option<JoinHandle<Vec<u64>>>,
}

/// A server without a host.
pub fn server(limits: ServerLimits) -> (Server, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let endpoint = Endpoint::Socket { folder: folder.path().join("sockets") };
    (Server::start(&[endpoint], limits).expect("a server"), folder)
}

impl Host {
    pub fn new(limits: ServerLimits) -> Host {
        let folder = tempfile::tempdir().expect("a folder");
        let endpoint = Endpoint::Socket { folder: folder.path().join("sockets") };
        Host::at(&[endpoint], folder, limits)
    }

    pub fn at(endpoints: &[Endpoint], folder: TempDir, limits: ServerLimits) -> Host {
        let server = Arc::new(Server::start(endpoints, limits).expect("a server"));
        let serving = server.clone();
        let thread = Some(std::thread::spawn(move || answer(&serving)));
        Host { server, folder, thread }
    }

    pub fn client(&self) -> Client {
        Client::connect(self.server.socket().expect("a socket")).expect("a connection")
    }

    pub fn raw(&self) -> Raw<UnixStream> {
        Raw::to(&self.server)
    }

    /// Stops the server. Returns the clients of which the host was told that they are gone.
    pub fn stop(mut self) -> Vec<u64> {
        self.server.stop();
        self.thread.take().expect("a thread").join().expect("no panic")
    }
}

fn answer(server: &Server) -> Vec<u64> {
    let mut left = Vec::new();
    let mut unanswered: Vec<Ticket> = Vec::new();
    loop {
        match server.next(LONG) {
            Next::Request(ticket, Command::Measure { label, .. }) => server.reply(ticket, Ok(json!({"label": label}))),
            Next::Request(ticket, Command::Set { .. }) => server.reply(ticket, Err("no such setting".to_owned())),
            Next::Request(ticket, Command::Subscribe { .. }) => {
                server.subscribe(ticket, FIRST.map(str::to_owned).to_vec());
            }
            Next::Request(ticket, Command::Stop { .. }) => unanswered.push(ticket),
            Next::Request(ticket, Command::Detach { .. }) => drop(ticket),
            Next::Request(ticket, _) => server.reply(ticket, Ok(json!({}))),
            Next::Left(client) => left.push(client),
            Next::Nothing => {}
            Next::Closed => return left,
        }
    }
}

/// A connection without the client's code.
pub struct Raw<S>(pub BufReader<S>);

impl Raw<UnixStream> {
    pub fn to(server: &Server) -> Raw<UnixStream> {
        let stream = UnixStream::connect(server.socket().expect("a socket")).expect("a connection");
        stream.set_read_timeout(Some(LONG)).expect("a limit");
        Raw(BufReader::new(stream))
    }
}

impl<S: Read + Write> Raw<S> {
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.get_mut().write_all(bytes.as_ref()).expect("room");
    }

    /// The next line; none at the end of the stream.
    pub fn line(&mut self) -> Option<Value> {
        let mut line = String::new();
        // A server that closes while the client still sends resets the connection, after what it had to say.
        let read = self.0.read_line(&mut line).unwrap_or(0);
        (read > 0).then(|| serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}")))
    }

    pub fn ask(&mut self, line: &str) -> Value {
        self.send(format!("{line}\n"));
        self.line().expect("a reply")
    }
}

/// Waits until it is so.
pub fn wait_until(what: &str, mut so: impl FnMut() -> bool) {
    let until = Instant::now() + LONG;
    while !so() {
        assert!(Instant::now() < until, "never: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
