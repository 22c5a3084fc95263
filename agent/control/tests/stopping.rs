//! The end of a server.
#![cfg(unix)]

mod support;

use std::time::Duration;

use serde_json::json;
use support::{Host, LONG, Raw, server, wait_until};
use weighbridge_control::{Next, ServerLimits};

#[test]
fn stopping_writes_what_is_queued_and_refuses_what_is_not_begun() {
    let mut limits = ServerLimits::default();
    limits.flush = LONG;
    let (server, _folder) = server(limits);
    let mut subscribing = Raw::to(&server);
    subscribing.send("{\"v\":1,\"id\":7,\"do\":\"subscribe\"}\n");
    let Next::Request(ticket, _) = server.next(LONG) else { panic!("no request") };
    server.subscribe(ticket, Vec::new());
    let mut asking = Raw::to(&server);
    asking.send("{\"v\":1,\"id\":1,\"do\":\"status\"}\n{\"v\":1,\"id\":2,\"do\":\"status\"}\n");
    let Next::Request(answered, _) = server.next(LONG) else { panic!("no request") };
    let Next::Request(late, _) = server.next(LONG) else { panic!("no request") };
    asking.send("{\"v\":1,\"id\":3,\"do\":\"status\"}\nwrong\n");
    assert!(asking.line().expect("a reply")["error"].is_string(), "request 3 has come, too");
    let text = "x".repeat(1 << 20);
    let reading = std::thread::spawn(move || std::iter::from_fn(|| asking.line()).collect::<Vec<_>>());
    server.reply(answered, Ok(json!({"text": text})));
    server.publish("{\"n\":1}");
    server.stop();
    // The reply to what was begun and is done after the end goes nowhere.
    server.reply(late, Ok(json!({})));
    while let Next::Left(_) = server.next(LONG) {}
    assert!(matches!(server.next(LONG), Next::Closed));
    let replies = reading.join().expect("no panic");
    assert_eq!(replies.len(), 2);
    assert_eq!(replies[0], json!({"v": 1, "id": 1, "ok": {"text": text}}));
    assert_eq!(replies[1], json!({"v": 1, "id": 3, "error": "the agent stops"}));
    let lines: Vec<_> = std::iter::from_fn(|| subscribing.line()).collect();
    let expected = [
        json!({"v": 1, "id": 7, "ok": {}}),
        json!({"v": 1, "id": 7, "line": {"n": 1}}),
        json!({"v": 1, "id": 7, "end": "the agent stops"}),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn stopping_does_not_wait_for_a_client_that_does_not_read() {
    let mut limits = ServerLimits::default();
    limits.flush = Duration::from_millis(10);
    let host = Host::new(limits);
    let mut deaf = host.raw();
    deaf.ask("{\"v\":1,\"id\":7,\"do\":\"subscribe\"}");
    host.server.publish(&format!("\"{}\"", "x".repeat(4 << 20)));
    let socket = host.server.socket().expect("a socket").to_owned();
    let left = host.stop();
    assert!(!socket.exists());
    assert!(left.len() <= 1);
}

#[test]
fn the_host_does_not_wait_longer_than_it_wants() {
    let (server, _folder) = server(ServerLimits::default());
    assert!(matches!(server.next(Duration::ZERO), Next::Nothing));
    assert!(matches!(server.next(Duration::from_millis(1)), Next::Nothing));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| server.next(Duration::MAX));
        server.stop();
        assert!(matches!(waiting.join().expect("no panic"), Next::Closed));
    });
}

#[test]
fn clients_take_turns() {
    let (server, _folder) = server(ServerLimits::default());
    let mut clients: Vec<_> = (0..3).map(|_| Raw::to(&server)).collect();
    for (number, client) in clients.iter_mut().enumerate() {
        for turn in 0..3 {
            client.send(format!("{{\"v\":1,\"id\":{},\"do\":\"status\"}}\n", number * 10 + turn));
        }
        wait_until("all are connected", || server.clients() == 3);
    }
    // The reply to a later line tells that the requests before it have come.
    for client in &mut clients {
        client.send("wrong\n");
        assert!(client.line().expect("a reply")["error"].is_string());
    }
    let mut order = Vec::new();
    while let Next::Request(ticket, _) = server.next(Duration::ZERO) {
        order.push(ticket.client());
        server.reply(ticket, Ok(json!({})));
    }
    let (first, second) = (&order[..3], &order[3..6]);
    assert_eq!((order.len(), first, second), (9, second, &order[6..]));
    assert!(first[0] != first[1] && first[1] != first[2] && first[0] != first[2], "{order:?}");
}

#[test]
fn requests_that_wait_take_a_bounded_number_of_bytes() {
    let (server, _folder) = server(ServerLimits::default());
    let mut asking = Raw::to(&server);
    let line = format!("{{\"v\":1,\"id\":1,\"do\":\"status\"}}{}\n", " ".repeat(40_000));
    std::thread::scope(|scope| {
        let asking = &mut asking;
        scope.spawn(move || (0..20).for_each(|_| asking.send(&line)));
        for _ in 0..20 {
            let Next::Request(ticket, _) = server.next(LONG) else { panic!("no request") };
            server.reply(ticket, Ok(json!({})));
        }
    });
    for _ in 0..20 {
        assert_eq!(asking.line(), Some(json!({"v": 1, "id": 1, "ok": {}})));
    }
}
