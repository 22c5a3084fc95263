//! `export --openmetrics --listen`: what a scrape may ask for.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::served::{PROMETHEUS, Served, make};

#[test]
fn a_scrape_gets_the_format_that_it_prefers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    make(folder.path(), "a.wbr", 1);
    let served = Served::start(&[], folder.path());
    let openmetrics = [
        PROMETHEUS,
        "application/openmetrics-text",
        "text/plain, application/openmetrics-text",
        "Application/*",
        "text/*;q=0.3, application/openmetrics-text; version=\"1.0.0\"; escaping=allow-utf-8; q=0.4",
        "*/*;q=0.9, text/plain;q=0.1",
    ];
    let plain = [
        "application/openmetrics-text;q=0.1, text/plain;q=0.9",
        "application/openmetrics-text;q=0, */*;q=0.1",
        "application/openmetrics-text;version=0.0.1, text/plain;version=0.0.4;q=0.5",
        "text/plain;version=0.0.4;q=0.5, */*;q=0.4",
        "*/*",
        "image/png",
        "",
        "application/openmetrics-text;q=high, text/plain;q=0.1",
    ];
    let wanted = openmetrics.map(|accept| (accept, "application/openmetrics-text;"));
    for (accept, kind) in wanted.into_iter().chain(plain.map(|accept| (accept, "text/plain;"))) {
        let (_, headers, _) = served.ask("GET /metrics", accept);
        assert!(headers.to_lowercase().contains(&format!("content-type: {kind}")), "{accept}: {headers}");
    }
}

#[test]
fn a_head_that_is_too_long_or_no_http_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    make(folder.path(), "a.wbr", 1);
    let served = Served::start(&[], folder.path());
    for wrong in
        ["x".repeat(100_000), "\r\n\r\n\u{16}\u{3}\u{1}".to_owned(), "GET /metrics HTTP/9.9\r\n\r\n".to_owned()]
    {
        let mut stream = TcpStream::connect(served.address).expect("a connection");
        // It may have closed the connection before all is sent.
        let _ = stream.write_all(wrong.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    }
    assert_eq!(served.ask("GET /metrics", "*/*").0, "HTTP/1.1 200 OK");
}
