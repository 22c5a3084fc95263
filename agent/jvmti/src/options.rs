//! The text after `-agentpath:libweighbridge.so=`: `config=FILE,key=value,...`.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use weighbridge_config::{Config, TraceKind, TraceRequest};
use weighbridge_control::Endpoint;

/// What to measure, and how.
#[derive(Debug)]
pub(crate) struct AgentOptions {
    pub(crate) config: Arc<Config>,
    /// The runtime's options, `key=value` with commas between.
    pub(crate) runtime: String,
    /// Whether clients can ask (docs/control.md).
    pub(crate) control: bool,
    /// Where they can ask by TCP; a reason if that cannot be.
    pub(crate) address: Result<Option<Endpoint>, String>,
    /// Whether objects that exist already are taken in.
    pub(crate) seed: bool,
    /// Whether the session ends with the client that attached.
    pub(crate) ends_with_client: bool,
    /// The file for the answer, if there is to be one.
    answer: Option<PathBuf>,
    /// Those of the configuration, then those of the options.
    pub(crate) traces: Vec<TraceRequest>,
    /// The file for a trace of every event, if there is to be one.
    pub(crate) events: Option<String>,
}

/// Names the file to which an attach writes whether it worked.
const ANSWER: &str = "answer";

/// The file that `answer=FILE` names.
pub(crate) fn parse_answer_file(text: &str) -> Option<&Path> {
    text.split(',').find_map(|option| option.strip_prefix(ANSWER)?.strip_prefix('=')).map(Path::new)
}

impl AgentOptions {
    /// Whether the client that attaches has given up or ended: it has locked the file for the answer as long as it waits, and
    /// removes it then.
    pub(crate) fn is_abandoned(&self) -> bool {
        let Some(answer) = self.answer.as_ref().filter(|_| self.ends_with_client) else { return false };
        match File::open(answer).map(|file| file.try_lock_shared()) {
            Ok(Ok(())) => true,
            Ok(Err(TryLockError::WouldBlock | TryLockError::Error(_))) => false,
            Err(error) => error.kind() == ErrorKind::NotFound,
        }
    }

    /// Reads the options and the configuration that they name; a reason if that is not possible.
    pub(crate) fn parse(text: &str) -> Result<AgentOptions, String> {
        let (mut config, mut runtime) = (None, Vec::new());
        let (mut listen, mut token) = (None, None);
        let mut traces = Vec::new();
        let mut events = None;
        let (mut control, mut seed, mut ends_with_client) = (true, true, false);
        for option in text.split(',') {
            match option.split_once('=') {
                Some(("config", file)) => config = Some(file),
                Some(("control", "on")) => control = true,
                Some(("control", "off")) => control = false,
                Some(("listen", address)) => listen = Some(address),
                Some(("token", file)) => token = Some(file),
                Some(("seed", "on")) => seed = true,
                Some(("seed", "off")) => seed = false,
                Some(("end", "client")) => ends_with_client = true,
                Some(("trace", asked)) => traces.push(trace(asked, traces.len() + 1)?),
                Some(("events", file)) => events = Some(file.to_owned()),
                Some((ANSWER, _)) => {}
                _ => runtime.push(option),
            }
        }
        let config = match config {
            Some(file) => Config::read(Path::new(file)).map_err(|error| error.to_string())?,
            None if traces.is_empty() => return Err("the agent has no option config=FILE".to_owned()),
            None => Config::default(),
        };
        traces.splice(..0, config.traces.iter().cloned());
        let (config, runtime) = (Arc::new(config), runtime.join(","));
        Ok(AgentOptions {
            config,
            runtime,
            control,
            address: address(control, listen, token),
            seed,
            answer: parse_answer_file(text).map(Path::to_owned),
            ends_with_client,
            traces,
            events,
        })
    }
}

/// `methods+calls:com.acme.**`: what, and of which classes.
fn trace(asked: &str, number: usize) -> Result<TraceRequest, String> {
    let form = || format!("trace={asked}: write WHAT:PATTERN, or WHAT+WHAT:PATTERN");
    let (what, pattern) = asked.split_once(':').ok_or_else(form)?;
    let what: Option<Vec<TraceKind>> = what.split('+').map(TraceKind::from_word).collect();
    let trace = TraceRequest {
        name: format!("trace-{number}"),
        what: what.ok_or_else(form)?,
        classes: vec![pattern.to_owned()],
        ..TraceRequest::default()
    };
    trace.check()?;
    Ok(trace)
}

fn address(control: bool, listen: Option<&str>, token: Option<&str>) -> Result<Option<Endpoint>, String> {
    match (listen, token) {
        (None, None) => Ok(None),
        _ if !control => Err("with control=off there is no listen and no token".to_owned()),
        (Some(address), Some(file)) => Endpoint::tcp(address, file).map(Some).map_err(|error| error.to_string()),
        (Some(_), None) => Err("listen needs token=FILE, a file that only its owner can open".to_owned()),
        (None, Some(_)) => Err("token needs listen=[ADDRESS:]PORT".to_owned()),
    }
}
