//! A heap that is large, and one that is full.

use std::fs;

use serde_json::Value;
use weighbridge_tests::{Jdk, every_java, jdks, more_rounds};

use crate::program::{Attached, COUNTED, Program, ask, recorded, wait_for, weighbridge};

/// Objects that exist before: more than the sample of a class keeps, and the first guess for a walk is above a millisecond.
const MANY: u64 = 200_000;
const FOREVER: &str = "1h";

/// The operations by which the JVM has stopped the program for us so far: walks, collections on request, histograms.
fn stops(program: &Program) -> Vec<String> {
    let log = fs::read_to_string(program.path("operations.log")).expect("the JVM's log");
    let ours = ["HeapIterateOperation", "GC_HeapInspection", "CollectFull", "System.gc()"];
    log.lines().filter_map(|line| ours.iter().find(|name| line.contains(**name))).map(|&name| name.to_owned()).collect()
}

fn with_objects(jdk: &Jdk) -> Program {
    let log = "-Xlog:vmthread=debug,gc*=info,safepoint=info:file=operations.log";
    let mut program = Program::with(jdk, &[log, "-XX:+UseG1GC"]);
    program.tell(&format!("make {MANY}"));
    program
}

fn answer(arguments: &[&str]) -> Value {
    let output = ask(arguments);
    assert!(output.success(), "{}", output.stderr);
    serde_json::from_str(&output.stdout).expect("JSON")
}

#[test]
fn what_stops_the_program_for_longer_than_granted_is_left_out_and_named() {
    for jdk in jdks() {
        let mut program = with_objects(jdk);
        let before = stops(&program).len();
        let recording = program.path("a.wbr");
        let with = ["--include", "com.acme.**", "--set", "interval=2h", "--pause", "1ms"];
        let attached = Attached::start(&program.pid, &recording, &with);
        let said = "objects that existed before are not counted: to count them stops the program for about";
        wait_for("a note", || attached.said().contains(said) || attached.said().contains("is measured"));
        let status = answer(&["ctl", &program.pid, "status"]);
        assert_eq!(status["pause_ms"], 1);
        // Classes may be left out, too, as each batch takes longer.
        let left_out = status["left_out"].as_array().expect("sentences");
        assert!(left_out.iter().any(|left| left.as_str().is_some_and(|left| left.starts_with(said))), "{status}");
        let measured = answer(&["ctl", &program.pid, "measure"]);
        assert_eq!(measured["collected"], false);
        let left_out = measured["left_out"][0].as_str().expect("a sentence");
        assert!(left_out.contains("no full collection") && left_out.contains("(--pause "), "{left_out}");
        assert!(ask(&["detach", &program.pid]).success());
        assert_eq!(attached.end().0, Some(0));
        assert_eq!(stops(&program).len(), before, "Java {}: {:?}", jdk.version, stops(&program));
        program.assert_clean(&jdk.version);
        program.end(MANY);
    }
}

#[test]
fn what_is_granted_is_done_once_with_exact_counts() {
    for jdk in jdks() {
        let program = with_objects(jdk);
        let recording = program.path("a.wbr");
        let walks = |program: &Program| stops(program).iter().filter(|name| *name == "HeapIterateOperation").count();
        let before = walks(&program);
        let with = ["--include", "com.acme.**", "--set", "interval=2h", "--pause", FOREVER];
        let attached = Attached::start(&program.pid, &recording, &with);
        // The log of a walk has two lines at some versions, one at others; of two walks it has more.
        let of_attach = walks(&program) - before;
        let measured = answer(&["ctl", &program.pid, "measure"]);
        assert_eq!((&measured["collected"], measured.get("left_out")), (&Value::Bool(true), None));
        assert!(ask(&["detach", &program.pid, "--pause", "1ms"]).success());
        assert_eq!(attached.end().0, Some(0));
        assert!(of_attach <= walks_of_one(&program), "Java {}: {:?}", jdk.version, stops(&program));
        let report = weighbridge().report(&recording);
        let rows = report["classes"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["class"] == COUNTED).expect("its row");
        assert_eq!(row["before"], MANY, "Java {}", jdk.version);
        assert_eq!(recorded(&recording).1, "detach");
        program.end(MANY);
    }
}

/// Lines that the log has for one walk.
fn walks_of_one(program: &Program) -> usize {
    let log = fs::read_to_string(program.path("operations.log")).expect("the JVM's log");
    let mut lines: Vec<&str> = log.lines().filter(|line| line.contains("HeapIterateOperation")).collect();
    // The end of an operation is told with the time that it took.
    let all = lines.len();
    lines.retain(|line| line.contains("Evaluating"));
    all / lines.len().max(1)
}

/// The collectors, each with the least heap that it is of use with, and that has room for what the agent keeps for its end.
const COLLECTORS: [(&str, &str, u32); 4] = [
    ("-XX:+UseSerialGC", "-Xmx48m", 11),
    ("-XX:+UseG1GC", "-Xmx128m", 11),
    ("-XX:+UseParallelGC", "-Xmx128m", 11),
    ("-XX:+UseZGC", "-Xmx256m", 17),
];

#[test]
fn with_a_full_heap_one_can_ask_for_the_state_and_the_session_ends() {
    // Each Java with one collector, and all of them where somebody asks for more rounds.
    for (index, jdk) in every_java().iter().enumerate() {
        for (number, (collector, heap, since)) in COLLECTORS.into_iter().enumerate() {
            if jdk.major >= since && (more_rounds() || number == index % COLLECTORS.len()) {
                ends_with_a_full_heap(jdk, &[heap, collector]);
            }
        }
    }
}

fn ends_with_a_full_heap(jdk: &Jdk, options: &[&str]) {
    let title = format!("Java {}, {options:?}", jdk.version);
    let mut program = Program::with(jdk, options);
    let recording = program.path("a.wbr");
    let attached = Attached::start(&program.pid, &recording, &["--include", "com.acme.**", "--set", "interval=1s"]);
    assert_eq!(program.tell("fill"), "full", "{title}");
    let status = answer(&["ctl", &program.pid, "status"]);
    assert_eq!(status["state"], "measuring", "{title}");
    let detached = answer(&["detach", &program.pid]);
    let not_changed_back = detached["not_changed_back"].as_u64().expect("a number");
    attached.end();
    wait_for("no thread of ours", || !program.has_thread_of_ours());
    assert!(!ask(&["ctl", &program.pid, "status"]).success(), "{title}");
    program.tell("empty");
    // The program takes what is free, and may win. The answer says so.
    if not_changed_back == 0 {
        assert_eq!(program.calls(), 0, "{title}");
    }
    // It can be measured again.
    let attached = Attached::start(&program.pid, &program.path("b.wbr"), &["--include", "com.acme.**"]);
    assert_eq!(program.calls(), 1, "{title}");
    assert!(ask(&["detach", &program.pid]).success());
    assert_eq!(attached.end().0, Some(0), "{title}");
    assert_eq!(program.calls(), 0, "{title}");
}
