//! A server that answers `GET /metrics`, in one thread.
//!
//! A connection carries one request and has a deadline. The limit of open files bounds the connections: when there are too
//! many, the oldest one without a request is closed.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Context;
use hyper::header::{ACCEPT, ALLOW, CONTENT_TYPE, HeaderMap, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, LocalSet, spawn_local, yield_now};
use tokio::time::{sleep, timeout};
use weighbridge_reporter::export::openmetrics::Dialect;

use super::accept;
use super::fleet::Fleet;
use super::signals;
use crate::exit::{self, Failure};

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PLAIN: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Time within which a request's head must arrive.
const HEAD_WITHIN: Duration = Duration::from_secs(10);
/// Time after which a connection is closed, even if its answer was not read.
const DONE_WITHIN: Duration = Duration::from_secs(60);
/// Time for unfinished answers when the server ends.
const END_WITHIN: Duration = Duration::from_secs(2);
/// Most bytes of a request's head.
const HEAD: usize = 16 << 10;
/// A monitoring system needs one or two connections.
const MOST_CONNECTIONS: usize = 128;
/// Open files that are not connections: standard streams, the recording that is read, files of the libraries.
#[cfg(unix)]
const OTHER_FILES: u64 = 24;

struct Server {
    fleet: RefCell<Fleet>,
    top: usize,
    connections: RefCell<VecDeque<Connection>>,
    at_most: usize,
}

struct Connection {
    task: AbortHandle,
    /// Whether a request has come.
    asked: Rc<Cell<bool>>,
}

/// Serves until a signal ends it. Requests are answered one after the other; each reads what was written since the last.
pub(super) fn run(mut fleet: Fleet, address: SocketAddr, top: usize) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().context("sockets")?;
    let listener = runtime
        .block_on(TcpListener::bind(address))
        .map_err(|e| Failure::input(format!("{address}: cannot be listened to: {e}")))?;
    let address = listener.local_addr().context("sockets")?;
    let (end, ended) = oneshot::channel();
    signals::on_end(move || {
        // The receiver may be gone.
        let _ = end.send(());
    })?;
    // Old recordings are read before the first scrape, which has a timeout.
    fleet.look();
    exit::say("serving", &format!("http://{address}/metrics"));
    let connections = RefCell::default();
    let server = Rc::new(Server { fleet: RefCell::new(fleet), top, connections, at_most: most_connections() });
    runtime.block_on(async {
        let tasks = LocalSet::new();
        let accepting = tasks.spawn_local(accept_all(listener, Rc::clone(&server)));
        tasks.run_until(end_signal(ended)).await;
        accepting.abort();
        server.connections.borrow().iter().filter(|open| !open.asked.get()).for_each(|open| open.task.abort());
        let _ = timeout(END_WITHIN, tasks).await;
    });
    Ok(())
}

/// Waits for the signal; for ever on a system without signals.
async fn end_signal(ended: oneshot::Receiver<()>) {
    if ended.await.is_err() {
        std::future::pending::<()>().await;
    }
}

async fn accept_all(listener: TcpListener, server: Rc<Server>) {
    let mut warned = false;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                server.make_room().await;
                let asked = Rc::new(Cell::new(false));
                let task = spawn_local(serve(stream, Rc::clone(&server), Rc::clone(&asked))).abort_handle();
                server.connections.borrow_mut().push_back(Connection { task, asked });
            }
            Err(error) => {
                // Often the whole machine has too many open files: a little later there may be room.
                if !std::mem::replace(&mut warned, true) {
                    exit::warn(format!("a connection cannot be accepted: {error}; trying again every second"));
                }
                sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

/// Answers one request. A failing connection is the client's problem.
async fn serve(stream: TcpStream, server: Rc<Server>, asked: Rc<Cell<bool>>) {
    let service = service_fn(move |request| {
        asked.set(true);
        let answer = server.answer(&request);
        async move { Ok::<_, Infallible>(answer) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
        .keep_alive(false)
        .max_buf_size(HEAD)
        .serve_connection(TokioIo::new(stream), service);
    let _ = timeout(DONE_WITHIN, connection).await;
}

impl Server {
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
        let mut connections = self.connections.borrow_mut();
        connections.retain(|open| !open.task.is_finished());
        if connections.len() < self.at_most {
            return None;
        }
        let silent = connections.iter().find(|open| !open.asked.get());
        silent.inspect(|open| open.task.abort());
        Some(if silent.is_some() { Duration::ZERO } else { Duration::from_millis(50) })
    }

    fn answer<B>(&self, request: &Request<B>) -> Response<String> {
        let (status, kind, body) = match (request.uri().path(), request.method()) {
            ("/metrics", &Method::GET | &Method::HEAD) => {
                let mut fleet = self.fleet.borrow_mut();
                fleet.look();
                let dialect = dialect(request.headers());
                let kind = if dialect == Dialect::OpenMetrics { OPENMETRICS } else { PLAIN };
                (StatusCode::OK, kind, fleet.page(self.top, dialect))
            }
            ("/metrics", _) => (StatusCode::METHOD_NOT_ALLOWED, PLAIN, "GET only\n".to_owned()),
            _ => (StatusCode::NOT_FOUND, PLAIN, "see /metrics\n".to_owned()),
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if status == StatusCode::METHOD_NOT_ALLOWED {
            headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        }
        response
    }
}

fn dialect(headers: &HeaderMap) -> Dialect {
    let wanted: Vec<_> = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    accept::dialect(&wanted.join(","))
}

/// The number of connections that the limit of open files allows.
#[cfg(unix)]
fn most_connections() -> usize {
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
    files.saturating_sub(OTHER_FILES).clamp(1, MOST_CONNECTIONS as u64) as usize
}

#[cfg(not(unix))]
fn most_connections() -> usize {
    MOST_CONNECTIONS
}
