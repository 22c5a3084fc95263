//! `weighbridge doctor`: finds the illness of each program, unattended, and none of the healthy ones.
#![cfg(target_os = "linux")]

use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;
use weighbridge_tests::{Jdk, Talking, Weighbridge, compile, every_java, java, jdks, run};

/// Each needs the machine for itself: what is measured are times and rates.
static ALONE: Mutex<()> = Mutex::new(());

/// What the argument of `tests/java/sick` is found to be, and a word of the reasons.
const ILL: [(&str, &str, &str); 10] = [
    ("leak", "leak", ".LEAKED (static)"),
    ("cache", "map_without_bound", ".CACHE (static)"),
    ("thread_local", "thread_local_leak", "java.lang.ThreadLocal$ThreadLocalMap"),
    ("loaders", "class_loader_leak", ".PLUGINS (static)"),
    ("forgotten", "forgotten_objects", ".LISTENERS (static)"),
    ("deadlock", "deadlock", "which is held by \"second\""),
    ("contention", "lock_contention", "com.acme.sick.Main"),
    ("io", "slow_io", "ms each"),
    ("exceptions", "exception_storm", "NumberFormatException"),
    ("allocation", "hot_allocation", "com.acme.sick.Main.hot"),
];
const HEALTHY: [&str; 5] = ["idle", "compute", "bounded", "queue", "server"];

fn weighbridge() -> Command {
    Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge")).command()
}

fn start(jdk: &Jdk, classes: &std::path::Path, illness: &str) -> Talking {
    let mut program =
        Talking::start(java(jdk).arg("-Xmx256m").arg("-cp").arg(classes).args(["com.acme.sick.Main", illness]));
    assert_eq!(program.line(), "ready");
    program
}

fn examined(program: &Talking) -> Value {
    let output = run(weighbridge().args(["doctor", &program.pid, "--yes", "--for", "3s", "-o", "json"]));
    assert!(output.success(), "{output}");
    let report = output.json();
    let not_done = report["steps"].as_array().expect("steps").iter().filter(|step| step["done"] != true);
    assert_eq!(not_done.count(), 0, "{report:#}");
    report
}

#[test]
fn each_illness_is_found() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = compile("sick", &[], folder.path());
    for ((illness, kind, word), jdk) in ILL.into_iter().zip(every_java().iter().cycle()) {
        let program = start(jdk, &classes, illness);
        let report = examined(&program);
        let findings = report["findings"].as_array().expect("findings");
        let mut kinds: Vec<&str> = findings.iter().filter_map(|finding| finding["kind"].as_str()).collect();
        // What allocates gigabytes a second collects all the time: on a busy machine that is a finding of its own.
        kinds.retain(|found| illness != "allocation" || *found != "collections");
        assert_eq!(kinds, [kind], "{illness}, Java {}: {report:#}", jdk.major);
        assert!(
            findings[0].to_string().contains(&word.replace('"', "\\\"")),
            "{illness}, Java {}: {report:#}",
            jdk.major
        );
    }
}

#[test]
fn healthy_programs_have_nothing() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = compile("sick", &[], folder.path());
    for (health, jdk) in HEALTHY.into_iter().zip(every_java().iter().rev().cycle()) {
        let report = examined(&start(jdk, &classes, health));
        assert_eq!(report["findings"].as_array().map(Vec::len), Some(0), "{health}, Java {}: {report:#}", jdk.major);
    }
}

#[test]
fn without_a_person_or_a_yes_only_the_cheap_step_is_taken() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = compile("sick", &[], folder.path());
    let program = start(&jdks()[0], &classes, "deadlock");
    let begin = Instant::now();
    let output = loop {
        let output = run(weighbridge().args(["doctor", &program.pid]));
        // Its threads take a moment to come to the locks.
        if output.stdout.contains("will never go on") {
            break output;
        }
        assert!(output.success() && begin.elapsed() < Duration::from_secs(60), "{output}");
    };
    assert_eq!(output.stdout.matches(": not done, nobody was asked (--yes takes it)").count(), 2, "{output}");
    let none = run(weighbridge().args(["doctor", "1"]));
    assert!(none.code == Some(3) && none.stderr.contains("process 1"), "{none}");
}
