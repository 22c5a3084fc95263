//! A client that sends and never reads. Alone in its process, whose memory is measured.
#![cfg(target_os = "linux")]

mod support;

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use serde_json::json;
use support::{FIRST, Host, LONG, wait_until};
use weighbridge_control::{Command, Limits};

/// Memory of this process in use, in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line");
    line.trim().strip_suffix(" kB").expect("kB").parse::<usize>().expect("a number") << 10
}

#[test]
fn floods_take_bounded_memory_and_others_are_served() {
    let host = Host::new(Limits::default());
    let mut other = host.client();
    let ask = |client: &mut weighbridge_control::Client| {
        let reply = client.ask(&Command::Measure { label: Some("x".to_owned()) }, LONG).expect("a reply");
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
        println!("{taken} bytes for two floods, {most} with a deaf subscriber");
        ask(&mut other);
        host.server.stop();
    });
    assert!(sent.load(Relaxed) < 1_000_000, "the server read everything");
}
