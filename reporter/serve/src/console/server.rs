//! The server: at the loopback interface only, in one thread, until a signal ends it.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use hyper::body::Bytes;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::LocalSet;
use weighbridge_ending::{Failure, messages, signals};
use weighbridge_reporter::html;

use super::guard::Guard;
use super::holds::Console;
use super::routes::Routes;
use crate::listening::{Connections, end_signal};

/// Some pages, each with its stream of events and a few requests.
const MOST_CONNECTIONS: usize = 64;
/// Requests that are worked on at once; the others wait.
const MOST_WORKERS: usize = 8;
/// Time for unfinished work when the server ends.
const END_WITHIN: Duration = Duration::from_secs(2);

/// Serves. `ready` gets the address of the page, with the token.
pub(super) fn run(console: &Arc<Console>, port: u16, ready: impl FnOnce(&str)) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(MOST_WORKERS)
        .build()
        .context("sockets")?;
    let (listeners, port) = runtime.block_on(listen(port))?;
    let guard = Guard::new(port)?;
    let (end, ended) = oneshot::channel();
    signals::on_end(move || {
        // The receiver may be gone.
        let _ = end.send(());
    })?;
    let mut page = Vec::new();
    html::write_console(&mut page).context("the page")?;
    let address = guard.address();
    messages::print_message("console", &address);
    ready(&address);
    let routes = Rc::new(Routes { console: Arc::clone(console), guard, page: Bytes::from(page) });
    let connections = Connections::at_most(MOST_CONNECTIONS);
    runtime.block_on(async {
        let tasks = LocalSet::new();
        for listener in listeners {
            let routes = Rc::clone(&routes);
            let answer = move |request| Rc::clone(&routes).handle_request(request);
            tasks.spawn_local(Rc::clone(&connections).accept(listener, answer));
        }
        tasks.run_until(end_signal(ended)).await;
    });
    // Work that goes on, such as a dump, is not waited for.
    runtime.shutdown_timeout(END_WITHIN);
    Ok(())
}

/// At 127.0.0.1, and at the same port of ::1 where that is possible.
async fn listen(port: u16) -> Result<(Vec<TcpListener>, u16), Failure> {
    let first = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listener = TcpListener::bind(first)
        .await
        .map_err(|error| Failure::input(format!("{first}: cannot be listened to: {error}")))?;
    let port = listener.local_addr().context("sockets")?.port();
    let second = TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).await;
    Ok(([Some(listener), second.ok()].into_iter().flatten().collect(), port))
}
