//! The agent's side of the control channel.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::net::UnixListener;
use tokio::time::{sleep, timeout};

use crate::connection::{Secret, admit, receive};
use crate::endpoint::Endpoint;
#[cfg(unix)]
use crate::endpoint::user;
use crate::error::{Error, Result};
use crate::protocol::{Body, Command, Reply};
#[cfg(unix)]
use crate::sockets::{self, SocketFile};
use crate::state::{Arrived, Asker, ServerLimits, Shared};
use crate::token::read_token;

/// Serves clients on one thread of its own, which never calls the host.
///
/// The host takes requests by [`next`](Server::next) and answers by [`reply`](Server::reply), from any of its threads.
/// No call waits for a client. Dropping the server stops it.
pub struct Server {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
    address: Option<SocketAddr>,
    socket: Option<PathBuf>,
    #[cfg(unix)]
    file: Mutex<Option<SocketFile>>,
}

/// What [`Server::next`] found.
#[derive(Debug)]
pub enum Next {
    /// A request. The ticket must be given to [`Server::reply`] or [`Server::subscribe`].
    Request(Ticket, Command),
    /// A client of which there was a request is gone; its number, [`Ticket::client`].
    Left(u64),
    /// Nothing in this time.
    Nothing,
    /// The server has stopped.
    Closed,
}

/// The right to answer a request. A ticket that is dropped answers with an error.
#[must_use]
pub struct Ticket {
    /// None after the answer.
    shared: Option<Arc<Shared>>,
    asker: Asker,
    id: u64,
}

impl Ticket {
    /// The number of the client, which no other client of this server ever has; 0 if a thread of this process
    /// [asks](Server::ask).
    pub fn client(&self) -> u64 {
        match self.asker {
            Asker::Client(number, _) => number,
            Asker::Inside(_) => 0,
        }
    }

    /// The id that the client gave the request.
    pub fn id(&self) -> u64 {
        self.id
    }

    fn send_reply(&mut self, body: Body) {
        if let Some(shared) = self.shared.take() {
            shared.reply(&self.asker, Reply { id: Some(self.id), body });
        }
    }
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ticket({}, {})", self.client(), self.id)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.send_reply(Body::Error("the agent did not answer this request".to_owned()));
    }
}

/// What a socket is accepted from.
enum Listener {
    #[cfg(unix)]
    Unix(UnixListener),
    Tcp(TcpListener, Arc<Secret>),
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("socket", &self.socket())
            .field("address", &self.address())
            .finish_non_exhaustive()
    }
}

impl Server {
    /// Begins to listen, at one socket or address or both.
    ///
    /// # Errors
    /// An endpoint cannot be used: see [`Error::Unsafe`], [`Error::InUse`], [`Error::Io`], [`Error::Unsupported`].
    pub fn start(endpoints: &[Endpoint], limits: ServerLimits) -> Result<Server> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .map_err(Error::io("no event loop for the control channel"))?;
        let inside = runtime.enter();
        let shared = Arc::new(Shared::new(limits));
        let mut server = Server {
            shared: shared.clone(),
            thread: Mutex::default(),
            address: None,
            socket: None,
            #[cfg(unix)]
            file: Mutex::default(),
        };
        let listeners = endpoints.iter().map(|endpoint| server.listen(endpoint)).collect::<Result<Vec<_>>>()?;
        drop(inside);
        let run = move || runtime.block_on(serve(listeners, &shared));
        let thread = std::thread::Builder::new().name("weighbridge-control".to_owned()).spawn(run);
        server.thread = Mutex::new(Some(thread.map_err(Error::io("no thread for the control channel"))?));
        Ok(server)
    }

    fn listen(&mut self, endpoint: &Endpoint) -> Result<Listener> {
        match endpoint {
            #[cfg(unix)]
            Endpoint::Socket { folder } => {
                let (listener, file) = sockets::listen(folder, std::process::id())?;
                let listener = UnixListener::from_std(listener).map_err(Error::io_at_path(&file.path));
                self.socket = Some(file.path.clone());
                self.file = Mutex::new(Some(file));
                Ok(Listener::Unix(listener?))
            }
            #[cfg(not(unix))]
            Endpoint::Socket { .. } => Err(Error::Unsupported),
            Endpoint::Tcp { address, token } => {
                let secret = Arc::new(Secret::new(read_token(token)?));
                let listener = std::net::TcpListener::bind(address).and_then(|listener| {
                    listener.set_nonblocking(true)?;
                    self.address = Some(listener.local_addr()?);
                    TcpListener::from_std(listener)
                });
                Ok(Listener::Tcp(listener.map_err(Error::io(address.to_string()))?, secret))
            }
        }
    }

    /// The path of the socket, if the server listens at one.
    pub fn socket(&self) -> Option<&Path> {
        self.socket.as_deref()
    }

    /// The address, if the server listens at one.
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// Waits for the next request, at most so long. Clients take turns.
    pub fn next(&self, wait: Duration) -> Next {
        match self.shared.next(wait) {
            Arrived::Request { asker, id, command } => {
                Next::Request(Ticket { shared: Some(self.shared.clone()), asker, id }, command)
            }
            Arrived::Left(client) => Next::Left(client),
            Arrived::Nothing => Next::Nothing,
            Arrived::Closed => Next::Closed,
        }
    }

    /// Answers a request, with an object or with one sentence that says what is wrong. Does nothing if the client is gone.
    pub fn reply(&self, mut ticket: Ticket, answer: Result<Value, String>) {
        ticket.send_reply(match answer {
            Ok(value) => Body::Ok(value),
            Err(text) => Body::Error(text),
        });
    }

    /// Who answers a `status` that the host has not answered within [`Limits::patience`]: its thread may wait for the JVM, or be
    /// busy. Runs on the server's thread, so it must not wait for anything. The host's own answer is then ignored.
    pub fn answer_late(&self, state: impl Fn() -> Option<Value> + Send + Sync + 'static) {
        // Said once.
        let _ = self.shared.late.set(Box::new(state));
    }

    /// Answers a request by lines of a recording: these first, then all that are [published](Server::publish).
    ///
    /// A line between is lost if another thread publishes it before this call; the caller's lock prevents that. A client
    /// has one subscription at most; a second gets an error.
    pub fn subscribe(&self, mut ticket: Ticket, first_lines: Vec<String>) {
        if let Some(shared) = ticket.shared.take() {
            shared.subscribe(ticket.client(), ticket.id, first_lines);
        }
    }

    /// Asks from a thread of this process, as a client would by this line, and waits for the host's reply at most so long.
    /// Gives the reply's line, without its end. `subscribe` is refused.
    pub fn request_reply(&self, line: &[u8], wait: Duration) -> String {
        self.shared.request_reply(line, wait).to_line()
    }

    /// Sends one line of a recording, a JSON object, to all subscribers.
    ///
    /// Never waits: copies the line once and queues it. A subscriber whose queue is full is dropped.
    pub fn publish(&self, line: &str) {
        self.shared.publish(line);
    }

    /// The number of connected clients.
    pub fn clients(&self) -> usize {
        self.shared.clients()
    }

    /// How many of them are subscribed.
    pub fn subscribers(&self) -> usize {
        self.shared.subscribers()
    }

    /// Refuses what was not begun, ends the subscriptions, writes what is queued for at most [`Limits::flush`], and
    /// removes the socket and its folder if that is empty. Later answers do nothing. Called again, it does nothing.
    pub fn stop(&self) {
        #[cfg(unix)]
        drop(self.file.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.shared.begin_to_stop();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        // The server's thread has the state for a moment, and may be the last that does.
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != std::thread::current().id()) {
            // It ends by itself; if it panicked, there is nothing left to end.
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Tells the host that there is no server any more, also if its thread panics.
struct Closing<'a>(&'a Shared);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.begin_to_stop();
    }
}

/// The server's thread.
async fn serve(listeners: Vec<Listener>, shared: &Arc<Shared>) {
    let _closing = Closing(shared);
    // Whoever fills an address must not keep others from the socket.
    let kept = if listeners.len() > 1 { FOR_THE_SOCKET } else { 0 };
    let accept = |listener| tokio::spawn(accept(listener, shared.clone(), kept));
    let accepting: Vec<_> = listeners.into_iter().map(accept).collect();
    let late = tokio::spawn(answer_late(shared.clone()));
    shared.stop.notified().await;
    late.abort();
    accepting.iter().for_each(|task| task.abort());
    // What cannot be written by then is lost.
    let _ = timeout(shared.limits.flush, shared.emptied()).await;
}

/// Parts of the patience with a question for the state, after which it looks again.
const LOOKS: u32 = 5;

async fn answer_late(shared: Arc<Shared>) {
    loop {
        shared.state_asked.notified().await;
        while shared.is_state_open() {
            sleep(shared.limits.patience / LOOKS).await;
            shared.answer_late();
        }
    }
}

/// How long it waits when no file descriptor is left, or another error of the system does not go away.
const PAUSE: Duration = Duration::from_millis(100);

/// So many of the clients are not taken from an address.
const FOR_THE_SOCKET: usize = 4;

async fn accept(listener: Listener, shared: Arc<Shared>, kept: usize) {
    loop {
        let accepted = match &listener {
            #[cfg(unix)]
            Listener::Unix(listener) => match listener.accept().await {
                Ok((mut stream, _)) => {
                    match stream.peer_cred() {
                        Ok(peer) if may_ask(peer.uid()) => admit(&shared, stream).await,
                        _ => {
                            let why = "only the user of the program and root may ask its agent";
                            crate::connection::refuse(&mut stream, why).await;
                        }
                    }
                    true
                }
                Err(_) => false,
            },
            Listener::Tcp(listener, secret) => match listener.accept().await {
                Ok((stream, _)) => {
                    let _ = stream.set_nodelay(true);
                    receive(&shared, stream, secret, kept).await;
                    true
                }
                Err(_) => false,
            },
        };
        if !accepted {
            sleep(PAUSE).await;
        }
    }
}

/// The folder keeps others out already. The kernel's word on who connects also holds where the folder was opened later.
#[cfg(unix)]
fn may_ask(peer: u32) -> bool {
    peer == 0 || peer == user()
}
