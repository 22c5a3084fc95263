//! `weighbridge trace`: what the program did while it was traced, by counts that it knows.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use weighbridge_tests::{Jdk, Talking, Weighbridge, compile, java, jdks, run};

/// What only hangs would take longer than.
const PATIENCE: Duration = Duration::from_secs(120);
const ALL: [&str; 7] = ["time", "allocations", "collections", "io", "monitors", "waits", "exceptions"];

fn weighbridge() -> Command {
    Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge")).command()
}

/// `tests/java/flight`, which does everything once for each line.
fn start(jdk: &Jdk, classes: &Path) -> Talking {
    let mut program = Talking::start(java(jdk).arg("-cp").arg(classes).args(["com.acme.flight.Main", "each"]));
    assert_eq!(program.line(), "ready");
    once(&mut program);
    program
}

fn once(program: &mut Talking) {
    assert_eq!(program.tell(""), "done");
}

/// What the JVM says of its recordings.
fn recordings(jdk: &Jdk, program: &Talking) -> String {
    let output = run(Command::new(jdk.tool("jcmd")).args([&program.pid, "JFR.check"]));
    assert!(output.success(), "{output}");
    output.stdout
}

/// What we have left for it in `/tmp`.
fn left(program: &Talking) -> Vec<PathBuf> {
    let ours = Path::new("/tmp").join(format!("weighbridge-{}", rustix::process::geteuid().as_raw()));
    let entries = fs::read_dir(ours).into_iter().flatten().flatten().map(|entry| entry.path());
    let prefix = format!("trace-{}-", program.pid);
    entries.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix))).collect()
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "never: {what}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn sum(rows: &Value, key: &str, is_it: impl Fn(&Value) -> bool) -> u64 {
    rows.as_array().expect("rows").iter().filter(|row| is_it(row)).filter_map(|row| row[key].as_u64()).sum()
}

#[test]
fn a_trace_has_each_event_of_its_time_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = compile("flight", &[], folder.path());
    for jdk in jdks() {
        let mut program = start(jdk, &classes);
        let keep = folder.path().join(format!("{}.jfr", jdk.major));
        let mut command = weighbridge();
        command.args(["trace", &program.pid]).args(ALL).args(["--for", "10m", "-o", "json", "--keep"]).arg(&keep);
        let trace = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary");
        wait_for("a recording", || {
            let told = recordings(jdk, &program);
            told.contains("weighbridge-") && told.contains("running")
        });
        once(&mut program);
        once(&mut program);
        // Ends it early.
        kill_process(Pid::from_child(&trace), Signal::INT).expect("a signal");
        let output = trace.wait_with_output().expect("an end");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && said.is_empty(), "Java {}: {said}", jdk.major);
        assert!(!recordings(jdk, &program).contains("weighbridge-"), "Java {}", jdk.major);
        assert_eq!(left(&program), Vec::<PathBuf>::new());
        once(&mut program);

        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let context = format!("Java {}: {report:#}", jdk.major);
        assert_eq!(
            sum(&report["exceptions"], "count", |row| row["class"] == "com.acme.flight.Main$Wrong"),
            200,
            "{context}"
        );
        let thrower = report["exceptions"].as_array().expect("rows").iter().find(|row| row["count"] == 200);
        assert_eq!(thrower.expect(&context)["thrown_by"], "com.acme.flight.Main.fail", "{context}");
        let ours = |row: &Value, operation: &str| {
            row["operation"] == operation && row["what"].as_str().is_some_and(|what| what.contains("flight"))
        };
        for operation in ["file read", "file write"] {
            assert_eq!(sum(&report["io"], "bytes", |row| ours(row, operation)), 16 << 20, "{context}");
            assert_eq!(sum(&report["io"], "count", |row| ours(row, operation)), 2, "{context}");
        }
        assert_eq!(sum(&report["waits"], "count", |row| row["kind"] == "sleep"), 4, "{context}");
        let entered =
            sum(&report["waits"], "duration_ns", |row| row["kind"] == "enter" && row["class"] == "java.lang.Object");
        assert!((150_000_000..400_000_000).contains(&entered), "twice some 100 ms: {context}");
        let waits = report["waits"].as_array().expect("rows");
        let entered = waits.iter().find(|row| row["kind"] == "enter" && row["class"] == "java.lang.Object");
        let entered = entered.expect(&context);
        let (method, thread) = (&entered["waiting_in"], &entered["held_by"]);
        assert_eq!((method, thread), (&"com.acme.flight.Main.contend".into(), &"holder".into()), "{context}");
        assert_eq!(sum(&report["collections"], "count", |row| row["cause"] == "System.gc()"), 2, "{context}");
        let samples = report["samples"].as_u64().expect("samples");
        let computing = sum(&report["methods"], "samples", |row| row["method"] == "com.acme.flight.Main.compute");
        assert!(samples > 20 && computing * 2 > samples, "{context}");
        let arrays = sum(&report["allocations"], "bytes", |row| row["class"] == "byte[]");
        assert!(arrays > 600 << 20, "two times 300 MiB and texts: {context}");
        let by = &report["allocations"][0]["allocated_by"];
        // A sample stands for what came before it, too: which method it is depends on chance.
        assert!(by.as_str().is_some_and(|by| by.starts_with("com.acme.flight.Main.")), "{context}");

        // What was kept says the same.
        let again = run(weighbridge().arg("report").arg(&keep).args(["-o", "json"])).json();
        for key in ["exceptions", "io", "waits", "collections", "samples", "methods", "events"] {
            assert_eq!(again[key], report[key], "{key}");
        }
    }
}

#[test]
fn a_trace_ends_by_itself_and_what_cannot_be_traced_is_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = compile("flight", &[], folder.path());
    let mut program = start(&jdks()[0], &classes);
    let output = run(weighbridge().args(["trace", &program.pid, "collections", "--for", "1s"]));
    assert!(output.success() && output.stdout.contains("Flight recording\n"), "{output}");
    assert!(!output.stdout.contains("Where time goes"), "{output}");
    let page = folder.path().join("trace.html");
    let output = run(weighbridge().args(["trace", &program.pid, "time", "--for", "1s", "-o", "html", "-f"]).arg(&page));
    assert!(
        output.success() && fs::read_to_string(&page).expect("a page").contains("<h1>Flight recording</h1>"),
        "{output}"
    );

    let taken = folder.path().join("taken.jfr");
    fs::write(&taken, "mine").expect("a file");
    for (arguments, code, words) in [
        (vec![program.pid.as_str(), "flying"], 2, "invalid value 'flying'"),
        (vec![program.pid.as_str()], 2, "<WHAT>"),
        (vec![program.pid.as_str(), "time", "--keep", taken.to_str().expect("UTF-8")], 2, "taken.jfr"),
        (vec!["1", "time"], 3, "process 1"),
    ] {
        let output = run(weighbridge().arg("trace").args(&arguments));
        assert_eq!(output.code, Some(code), "{arguments:?}: {output}");
        assert!(output.stderr.contains(words) && output.stdout.is_empty(), "{arguments:?}: {output}");
    }
    assert_eq!(fs::read_to_string(&taken).expect("the file"), "mine");

    // A program that ends meanwhile has written nothing.
    let mut command = weighbridge();
    command.args(["trace", &program.pid, "time", "--for", "10m"]).stderr(Stdio::piped());
    let trace = command.stdout(Stdio::piped()).spawn().expect("the binary");
    wait_for("a recording", || recordings(&jdks()[0], &program).contains("weighbridge-"));
    program.child.kill().expect("a signal");
    program.child.wait().expect("an end");
    let output = trace.wait_with_output().expect("an end");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let expected = format!("weighbridge: error: process {} has ended before its trace\n", program.pid);
    assert_eq!((output.status.code(), said), (Some(3), expected));
    assert_eq!(left(&program), Vec::<PathBuf>::new());
}

#[test]
fn metaspace_is_told_by_the_class_of_the_loaders() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = compile("sick", &[], folder.path());
    for jdk in jdks() {
        // It makes ever more loaders, each with one class.
        let mut program = Talking::start(java(jdk).arg("-cp").arg(&classes).args(["com.acme.sick.Main", "loaders"]));
        assert_eq!(program.line(), "ready");
        let output = run(weighbridge().args(["trace", &program.pid, "loaders", "--for", "2s", "-o", "json"]));
        assert!(output.success(), "{output}");
        let figures = output.json();
        let rows = figures["loaders"].as_array().expect("loaders");
        let plugins = rows.iter().find(|row| row["loader"] == "com.acme.sick.Main$PluginLoader").expect("the plugins'");
        let of = |moment: &str, key: &str| plugins[moment][key].as_u64().expect("a number");
        assert!(of("after", "loaders") > of("before", "loaders"), "Java {}: {plugins:#}", jdk.major);
        for moment in ["before", "after"] {
            assert_eq!(of(moment, "classes"), of(moment, "loaders"), "Java {}: {plugins:#}", jdk.major);
            let (used, chunks) = (of(moment, "used_bytes"), of(moment, "chunk_bytes"));
            assert!(used >= 1000 * of(moment, "classes") && used <= chunks, "Java {}: {plugins:#}", jdk.major);
        }
        let boot = rows.iter().find(|row| row["loader"] == "bootstrap").expect("the boot loader");
        assert!(boot["after"]["classes"].as_u64() > Some(400), "Java {}: {boot:#}", jdk.major);
        let both = run(weighbridge().args(["trace", &program.pid, "loaders", "waits", "--for", "1s"]));
        assert!(both.stdout.contains("Metaspace by class loader") && both.success(), "Java {}: {both}", jdk.major);
    }
}
