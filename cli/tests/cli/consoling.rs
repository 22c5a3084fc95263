//! `console` without a JVM and a browser: who may ask, and what a client can do to it.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::consoled::Consoled;
use crate::support::{Folder, RECORDING};

fn console(folder: &Folder, arguments: &[&str]) -> Consoled {
    let mut command = folder.command();
    command.arg("console").args(arguments);
    Consoled::from(command)
}

/// The list, once it is what is wanted.
fn sources(console: &Consoled, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let begin = Instant::now();
    loop {
        let all = console.sources().as_array().expect("a list").clone();
        if wanted(&all) {
            return all;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "never: {all:?}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn is_over(all: &[Value]) -> bool {
    !all.is_empty() && all.iter().all(|one| one["state"] == "over")
}

#[test]
fn the_page_gets_the_figures_of_the_json_report_and_new_recordings_of_a_directory_appear() {
    let folder = Folder::new();
    folder.write("runs/a.wbr", RECORDING);
    let console = console(&folder, &["runs", "--interval", "0.1"]);
    let all = sources(&console, is_over);
    assert_eq!((all.len(), &all[0]["title"]), (1, &json!("runs/a.wbr")));
    let (status, page) = console.get("sources/0");
    assert_eq!(status, 200);
    let report = folder.run(&["report", "runs/a.wbr", "-o", "json"]);
    let report: Value = serde_json::from_str(&report.stdout).expect("the report");
    for key in ["summary", "classes", "components", "threads", "tags", "suspects", "cost"] {
        assert_eq!(page["report"][key], report[key], "{key}");
    }
    assert!(!report["classes"].as_array().expect("rows").is_empty());
    folder.write("runs/b.wbr", RECORDING);
    sources(&console, |all| all.len() == 2 && is_over(all));
    assert_eq!(console.get("sources/1").0, 200);
    assert_eq!(console.get("sources/2").0, 404);
}

#[test]
fn without_the_token_the_own_name_and_the_own_origin_nothing_is_told_and_nothing_done() {
    let folder = Folder::new();
    folder.write("a.wbr", RECORDING);
    let console = console(&folder, &["a.wbr"]);
    let (own, token) = (console.address, console.token().to_owned());
    let other = "0".repeat(token.len());
    let paths = ["/", "/api/jvms", "/api/events", "/api/sources/0", "/nothing"];
    for path in paths {
        for (host, query, wanted) in [
            (own.to_string(), String::new(), 403),
            (own.to_string(), format!("?token={other}"), 403),
            ("rebound.example".to_owned(), format!("?token={token}"), 421),
        ] {
            let (status, _, body) = console.whole(&format!("GET {path}{query} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
            assert_eq!(status, wanted, "{path}{query} of {host}");
            assert!(!body.contains("com.acme") && !body.contains(&token), "{body}");
        }
    }
    let (status, headers, body) = console.whole(&format!("GET /?token={token} HTTP/1.1\r\nHost: {own}\r\n\r\n"));
    assert_eq!(status, 200);
    assert!(body.contains("Weighbridge console") && !body.contains(&token));
    for header in [
        "content-security-policy: default-src 'none';",
        "frame-ancestors 'none'",
        "referrer-policy: no-referrer",
        "cache-control: no-store",
        "x-content-type-options: nosniff",
    ] {
        assert!(headers.contains(header), "{header}: {headers}");
    }
    assert!(!headers.contains("set-cookie") && !headers.contains("access-control"), "{headers}");
    let post = |headers: &str| {
        console
            .raw(&format!("POST /api/jvms/1/measure HTTP/1.1\r\nHost: {own}\r\n{headers}Content-Length: 2\r\n\r\n{{}}"))
            .0
    };
    assert_eq!(post(&format!("Authorization: Bearer {token}\r\n")), 403, "without an origin");
    assert_eq!(post(&format!("Authorization: Bearer {token}\r\nOrigin: http://evil.example\r\n")), 403);
    // Process 1 is no JVM: the request came so far.
    assert_eq!(post(&format!("Authorization: Bearer {token}\r\nOrigin: http://{own}\r\n")), 409);
    assert_eq!(console.get("jvms/1/measure").0, 404, "changes are not made by GET");
}

#[test]
fn it_listens_at_the_loopback_interface_only() {
    let folder = Folder::new();
    let console = console(&folder, &[]);
    assert!(console.address.ip().is_loopback());
    let port = console.address.port();
    let tables = fs::read_to_string("/proc/net/tcp").expect("sockets");
    let listening: Vec<&str> = tables
        .lines()
        .filter_map(|line| line.split_whitespace().nth(1))
        .filter(|address| address.ends_with(&format!(":{port:04X}")))
        .collect();
    assert!(!listening.is_empty() && listening.iter().all(|address| address.starts_with("0100007F")), "{listening:?}");
    let answer = folder.run(&["console", "--port", &port.to_string()]);
    assert_eq!(answer.code, Some(3), "{answer}");
    assert!(answer.stderr.contains("cannot be listened to"), "{answer}");
}

#[test]
fn a_client_cannot_name_a_file_send_a_large_body_or_ask_for_what_is_not_there() {
    let folder = Folder::new();
    let console = console(&folder, &[]);
    let (status, told) = console.post("jvms/1/start", &json!({"name": "x", "file": "/tmp/mine.wbr"}));
    assert_eq!(status, 400);
    assert!(told["error"].as_str().expect("why").contains("unknown field `file`"), "{told}");
    let (status, _) = console.post("jvms/1/measure", &json!({"label": "x".repeat(20_000)}));
    assert_eq!(status, 413);
    let (status, told) = console.post("jvms/1/traces", &json!({"name": "a", "what": ["methods"], "seconds": 5}));
    assert_eq!((status, told["error"].as_str()), (400, Some("a trace by probes needs classes or methods")));
    let forever = json!({"name": "a", "what": ["methods"], "classes": ["a.**"], "seconds": 86_400});
    assert_eq!(console.post("jvms/1/traces", &forever).0, 400);
    for path in ["sources/../../etc/passwd", "sources/x", "jvms/x", "files", "jvms/1/dump"] {
        assert_eq!(console.get(path).0, 404, "{path}");
    }
    assert_eq!(console.post("jvms/1/detach", &json!({})).0, 409, "what the console did not attach to stays");
}

#[test]
fn a_flood_of_connections_and_readers_that_stall_keep_nobody_out() {
    let folder = Folder::new();
    folder.write("a.wbr", RECORDING);
    let console = console(&folder, &["a.wbr"]);
    let address = console.address;
    // Nothing is sent, half a head is sent, and an answer is not read.
    let silent: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(address).expect("a connection")).collect();
    let mut half: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(address).expect("a connection")).collect();
    half.iter_mut().for_each(|stream| drop(stream.write_all(b"GET / HTTP/1.1\r\nHost:")));
    let mut stalled: Vec<TcpStream> = (0..8).map(|_| TcpStream::connect(address).expect("a connection")).collect();
    for stream in &mut stalled {
        let ask = format!("GET /api/events?token={} HTTP/1.1\r\nHost: {address}\r\n\r\n", console.token());
        drop(stream.write_all(ask.as_bytes()));
    }
    assert_eq!(console.get("sources/0").0, 200);
    // The oldest silent ones were closed to make room.
    let mut first = silent.into_iter().next().expect("a connection");
    let mut nothing = Vec::new();
    let _ = first.read_to_end(&mut nothing);
    assert_eq!(nothing, b"");
    let memory = fs::read_to_string(format!("/proc/{}/status", console.child().id())).expect("its memory");
    let kib = memory.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse().ok());
    assert!(kib.is_some_and(|kib: u64| kib < 200_000), "{memory}");
}

#[test]
fn a_target_that_is_nothing_is_refused_before_anything_is_served() {
    let folder = Folder::new();
    for (named, why) in [("nowhere", "there is no such process, file or directory"), ("999999999", "no such process")] {
        let answer = folder.run(&["console", named]);
        assert_eq!(answer.code, Some(3), "{answer}");
        assert!(answer.stderr.contains(why), "{answer}");
    }
    folder.write("other.wbr", "PK not a recording");
    let console = console(&folder, &["other.wbr"]);
    let all = sources(&console, is_over);
    assert!(all[0]["text"].as_str().expect("why").contains("other.wbr"), "{all:?}");
    assert_eq!(console.get("sources/0").0, 409);
    // Nobody else has its port.
    assert!(TcpListener::bind((Ipv4Addr::LOCALHOST, console.address.port())).is_err());
}
