//! Subscribers: what they get, and what becomes of slow ones.
#![cfg(unix)]

mod support;

use serde_json::{Value, json};
use support::{FIRST, Host, LONG, wait_until};
use weighbridge_control::{Error, ServerLimits};

const SUBSCRIBE: &str = r#"{"v":1,"id":7,"do":"subscribe"}"#;

fn line(number: usize) -> String {
    format!("{{\"n\":{number},\"text\":\"{}\"}}", "x".repeat(200))
}

#[test]
fn a_subscriber_gets_the_first_lines_and_then_all_in_order() {
    let host = Host::new(ServerLimits::default());
    host.server.publish("{\"lost\":true}");
    let mut client = host.raw();
    assert_eq!(client.ask(SUBSCRIBE), json!({"v": 1, "id": 7, "ok": {}}));
    for number in 0..100 {
        host.server.publish(&format!("{}\n", line(number)));
    }
    host.server.publish("{\n\"n\": 100\n}\n");
    for first in FIRST {
        let first: Value = serde_json::from_str(first).expect("JSON");
        assert_eq!(client.line(), Some(json!({"v": 1, "id": 7, "line": first})));
    }
    for number in 0..=100 {
        assert_eq!(client.line().expect("a line")["line"]["n"], number);
    }
    let again = client.ask(r#"{"v":1,"id":8,"do":"subscribe"}"#);
    assert_eq!(again, json!({"v": 1, "id": 8, "error": "this connection is subscribed already"}));
    assert_eq!(client.ask(r#"{"v":1,"id":9,"do":"status"}"#)["id"], 9, "a subscriber may ask");
}

#[test]
fn a_slow_subscriber_is_dropped_and_the_others_get_all_lines() {
    let mut limits = ServerLimits::default();
    limits.queue = 64 << 10;
    let host = Host::new(limits);
    let mut slow = host.raw();
    slow.ask(SUBSCRIBE);
    let mut fast = host.client().subscribe(LONG).expect("a subscription");
    wait_until("both are subscribed", || host.server.subscribers() == 2);
    assert_eq!((fast.next().expect("a line").expect("a line"), fast.next().is_some()), (FIRST[0].to_owned(), true));
    let mut number = 0;
    while host.server.subscribers() == 2 {
        host.server.publish(&line(number));
        assert_eq!(fast.next().expect("a line").expect("a line"), line(number));
        number += 1;
        assert!(number < 100_000, "the slow one is never dropped");
    }
    host.server.publish(&line(number));
    assert_eq!(fast.next().expect("a line").expect("a line"), line(number));
    // The slow one still has what the system had taken, and then the end.
    let mut rest = String::new();
    let _ = std::io::Read::read_to_string(&mut slow.0, &mut rest);
    assert!(rest.len() < number * line(0).len());
    wait_until("the host is told", || host.server.clients() == 1);
    drop(fast);
    let left = host.stop();
    assert!(!left.is_empty(), "{left:?}");
}

#[test]
fn a_queue_that_is_not_full_takes_a_line_of_any_length() {
    let mut limits = ServerLimits::default();
    limits.queue = 1 << 10;
    let host = Host::new(limits);
    let mut lines = host.client().subscribe(LONG).expect("a subscription");
    wait_until("subscribed", || host.server.subscribers() == 1);
    assert!(lines.by_ref().take(FIRST.len()).all(|line| line.is_ok()));
    let long = format!("{{\"text\":\"{}\"}}", "x".repeat(15 << 20));
    host.server.publish(&long);
    assert!(lines.next().expect("a line").expect("a line") == long);
}

#[test]
fn a_client_that_takes_nothing_for_too_long_is_dropped() {
    let mut limits = ServerLimits::default();
    limits.stall = std::time::Duration::from_millis(10);
    let host = Host::new(limits);
    let mut client = host.raw();
    client.ask(SUBSCRIBE);
    host.server.publish(&format!("\"{}\"", "x".repeat(4 << 20)));
    wait_until("it is dropped", || host.server.clients() == 0);
}

#[test]
fn a_subscription_ends_with_the_server_and_says_why() {
    let host = Host::new(ServerLimits::default());
    let mut lines = host.client().subscribe(LONG).expect("a subscription");
    host.server.publish(&line(1));
    host.stop();
    let read: Vec<String> = lines.by_ref().map(|line| line.expect("a line")).collect();
    assert_eq!(read, [FIRST[0].to_owned(), FIRST[1].to_owned(), line(1)]);
    assert_eq!(lines.end(), Some("the agent stops"));
}

#[test]
fn a_subscription_to_an_agent_that_dies_ends_with_an_error() {
    let mut limits = ServerLimits::default();
    limits.stall = std::time::Duration::from_millis(10);
    let host = Host::new(limits);
    let mut lines = host.client().subscribe(LONG).expect("a subscription");
    // Dropped as a slow reader is, which looks the same: the connection is closed without an end.
    host.server.publish(&format!("\"{}\"", "x".repeat(4 << 20)));
    wait_until("it is dropped", || host.server.clients() == 0);
    let last = lines.by_ref().last().expect("an item").expect_err("an error");
    assert!(matches!(last, Error::Closed), "{last}");
    assert!(lines.next().is_none());
}
