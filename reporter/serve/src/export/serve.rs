//! A server that answers `GET /metrics`, in one thread.

use std::cell::RefCell;
use std::future::ready;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Context;
use hyper::header::{ACCEPT, ALLOW, CONTENT_TYPE, HeaderMap, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use hyper::{Method, Request, Response, StatusCode};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::LocalSet;
use tokio::time::timeout;
use weighbridge_ending::{Failure, messages, signals};
use weighbridge_reporter::export::openmetrics::Dialect;

use super::accept;
use super::fleet::Fleet;
use crate::listening::{Connections, TimedResponse, end_signal};

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PLAIN: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Time after which a connection is closed, even if its answer was not read.
const DONE_WITHIN: Duration = Duration::from_secs(60);
/// Time for unfinished answers when the server ends.
const END_WITHIN: Duration = Duration::from_secs(2);
/// A monitoring system needs one or two connections.
const MOST_CONNECTIONS: usize = 128;

struct Server {
    fleet: RefCell<Fleet>,
    top: usize,
}

/// Serves until a signal ends it. Requests are answered one after the other; each reads what was written since the last.
pub fn run(mut fleet: Fleet, address: SocketAddr, top: usize) -> Result<(), Failure> {
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
    fleet.refresh_figures();
    messages::print_message("serving", &format!("http://{address}/metrics"));
    let server = Rc::new(Server { fleet: RefCell::new(fleet), top });
    let connections = Connections::at_most(MOST_CONNECTIONS);
    let answer = move |request| ready(TimedResponse { response: server.handle_request(&request), within: DONE_WITHIN });
    runtime.block_on(async {
        let tasks = LocalSet::new();
        let accepting = tasks.spawn_local(Rc::clone(&connections).accept(listener, answer));
        tasks.run_until(end_signal(ended)).await;
        accepting.abort();
        connections.close_silent();
        let _ = timeout(END_WITHIN, tasks).await;
    });
    Ok(())
}

impl Server {
    fn handle_request<B>(&self, request: &Request<B>) -> Response<String> {
        let (status, kind, body) = match (request.uri().path(), request.method()) {
            ("/metrics", &Method::GET | &Method::HEAD) => {
                let mut fleet = self.fleet.borrow_mut();
                fleet.refresh_figures();
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
