//! A client that sends and never reads. Alone in its process, whose memory is measured.
#![cfg(target_os = "linux")]

mod support;

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use serde_json::json;
use support::{FIRST, Host, LONG, wait_until};
use weighbridge_control::{Command, Endpoint, Server, ServerLimits};

/// Requests that are 25 times as large in memory as on the wire, in a server whose host takes none.
fn costly_requests() {
    let folder = tempfile::tempdir().expect("a folder");
    let endpoint = Endpoint::Socket { folder: folder.path().join("sockets") };
    let server = Server::start(&[endpoint], ServerLimits::default()).expect("a server");
    let line = format!("{{\"v\":1,\"id\":7,\"do\":\"set\",\"settings\":{{\"a\":[[]{}]}}}}\n", ",[]".repeat(21_000));
    let before = resident();
    std::thread::scope(|scope| {
        for _ in 0..16 {
            let mut stream = UnixStream::connect(server.socket().expect("a socket")).expect("a connection");
            let line = line.as_bytes();
            // Fails when the server stops.
            scope.spawn(move || (0..100).try_for_each(|_| stream.write_all(line)));
        }
        let mut last = 0;
        wait_until("nothing more is read", || {
            std::thread::sleep(Duration::from_millis(100));
            server.clients() == 16 && std::mem::replace(&mut last, resident()) == last
        });
        let taken = resident().saturating_sub(before);
        println!("{taken} bytes for 16 clients with costly requests");
        assert!(taken < 128 << 20, "{taken} bytes");
        server.stop();
    });
}

/// Memory of this process in use, in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line");
    line.trim().strip_suffix(" kB").expect("kB").parse::<usize>().expect("a number") << 10
}

/// In one test: they would count each other's memory.
#[test]
fn floods_take_bounded_memory_and_others_are_served() {
    let host = Host::new(ServerLimits::default());
    let mut other = host.client();
    let ask = |client: &mut weighbridge_control::Client| {
        let reply = client
            .request_reply(&Command::Measure { label: Some("x".to_owned()), pause_ms: None }, LONG)
            .expect("a reply");
        assert_eq!(reply, json!({"label": "x"}));
    };
    ask(&mut other);
    let before = resident();
    let sent = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for wrong in [false, true] {
            let mut flood = host.raw();
            let sent = &sent;
            scope.spawn(move || {
                let line: &[u8] =
                    if wrong { b"what?\n" } else { b"{\"v\":1,\"id\":7,\"do\":\"measure\",\"label\":\"x\"}\n" };
                for _ in 0..1_000_000 {
                    // Fails when the server stops.
                    if flood.0.get_mut().write_all(line).is_err() {
                        break;
                    }
                    sent.fetch_add(1, Relaxed);
                }
            });
        }
        let mut last = 0;
        wait_until("the floods are held back", || {
            ask(&mut other);
            last != 0 && std::mem::replace(&mut last, sent.load(Relaxed)) == last || {
                last = sent.load(Relaxed);
                false
            }
        });
        for _ in 0..1_000 {
            ask(&mut other);
        }
        let taken = resident().saturating_sub(before);
        assert!(taken < 4 << 20, "{taken} bytes");
        // A flood of lines to a client that does not read them: the queue's limit holds.
        let mut deaf = host.raw();
        deaf.send("{\"v\":1,\"id\":7,\"do\":\"subscribe\"}\n");
        wait_until("it is subscribed", || host.server.subscribers() == 1);
        let line = format!("{{\"text\":\"{}\"}}", "x".repeat(1_000));
        let mut most = 0;
        for number in 0..1_000_000 {
            host.server.publish(&line);
            if number % 1_000 == 0 {
                most = most.max(resident().saturating_sub(before));
                if host.server.subscribers() == 0 {
                    break;
                }
            }
        }
        assert_eq!((host.server.subscribers(), FIRST.len()), (0, 2));
        assert!(most < 24 << 20, "{most} bytes");
        ask(&mut other);
        println!("{taken} bytes for two floods, {most} with a deaf subscriber");
        host.server.stop();
    });
    assert!(sent.load(Relaxed) < 1_000_000, "the server read everything");
    costly_requests();
}
