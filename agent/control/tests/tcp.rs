//! A TCP endpoint and its token.
#![cfg(unix)]

mod support;

use std::fs::{self, Permissions};
use std::io::{BufReader, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use support::{Host, LONG, Raw, wait_until};
use weighbridge_control::{Client, Command, Endpoint, Error, Server, ServerLimits, read_token};

const TOKEN: &str = "0f4c2d9ab1e85c7730d6aa52e81b94c3";

fn token(text: &str, mode: u32) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("token");
    fs::write(&file, text).expect("a file");
    fs::set_permissions(&file, Permissions::from_mode(mode)).expect("a mode");
    (folder, file)
}

fn host(limits: ServerLimits) -> Host {
    let (folder, file) = token(&format!("{TOKEN}\n"), 0o600);
    Host::at(&[Endpoint::tcp("0", file).expect("an endpoint")], folder, limits)
}

fn raw(host: &Host) -> Raw<TcpStream> {
    let stream = TcpStream::connect(host.server.address().expect("an address")).expect("a connection");
    stream.set_read_timeout(Some(LONG)).expect("a limit");
    Raw(BufReader::new(stream))
}

#[test]
fn a_client_that_knows_the_token_is_served() {
    let host = host(ServerLimits::default());
    let address = host.server.address().expect("an address");
    assert!(address.ip().is_loopback());
    let mut client = Client::connect_tcp(address, TOKEN, LONG).expect("a connection");
    let reply =
        client.request_reply(&Command::Measure { label: Some("x".to_owned()), pause_ms: None }, LONG).expect("a reply");
    assert_eq!(reply, json!({"label": "x"}));
    let mut lines = client.subscribe(LONG).expect("a subscription");
    assert_eq!(lines.next().expect("a line").expect("a line"), support::FIRST[0]);
    assert_eq!(host.server.socket(), None);
}

#[test]
fn a_client_that_does_not_know_the_token_is_told_so_and_closed() {
    let host = host(ServerLimits::default());
    let address = host.server.address().expect("an address");
    for wrong in ["", "0f4c2d9ab1e85c7730d6aa52e81b94c4", "0f4c"] {
        let error = Client::connect_tcp(address, wrong, LONG).expect_err("refused");
        assert_eq!(error.to_string(), "the agent says: the token is wrong");
    }
    for first in ["{\"v\":1,\"id\":1,\"do\":\"status\"}", "{\"v\":1,\"do\":\"hello\"}", "GET / HTTP/1.1", "{\"v\":2}"] {
        let mut client = raw(&host);
        assert!(client.ask(first)["error"].is_string());
        assert_eq!(client.line(), None);
    }
    wait_until("all are gone", || host.server.clients() == 0);
    Client::connect_tcp(address, TOKEN, LONG).expect("a connection");
    assert!(host.stop().is_empty(), "the host never heard of them");
}

#[test]
fn a_client_that_says_nothing_is_closed() {
    let mut limits = ServerLimits::default();
    limits.hello = Duration::from_millis(20);
    let host = host(limits);
    let mut client = raw(&host);
    client.send("{\"v\":1,");
    assert_eq!(client.line().expect("an error")["error"], "no token within 20ms");
    assert_eq!(client.line(), None);
}

#[test]
fn a_token_that_others_can_read_or_guess_is_refused() {
    for (text, mode, why) in [
        (TOKEN, 0o640, "others can open it (mode 640); it must be 600 or less"),
        ("secret", 0o600, "the token is shorter than 16 bytes"),
        (&"x".repeat(5_000), 0o600, "the token is longer than 4096 bytes"),
    ] {
        let (_folder, file) = token(text, mode);
        let error = Server::start(&[Endpoint::tcp("0", &file).expect("an endpoint")], ServerLimits::default());
        let told = error.expect_err("refused").to_string();
        assert!(told.ends_with(why), "{told}");
    }
    let (folder, file) = token(&format!(" {TOKEN}\n"), 0o400);
    assert_eq!(read_token(&file).expect("a token"), TOKEN);
    assert!(read_token(folder.path()).is_err());
    assert!(matches!(read_token(&folder.path().join("none")), Err(Error::Io { .. })));
}

#[test]
fn who_fills_the_address_keeps_nobody_from_the_socket() {
    let (folder, file) = token(TOKEN, 0o600);
    let socket = Endpoint::Socket { folder: folder.path().join("sockets") };
    let host = Host::at(&[socket, Endpoint::tcp("0", file).expect("an endpoint")], folder, ServerLimits::default());
    let address = host.server.address().expect("an address");
    let known: Vec<_> = (0..12).map(|_| Client::connect_tcp(address, TOKEN, LONG).expect("a connection")).collect();
    let refused = Client::connect_tcp(address, TOKEN, LONG).expect_err("refused").to_string();
    assert_eq!(refused, "the agent says: 12 clients are connected, no more are served");
    let mut client = host.client();
    client.request_reply(&Command::Status {}, LONG).expect("a reply");
    drop(known);
    wait_until("they are gone", || host.server.clients() == 1);
    Client::connect_tcp(address, TOKEN, LONG).expect("a connection");
    host.server.stop();
    assert!(matches!(Client::connect_tcp(address, TOKEN, LONG), Err(Error::Io { .. })), "nothing listens");
}

#[test]
fn strangers_without_the_token_keep_nobody_out_who_has_it() {
    let mut limits = ServerLimits::default();
    limits.hello = LONG;
    let host = host(limits);
    let address = host.server.address().expect("an address");
    // More than all that the server waits for; half of them have begun a line.
    let mut strangers: Vec<_> = (0..150).map(|_| raw(&host)).collect();
    for stranger in strangers.iter_mut().step_by(2) {
        // The oldest may be closed by now.
        let _ = stranger.0.get_mut().write_all(b"{\"v\":1,");
    }
    for _ in 0..3 {
        let mut client = Client::connect_tcp(address, TOKEN, LONG).expect("a connection");
        client.request_reply(&Command::Status {}, LONG).expect("a reply");
        assert_eq!(host.server.clients(), 1, "nobody else is let in");
        drop(client);
        wait_until("it is gone", || host.server.clients() == 0);
    }
    assert_eq!(strangers[0].line(), None, "the oldest is closed");
    drop(strangers);
    assert_eq!(host.stop().len(), 3, "the host heard of those who have the token");
}

#[test]
fn an_address_that_is_taken_is_named() {
    let host = host(ServerLimits::default());
    let (folder, file) = token(TOKEN, 0o600);
    let address = host.server.address().expect("an address").to_string();
    let socket = Endpoint::Socket { folder: folder.path().join("sockets") };
    let taken = Server::start(&[socket, Endpoint::tcp(&address, file).expect("an endpoint")], ServerLimits::default());
    assert_eq!(taken.expect_err("taken").to_string(), format!("{address}: Address already in use (os error 98)"));
    assert!(!folder.path().join("sockets").exists(), "the socket is gone again");
}

#[test]
fn an_address_without_a_host_is_of_the_loopback_interface() {
    let address = |text: &str| match Endpoint::tcp(text, "token") {
        Ok(Endpoint::Tcp { address, .. }) => address.to_string(),
        Ok(other) => panic!("{other:?}"),
        Err(error) => error.to_string(),
    };
    assert_eq!(address("7070"), "127.0.0.1:7070");
    assert_eq!(address("0.0.0.0:7070"), "0.0.0.0:7070");
    assert_eq!(address("[::1]:7070"), "[::1]:7070");
    assert_eq!(
        address("myhost:7070"),
        "\"myhost:7070\" is neither a port nor an address with a port, like 127.0.0.1:7070"
    );
}
