//! A server that answers one question: `GET /metrics`.

use std::net::SocketAddr;
use std::sync::Arc;

use tiny_http::{Header, Method, Request, Response, Server};
use weighbridge_reporter::export::openmetrics::Dialect;

use super::fleet::Fleet;
use super::signals;
use crate::exit::{self, Failure};

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PLAIN: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Serves until a signal ends it. Requests are answered one after the other: each reads what came since the last.
pub(super) fn run(mut fleet: Fleet, address: SocketAddr, top: usize) -> Result<(), Failure> {
    let server = Server::http(address).map_err(|e| Failure::input(format!("{address}: cannot be listened to: {e}")))?;
    let server = Arc::new(server);
    let unblocked = Arc::clone(&server);
    signals::on_end(move || unblocked.unblock())?;
    // What was there before is read before the first scrape, which has a timeout.
    fleet.look();
    exit::say("serving", &format!("http://{}/metrics", server.server_addr()));
    for request in server.incoming_requests() {
        answer(&mut fleet, top, request);
    }
    Ok(())
}

fn answer(fleet: &mut Fleet, top: usize, request: Request) {
    let path = request.url().split('?').next().unwrap_or_default();
    let (status, kind, body) = match (path, request.method()) {
        ("/metrics", Method::Get | Method::Head) => {
            fleet.look();
            let dialect = dialect(&request);
            let kind = if dialect == Dialect::OpenMetrics { OPENMETRICS } else { PLAIN };
            (200, kind, fleet.page(top, dialect))
        }
        ("/metrics", _) => (405, PLAIN, b"GET only\n".to_vec()),
        _ => (404, PLAIN, b"see /metrics\n".to_vec()),
    };
    // All of it is in memory: its length is known, and chunks would only take longer to read.
    let mut response = Response::from_data(body).with_status_code(status).with_chunked_threshold(usize::MAX);
    let allow = (status == 405).then_some(("Allow", "GET, HEAD"));
    for (name, value) in [("Content-Type", kind), ("X-Content-Type-Options", "nosniff")].into_iter().chain(allow) {
        // Names and values are constants of ASCII.
        if let Ok(header) = Header::from_bytes(name, value) {
            response.add_header(header);
        }
    }
    // Who asked may have gone.
    let _ = request.respond(response);
}

/// OpenMetrics for those who ask for it, as Prometheus does; else the older text format, which everything reads.
fn dialect(request: &Request) -> Dialect {
    let accept = request.headers().iter().filter(|header| header.field.equiv("Accept"));
    let wanted = |header: &Header| header.value.as_str().to_ascii_lowercase().contains("application/openmetrics-text");
    if accept.into_iter().any(wanted) { Dialect::OpenMetrics } else { Dialect::Plain }
}
