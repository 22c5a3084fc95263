//! The lines of the protocol, version 1. `docs/control.md` describes them for clients in other languages.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use weighbridge_config::TraceRequest;

use crate::heap_components::HeapComponents;

/// The version of the protocol, the key `v` of every line.
pub const VERSION: u64 = 1;

/// What a client can ask for, the key `do`, with its arguments.
///
/// Unknown keys are refused: an argument that is misspelt must not be silently ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// What the agent does now.
    Status {},
    /// Take a snapshot now.
    Measure {
        /// The label of the snapshot.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<String>,
        /// No stop of the program may be longer for this snapshot; as the setting `pause` says unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pause_ms: Option<u64>,
    },
    /// Begin a run: a recording of its own, with its own settings and filters.
    Start {
        /// The name of the run, by which `stop` ends it.
        name: String,
        /// Settings of this run.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        settings: Map<String, Value>,
        /// Which classes the run measures.
        #[serde(default, skip_serializing_if = "Filters::is_empty")]
        filters: Filters,
        /// The path of the recording, in the program's file system.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
    },
    /// End a run.
    Stop {
        /// The run, or the only one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Change settings of the agent.
    Set {
        /// The new values. Settings that are not named stay as they are.
        settings: Map<String, Value>,
    },
    /// The state of the control on memory shortage, and its last decisions.
    Shortage {},
    /// Write into the recording what components held in a heap dump.
    HeapComponents(HeapComponents),
    /// Begin a run of traces.
    TraceStart(Box<TraceRequest>),
    /// End a run of traces; the reply has what it has found.
    TraceStop {
        /// The run, or the only one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// What a run of traces has found so far.
    TraceShow {
        /// The run, or the only one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// The runs of traces, without what they have found.
    TraceList {},
    /// Take all probes out of the program and end.
    Detach {
        /// No stop of the program may be longer for the last snapshot; as the setting `pause` says unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pause_ms: Option<u64>,
    },
    /// Send the lines of the recording as they are written.
    Subscribe {
        /// Whether the client has attached, and the session may end with it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        attached: bool,
    },
}

impl Command {
    /// For how long it lets the program be stopped at once, if it says so.
    pub fn pause_ms(&self) -> Option<u64> {
        match self {
            Command::Measure { pause_ms, .. } | Command::Detach { pause_ms } => *pause_ms,
            Command::TraceStart(trace) => trace.pause_ms,
            _ => None,
        }
    }
}

/// Patterns of class names: a class is selected if one of `include` matches, or there is none, and none of `exclude`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filters {
    /// Patterns of what to select.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// Patterns of what to leave out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
}

impl Filters {
    /// Whether there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }
}

/// A command with the number by which its client knows the replies.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Chosen by the client; every reply repeats it.
    pub id: u64,
    /// What is asked for.
    pub command: Command,
}

impl Request {
    /// The line, without its end.
    pub fn to_line(&self) -> String {
        let mut line = Map::from_iter([("v".to_owned(), json!(VERSION)), ("id".to_owned(), json!(self.id))]);
        // A variant with named fields is an object with one key. The derived code cannot fail on strings and maps.
        if let Ok(Value::Object(command)) = serde_json::to_value(&self.command) {
            for (name, arguments) in command {
                line.insert("do".to_owned(), name.into());
                line.extend(
                    arguments.as_object().into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())),
                );
            }
        }
        Value::Object(line).to_string()
    }

    /// Reads a line.
    ///
    /// # Errors
    /// An error reply that says what is wrong, with the line's id if it has one.
    pub fn parse(line: &[u8]) -> Result<Request, Reply> {
        let (id, mut keys) = envelope(line)?;
        let wrong = |text: &str| Reply::error(id, text);
        let Some(number) = id else { return Err(wrong("\"id\" is missing")) };
        let command = match keys.remove("do") {
            Some(Value::String(name)) => name,
            Some(_) => return Err(wrong("\"do\" is not a string")),
            None => return Err(wrong("\"do\" is missing")),
        };
        // The form that serde calls externally tagged: its errors can name the key, which those of `tag = "do"` cannot.
        let tagged = Value::Object(Map::from_iter([(command, Value::Object(keys))]));
        serde_path_to_error::deserialize(tagged)
            .map(|command| Request { id: number, command })
            .map_err(|error| wrong(&error.to_string().replacen("unknown variant", "unknown command", 1)))
    }
}

/// The first line of a TCP client.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hello {
    r#do: String,
    token: String,
}

/// Reads the first line of a TCP client: its id and its token.
pub(crate) fn hello(line: &[u8]) -> Result<(Option<u64>, String), Reply> {
    let (id, keys) = envelope(line)?;
    match Hello::deserialize(Value::Object(keys)) {
        Ok(hello) if hello.r#do == "hello" => Ok((id, hello.token)),
        _ => Err(Reply::error(id, "the first line must be {\"v\":1,\"do\":\"hello\",\"token\":...}")),
    }
}

/// The line that [`hello`] reads.
pub(crate) fn hello_line(token: &str) -> String {
    json!({"v": VERSION, "do": "hello", "token": token}).to_string()
}

/// Takes the version and the id out of a line. What is left are `do` and the arguments.
fn envelope(line: &[u8]) -> Result<(Option<u64>, Map<String, Value>), Reply> {
    let nameless = |text: String| Reply::error(None, &text);
    let text = std::str::from_utf8(line).map_err(|error| nameless(format!("the line is not UTF-8: {error}")))?;
    let mut keys = match serde_json::from_str(text) {
        Ok(Value::Object(keys)) => keys,
        Ok(_) => return Err(nameless("the line is not a JSON object".to_owned())),
        Err(error) => return Err(nameless(format!("the line is not JSON: {error}"))),
    };
    let id = match keys.remove("id") {
        None => None,
        Some(id) => Some(id.as_u64().ok_or_else(|| nameless("\"id\" is not a whole number from 0".to_owned()))?),
    };
    match keys.remove("v") {
        Some(v) if v.as_u64() == Some(VERSION) => Ok((id, keys)),
        Some(v) => Err(Reply::error(id, &format!("version {v} is unknown; this agent speaks version {VERSION}"))),
        None => Err(Reply::error(id, &format!("\"v\" is missing; this agent speaks version {VERSION}"))),
    }
}

/// A line from the agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The request's id; absent if the request had none that could be read, or the connection is refused.
    pub id: Option<u64>,
    /// What it says.
    pub body: Body,
}

/// What a line from the agent says. Every request has exactly one `Ok` or `Error`.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// The request is done: an object, whose keys depend on the command.
    Ok(Value),
    /// The request is refused or failed: one sentence.
    Error(String),
    /// A subscription: one line of the recording, as it was written.
    Line(String),
    /// A subscription ends: one sentence that says why.
    End(String),
}

/// The longest error that is sent, in characters. Some repeat what the client sent.
const LONGEST_ERROR: usize = 400;

impl Reply {
    pub(crate) fn error(id: Option<u64>, text: &str) -> Reply {
        let mut short: String = text.chars().take(LONGEST_ERROR).collect();
        if short.len() < text.len() {
            short.push_str(" ...");
        }
        Reply { id, body: Body::Error(short) }
    }

    /// The line, without its end.
    pub fn to_line(&self) -> String {
        let mut line = format!("{{\"v\":{VERSION},\"id\":{},", self.id.map_or(Value::Null, Value::from));
        // Writing to a string cannot fail.
        let _ = match &self.body {
            Body::Ok(value) => write!(line, "\"ok\":{value}}}"),
            Body::Error(text) => write!(line, "\"error\":{}}}", json!(text)),
            Body::Line(text) => write!(line, "\"line\":{text}}}"),
            Body::End(text) => write!(line, "\"end\":{}}}", json!(text)),
        };
        line
    }

    /// Reads a line. Unknown keys are ignored: a later agent may say more.
    ///
    /// # Errors
    /// One sentence that says what is wrong.
    pub fn parse(line: &str) -> Result<Reply, String> {
        #[derive(Deserialize)]
        struct Keys<'a> {
            v: u64,
            id: Option<u64>,
            ok: Option<Value>,
            error: Option<String>,
            #[serde(borrow)]
            line: Option<&'a RawValue>,
            end: Option<String>,
        }
        let keys: Keys<'_> = serde_json::from_str(line).map_err(|error| error.to_string())?;
        if keys.v != VERSION {
            return Err(format!("it has version {}, not {VERSION}", keys.v));
        }
        let body = match keys {
            Keys { ok: Some(value), error: None, line: None, end: None, .. } => Body::Ok(value),
            Keys { ok: None, error: Some(text), line: None, end: None, .. } => Body::Error(text),
            Keys { ok: None, error: None, line: Some(text), end: None, .. } => Body::Line(text.get().to_owned()),
            Keys { ok: None, error: None, line: None, end: Some(text), .. } => Body::End(text),
            _ => return Err("it needs one of \"ok\", \"error\", \"line\" and \"end\"".to_owned()),
        };
        Ok(Reply { id: keys.id, body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: &[u8]) -> String {
        Request::parse(line).expect_err("a wrong line").to_line()
    }

    #[test]
    fn requests_and_replies_survive_a_round_trip() {
        let filters = Filters { include: vec!["com.acme.**".into()], exclude: vec![] };
        let settings = Map::from_iter([("interval".to_owned(), json!("10s"))]);
        for command in [
            Command::Status {},
            Command::Measure { label: None, pause_ms: None },
            Command::Measure { label: Some("x".into()), pause_ms: Some(3000) },
            Command::Start { name: "a".into(), settings: Map::new(), filters: Filters::default(), file: None },
            Command::Start { name: "a".into(), settings: settings.clone(), filters, file: Some("/x.wbr".into()) },
            Command::Stop { name: None },
            Command::Set { settings },
            Command::Shortage {},
            Command::HeapComponents(HeapComponents::default()),
            Command::TraceStart(Box::default()),
            Command::TraceStop { name: None },
            Command::TraceShow { name: Some("x".into()) },
            Command::TraceList {},
            Command::Detach { pause_ms: None },
            Command::Subscribe { attached: false },
            Command::Subscribe { attached: true },
        ] {
            let request = Request { id: 7, command };
            assert_eq!(Request::parse(request.to_line().as_bytes()), Ok(request));
        }
        let bodies = [
            Body::Ok(json!({"a": 1})),
            Body::Error("\"no\"\n".into()),
            Body::Line("{\"kind\": \"note\"}".into()),
            Body::End("x".into()),
        ];
        for (body, id) in bodies.into_iter().zip([Some(0), None, Some(u64::MAX), Some(1)]) {
            let reply = Reply { id, body };
            assert!(!reply.to_line().contains('\n'));
            assert_eq!(Reply::parse(&reply.to_line()), Ok(reply));
        }
    }

    #[test]
    fn an_error_reply_says_what_is_wrong_with_the_line() {
        let told: Vec<String> = [
            &b"\xff"[..],
            b"",
            b"hello",
            b"[1]",
            br#"{"v":1,"id":-1,"do":"status"}"#,
            br#"{"v":1,"id":"7","do":"status"}"#,
            br#"{"id":7,"do":"status"}"#,
            br#"{"v":2,"id":7,"do":"status"}"#,
            br#"{"v":1,"do":"status"}"#,
            br#"{"v":1,"id":7}"#,
            br#"{"v":1,"id":7,"do":5}"#,
            br#"{"v":1,"id":7,"do":"fly"}"#,
            br#"{"v":1,"id":7,"do":"status","now":true}"#,
            br#"{"v":1,"id":7,"do":"measure","label":5}"#,
            br#"{"v":1,"id":7,"do":"start"}"#,
            br#"{"v":1,"id":7,"do":"start","name":"a","filters":{"include":["a",1]}}"#,
            br#"{"v":1,"id":7,"do":"start","name":"a","filters":{"only":[]}}"#,
            br#"{"v":1,"id":7,"do":"set","settings":[]}"#,
        ]
        .into_iter()
        .map(error)
        .collect();
        insta::assert_snapshot!(told.join("\n"));
    }

    #[test]
    fn a_deep_line_and_a_long_name_give_short_errors() {
        assert!(error(&b"[".repeat(60_000)).len() < 200);
        let long = format!(r#"{{"v":1,"id":7,"do":"{}"}}"#, "x".repeat(60_000));
        assert!(error(long.as_bytes()).len() < 500);
    }

    #[test]
    fn a_reply_that_cannot_be_read_is_an_error() {
        for line in ["", "{}", r#"{"v":2,"id":1,"ok":{}}"#, r#"{"v":1,"id":1}"#, r#"{"v":1,"ok":{},"error":"x"}"#] {
            assert!(Reply::parse(line).is_err(), "{line}");
        }
        let more = Reply::parse(r#"{"v":1,"id":1,"ok":{},"took_ms":3}"#);
        assert_eq!(more, Ok(Reply { id: Some(1), body: Body::Ok(json!({})) }));
    }
}
