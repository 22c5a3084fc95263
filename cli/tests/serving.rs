//! `export --openmetrics`: scraped over a socket, read by the strict parsers of Prometheus' own client.

#[path = "cli/served.rs"]
mod served;

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Child;

use serde_json::Value;
use served::{PROMETHEUS, Served, make};
use weighbridge_tests::{Weighbridge, python, root, run};

/// Prints every sample; the first argument says which of the two formats, the second is the file.
const READ: &str = "
import json, sys
if sys.argv[1] == 'openmetrics':
    from prometheus_client.openmetrics.parser import text_fd_to_metric_families
else:
    from prometheus_client.parser import text_fd_to_metric_families
families = list(text_fd_to_metric_families(open(sys.argv[2])))
print(json.dumps([[f.name, f.type, [[s.name, s.labels, s.value] for s in f.samples]] for f in families]))
";

fn parsed(format: &str, folder: &Path, text: &str) -> Value {
    let file = folder.join("scraped.txt");
    fs::write(&file, text).expect("what was scraped");
    run(python("prometheus-client", "0.26.0").args(["-c", READ, format]).arg(&file)).json()
}

/// The samples of a name: their labels and values.
fn samples<'a>(families: &'a Value, name: &str) -> Vec<(&'a Value, f64)> {
    let families = families.as_array().expect("families").iter();
    let all = families.flat_map(|family| family[2].as_array().expect("samples"));
    let named = all.filter(|sample| sample[0] == name);
    named.map(|sample| (&sample[1], sample[2].as_f64().expect("a value"))).collect()
}

#[test]
fn a_scrape_has_the_newest_figures_of_each_recording_in_both_formats() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    make(folder.path(), "a.wbr", 1);
    make(folder.path(), "b.wbr", 2);
    fs::write(folder.path().join("other.wbr"), "PK not a recording").expect("a foreign file");
    let served = Served::start(&["--top", "10"], folder.path());
    let (status, headers, text) = served.ask("GET /metrics", PROMETHEUS);
    assert_eq!(status, "HTTP/1.1 200 OK");
    assert!(headers.contains("application/openmetrics-text; version=1.0.0; charset=utf-8"), "{headers}");
    let openmetrics = parsed("openmetrics", folder.path(), &text);
    let (_, headers, plain) = served.ask("GET /metrics", "*/*");
    assert!(headers.contains("text/plain; version=0.0.4; charset=utf-8"), "{headers}");
    let plain = parsed("plain", folder.path(), &plain);
    for families in [&openmetrics, &plain] {
        assert_eq!(samples(families, "weighbridge_build_info").len(), 1);
        assert_eq!(samples(families, "weighbridge_jvms"), [(&serde_json::json!({}), 2.0)]);
        for (name, key, of) in
            [("a.wbr", "live", "weighbridge_object_live"), ("b.wbr", "allocated", "weighbridge_object_allocated_total")]
        {
            let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
            let report = weighbridge.report(&folder.path().join(name));
            let expected: u64 =
                report["classes"].as_array().unwrap().iter().map(|row| row[key].as_u64().unwrap()).sum();
            let mine: Vec<_> =
                samples(families, of).into_iter().filter(|(labels, _)| labels["recording"] == name).collect();
            assert_eq!(mine.len(), 11, "ten classes and `other`");
            assert_eq!(mine.iter().map(|(_, value)| value).sum::<f64>() as u64, expected, "{of} of {name}");
            assert!(mine.iter().all(|(labels, _)| labels["program"] == "com.acme.Server"), "{mine:?}");
        }
    }
    let kinds = |families: &Value| -> BTreeSet<(String, String)> {
        let families = families.as_array().expect("families").iter();
        families.map(|family| (family[0].to_string(), family[1].to_string())).collect()
    };
    assert_eq!(kinds(&openmetrics), kinds(&plain), "the same families of the same types");
}

#[test]
fn a_scrape_finds_what_came_since_the_last_and_a_signal_ends_the_server_with_0() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    make(folder.path(), "a.wbr", 1);
    let mut served = Served::start(&["--recordings-at-most", "2"], folder.path());
    let jvms = |served: &Served| {
        let families = parsed("openmetrics", folder.path(), &served.ask("GET /metrics", PROMETHEUS).2);
        samples(&families, "weighbridge_jvms")[0].1
    };
    assert_eq!(jvms(&served), 1.0);
    make(folder.path(), "b.wbr", 2);
    assert_eq!(jvms(&served), 2.0, "a new file in the directory is found");
    make(folder.path(), "c.wbr", 3);
    assert_eq!(jvms(&served), 2.0, "the number of recordings is bounded");
    fs::remove_file(folder.path().join("b.wbr")).expect("a recording");
    fs::remove_file(folder.path().join("c.wbr")).expect("a recording");
    assert_eq!(jvms(&served), 1.0, "what is gone has no series");
    assert_eq!(served.ask("GET /", "*/*").0, "HTTP/1.1 404 Not Found");
    let (status, headers, _) = served.ask("POST /metrics", "*/*");
    assert_eq!(status, "HTTP/1.1 405 Method Not Allowed");
    assert!(headers.to_lowercase().contains("allow: get, head"), "{headers}");
    assert_eq!(served.ask("HEAD /metrics", "*/*").2, "", "a head has no body");
    let killed = run(std::process::Command::new("kill").args(["-TERM", &served.child.id().to_string()]));
    assert!(killed.success(), "{killed}");
    assert_eq!(served.child.wait().expect("its end").code(), Some(0));
    let mut rest = String::new();
    served.stderr.read_to_string(&mut rest).expect("its messages");
    assert_eq!(rest.lines().count(), 1, "that there are more recordings is told once: {rest}");
}

/// Threads of a process.
fn threads(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("its status");
    let threads = status.lines().find_map(|line| line.strip_prefix("Threads:"));
    threads.expect("a number of threads").trim().parse().expect("a number")
}

#[test]
fn connections_that_ask_nothing_cost_no_threads_and_are_in_nobodys_way() {
    // This process holds the other ends.
    rustix::process::setrlimit(
        rustix::process::Resource::Nofile,
        rustix::process::Rlimit { current: Some(4_096), maximum: Some(4_096) },
    )
    .expect("4,096 open files");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, seed) in [("a.wbr", 1), ("b.wbr", 2), ("c.wbr", 3)] {
        make(folder.path(), name, seed);
    }
    for mut served in [Served::start(&[], folder.path()), Served::with_files(32, folder.path())] {
        let before = threads(&served.child);
        let silent: Vec<TcpStream> =
            (0..1_200).map(|_| TcpStream::connect(served.address).expect("a connection")).collect();
        let mut slow = TcpStream::connect(served.address).expect("a connection");
        slow.write_all(b"GET /metrics HT").expect("half a request");
        let (status, _, text) = served.ask("GET /metrics", PROMETHEUS);
        assert_eq!(status, "HTTP/1.1 200 OK");
        let families = parsed("openmetrics", folder.path(), &text);
        assert_eq!(samples(&families, "weighbridge_jvms")[0].1, 3.0, "no recording is left out");
        assert_eq!(threads(&served.child), before);
        drop(silent);
        assert_eq!(served.ask("GET /metrics", "*/*").0, "HTTP/1.1 200 OK");
        let killed = run(std::process::Command::new("kill").args(["-TERM", &served.child.id().to_string()]));
        assert!(killed.success(), "{killed}");
        assert_eq!(served.child.wait().expect("its end").code(), Some(0));
        let mut rest = String::new();
        served.stderr.read_to_string(&mut rest).expect("its messages");
        assert_eq!(rest, "", "nothing to complain of");
    }
}

#[test]
fn without_an_address_the_text_is_printed_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    make(folder.path(), "a.wbr", 1);
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let export = |path: &Path| run(weighbridge.command().args(["export", "--openmetrics"]).arg(path));
    let printed = export(folder.path());
    assert!(printed.success() && printed.stderr.is_empty(), "{printed}");
    assert!(!samples(&parsed("openmetrics", folder.path(), &printed.stdout), "weighbridge_object_live").is_empty());
    fs::write(folder.path().join("other.wbr"), "PK not a recording").expect("a foreign file");
    let partly = export(folder.path());
    assert_eq!((partly.code, partly.stdout), (Some(3), printed.stdout), "{}", partly.stderr);
    assert!(
        partly.stderr.contains("other.wbr: not a weighbridge recording: it is not gzip; left out"),
        "{}",
        partly.stderr
    );
    for wrong in ["other.wbr", "missing.wbr"] {
        let refused = export(&folder.path().join(wrong));
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(3), ""), "{wrong}: {}", refused.stderr);
    }
}

#[test]
fn the_dashboard_asks_only_for_metrics_and_labels_that_there_are() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    make(folder.path(), "a.wbr", 1);
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let printed = run(weighbridge.command().args(["export", "--openmetrics"]).arg(folder.path()));
    let families = parsed("openmetrics", folder.path(), &printed.stdout);
    let text = fs::read_to_string(root().join("config/grafana-dashboard.json")).expect("the dashboard");
    let dashboard: Value = serde_json::from_str(&text).expect("the dashboard is JSON");
    let variable = &dashboard["templating"]["list"][1]["query"];
    let panels = dashboard["panels"].as_array().expect("panels");
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().expect("targets"));
    let mut asked = 0;
    for query in targets.map(|target| &target["expr"]).chain([variable]) {
        let query = query.as_str().expect("a query");
        let words = query.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        for name in words.filter(|word| word.starts_with("weighbridge_")) {
            let found = samples(&families, name);
            assert!(!found.is_empty(), "{query}: no {name} in the export");
            asked += 1;
            if query.contains(&format!("{name}{{recording=~")) {
                assert!(found[0].0["recording"].is_string(), "{query}: {name} has no label `recording`");
            }
        }
        for (open, close) in [('(', ')'), ('{', '}'), ('[', ']')] {
            assert_eq!(query.matches(open).count(), query.matches(close).count(), "{query}");
        }
    }
    assert!(asked > 15, "the queries were found: {asked}");
    let ids: BTreeSet<u64> = panels.iter().map(|panel| panel["id"].as_u64().expect("an id")).collect();
    assert_eq!(ids.len(), panels.len(), "each panel has an id of its own");
}
