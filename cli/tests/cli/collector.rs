//! Collectors of metrics that tests ask `export --otlp` to send to.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::thread::{self, JoinHandle};

use weighbridge_tests::made_recording::{self, Shape};
use weighbridge_tests::{Output, Weighbridge, run};

pub const SHAPE: Shape = Shape { snapshots: 5, classes: 40, components: 5, interval_ms: 60_000, seed: 11 };
pub const TAKEN: &str = "200 OK";

/// What a request was: its head and its body.
pub struct Request {
    pub head: String,
    pub body: Vec<u8>,
}

/// A collector that gives these answers, one a connection, and then is gone.
pub fn collector(answers: Vec<(&'static str, &'static [u8])>) -> (String, JoinHandle<Vec<Request>>) {
    collector_at("127.0.0.1:0", answers)
}

pub fn collector_at(address: &str, answers: Vec<(&'static str, &'static [u8])>) -> (String, JoinHandle<Vec<Request>>) {
    let listener = TcpListener::bind(address).expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    (url, answering(listener, answers, Some))
}

/// Takes a connection an answer; `secured` is `None` where the two sides come to no agreement.
pub fn answering<S: Read + Write>(
    listener: TcpListener,
    answers: Vec<(&'static str, &'static [u8])>,
    secured: impl Fn(TcpStream) -> Option<S> + Send + 'static,
) -> JoinHandle<Vec<Request>> {
    let answer = move |(status, body): (&str, &[u8])| {
        let mut reader = BufReader::new(secured(listener.accept().expect("a connection").0)?);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            // A side that does not trust the other one's certificate goes away.
            reader.read_line(&mut head).ok().filter(|read| *read > 0)?;
        }
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("content-length").then(|| value.parse::<usize>().expect("a length"))
        });
        let mut request = vec![0; length.expect("its length")];
        reader.read_exact(&mut request).expect("the body");
        let stream = reader.get_mut();
        write!(stream, "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len())
            .and_then(|()| stream.write_all(body))
            .and_then(|()| stream.flush())
            .expect("answered");
        Some(Request { head, body: request })
    };
    thread::spawn(move || answers.into_iter().filter_map(answer).collect())
}

pub fn recordings() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for seed in [11, 12] {
        let file = File::create(folder.path().join(format!("{seed}.wbr"))).expect("a recording");
        made_recording::write(file, &Shape { seed, ..SHAPE }).expect("a recording");
    }
    folder
}

pub fn export(target: &[&str], folder: &Path) -> Output {
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    run(weighbridge.command().arg("export").args(target).args(["--top", "10"]).arg(folder))
}

/// `export --otlp` with variables of the environment and no others of the specification.
pub fn export_with(endpoint: &str, variables: &[(&str, &str)], folder: &Path) -> Output {
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let mut command = weighbridge.command();
    for (name, value) in variables {
        command.env(format!("OTEL_EXPORTER_OTLP_{name}"), value);
    }
    run(command.args(["export", "--otlp", endpoint]).arg(folder.join("11.wbr")))
}
