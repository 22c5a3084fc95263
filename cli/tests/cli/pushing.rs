//! `export --otlp`: who is asked, what is sent around the figures, and what is said when nobody takes them.

use std::fs;
use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use crate::collector::{TAKEN, answering, collector, export, export_with, recordings};

#[test]
fn a_collector_that_refuses_or_is_not_there_is_told_with_its_reason_and_an_exit_code() {
    let folder = recordings();
    let (url, refusing) = collector(vec![("400 Bad Request", b"\x12\x08bad name")]);
    let output = export(&["--otlp", &url], folder.path());
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("/v1/metrics: the collector refused: 400 Bad Request: bad name"), "{output}");
    assert_eq!(refusing.join().expect("a collector").len(), 1, "what is wrong is not sent again");
    let gone = export(&["--otlp", &url], folder.path());
    assert_eq!(gone.code, Some(3), "{gone}");
    assert!(gone.stderr.contains("no collector answers there"), "{gone}");
    let patient = ("429 Too Many Requests\r\nRetry-After: 3600", &b""[..]);
    let (url, busy) = collector(vec![patient]);
    let output = export(&["--otlp", &url], folder.path());
    assert!(output.code == Some(3) && output.stderr.contains("asked again in 3600 s"), "{output}");
    assert_eq!(busy.join().expect("a collector").len(), 1);
    for wrong in ["ftp://127.0.0.1:4318", "127.0.0.1:4318", "http:"] {
        assert_eq!(export(&["--otlp", wrong], folder.path()).code, Some(2), "{wrong}");
    }
}

#[test]
fn the_environment_names_the_endpoint_and_gives_headers_compression_and_timeout() {
    let folder = recordings();
    let (url, taking) = collector(vec![(TAKEN, b""); 4]);
    let headers = "authorization=Basic%20c2VjcmV0, X-Tenant = shop ,";
    let plain =
        export_with("env", &[("ENDPOINT", &url), ("HEADERS", headers), ("METRICS_ENDPOINT", "")], folder.path());
    assert!(plain.success() && !plain.stderr.contains("c2VjcmV0"), "{plain}");
    let of_metrics = format!("{url}/own/path");
    let variables = [
        ("ENDPOINT", "http://127.0.0.1:1"),
        ("METRICS_ENDPOINT", &of_metrics),
        ("HEADERS", "a=1"),
        ("METRICS_HEADERS", "b=2"),
        ("PROTOCOL", "http/protobuf"),
        ("COMPRESSION", "gzip"),
        ("TIMEOUT", "5000"),
    ];
    let own = export_with("env", &variables, folder.path());
    assert!(own.success(), "{own}");
    let named = export_with(&url, &[("ENDPOINT", "http://127.0.0.1:1"), ("PROTOCOL", "grpc")], folder.path());
    assert!(named.success(), "what the command line names is asked: {named}");
    let secret = url.replace("//", "//user:pa55word@");
    let with_password = export_with(&secret, &[], folder.path());
    assert!(with_password.success() && with_password.stderr.contains("http://***@127.0.0.1:"), "{with_password}");
    assert!(!with_password.stderr.contains("pa55word"), "{with_password}");
    let requests = taking.join().expect("a collector");
    let heads: Vec<String> = requests.iter().map(|request| request.head.to_lowercase()).collect();
    assert!(heads[0].starts_with("post /v1/metrics http"), "{}", heads[0]);
    assert!(requests[0].head.contains("authorization: Basic c2VjcmV0\r\n"), "{}", requests[0].head);
    assert!(heads[0].contains("x-tenant: shop\r\n") && !heads[0].contains("content-encoding"), "{}", heads[0]);
    assert!(
        heads[1].starts_with("post /own/path http") && heads[1].contains("content-encoding: gzip\r\n"),
        "{}",
        heads[1]
    );
    assert!(heads[1].contains("b: 2\r\n") && !heads[1].contains("a: 1\r\n"), "{}", heads[1]);
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(requests[1].body.as_slice()).read_to_end(&mut unpacked).expect("gzip");
    assert_eq!(unpacked, requests[0].body, "the same figures");
    assert!(requests[3].head.contains("authorization: Basic dXNlcjpwYTU1d29yZA==\r\n"), "{}", requests[3].head);
}

#[test]
fn wrong_variables_are_named_and_no_message_has_a_secret() {
    let folder = recordings();
    let not_pem = folder.path().join("11.wbr").display().to_string();
    type Case<'a> = (&'a [(&'a str, &'a str)], i32, &'a str);
    let cases: [Case; 9] = [
        (&[("PROTOCOL", "grpc")], 2, "OTEL_EXPORTER_OTLP_PROTOCOL: grpc: only http/protobuf is spoken"),
        (
            &[("METRICS_COMPRESSION", "zstd")],
            2,
            "OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: zstd: neither `gzip` nor `none`",
        ),
        (&[("TIMEOUT", "10s")], 2, "OTEL_EXPORTER_OTLP_TIMEOUT: 10s: not a number of milliseconds"),
        (&[("HEADERS", "a=1,pa55word")], 2, "OTEL_EXPORTER_OTLP_HEADERS: entry 2 is not of the form NAME=VALUE"),
        (&[("HEADERS", "a b=pa55word")], 2, "entry 1 has no name of a header"),
        (&[("HEADERS", "a=pa55word%0A")], 2, "entry 1 has a value that no header can have"),
        (&[("ENDPOINT", "ftp://user:pa55word@host?key=pa55word")], 2, "ftp://***@host"),
        (&[("CERTIFICATE", &not_pem)], 3, "holds no certificate in PEM (OTEL_EXPORTER_OTLP_CERTIFICATE)"),
        (&[("CLIENT_KEY", "key.pem")], 2, "a client's certificate and its key belong together"),
    ];
    for (variables, code, message) in cases {
        let output = export_with("env", variables, folder.path());
        assert_eq!(output.code, Some(code), "{output}");
        assert!(output.stderr.contains(message) && !output.stderr.contains("pa55word"), "{message}: {output}");
    }
    // Nobody listens there.
    let output = export_with("http://user:pa55word@127.0.0.1:9", &[], folder.path());
    assert!(output.code == Some(3) && output.stderr.contains("http://***@127.0.0.1:9/v1/metrics: "), "{output}");
    assert!(!output.stderr.contains("pa55word"), "{output}");
}

/// A certificate for `localhost` that vouches for itself, and its key: PEM.
fn certificate() -> rcgen::CertifiedKey<rcgen::KeyPair> {
    rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate")
}

#[test]
fn a_collector_is_trusted_by_its_certificate_and_trusts_the_clients() {
    let folder = recordings();
    let (server, client) = (certificate(), certificate());
    let file = |name: &str, text: String| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let trusted = file("server.pem", server.cert.pem());
    let (own, key) =
        (file("client.pem", client.cert.pem()), file("client-key.pem", client.signing_key.serialize_pem()));
    let mut clients = rustls::RootCertStore::empty();
    clients.add(client.cert.der().clone()).expect("a certificate");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier =
        rustls::server::WebPkiClientVerifier::builder_with_provider(Arc::new(clients), Arc::clone(&provider));
    let key_of_server = rustls::pki_types::PrivateKeyDer::try_from(server.signing_key.serialize_der()).expect("a key");
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_client_cert_verifier(verifier.build().expect("a verifier"))
        .with_single_cert(vec![server.cert.der().clone()], key_of_server)
        .expect("a server");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("https://localhost:{}", listener.local_addr().expect("its address").port());
    let secured = move |stream: TcpStream| {
        let connection = rustls::ServerConnection::new(Arc::clone(&config)).ok()?;
        Some(rustls::StreamOwned::new(connection, stream))
    };
    let collector = answering(listener, vec![(TAKEN, b""), (TAKEN, b"")], secured);
    let foreign = export_with(&url, &[], folder.path());
    assert_eq!(foreign.code, Some(3), "{foreign}");
    assert!(
        foreign.stderr.contains("no encrypted connection: ") && foreign.stderr.contains("certificate"),
        "{foreign}"
    );
    let variables = [("CERTIFICATE", &*trusted), ("CLIENT_CERTIFICATE", &own), ("CLIENT_KEY", &key)];
    let sent = export_with(&url, &variables, folder.path());
    assert!(sent.success() && sent.stderr.contains("sent: 1 recording to https://localhost:"), "{sent}");
    let requests = collector.join().expect("a collector");
    assert_eq!(requests.len(), 1, "who is not trusted gets nothing");
    assert!(requests[0].head.starts_with("POST /v1/metrics HTTP/1.1\r\n") && !requests[0].body.is_empty());
}
