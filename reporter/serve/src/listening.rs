//! A server of HTTP in one thread: connections of one request each, with deadlines and a limit of their number.
//!
//! The limit of open files bounds the connections: when there are too many, the oldest one without a request is closed.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, spawn_local, yield_now};
use tokio::time::{sleep, timeout};
use weighbridge_ending::messages;

/// Time within which a request's head must arrive.
const HEAD_WITHIN: Duration = Duration::from_secs(10);
/// Most bytes of a request's head.
const HEAD: usize = 16 << 10;
/// Open files that are not connections: standard streams, the recording that is read, files of the libraries.
#[cfg(unix)]
const OTHER_FILES: u64 = 24;

/// The open connections.
pub(crate) struct Connections {
    open: RefCell<VecDeque<Connection>>,
    at_most: usize,
}

struct Connection {
    task: AbortHandle,
    /// Whether a request has come.
    asked: Rc<Cell<bool>>,
}

/// An answer, and how long its reader may take for it. Then the connection is closed.
pub(crate) struct TimedResponse<B> {
    pub(crate) response: Response<B>,
    pub(crate) within: Duration,
}

impl Connections {
    /// As many as the limit of open files allows, and at most so many.
    pub(crate) fn at_most(most: usize) -> Rc<Self> {
        Rc::new(Connections { open: RefCell::default(), at_most: limit_connections(most) })
    }

    /// Accepts connections for ever. Whatever else runs in the thread runs between them.
    pub(crate) async fn accept<A, F, B>(self: Rc<Self>, listener: TcpListener, answer: A)
    where
        A: Fn(Request<Incoming>) -> F + Clone + 'static,
        F: Future<Output = TimedResponse<B>> + 'static,
        B: Body + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let mut warned = false;
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    self.make_room().await;
                    let asked = Rc::new(Cell::new(false));
                    let task = spawn_local(serve(stream, answer.clone(), Rc::clone(&asked))).abort_handle();
                    self.open.borrow_mut().push_back(Connection { task, asked });
                }
                Err(error) => {
                    // Often the whole machine has too many open files: a little later there may be room.
                    if !std::mem::replace(&mut warned, true) {
                        messages::warn(format!("a connection cannot be accepted: {error}; trying again every second"));
                    }
                    sleep(Duration::from_secs(1)).await;
                }
            }
        }
    }

    /// Closes those that nobody has asked on.
    pub(crate) fn close_silent(&self) {
        self.open.borrow().iter().filter(|open| !open.asked.get()).for_each(|open| open.task.abort());
    }

    /// Waits until there is room for a connection.
    async fn make_room(&self) {
        while let Some(wait) = self.full() {
            // The task needs a turn to close its socket.
            yield_now().await;
            sleep(wait).await;
        }
    }

    /// How long to wait for room, or `None` if there is room. Closes a connection without a request to make room.
    fn full(&self) -> Option<Duration> {
        let mut connections = self.open.borrow_mut();
        connections.retain(|open| !open.task.is_finished());
        if connections.len() < self.at_most {
            return None;
        }
        let silent = connections.iter().find(|open| !open.asked.get());
        silent.inspect(|open| open.task.abort());
        Some(if silent.is_some() { Duration::ZERO } else { Duration::from_millis(50) })
    }
}

/// Answers one request. A failing connection is the client's problem.
async fn serve<A, F, B>(stream: TcpStream, answer: A, asked: Rc<Cell<bool>>)
where
    A: Fn(Request<Incoming>) -> F + 'static,
    F: Future<Output = TimedResponse<B>> + 'static,
    B: Body + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let within = Rc::new(Cell::new(None));
    let told = Rc::clone(&within);
    let service = service_fn(move |request| {
        asked.set(true);
        let (answer, told) = (answer(request), Rc::clone(&told));
        async move {
            let TimedResponse { response, within } = answer.await;
            told.set(Some(within));
            Ok::<_, Infallible>(response)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
        .keep_alive(false)
        .max_buf_size(HEAD)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    // Until the answer is there; a request that is not read to its end has the deadline of whoever answers.
    let answered = poll_fn(|context| match connection.as_mut().poll(context) {
        Poll::Pending => within.get().map_or(Poll::Pending, |within| Poll::Ready(Some(within))),
        Poll::Ready(_) => Poll::Ready(None),
    })
    .await;
    if let Some(within) = answered {
        let _ = timeout(within, connection).await;
    }
}

/// Waits for the signal; for ever on a system without signals.
pub(crate) async fn end_signal(ended: oneshot::Receiver<()>) {
    if ended.await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// The number of connections that the limit of open files allows.
#[cfg(unix)]
fn limit_connections(most: usize) -> usize {
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
    files.saturating_sub(OTHER_FILES).clamp(1, most as u64) as usize
}

#[cfg(not(unix))]
fn limit_connections(most: usize) -> usize {
    most
}
