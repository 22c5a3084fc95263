//! `weighbridge export --otlp URL`: the newest figures of each recording, posted to an OpenTelemetry collector.
//! <https://opentelemetry.io/docs/specs/otlp/#otlphttp>

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use weighbridge_ending::{Failure, messages, signals};
use weighbridge_reporter::export::otlp;

use super::fleet::Fleet;
use super::otlp_options::{OtlpOptions, mask_secrets};

/// Most times that one request is sent.
const ATTEMPTS: u32 = 5;
/// The first wait before a request is sent again, unless the collector says when. Each further wait is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// The longest wait that a collector may ask for.
const MOST_PATIENCE: Duration = Duration::from_secs(60);
/// Most bytes of an answer that are read.
const ANSWER: u64 = 1 << 20;

/// Where the metrics go.
pub struct Collector {
    options: OtlpOptions,
    /// The URL as messages show it.
    shown: String,
    top: usize,
    /// Digests of the last request of each recording. A recording is sent again when its request differs.
    sent: BTreeMap<String, [u8; 32]>,
    stop: Receiver<()>,
}

/// Why a request failed.
enum Failed {
    /// It may succeed later; after this time, if the collector says one.
    ForNow(String, Option<Duration>),
    ForGood(String),
    /// A signal ended the wait.
    Stopped,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failed::ForNow(reason, _) | Failed::ForGood(reason) => f.write_str(reason),
            Failed::Stopped => f.write_str("interrupted"),
        }
    }
}

impl Collector {
    /// A collector at a URL, to which the path of the protocol is added, or at the one that the environment names (`env`).
    pub fn new(endpoint: &str, top: usize) -> Result<Self, Failure> {
        let options = OtlpOptions::new(endpoint)?;
        let (ended, stop) = mpsc::channel();
        signals::on_end(move || {
            // The receiver may be gone.
            let _ = ended.send(());
        })?;
        let shown = mask_secrets(&options.url);
        Ok(Collector { options, shown, top, sent: BTreeMap::new(), stop })
    }

    /// Sends all recordings once. Gives how many files were refused or damaged.
    pub fn send_once(mut self, mut fleet: Fleet) -> Result<usize, Failure> {
        let refused = fleet.refresh_figures();
        if fleet.is_empty() {
            return Err(Failure::input("none of the files is a recording that can be read"));
        }
        let recordings = self.send(&fleet).map_err(|failed| Failure::input(format!("{}: {failed}", self.shown)))?;
        messages::print_message("sent", &format!("{recordings} {} to {}", noun(recordings), self.shown));
        Ok(refused)
    }

    /// Sends what is new at each interval, until a signal ends it. Warns of the same failure once.
    pub fn run(mut self, mut fleet: Fleet, interval: Duration) {
        let mut warned = None;
        loop {
            fleet.refresh_figures();
            match self.send(&fleet) {
                Ok(_) => warned = None,
                Err(Failed::Stopped) => return,
                Err(failed) => {
                    let failure = failed.to_string();
                    if warned.as_ref() != Some(&failure) {
                        messages::warn(format!(
                            "{}: {failure}; trying again every {} s",
                            self.shown,
                            interval.as_secs()
                        ));
                        warned = Some(failure);
                    }
                }
            }
            if self.stopped_within(interval) {
                return;
            }
        }
    }

    /// Sends the recordings with something new; returns how many there were.
    fn send(&mut self, fleet: &Fleet) -> Result<usize, Failed> {
        let mut recordings = 0;
        for (name, aggregate) in fleet.aggregates() {
            let request = otlp::request(aggregate, &name, Some(self.top), env!("CARGO_PKG_VERSION"));
            let digest = Sha256::digest(&request).into();
            if self.sent.get(&name) == Some(&digest) {
                continue;
            }
            if let Some(rejected) = self.post(&request)? {
                let otlp::Rejected { points, message } = rejected;
                messages::warn(format!("{name}: the collector rejected {points} data points: {message}"));
            }
            self.sent.insert(name, digest);
            recordings += 1;
        }
        Ok(recordings)
    }

    /// Sends one request, and sends it again while the collector is too busy.
    fn post(&self, request: &[u8]) -> Result<Option<otlp::Rejected>, Failed> {
        let mut backoff = FIRST_WAIT;
        for _ in 1..ATTEMPTS {
            let wait = match self.attempt(request) {
                Err(Failed::ForNow(reason, Some(wait))) if wait > MOST_PATIENCE => {
                    let seconds = wait.as_secs();
                    return Err(Failed::ForNow(format!("{reason}; it wants to be asked again in {seconds} s"), None));
                }
                Err(Failed::ForNow(_, Some(wait))) => wait,
                // Clients that were refused together must not come back together.
                Err(Failed::ForNow(_, None)) => backoff.mul_f64(0.5 + 0.5 * random()),
                done => return done,
            };
            if self.stopped_within(wait) {
                return Err(Failed::Stopped);
            }
            backoff *= 2;
        }
        self.attempt(request)
    }

    fn attempt(&self, request: &[u8]) -> Result<Option<otlp::Rejected>, Failed> {
        let OtlpOptions { agent, url, headers, gzip } = &self.options;
        let mut post = agent.post(url).header("Content-Type", "application/x-protobuf");
        for (name, value) in headers {
            post = post.header(name, value);
        }
        let packed = if *gzip { compressed(request) } else { Vec::new() };
        if *gzip {
            post = post.header("Content-Encoding", "gzip");
        }
        let mut answer = match post.send(if *gzip { &packed } else { request }) {
            Ok(answer) => answer,
            Err(ureq::Error::Io(error)) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                return Err(Failed::ForGood(format!("no collector answers there: {error}")));
            }
            Err(error @ ureq::Error::HostNotFound) => {
                return Err(Failed::ForGood(format!("no collector answers there: {error}")));
            }
            Err(error @ (ureq::Error::Tls(_) | ureq::Error::Rustls(_))) => {
                return Err(Failed::ForGood(format!("no encrypted connection: {error}")));
            }
            // An error of rustls about a certificate.
            Err(ureq::Error::Io(error)) if error.kind() == std::io::ErrorKind::InvalidData => {
                return Err(Failed::ForGood(format!("no encrypted connection: {error}")));
            }
            // The connection may have ended in the middle of the answer: the protocol says to send the request again.
            Err(error) => return Err(Failed::ForNow(error.to_string(), None)),
        };
        let status = answer.status();
        let after = answer.headers().get("Retry-After").and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let body = answer.body_mut().with_config().limit(ANSWER).read_to_vec().unwrap_or_default();
        if status.is_success() {
            return Ok(otlp::rejected(&body));
        }
        let said = otlp::refusal(&body).map_or_else(String::new, |message| format!(": {message}"));
        let reason = format!("the collector refused: {status}{said}");
        Err(match status.as_u16() {
            429 | 502 | 503 | 504 => Failed::ForNow(reason, after.map(Duration::from_secs)),
            _ => Failed::ForGood(reason),
        })
    }

    /// Waits; true if a signal ended the wait.
    fn stopped_within(&self, wait: Duration) -> bool {
        match self.stop.recv_timeout(wait) {
            Ok(()) => true,
            Err(mpsc::RecvTimeoutError::Timeout) => false,
            // This system has no signals.
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                std::thread::sleep(wait);
                false
            }
        }
    }
}

fn compressed(request: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    let _ = gzip.write_all(request);
    gzip.finish().unwrap_or_default()
}

fn noun(recordings: usize) -> &'static str {
    if recordings == 1 { "recording" } else { "recordings" }
}

/// From 0 to 1.
fn random() -> f64 {
    RandomState::new().hash_one(0) as f64 / u64::MAX as f64
}
