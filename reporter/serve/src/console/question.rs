//! What a page asks: the body of a request, of a few fixed forms. Nothing in it names a file.

use std::time::Duration;

use http_body_util::{BodyExt, Limited};
use hyper::StatusCode;
use hyper::body::Incoming;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::time::timeout;
use weighbridge_config::{TraceKind, TraceRequest};
use weighbridge_control::{Command, Filters};

use super::answer::Refusal;

/// Most bytes of a body.
const MOST: usize = 16 << 10;
/// Time within which it must arrive.
const WITHIN: Duration = Duration::from_secs(10);
/// The longest that a trace of the page lasts: it ends by itself, whether the page is still open or not.
const LONGEST_TRACE_S: u64 = 600;
/// Percent of the program's CPU time that a trace of the page may take, unless it asks for less.
const MOST_CPU: f64 = 5.0;

/// Reads the body of a request.
pub(super) async fn body<T: DeserializeOwned>(body: Incoming) -> Result<T, Refusal> {
    let read = timeout(WITHIN, Limited::new(body, MOST).collect()).await;
    let bytes = read
        .map_err(|_| Refusal::new(StatusCode::REQUEST_TIMEOUT, "the request came too slowly"))?
        .map_err(|error| Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, error.to_string()))?
        .to_bytes();
    // An empty body asks for nothing in particular.
    let bytes = if bytes.is_empty() { b"{}".as_slice() } else { &bytes };
    serde_json::from_slice(bytes).map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, error.to_string()))
}

/// Measure a JVM, or only bring the agent for traces.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Attach {
    /// Patterns of class names.
    #[serde(default)]
    pub(super) include: Vec<String>,
    /// As the configuration says instead.
    #[serde(default)]
    pub(super) config: bool,
    /// How long the program may be stopped at once; as the configuration says unless given, else 100 ms.
    #[serde(default)]
    pub(super) pause: Option<String>,
}

/// Take a snapshot.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Measure {
    #[serde(default)]
    label: Option<String>,
}

impl Measure {
    pub(super) fn command(self) -> Command {
        Command::Measure { label: self.label.filter(|label| !label.is_empty()), pause_ms: None }
    }
}

/// Begin a run: its recording has the name that the agent gives it, in the working directory of the program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Start {
    name: String,
    #[serde(default)]
    include: Vec<String>,
    #[serde(default)]
    interval: Option<String>,
}

impl Start {
    pub(super) fn command(self) -> Command {
        let interval = self.interval.filter(|interval| !interval.is_empty());
        Command::Start {
            name: self.name,
            settings: interval.map(|interval| ("interval".to_owned(), Value::from(interval))).into_iter().collect(),
            filters: Filters { include: self.include, exclude: Vec::new() },
            file: None,
        }
    }
}

/// End a run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StopRun {
    name: String,
}

impl StopRun {
    pub(super) fn command(self) -> Command {
        Command::Stop { name: Some(self.name) }
    }
}

/// Change settings of the agent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Set {
    interval: String,
}

impl Set {
    pub(super) fn command(self) -> Command {
        Command::Set { settings: Map::from_iter([("interval".to_owned(), Value::from(self.interval))]) }
    }
}

/// Begin a run of traces by probes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Begin {
    name: String,
    what: Vec<TraceKind>,
    #[serde(default)]
    classes: Vec<String>,
    #[serde(default)]
    methods: Vec<String>,
    seconds: u64,
    #[serde(default)]
    max_cpu: Option<f64>,
}

impl Begin {
    pub(super) fn command(self) -> Result<Command, Refusal> {
        if !(1..=LONGEST_TRACE_S).contains(&self.seconds) {
            let why = format!("a trace from here lasts 1 to {LONGEST_TRACE_S} seconds");
            return Err(Refusal::new(StatusCode::BAD_REQUEST, why));
        }
        let trace = TraceRequest {
            name: self.name,
            what: self.what,
            classes: self.classes,
            methods: self.methods,
            for_ms: Some(self.seconds * 1_000),
            max_cpu: Some(self.max_cpu.unwrap_or(MOST_CPU).min(MOST_CPU)),
            ..TraceRequest::default()
        };
        trace.check().map_err(|why| Refusal::new(StatusCode::BAD_REQUEST, why))?;
        Ok(Command::TraceStart(Box::new(trace)))
    }
}

/// The value of a key in the query of an address.
pub(super) fn in_query(query: Option<&str>, key: &str) -> Option<String> {
    let value = query?.split('&').find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='))?;
    Some(percent_encoding::percent_decode_str(value).decode_utf8().ok()?.into_owned())
}
