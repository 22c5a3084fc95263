//! The control channel of a session: what clients ask, and what they get (docs/control.md).

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use weighbridge_config::TraceRequest;
use weighbridge_contract::{request, run_word};
use weighbridge_control::{Command, Endpoint, Next, Server, ServerLimits, Ticket};

/// Between two looks at whether somebody is there.
const WAIT: Duration = Duration::from_secs(1);
/// So long a thread of the program waits that asks by JMX.
const PATIENCE_INSIDE: Duration = Duration::from_secs(120);
/// So long the client that attached may take to follow.
const PATIENCE: Duration = Duration::from_secs(30);

/// The server, and the requests that the runtime answers.
#[derive(Debug)]
pub(crate) struct Channel {
    server: Server,
    /// With the name of the command.
    tickets: Mutex<HashMap<u64, (Ticket, &'static str)>>,
    last: AtomicU64,
    /// The session ends with the client that attached.
    ends_with_client: bool,
    /// That client, once it follows and says who it is.
    client: Mutex<Option<u64>>,
    /// Since when clients are answered.
    started: OnceLock<Instant>,
    /// Traces of the configuration that have not begun, the last one first.
    waiting: Mutex<Vec<TraceRequest>>,
    /// When traces were looked after last.
    ticked: Mutex<Option<Instant>>,
}

/// What the runtime's thread has to do.
#[derive(Debug)]
pub(crate) enum Work {
    /// To answer a request: its key, its command, its arguments.
    Answer(Vec<String>),
    /// To begin traces; the key of the request, empty for those of the configuration.
    Trace(String, Box<TraceRequest>),
    /// To look after traces.
    Tick,
    /// To end the session; the request to be answered then, if one asked, and what it grants.
    Detach(Option<Ticket>, Option<Duration>),
    /// Nothing any more.
    Nothing,
}

impl Channel {
    /// Listens at the socket of this process, and at the address if there is one.
    /// The traces begin as soon as requests are answered.
    pub(crate) fn open(
        address: Option<Endpoint>,
        ends_with_client: bool,
        mut traces: Vec<TraceRequest>,
    ) -> Result<Channel, String> {
        traces.reverse();
        let endpoints: Vec<Endpoint> = [Endpoint::own()].into_iter().chain(address).collect();
        let server = Server::start(&endpoints, ServerLimits::default()).map_err(|error| error.to_string())?;
        Ok(Channel {
            server,
            tickets: Mutex::default(),
            last: AtomicU64::new(0),
            ends_with_client,
            client: Mutex::new(None),
            started: OnceLock::new(),
            waiting: Mutex::new(traces),
            ticked: Mutex::default(),
        })
    }

    /// What a client gets that asks for the state while the runtime does not answer: it may measure, or wait for memory.
    pub(crate) fn answer_late(&self, more: impl Fn(&mut Value) -> bool + Send + Sync + 'static) {
        self.server.answer_late(move || {
            let mut state = without_runtime("late");
            more(&mut state).then_some(state)
        });
    }

    /// Waits for work; `has_traces`: that includes to look after them, about once a second.
    pub(crate) fn work(&self, has_traces: bool) -> Work {
        let started = *self.started.get_or_init(Instant::now);
        if let Some(trace) = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Work::Trace(String::new(), Box::new(trace));
        }
        loop {
            if has_traces && self.is_time_to_tick() {
                return Work::Tick;
            }
            // Whoever else asks does not keep it.
            if self.is_abandoned(started) {
                return Work::Detach(None, None);
            }
            let (ticket, command) = match self.server.next(WAIT) {
                Next::Request(ticket, command) => (ticket, command),
                Next::Left(client) if *self.client() == Some(client) => return Work::Detach(None, None),
                Next::Left(_) | Next::Nothing => continue,
                Next::Closed => return Work::Nothing,
            };
            let (name, arguments) = match command {
                Command::Status {} => (request::STATUS, Vec::new()),
                Command::Measure { label, pause_ms } => {
                    // The label is the rest: it may have any character.
                    let pause = pause_ms.map_or_else(String::new, |ms| ms.to_string());
                    (request::MEASURE, [pause].into_iter().chain(label).collect())
                }
                Command::Set { settings } => {
                    (request::SET, settings.into_iter().flat_map(|(key, value)| [key, text(value)]).collect())
                }
                Command::Subscribe { attached } => {
                    if attached && self.ends_with_client {
                        self.client().get_or_insert(ticket.client());
                    }
                    (request::SUBSCRIBE, Vec::new())
                }
                Command::Detach { pause_ms } => {
                    return Work::Detach(Some(ticket), pause_ms.map(Duration::from_millis));
                }
                Command::Start { name, settings, filters, file } => {
                    let with = |key: &'static str, values: Vec<String>| {
                        values.into_iter().map(move |value| format!("{key}={value}"))
                    };
                    let settings = settings.into_iter().map(|(key, value)| format!("{key}={}", text(value))).collect();
                    let arguments = [name].into_iter().chain(with(run_word::FILE, file.into_iter().collect()));
                    let arguments = arguments
                        .chain(with(run_word::INCLUDE, filters.include))
                        .chain(with(run_word::EXCLUDE, filters.exclude));
                    (request::START, arguments.chain(with(run_word::SET, settings)).collect())
                }
                Command::Shortage {} => (request::SHORTAGE, Vec::new()),
                Command::TraceStart(asked) => return Work::Trace(self.keep(ticket, request::TRACE_START), asked),
                Command::TraceStop { name } => (request::TRACE_STOP, name.into_iter().collect()),
                Command::TraceShow { name } => (request::TRACE_SHOW, name.into_iter().collect()),
                Command::TraceList {} => (request::TRACE_LIST, Vec::new()),
                Command::HeapComponents(found) => {
                    // Text and numbers: this cannot fail.
                    let line = serde_json::to_string(&found).unwrap_or_default();
                    (request::HEAP_COMPONENTS, vec![found.at_ms.to_string(), line])
                }
                Command::Stop { name } => (request::STOP, name.into_iter().collect()),
            };
            return Work::Answer([self.keep(ticket, name), name.to_owned()].into_iter().chain(arguments).collect());
        }
    }

    /// Keeps a ticket until the runtime answers; gives its key.
    fn keep(&self, ticket: Ticket, command: &'static str) -> String {
        let key = self.last.fetch_add(1, Ordering::Relaxed);
        self.tickets().insert(key, (ticket, command));
        key.to_string()
    }

    fn is_time_to_tick(&self) -> bool {
        let mut ticked = self.ticked.lock().unwrap_or_else(PoisonError::into_inner);
        let is_time = ticked.is_none_or(|last| last.elapsed() >= WAIT);
        if is_time {
            *ticked = Some(Instant::now());
        }
        is_time
    }

    /// Answers a request of the runtime's: a JSON object, or a sentence why not.
    pub(crate) fn answer_request(&self, key: &str, done: bool, text: &str, more: impl FnOnce(&mut Value)) {
        let Some((ticket, _)) = self.ticket(key) else { return };
        let answer = match done {
            true => serde_json::from_str(text).map_err(|error| error.to_string()).map(|mut answer| {
                more(&mut answer);
                answer
            }),
            false => Err(text.to_owned()),
        };
        self.server.reply(ticket, answer);
    }

    /// Answers a request for which Java has no memory: the state as far as the agent knows it, or that the heap is full.
    pub(crate) fn answer_without_memory(&self, key: &str, more: impl FnOnce(&mut Value)) {
        let Some((ticket, command)) = self.ticket(key) else { return };
        let answer = match command {
            request::STATUS => {
                let mut state = without_runtime("heap_full");
                more(&mut state);
                Ok(state)
            }
            _ => Err("the heap is full".to_owned()),
        };
        self.server.reply(ticket, answer);
    }

    /// Answers a request of the agent's.
    pub(crate) fn reply(&self, ticket: Ticket, answer: Result<Value, String>) {
        self.server.reply(ticket, answer);
    }

    /// Makes a client follow.
    pub(crate) fn follow(&self, key: &str, lines: &str) {
        if let Some((ticket, _)) = self.ticket(key) {
            self.server.subscribe(ticket, lines.lines().map(str::to_owned).collect());
        }
    }

    /// Asks as a client would, by a line, and gives the line of the reply. For any thread but the one that works.
    pub(crate) fn request_reply(&self, line: &str) -> String {
        self.server.request_reply(line.as_bytes(), PATIENCE_INSIDE)
    }

    /// Whether somebody follows.
    pub(crate) fn is_followed(&self) -> bool {
        self.server.subscribers() > 0
    }

    /// Gives lines to all who follow.
    pub(crate) fn publish(&self, lines: &str) {
        lines.lines().for_each(|line| self.server.publish(line));
    }

    /// Where clients connect.
    pub(crate) fn socket(&self) -> Option<&Path> {
        self.server.socket()
    }

    /// Where they connect by TCP, if they can.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        self.server.address()
    }

    /// Clients that are connected.
    pub(crate) fn clients(&self) -> usize {
        self.server.clients()
    }

    /// Flushes what is queued, and takes the socket away.
    pub(crate) fn close(&self) {
        self.server.stop();
    }

    fn is_abandoned(&self, started: Instant) -> bool {
        self.ends_with_client && self.client().is_none() && started.elapsed() > PATIENCE
    }

    fn ticket(&self, key: &str) -> Option<(Ticket, &'static str)> {
        self.tickets().remove(&key.parse().ok()?)
    }

    fn tickets(&self) -> MutexGuard<'_, HashMap<u64, (Ticket, &'static str)>> {
        self.tickets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn client(&self) -> MutexGuard<'_, Option<u64>> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The beginning of a state that the runtime does not tell; the key says why.
fn without_runtime(why: &str) -> Value {
    json!({ "state": "measuring", (why): true })
}

/// The text of a setting: the runtime's options are texts.
fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}
