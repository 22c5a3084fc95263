//! `export --otlp`: what arrives at a collector, decoded by the protocol's own Python package, is what OpenMetrics says.

#[path = "cli/collector.rs"]
mod collector;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use collector::{Request, SHAPE, TAKEN, collector, collector_at, export, recordings};
use serde_json::Value;
use weighbridge_tests::made_recording::{self, Shape};
use weighbridge_tests::{Weighbridge, python, run};

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
