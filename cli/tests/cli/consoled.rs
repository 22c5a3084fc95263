//! A console that ends with the test.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use weighbridge_tests::Started;

/// Before the address of the page.
const SERVES: &str = "weighbridge: console: ";

/// `weighbridge console`, whose page can be asked.
pub struct Consoled {
    started: Started,
    pub url: String,
    pub address: SocketAddr,
    token: String,
}

impl Consoled {
    /// Starts it; `command` has the arguments after the verb.
    pub fn from(mut command: Command) -> Self {
        let started = Started::until(command.stdout(Stdio::null()), SERVES);
        let url = started.said().lines().find_map(|line| line.strip_prefix(SERVES)).expect("an address").to_owned();
        let (address, token) =
            url.strip_prefix("http://").and_then(|url| url.split_once("/?token=")).expect("its form");
        let (address, token) = (address.parse().expect("an address"), token.to_owned());
        Consoled { started, address, token, url }
    }

    /// Status and body of an answer to a request whose head is given whole.
    pub fn raw(&self, request: &str) -> (u16, String) {
        let (status, _, body) = self.whole(request);
        (status, body)
    }

    /// The same with the headers, in lower case.
    pub fn whole(&self, request: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect(self.address).expect("a connection");
        // It may have refused before all is sent.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        (status, head.to_lowercase(), body.to_owned())
    }

    /// What the page gets for an address.
    pub fn get(&self, path: &str) -> (u16, Value) {
        let head = format!(
            "GET /api/{path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
            self.address, self.token
        );
        let (status, body) = self.raw(&head);
        (status, serde_json::from_str(&body).unwrap_or_default())
    }

    /// What the page gets when it asks for something to be done.
    pub fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let (address, body) = (self.address, body.to_string());
        let head = format!(
            "POST /api/{path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n{body}",
            self.token,
            body.len()
        );
        let (status, body) = self.raw(&head);
        (status, serde_json::from_str(&body).unwrap_or_default())
    }

    /// The list of what is shown, from the first event.
    pub fn sources(&self) -> Value {
        let mut stream = TcpStream::connect(self.address).expect("a connection");
        write!(stream, "GET /api/events?token={} HTTP/1.1\r\nHost: {}\r\n\r\n", self.token, self.address)
            .expect("asked");
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        let event = lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned)).expect("an event");
        serde_json::from_str(&event).expect("JSON")
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    pub fn child(&self) -> &Child {
        self.started.child()
    }

    /// Waits for its end: its exit code, and what it said last.
    pub fn end(self) -> (Option<i32>, String) {
        self.started.end()
    }
}
