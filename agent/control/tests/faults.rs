//! Clients that end at any moment.
#![cfg(unix)]

mod support;

use support::{Host, LONG, wait_until};
use weighbridge_control::{Command, ServerLimits};

#[test]
fn a_client_may_be_killed_at_any_byte() {
    let text = "{\"v\":1,\"id\":1,\"do\":\"measure\"}\n{\"v\":1,\"id\":7,\"do\":\"subscribe\"}\n{\"v\":1,\"id\":2,\"do\":\"status\"}\n";
    // On a busy machine those that were killed are still there when the next ones come.
    let mut limits = ServerLimits::default();
    limits.clients = text.len() + 1;
    let host = Host::new(limits);
    for cut in 0..=text.len() {
        let mut client = host.raw();
        client.send(&text[..cut]);
        if cut % 2 == 1 && text[..cut].contains('\n') {
            client.line();
        }
        host.server.publish("{\"kind\":\"note\"}");
    }
    wait_until("all are gone", || host.server.clients() == 0);
    assert_eq!(host.server.subscribers(), 0);
    host.client().request_reply(&Command::Status {}, LONG).expect("a reply");
}

#[test]
fn the_host_is_told_when_a_client_is_gone_that_waits_for_a_reply() {
    let host = Host::new(ServerLimits::default());
    let mut client = host.raw();
    client.send("{\"v\":1,\"id\":7,\"do\":\"subscribe\"}\n{\"v\":1,\"id\":8,\"do\":\"stop\"}\n");
    wait_until("it is subscribed", || host.server.subscribers() == 1);
    drop(client);
    wait_until("it is gone", || host.server.clients() == 0);
    assert_eq!(host.stop().len(), 1);
}
