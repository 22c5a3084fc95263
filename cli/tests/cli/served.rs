//! A server of metrics that ends with the test.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use weighbridge_tests::Weighbridge;
use weighbridge_tests::made_recording::{self, Shape};

pub const SHAPE: Shape = Shape { snapshots: 5, classes: 40, components: 5, interval_ms: 60_000, seed: 11 };

pub fn make(folder: &Path, name: &str, seed: u64) {
    // A scrape must not see half of it: it gets its name at the end.
    let hidden = folder.join(format!("{name}.part"));
    made_recording::write(File::create(&hidden).expect("a recording"), &Shape { seed, ..SHAPE }).expect("a recording");
    fs::rename(hidden, folder.join(name)).expect("a recording");
}

/// A server that ends with the test.
pub struct Served {
    pub child: Child,
    pub stderr: BufReader<ChildStderr>,
    pub address: SocketAddr,
}

impl Served {
    pub fn start(arguments: &[&str], folder: &Path) -> Self {
        let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
        let mut command = weighbridge.command();
        command.args(["export", "--openmetrics", "--listen", "127.0.0.1:0"]).args(arguments).arg(folder);
        Served::from(command)
    }

    /// The same with few open files, as some systems allow their services.
    pub fn with_files(files: u64, folder: &Path) -> Self {
        let mut command = Command::new("sh");
        let script = format!("ulimit -n {files}; exec \"$0\" export --openmetrics --listen 127.0.0.1:0 \"$1\"");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_weighbridge")]).arg(folder);
        Served::from(command)
    }

    pub fn from(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the server");
        let mut stderr = BufReader::new(child.stderr.take().expect("its messages"));
        let mut line = String::new();
        let url = loop {
            line.clear();
            assert!(stderr.read_line(&mut line).expect("a message") > 0, "it ended without serving");
            if let Some(url) = line.trim_end().strip_prefix("weighbridge: serving: http://") {
                break url;
            }
        };
        let address = url.strip_suffix("/metrics").expect("its path").parse().expect("an address");
        Served { child, stderr, address }
    }

    /// Status line, headers and body of an answer.
    pub fn ask(&self, request: &str, accept: &str) -> (String, String, String) {
        let mut stream = TcpStream::connect(self.address).expect("a connection");
        write!(stream, "{request} HTTP/1.1\r\nHost: x\r\nAccept: {accept}\r\nConnection: close\r\n\r\n")
            .expect("asked");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let (status, headers) = head.split_once("\r\n").expect("a status line");
        // HTTP/1.1 permits chunks; without them the body is what follows.
        assert!(!headers.to_lowercase().contains("transfer-encoding"), "{headers}");
        (status.to_owned(), headers.to_owned(), body.to_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What Prometheus sends.
pub const PROMETHEUS: &str =
    "application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
