//! Requests and replies over a socket.
#![cfg(unix)]

mod support;

use std::net::Shutdown;
use std::time::Duration;

use serde_json::json;
use support::{Host, LONG, Raw, server, wait_until};
use weighbridge_control::{Command, Error, Next, ServerLimits};

const STATUS: &str = r#"{"v":1,"id":7,"do":"status"}"#;

#[test]
fn a_wrong_line_gets_an_error_and_the_connection_stays_open() {
    let host = Host::new(ServerLimits::default());
    let mut client = host.raw();
    for wrong in ["", "x", "[]", "{}", r#"{"v":9,"id":7,"do":"status"}"#, r#"{"v":1,"id":7,"do":"fly"}"#] {
        assert!(client.ask(wrong)["error"].is_string(), "{wrong}");
    }
    client.send(b"\xc3\x28\n");
    assert!(client.line().expect("a reply")["error"].as_str().expect("an error").contains("UTF-8"));
    assert_eq!(client.ask(STATUS), json!({"v": 1, "id": 7, "ok": {}}));
}

#[test]
fn lines_may_come_in_pieces_or_many_at_once() {
    let host = Host::new(ServerLimits::default());
    let mut client = host.raw();
    for byte in format!("{STATUS}\r\n").bytes() {
        client.send([byte]);
    }
    assert_eq!(client.line().expect("a reply")["id"], 7);
    let many: String =
        (0..500).map(|id| format!("{{\"v\":1,\"id\":{id},\"do\":\"measure\",\"label\":\"{id}\"}}\n")).collect();
    client.send(many);
    for id in 0..500 {
        assert_eq!(client.line(), Some(json!({"v": 1, "id": id, "ok": {"label": id.to_string()}})));
    }
}

#[test]
fn a_line_of_64_kib_is_read_and_a_longer_one_closes_the_connection() {
    let host = Host::new(ServerLimits::default());
    let mut client = host.raw();
    let line = |bytes: usize| format!("{STATUS}{}", " ".repeat(bytes - STATUS.len()));
    assert_eq!(client.ask(&line(64 << 10)), json!({"v": 1, "id": 7, "ok": {}}));
    client.send(line((64 << 10) + 1));
    let told = client.line().expect("an error");
    assert_eq!(told["error"], "a line is longer than 65536 bytes; the connection is closed");
    assert_eq!(client.line(), None);
    assert_eq!(host.raw().ask(STATUS)["id"], 7);
}

#[test]
fn a_client_that_sends_nothing_more_gets_its_replies() {
    let host = Host::new(ServerLimits::default());
    let mut client = host.raw();
    client.send(format!("{STATUS}\n{STATUS}"));
    client.0.get_ref().shutdown(Shutdown::Write).expect("a half-closed connection");
    assert_eq!(client.line().expect("a reply")["id"], 7);
    assert_eq!(client.line().expect("a reply")["id"], 7);
    assert_eq!(client.line(), None);
    wait_until("the client is gone", || host.server.clients() == 0);
}

#[test]
fn clients_ask_at_once_and_each_gets_its_own_replies() {
    let host = Host::new(ServerLimits::default());
    std::thread::scope(|scope| {
        for number in 0..16 {
            let mut client = host.client();
            scope.spawn(move || {
                for turn in 0..100 {
                    let label = format!("{number}/{turn}");
                    let reply = client
                        .request_reply(&Command::Measure { label: Some(label.clone()), pause_ms: None }, LONG)
                        .expect("a reply");
                    assert_eq!(reply, json!({"label": label}));
                }
            });
        }
    });
    wait_until("all are gone", || host.server.clients() == 0);
    let mut left = host.stop();
    left.sort_unstable();
    assert_eq!(left.len(), 16);
}

#[test]
fn a_thread_of_the_host_asks_as_a_client_does() {
    let host = Host::new(ServerLimits::default());
    let ask = |line: &str, wait| host.server.request_reply(line.as_bytes(), wait);
    let same = [
        r#"{"v":1,"id":7,"do":"measure","label":"x"}"#,
        r#"{"v":1,"id":7,"do":"set","settings":{}}"#,
        r#"{"v":1,"id":7,"do":"detach"}"#,
        r#"{"v":1,"id":7,"do":"fly"}"#,
        r#"{"v":3,"id":7,"do":"status"}"#,
        "hello",
    ];
    let mut client = host.raw();
    for line in same {
        let reply: serde_json::Value = serde_json::from_str(&ask(line, LONG)).expect("a line of JSON");
        assert_eq!(reply, client.ask(line));
    }
    assert_eq!(host.server.clients(), 1);
    let refused = ask(r#"{"v":1,"id":8,"do":"subscribe"}"#, LONG);
    assert_eq!(refused, r#"{"v":1,"id":8,"error":"subscribe needs a connection: its lines go there"}"#);
    assert!(ask(&" ".repeat(70_000), LONG).ends_with(r#""error":"the line is longer than 65536 bytes"}"#));
    let late = ask(r#"{"v":1,"id":9,"do":"stop"}"#, std::time::Duration::from_millis(20));
    assert_eq!(late, r#"{"v":1,"id":9,"error":"there is no answer yet"}"#);
    host.server.stop();
    assert_eq!(ask(STATUS, LONG), r#"{"v":1,"id":7,"error":"the agent stops"}"#);
}

#[test]
fn errors_of_the_agent_reach_the_client_as_sentences() {
    let host = Host::new(ServerLimits::default());
    let mut client = host.client();
    let error = client.request_reply(&Command::Set { settings: Default::default() }, LONG).expect_err("refused");
    assert_eq!(error.to_string(), "the agent says: no such setting");
    let error = client.request_reply(&Command::Detach { pause_ms: None }, LONG).expect_err("a dropped ticket");
    assert_eq!(error.to_string(), "the agent says: the agent did not answer this request");
}

#[test]
fn a_client_does_not_wait_longer_than_it_wants_and_ignores_late_replies() {
    let host = Host::new(ServerLimits::default());
    let mut client = host.client();
    let error = client
        .request_reply(&Command::Stop { name: None }, std::time::Duration::from_millis(20))
        .expect_err("no answer");
    assert!(matches!(error, Error::Late), "{error}");
    client.request_reply(&Command::Status {}, LONG).expect("a reply");
    host.stop();
    // What was begun and not answered when the server stopped.
    let error = client.request_reply(&Command::Status {}, LONG).expect_err("no server");
    assert!(matches!(error, Error::Closed), "{error}");
}

#[test]
fn the_client_after_the_last_allowed_one_gets_an_error_and_is_closed() {
    let host = Host::new(ServerLimits::default());
    let mut clients: Vec<_> = (0..16).map(|_| host.raw()).collect();
    wait_until("all are connected", || host.server.clients() == 16);
    let mut refused = host.raw();
    let told = json!({"v": 1, "id": null, "error": "16 clients are connected, no more are served"});
    assert_eq!(refused.line(), Some(told));
    assert_eq!(refused.line(), None);
    let error = host.client().request_reply(&Command::Status {}, LONG).expect_err("refused");
    assert_eq!(error.to_string(), "the agent says: 16 clients are connected, no more are served");
    assert_eq!(clients[0].ask(STATUS)["id"], 7);
    clients.pop();
    wait_until("one is gone", || host.server.clients() == 15);
    assert_eq!(host.raw().ask(STATUS)["id"], 7);
}

#[test]
fn who_asks_for_the_state_gets_it_from_somebody_else_when_the_host_does_not_answer() {
    let mut limits = ServerLimits::default();
    limits.patience = Duration::from_millis(50);
    let (server, _folder) = server(limits);
    server.answer_late(|| Some(json!({"late": true})));
    let mut client = Raw::to(&server);
    // One that the host has not taken, one that it does not answer, and something else.
    client.send(format!("{STATUS}\n"));
    let Next::Request(taken, Command::Status {}) = server.next(LONG) else { panic!("no request") };
    client.send(format!("{{\"v\":1,\"id\":8,\"do\":\"measure\"}}\n{STATUS}\n"));
    for _ in 0..2 {
        assert_eq!(client.line(), Some(json!({"v": 1, "id": 7, "ok": {"late": true}})));
    }
    // The host's own answers come too late, those in time do not.
    server.reply(taken, Ok(json!({})));
    for _ in 0..2 {
        let Next::Request(ticket, _) = server.next(LONG) else { panic!("no request") };
        server.reply(ticket, Ok(json!({"by": "host"})));
    }
    assert_eq!(client.line(), Some(json!({"v": 1, "id": 8, "ok": {"by": "host"}})));
    client.send(format!("{STATUS}\n"));
    let Next::Request(in_time, _) = server.next(LONG) else { panic!("no request") };
    server.reply(in_time, Ok(json!({"by": "host"})));
    assert_eq!(client.line(), Some(json!({"v": 1, "id": 7, "ok": {"by": "host"}})));
    server.stop();
    assert_eq!(client.line(), None);
}
