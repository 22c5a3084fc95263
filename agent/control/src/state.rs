//! What the server's thread and the host's threads share: for each client, what it asks for and what it gets.
//!
//! The lock is held for a few steps on queues only, never while something is read, written, parsed or freed in bulk. So
//! how long a host's thread waits for it does not depend on what the clients do.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::error::STOPS;
use crate::late::Unanswered;
use crate::protocol::{Body, Command, Reply, Request};

/// How much a server takes from its clients.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ServerLimits {
    /// Clients at once, without those who have to show a token and have not. A further one gets an error and is closed. 16.
    pub clients: usize,
    /// Requests of one client whose replies it has not taken. Then the server reads no more of it. 64.
    pub requests: usize,
    /// The longest line of a client, in bytes. A client that sends a longer one is closed. With so many bytes of requests
    /// that the host has not taken, the server reads no more of a client. 64 KiB.
    pub line: usize,
    /// What waits for one client, in bytes. A client with so much or more is dropped when the next line comes, so one line
    /// of any length may exceed it. 8 MiB, and for subscribers the first lines on top.
    pub queue: usize,
    /// How long one line may take to be written. Then the client is dropped. 30 s.
    pub stall: Duration,
    /// How long a TCP client has for its token. 5 s.
    pub hello: Duration,
    /// How long `stop` writes what is queued. 1 s.
    pub flush: Duration,
    /// How long a question for the state waits for the host, if there is somebody else who can answer it
    /// ([`Server::answer_late`](crate::Server::answer_late)). 5 s.
    pub patience: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        ServerLimits {
            clients: 16,
            requests: 64,
            line: 64 << 10,
            queue: 8 << 20,
            stall: Duration::from_secs(30),
            hello: Duration::from_secs(5),
            flush: Duration::from_secs(1),
            patience: Duration::from_secs(5),
        }
    }
}

/// What an entry of a queue takes beside its text, in bytes: the entry, the counts of the `Arc`, the allocator's share.
const ENTRY: usize = 64;

/// What is written to a client.
pub(crate) enum OutgoingItem {
    /// The reply to a request.
    Reply(String),
    /// A line of the subscription with this id; all subscribers share the text.
    Line(u64, Arc<str>),
    /// The last line of a subscription.
    End(String),
}

impl OutgoingItem {
    fn bytes(&self) -> usize {
        ENTRY
            + match self {
                OutgoingItem::Reply(text) | OutgoingItem::End(text) => text.len(),
                OutgoingItem::Line(_, text) => text.len(),
            }
    }
}

/// What wakes the two tasks of a client.
#[derive(Clone, Default)]
pub(crate) struct Wake {
    /// There is something to write, or the end has come.
    pub(crate) writer: Arc<Notify>,
    /// A request was taken or a reply was written, so that one more request may be read.
    pub(crate) reader: Arc<Notify>,
}

/// What the writer of a client does next.
pub(crate) enum WriterStep {
    Write(OutgoingItem),
    Wait,
    End,
}

/// A request that the host has not taken.
struct Asked {
    request: Request,
    /// Of its line. In memory, a request may be 25 times as large.
    bytes: usize,
    /// Its key, if it is a question for the state.
    state: Option<u64>,
}

pub(crate) struct Client {
    requests: VecDeque<Asked>,
    /// Bytes of the lines of these requests.
    asked: usize,
    /// Questions for the state, until they have an answer.
    states: Unanswered,
    queue: VecDeque<OutgoingItem>,
    /// Bytes of the queue and of what is being written.
    bytes: usize,
    /// With so many bytes, the queue is full.
    limit: usize,
    /// Lines read whose replies are not written.
    open: usize,
    subscription: Option<u64>,
    /// Whether the host has had a request of it, and so must be told when it is gone.
    known: bool,
    /// Whether nothing more is read of it.
    ended: bool,
    wake: Wake,
    task: AbortHandle,
}

/// See the module.
pub(crate) struct Shared {
    state: Mutex<ServerState>,
    /// Something for the host has come.
    arrived: Condvar,
    /// The host wants to stop.
    pub(crate) stop: Notify,
    /// A client is gone.
    gone: Notify,
    /// A question for the state has come.
    pub(crate) state_asked: Notify,
    /// Answers such a question instead of the host.
    pub(crate) late: OnceLock<Box<LateAnswer>>,
    pub(crate) limits: ServerLimits,
}

/// The state as somebody knows it who does not wait for the host; none if nobody knows any.
pub(crate) type LateAnswer = dyn Fn() -> Option<Value> + Send + Sync;

#[derive(Default)]
struct ServerState {
    clients: BTreeMap<u64, Client>,
    /// Requests of threads of this process, which wait for the replies.
    inside: VecDeque<(Request, Sender<Reply>)>,
    /// Known clients that are gone. At most as many as clients are allowed: the host is told of these before it gets to
    /// know another one.
    left: VecDeque<u64>,
    /// The number of the last client.
    last: u64,
    /// The client whose request the host got last; 0 for a thread of this process.
    turn: u64,
    stopping: bool,
}

/// Who gets the reply to a request.
pub(crate) enum Asker {
    /// The client's number, and the key of a question for the state.
    Client(u64, Option<u64>),
    Inside(Sender<Reply>),
}

/// Something for the host.
pub(crate) enum Arrived {
    Request { asker: Asker, id: u64, command: Command },
    Left(u64),
    Nothing,
    Closed,
}

impl Shared {
    pub(crate) fn new(limits: ServerLimits) -> Self {
        let (state, arrived, stop, gone, state_asked, late) = Default::default();
        Shared { state, arrived, stop, gone, state_asked, late, limits }
    }

    /// What the closure gives is freed after the lock is.
    fn with_state<T>(&self, act: impl FnOnce(&mut ServerState) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    // The server's thread.

    /// A number for one more client.
    pub(crate) fn number(&self) -> u64 {
        self.with_state(|state| {
            state.last += 1;
            state.last
        })
    }

    pub(crate) fn enter(&self, number: u64, wake: Wake, task: AbortHandle) {
        let client = Client {
            requests: VecDeque::new(),
            states: Unanswered::default(),
            asked: 0,
            queue: VecDeque::new(),
            bytes: 0,
            limit: self.limits.queue,
            open: 0,
            subscription: None,
            known: false,
            ended: false,
            wake,
            task,
        };
        self.with_state(|state| state.clients.insert(number, client));
    }

    /// Answers the line with which a client showed its token.
    pub(crate) fn greet(&self, number: u64, reply: Reply) {
        drop(self.with_state(|state| {
            state.clients.get_mut(&number)?.open += 1;
            state.push(number, OutgoingItem::Reply(reply.to_line()))
        }));
    }

    /// Forgets a client and ends its tasks.
    pub(crate) fn leave(&self, number: u64) {
        drop(self.with_state(|state| state.remove(number)));
        self.gone.notify_one();
        self.arrived.notify_all();
    }

    /// Whether a request more may be read; none if the client is gone.
    pub(crate) fn may_read(&self, number: u64) -> Option<bool> {
        let limits = &self.limits;
        let may = |client: &Client| client.open < limits.requests && client.asked < limits.line;
        self.with_state(|state| state.clients.get(&number).map(may))
    }

    /// Takes what a client sent, a line of so many bytes.
    pub(crate) fn take(&self, number: u64, bytes: usize, line: Result<Request, Reply>) {
        let full = self.with_state(|state| {
            let stopping = state.stopping;
            let client = state.clients.get_mut(&number)?;
            client.open += 1;
            let reply = match line {
                Ok(request) if !stopping => {
                    let asks_state = matches!(request.command, Command::Status {});
                    let state = asks_state.then(|| client.states.add_question(request.id));
                    client.asked += bytes;
                    client.requests.push_back(Asked { request, bytes, state });
                    if asks_state {
                        self.state_asked.notify_one();
                    }
                    return None;
                }
                Ok(request) => Reply::error(Some(request.id), STOPS),
                Err(reply) => reply,
            };
            state.push(number, OutgoingItem::Reply(reply.to_line()))
        });
        drop(full);
        self.arrived.notify_all();
    }

    /// Whether a question for the state has no answer yet.
    pub(crate) fn is_state_open(&self) -> bool {
        self.with_state(|state| state.clients.values().any(|client| !client.states.is_empty()))
    }

    /// Answers the questions for the state that have waited for too long.
    pub(crate) fn answer_late(&self) {
        let Some(late) = self.late.get() else { return };
        let patience = self.limits.patience;
        let taken = |(&number, client): (&u64, &mut Client)| (number, client.states.take(patience));
        let open: Vec<(u64, Vec<u64>)> =
            self.with_state(|state| state.clients.iter_mut().map(taken).filter(|(_, ids)| !ids.is_empty()).collect());
        for (number, ids) in open {
            for id in ids {
                let body = late().map_or_else(|| Body::Error(STOPS.to_owned()), Body::Ok);
                let item = OutgoingItem::Reply(Reply { id: Some(id), body }.to_line());
                drop(self.with_state(|state| state.push(number, item)));
            }
        }
    }

    /// Nothing more is read of a client. It still gets its replies; but a subscription ends.
    pub(crate) fn end_reading(&self, number: u64) {
        drop(self.with_state(|state| {
            let client = state.clients.get_mut(&number)?;
            client.ended = true;
            client.wake.writer.notify_one();
            // A subscriber that sends nothing more cannot be told from one that was killed.
            if client.subscription.is_some() { state.remove(number) } else { None }
        }));
    }

    pub(crate) fn step(&self, number: u64) -> WriterStep {
        self.with_state(|state| {
            let stopping = state.stopping;
            let Some(client) = state.clients.get_mut(&number) else { return WriterStep::End };
            match client.queue.pop_front() {
                Some(item) => WriterStep::Write(item),
                None if stopping || client.ended && client.open == 0 => WriterStep::End,
                None => WriterStep::Wait,
            }
        })
    }

    pub(crate) fn mark_written(&self, number: u64, item: &OutgoingItem) {
        self.with_state(|state| {
            let Some(client) = state.clients.get_mut(&number) else { return };
            client.bytes -= item.bytes();
            if let OutgoingItem::Reply(_) = item {
                client.open -= 1;
                client.wake.reader.notify_one();
            }
        });
    }

    /// Returns when no client is left.
    pub(crate) async fn emptied(&self) {
        while self.clients() > 0 {
            self.gone.notified().await;
        }
    }

    // The host's threads.

    pub(crate) fn next(&self, wait: Duration) -> Arrived {
        let until = Instant::now().checked_add(wait);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(client) = state.left.pop_front() {
                return Arrived::Left(client);
            }
            if let Some((asker, Request { id, command })) = state.next_request() {
                return Arrived::Request { asker, id, command };
            }
            if state.stopping {
                return Arrived::Closed;
            }
            // A wait that is too long for the clock lasts an hour, and then another one.
            let rest = until.map_or(Duration::from_secs(3600), |until| until.saturating_duration_since(Instant::now()));
            if rest.is_zero() {
                return Arrived::Nothing;
            }
            state = self.arrived.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// See [`crate::Server::ask`].
    pub(crate) fn request_reply(&self, line: &[u8], wait: Duration) -> Reply {
        if line.len() > self.limits.line {
            return Reply::error(None, &format!("the line is longer than {} bytes", self.limits.line));
        }
        let request = match Request::parse(line) {
            Ok(request) => request,
            Err(reply) => return reply,
        };
        let id = Some(request.id);
        if matches!(request.command, Command::Subscribe { .. }) {
            return Reply::error(id, "subscribe needs a connection: its lines go there");
        }
        let (asker, replies) = mpsc::channel();
        self.with_state(|state| {
            // Else the asker is dropped, which tells the end.
            if !state.stopping {
                state.inside.push_back((request, asker));
            }
        });
        self.arrived.notify_all();
        replies.recv_timeout(wait).unwrap_or_else(|error| match error {
            RecvTimeoutError::Timeout => Reply::error(id, "there is no answer yet"),
            RecvTimeoutError::Disconnected => Reply::error(id, STOPS),
        })
    }

    pub(crate) fn reply(&self, asker: &Asker, reply: Reply) {
        match asker {
            Asker::Client(number, key) => {
                let item = OutgoingItem::Reply(reply.to_line());
                drop(self.with_state(|state| {
                    let states = &mut state.clients.get_mut(number)?.states;
                    let is_first = key.is_none_or(|key| states.mark_answered(key));
                    if is_first { state.push(*number, item) } else { None }
                }));
            }
            // The thread may no longer wait.
            Asker::Inside(thread) => drop(thread.send(reply)),
        }
    }

    pub(crate) fn subscribe(&self, number: u64, id: u64, first: Vec<String>) {
        let first: Vec<OutgoingItem> = first.iter().map(|line| OutgoingItem::Line(id, one_line(line))).collect();
        let reply = |body| OutgoingItem::Reply(Reply { id: Some(id), body }.to_line());
        drop(self.with_state(|state| {
            let client = state.clients.get_mut(&number)?;
            if client.ended {
                return state.remove(number);
            }
            if client.subscription.is_some() {
                return state.push(number, reply(Body::Error("this connection is subscribed already".to_owned())));
            }
            client.subscription = Some(id);
            client.limit += first.iter().map(OutgoingItem::bytes).sum::<usize>();
            let ok = Some(reply(Body::Ok(serde_json::json!({}))));
            ok.into_iter().chain(first).find_map(|item| state.push(number, item))
        }));
    }

    pub(crate) fn publish(&self, line: &str) {
        if self.subscribers() == 0 {
            return;
        }
        let line = one_line(line);
        drop(self.with_state(|state| {
            let subscribed = |(number, client): (&u64, &Client)| Some((*number, client.subscription?));
            let to: Vec<(u64, u64)> = state.clients.iter().filter_map(subscribed).collect();
            let full =
                to.into_iter().filter_map(|(number, id)| state.push(number, OutgoingItem::Line(id, line.clone())));
            full.collect::<Vec<_>>()
        }));
    }

    pub(crate) fn clients(&self) -> usize {
        self.with_state(|state| state.clients.len())
    }

    pub(crate) fn subscribers(&self) -> usize {
        self.with_state(|state| state.clients.values().filter(|client| client.subscription.is_some()).count())
    }

    /// Refuses what is asked for and not begun, and ends subscriptions. Clients that have got all of it are closed.
    pub(crate) fn begin_to_stop(&self) {
        drop(self.with_state(|state| {
            state.stopping = true;
            let inside = std::mem::take(&mut state.inside);
            let numbers: Vec<u64> = state.clients.keys().copied().collect();
            let stop = |number| {
                let client = state.clients.get_mut(&number)?;
                client.wake.writer.notify_one();
                let refused = client.requests.drain(..).filter_map(|asked| {
                    let is_first = asked.state.is_none_or(|key| client.states.mark_answered(key));
                    is_first.then(|| Reply::error(Some(asked.request.id), STOPS))
                });
                let mut last: Vec<OutgoingItem> = refused.map(|reply| OutgoingItem::Reply(reply.to_line())).collect();
                let end =
                    client.subscription.take().map(|id| Reply { id: Some(id), body: Body::End(STOPS.to_owned()) });
                last.extend(end.map(|reply| OutgoingItem::End(reply.to_line())));
                last.into_iter().find_map(|item| state.push(number, item))
            };
            (inside, numbers.into_iter().filter_map(stop).collect::<Vec<_>>())
        }));
        self.stop.notify_one();
        self.arrived.notify_all();
    }
}

impl ServerState {
    /// Queues an item; a client whose queue is full is removed and returned.
    #[must_use]
    fn push(&mut self, number: u64, item: OutgoingItem) -> Option<Client> {
        let client = self.clients.get_mut(&number)?;
        if client.bytes >= client.limit {
            return self.remove(number);
        }
        client.bytes += item.bytes();
        client.queue.push_back(item);
        client.wake.writer.notify_one();
        None
    }

    #[must_use]
    fn remove(&mut self, number: u64) -> Option<Client> {
        let client = self.clients.remove(&number)?;
        client.task.abort();
        if client.known {
            self.left.push_back(number);
        }
        Some(client)
    }

    /// The next client after the one of the last request comes first, so that none waits for more than one of each other.
    /// After the last client it is the turn of this process.
    fn next_request(&mut self) -> Option<(Asker, Request)> {
        let waits = |(number, client): (&u64, &Client)| (!client.requests.is_empty()).then_some(*number);
        let after = self.clients.range(self.turn + 1..).find_map(waits);
        if after.is_none()
            && let Some((request, thread)) = self.inside.pop_front()
        {
            self.turn = 0;
            return Some((Asker::Inside(thread), request));
        }
        let number = after.or_else(|| self.clients.iter().find_map(waits))?;
        let client = self.clients.get_mut(&number)?;
        client.known = true;
        self.turn = number;
        let Asked { request, bytes, state } = client.requests.pop_front()?;
        client.asked -= bytes;
        client.wake.reader.notify_one();
        Some((Asker::Client(number, state), request))
    }
}

/// The text as one line: JSON has line ends between its parts only, where a space does the same.
fn one_line(text: &str) -> Arc<str> {
    text.trim_end().replace('\n', " ").into()
}
