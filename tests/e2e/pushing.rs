//! `export --otlp`: what arrives at a collector, decoded by the protocol's own Python package, is what OpenMetrics says.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use serde_json::Value;
use weighbridge_tests::made_recording::{self, Shape};
use weighbridge_tests::{Output, Weighbridge, python, run};

const SHAPE: Shape = Shape { snapshots: 5, classes: 40, components: 5, interval_ms: 60_000, seed: 11 };
const TAKEN: &str = "200 OK";

/// What a request was: its head and its body.
struct Request {
    head: String,
    body: Vec<u8>,
}

/// A collector that gives these answers, one a connection, and then is gone.
fn collector(answers: Vec<(&'static str, &'static [u8])>) -> (String, JoinHandle<Vec<Request>>) {
    collector_at("127.0.0.1:0", answers)
}

fn collector_at(address: &str, answers: Vec<(&'static str, &'static [u8])>) -> (String, JoinHandle<Vec<Request>>) {
    let listener = TcpListener::bind(address).expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    (url, answering(listener, answers, Some))
}

/// Takes a connection an answer; `secured` is `None` where the two sides come to no agreement.
fn answering<S: Read + Write>(
    listener: TcpListener,
    answers: Vec<(&'static str, &'static [u8])>,
    secured: impl Fn(TcpStream) -> Option<S> + Send + 'static,
) -> JoinHandle<Vec<Request>> {
    let answer = move |(status, body): (&str, &[u8])| {
        let mut reader = BufReader::new(secured(listener.accept().expect("a connection").0)?);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            // A side that does not trust the other one's certificate goes away.
            reader.read_line(&mut head).ok().filter(|read| *read > 0)?;
        }
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("content-length").then(|| value.parse::<usize>().expect("a length"))
        });
        let mut request = vec![0; length.expect("its length")];
        reader.read_exact(&mut request).expect("the body");
        let stream = reader.get_mut();
        write!(stream, "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len())
            .and_then(|()| stream.write_all(body))
            .and_then(|()| stream.flush())
            .expect("answered");
        Some(Request { head, body: request })
    };
    thread::spawn(move || answers.into_iter().filter_map(answer).collect())
}

fn recordings() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for seed in [11, 12] {
        let file = File::create(folder.path().join(format!("{seed}.wbr"))).expect("a recording");
        made_recording::write(file, &Shape { seed, ..SHAPE }).expect("a recording");
    }
    folder
}

fn export(target: &[&str], folder: &Path) -> Output {
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    run(weighbridge.command().arg("export").args(target).args(["--top", "10"]).arg(folder))
}

/// The fields of the request, by the protocol's own definitions.
const DECODE: &str = "
import sys
from google.protobuf.json_format import MessageToJson
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
print(MessageToJson(ExportMetricsServiceRequest.FromString(open(sys.argv[1], 'rb').read())))
";

fn decoded(request: &Request, folder: &Path) -> Value {
    let file = folder.join("request.pb");
    fs::write(&file, &request.body).expect("the request");
    run(python("opentelemetry-proto", "1.45.2").args(["-c", DECODE]).arg(file)).json()
}

/// Values by name and labels, as OpenMetrics writes them.
type Samples = BTreeMap<String, f64>;

fn attributes(of: &Value) -> BTreeMap<String, Value> {
    let pairs = of["attributes"].as_array().into_iter().flatten();
    let value = |value: &Value| value.as_object().and_then(|kinds| kinds.values().next()).cloned().unwrap_or_default();
    pairs.map(|pair| (pair["key"].as_str().expect("a key").to_owned(), value(&pair["value"]))).collect()
}

/// What arrived of a recording, without what tells recordings apart.
fn pushed(request: &Value, recording: &str) -> Samples {
    let mut samples = Samples::new();
    let metrics = request["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().expect("metrics");
    for metric in metrics {
        let name = metric["name"].as_str().expect("a name");
        let counted = metric["sum"].is_object();
        if counted {
            assert_eq!(metric["sum"]["aggregationTemporality"], "AGGREGATION_TEMPORALITY_CUMULATIVE", "{name}");
            assert_eq!(metric["sum"]["isMonotonic"], true, "{name}");
        }
        let unit = if name.ends_with("_bytes") {
            "By"
        } else if name.ends_with("_seconds") {
            "s"
        } else {
            ""
        };
        assert_eq!(metric["unit"].as_str().unwrap_or_default(), unit, "{name}");
        for point in metric[if counted { "sum" } else { "gauge" }]["dataPoints"].as_array().expect("points") {
            assert_eq!(point["startTimeUnixNano"].is_string(), counted, "{name}: {point}");
            let mut labels = attributes(point);
            assert_eq!(labels.remove("recording").expect("the label"), recording, "{name}: {point}");
            assert_eq!(labels.remove("program").expect("the label"), "com.acme.Server", "{name}: {point}");
            let labels: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
            let suffix = if counted { "_total" } else { "" };
            let sample = format!("{name}{suffix}{{{}}}", labels.join(","));
            assert!(samples.insert(sample, point["asDouble"].as_f64().expect("a value")).is_none(), "{name} twice");
        }
    }
    samples
}

/// What `--openmetrics` prints of one recording, without what tells recordings apart.
fn printed(text: &str, recording: &str) -> Samples {
    let own = format!("{{recording=\"{recording}\",program=\"com.acme.Server\"");
    let line = |line: &str| {
        let (name, value) = line.rsplit_once(' ')?;
        let (name, rest) = name.split_once(&own)?;
        Some((format!("{name}{{{}", rest.trim_start_matches(',')), value.parse().expect("a value")))
    };
    text.lines().filter_map(line).collect()
}

#[test]
fn a_collector_gets_the_names_values_and_units_of_openmetrics_with_each_jvm_as_a_resource() {
    let folder = recordings();
    let partial = b"\x0a\x08\x08\x03\x12\x04full";
    let busy = ("503 Service Unavailable\r\nRetry-After: 0", &b""[..]);
    let (url, collector) = collector(vec![busy, (TAKEN, b""), (TAKEN, partial)]);
    let output = export(&["--otlp", &url], folder.path());
    assert!(output.success(), "{output}");
    assert!(output.stderr.contains("sent: 2 recordings to"), "{output}");
    assert!(output.stderr.contains("12.wbr: the collector rejected 3 data points: full"), "{output}");
    let requests = collector.join().expect("a collector that does not panic");
    assert_eq!(requests[0].body, requests[1].body, "after 503 the same request");
    for request in &requests {
        assert!(request.head.starts_with("POST /v1/metrics HTTP/1.1\r\n"), "{}", request.head);
        assert!(request.head.to_lowercase().contains("content-type: application/x-protobuf\r\n"), "{}", request.head);
    }
    let text = export(&["--openmetrics"], folder.path()).stdout;
    for (request, seed) in requests[1..].iter().zip([11, 12]) {
        let request = decoded(request, folder.path());
        let resource = attributes(&request["resourceMetrics"][0]["resource"]);
        assert_eq!(resource["service.name"], "com.acme.Server");
        assert_eq!(resource["process.pid"], (1_000 + seed).to_string());
        assert_eq!(resource["weighbridge.recording"], format!("{seed}.wbr"));
        let expected = printed(&text, &format!("{seed}.wbr"));
        assert!(expected.len() > 100, "{expected:#?}");
        assert_eq!(pushed(&request, &format!("{seed}.wbr")), expected);
    }
}

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

/// `export --otlp` with variables of the environment and no others of the specification.
fn export_with(endpoint: &str, variables: &[(&str, &str)], folder: &Path) -> Output {
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let mut command = weighbridge.command();
    for (name, value) in variables {
        command.env(format!("OTEL_EXPORTER_OTLP_{name}"), value);
    }
    run(command.args(["export", "--otlp", endpoint]).arg(folder.join("11.wbr")))
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

/// One that goes on until it is stopped, at the latest by the end of the test.
struct Pushing(Child);

impl Drop for Pushing {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn at_an_interval_what_is_new_is_sent_a_collector_may_come_and_go_and_a_signal_ends_it_with_0() {
    let folder = recordings();
    let (url, first) = collector(vec![(TAKEN, b""), (TAKEN, b"")]);
    let address = url.strip_prefix("http://").expect("its address");
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let mut command = weighbridge.command();
    command.args(["export", "--otlp", &url, "--interval", "1"]).arg(folder.path());
    let mut pushing = Pushing(command.stderr(Stdio::piped()).spawn().expect("the exporter"));
    let mut told = BufReader::new(pushing.0.stderr.take().expect("its messages")).lines().map(Result::unwrap);
    let names = |requests: Vec<Request>| -> Vec<Value> {
        let name = |request: &Request| {
            let request = decoded(request, folder.path());
            attributes(&request["resourceMetrics"][0]["resource"])["weighbridge.recording"].clone()
        };
        requests.iter().map(name).collect()
    };
    assert_eq!(names(first.join().expect("a collector")), ["11.wbr", "12.wbr"]);
    // The collector is gone. What is old is not sent: only what comes finds nobody, again and again, and is told once.
    let make = |seed: u64| {
        // A look must not see half of it.
        let hidden = folder.path().join("hidden");
        let file = File::create(&hidden).expect("a recording");
        made_recording::write(file, &Shape { seed, ..SHAPE }).expect("a recording");
        fs::rename(hidden, folder.path().join(format!("{seed}.wbr"))).expect("a recording");
    };
    make(13);
    let warning = told.next().expect("a warning");
    assert!(warning.contains("no collector answers there") && warning.ends_with("every 1 s"), "{warning}");
    let (_, second) = collector_at(address, vec![(TAKEN, b"")]);
    assert_eq!(names(second.join().expect("a collector")), ["13.wbr"], "and nothing twice");
    make(14);
    let warning = told.next().expect("another warning");
    assert!(warning.contains("no collector answers there"), "it had come back in between: {warning}");
    let killed = run(Command::new("kill").args(["-INT", &pushing.0.id().to_string()]));
    assert!(killed.success(), "{killed}");
    assert_eq!(pushing.0.wait().expect("its end").code(), Some(0));
    assert_eq!(told.next(), None, "nothing more to say");
}
