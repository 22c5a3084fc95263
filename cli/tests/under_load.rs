//! Traces that come and go on a server under load: its visitors meet no error, and its classes have their own bytes afterwards.
#![cfg(target_os = "linux")]

use std::time::{Duration, Instant};
use std::{process::Command, thread};

use serde_json::Value;
use weighbridge_tests::visitors::{Met, Visitors};
use weighbridge_tests::{Talking, Weighbridge, attachable, compile, jars, java, jdk, jdks, libraries, rounds, run};

/// Unless the environment names more.
const ROUNDS: u64 = 8;
const KINDS: [&str; 9] =
    ["methods", "calls", "coverage", "objects", "uses", "scopes", "references", "--entries", "servlet"];
const CLASSES: [&str; 6] = [
    "--class",
    "org.apache.catalina.core.**",
    "--class",
    "org.h2.command.query.**",
    "--class",
    "com.acme.served.Server$Page",
];

fn weighbridge() -> Command {
    Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge")).command()
}

fn visitors(port: u16) -> Visitors {
    Visitors::come(port, "/page?customer=anna", "orders of anna\n", 50)
}

/// So many pages a second at most, and as many as one CPU takes.
fn for_a_while(port: u16) -> Met {
    let visitors = visitors(port);
    thread::sleep(Duration::from_secs(3));
    visitors.leave()
}

/// Starts and stops traces again and again; gives the longest time of a batch of classes.
fn come_and_go(pid: &str, kinds: &[&str], classes: &[&str]) -> u64 {
    let mut longest_us = 0;
    for round in 0..rounds(ROUNDS) {
        let mut start = weighbridge();
        start
            .args(["trace", "start", pid, "--name", "t", "--max-cpu", "100", "--pause", "1h"])
            .args(kinds)
            .args(classes);
        let started = run(&mut start);
        assert!(started.success(), "{round}: {started}");
        longest_us = longest_us.max(started.json()["probed"]["longest_us"].as_u64().expect("a time"));
        let stopped = run(weighbridge().args(["trace", "stop", pid, "t", "-o", "json"]));
        assert!(stopped.success(), "{round}: {stopped}");
        let run: Value = stopped.json();
        for trace in run["traces"].as_array().expect("traces") {
            let least = match trace["what"].as_str() {
                Some("references" | "scopes") => 0,
                _ => 20,
            };
            assert!(trace["classes_with_probes"].as_u64() >= Some(least), "{round}: {trace:#}");
        }
    }
    longest_us
}

/// A broker, where each message that is lost or comes twice is seen.
#[test]
fn each_trace_comes_and_goes_again_and_again_and_no_message_is_lost() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let jars = libraries(&["org.apache.activemq:activemq-broker:6.1.6", "org.slf4j:slf4j-nop:2.0.16"]);
    let classes = compile("brokered", &jars, folder.path());
    let jdk = jdk(21);
    let mut command = java(jdk);
    command.args(attachable(jdk)).arg("-Xmx512m").arg("-cp");
    command.arg(std::env::join_paths(std::iter::once(&classes).chain(&jars)).expect("a class path"));
    let mut broker = Talking::start(command.arg("com.acme.brokered.Main"));
    assert_eq!(broker.line(), "ready");
    let messages = |broker: &mut Talking| -> u64 {
        let line = broker.tell("messages");
        line.strip_prefix("messages ").and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{line}"))
    };
    let a_while = |broker: &mut Talking| {
        let before = messages(broker);
        thread::sleep(Duration::from_secs(3));
        messages(broker) - before
    };
    a_while(&mut broker);
    let before = a_while(&mut broker);
    let begin = Instant::now();
    let kinds = ["methods", "calls", "coverage", "objects", "uses", "scopes", "--entries", "executors"];
    let longest_us = come_and_go(&broker.pid, &kinds, &["--class", "org.apache.activemq.broker.**"]);
    let took = begin.elapsed();
    let detached = run(weighbridge().args(["detach", &broker.pid]));
    assert!(detached.success(), "{detached}");
    let after = a_while(&mut broker);
    assert!(before > 0 && after > 0, "{before} messages before, {after} after");
    eprintln!(
        "Java {}: {} runs in {took:?}, longest batch {longest_us} us; in 3 s {before} messages before, {after} after",
        jdk.major,
        rounds(ROUNDS)
    );
}

#[test]
fn each_trace_comes_and_goes_again_and_again_and_no_visitor_meets_an_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let libraries = jars(&["tomcat-embed-core", "tomcat-annotations-api", "h2"]);
    let classes = compile("served", &libraries, folder.path());
    let jdk = jdks().last().expect("a JVM");
    let mut command = java(jdk);
    command.args(attachable(jdk)).args(["-Xmx512m", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-cp"]);
    command.arg(std::env::join_paths(std::iter::once(&classes).chain(&libraries)).expect("a class path"));
    let mut server = Talking::start(command.arg("com.acme.served.Server"));
    let port = server.line().strip_prefix("port ").and_then(|port| port.parse().ok()).expect("a port");
    let before = for_a_while(port);

    let visitors = visitors(port);
    let begin = Instant::now();
    let longest_us = come_and_go(&server.pid, &KINDS, &CLASSES);
    let took = begin.elapsed();
    let met = visitors.leave();
    assert_eq!(met.failures, Vec::<String>::new());
    assert!(met.pages > 100, "{met:?}");
    // The session is still there, and so is what its probes would call.
    let mut start = weighbridge();
    start.args(["trace", "start", &server.pid, "methods", "coverage", "objects", "--name", "t"]).args(CLASSES);
    assert!(run(&mut start).success());
    let visitors = self::visitors(port);
    let calls = |server: &mut Talking| {
        let line = server.tell("calls");
        line.strip_prefix("calls ").and_then(|calls| calls.parse::<u64>().ok()).expect("a number")
    };
    assert!(calls(&mut server) > 1000, "probes call");
    assert!(run(weighbridge().args(["trace", "stop", &server.pid])).success());
    assert_eq!(calls(&mut server), 0, "no class has a probe");
    assert!(run(weighbridge().args(["detach", &server.pid])).success());
    assert_eq!(calls(&mut server), 0, "no class has a probe");
    assert_eq!(visitors.leave().failures, Vec::<String>::new());
    let after = for_a_while(port);
    assert_eq!(after.failures, Vec::<String>::new());
    eprintln!(
        "Java {}: {} runs in {took:?}, longest batch {longest_us} us; slowest page {:?} before, {:?} meanwhile, {:?} after",
        jdk.major,
        rounds(ROUNDS),
        before.slowest,
        met.slowest,
        after.slowest
    );
}
