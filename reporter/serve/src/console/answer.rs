//! Answers: the page, JSON, a stream of events, or a refusal.

use std::convert::Infallible;
use std::sync::LazyLock;
use std::time::Duration;

use http_body_util::channel::Channel;
use http_body_util::{Either, Full};
use hyper::body::Bytes;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;
use serde_json::json;
use weighbridge_ending::Failure;
use weighbridge_reporter::html;

use crate::listening::TimedResponse;

/// How long a browser may take to read an answer.
const READ_WITHIN: Duration = Duration::from_secs(60);

const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// The page's policy. Should it ever be no header, nothing is allowed at all.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    HeaderValue::from_str(&html::console_policy()).unwrap_or(HeaderValue::from_static("default-src 'none'"))
});

/// A whole answer, or what is sent bit by bit.
pub(super) type Sent = Either<Full<Bytes>, Channel<Bytes, Infallible>>;

/// Why something is not done, for the page to show.
pub(super) struct Refusal {
    status: StatusCode,
    why: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, why: impl Into<String>) -> Refusal {
        Refusal { status, why: why.into() }
    }

    /// It is asked too often.
    pub(super) fn too_soon(why: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::TOO_MANY_REQUESTS, why)
    }

    pub(super) fn is_too_soon(&self) -> bool {
        self.status == StatusCode::TOO_MANY_REQUESTS
    }

    #[cfg(test)]
    pub(super) fn status(&self) -> StatusCode {
        self.status
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let status = match failure {
            Failure::Usage(_) => StatusCode::BAD_REQUEST,
            Failure::Input(_) => StatusCode::CONFLICT,
            Failure::Defect(_) | Failure::BrokenPipe => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Refusal::new(status, failure.sentence())
    }
}

/// JSON that is ready.
pub(super) fn ready(json: Bytes) -> TimedResponse<Sent> {
    build_response(StatusCode::OK, JSON, Either::Left(Full::new(json)), READ_WITHIN)
}

/// A document as JSON.
pub(super) fn in_json(document: &impl Serialize) -> Result<Bytes, Refusal> {
    let text = serde_json::to_vec(document);
    text.map(Bytes::from).map_err(|error| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))
}

pub(super) fn page(html: Bytes) -> TimedResponse<Sent> {
    build_response(StatusCode::OK, HTML, Either::Left(Full::new(html)), READ_WITHIN)
}

/// A stream that ends by itself in time.
pub(super) fn events(channel: Channel<Bytes, Infallible>, within: Duration) -> TimedResponse<Sent> {
    build_response(StatusCode::OK, EVENTS, Either::Right(channel), within)
}

pub(super) fn build_error_response(refusal: &Refusal) -> TimedResponse<Sent> {
    let text = json!({ "error": refusal.why }).to_string();
    build_response(refusal.status, JSON, Either::Left(Full::new(text.into())), READ_WITHIN)
}

fn build_response(status: StatusCode, kind: &'static str, body: Sent, within: Duration) -> TimedResponse<Sent> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let fixed: [(HeaderName, &'static str); 7] = [
        (header::CONTENT_TYPE, kind),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Figures and the token stay out of caches, histories of other pages and logs of other servers.
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, POLICY.clone());
    TimedResponse { response, within }
}
