//! Runs: how they begin and end, of whom they are, what they may take.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::iter;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use weighbridge_tests::{Talking, java, jdks, native_agent, run};

use crate::program::{Built, CLASSES, PATIENCE, Probed, calls, marked, number, rows, trace, weighbridge};

#[test]
fn what_is_found_is_shown_while_it_is_found_and_in_several_programs_at_once() {
    let built = Built::new();
    // No other test has programs of this name.
    let start = |jdk| Probed::of(jdk, built.classes.as_os_str(), "com.acme.probed.Several");
    let mut programs: Vec<Probed> = jdks().iter().map(start).collect();
    let mut watched = weighbridge()
        .args(["trace", &programs[0].program.pid, "methods", "--for", "5s", "--watch", "1s", "-o", "json"])
        .args(CLASSES)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("a trace");
    let mut lines = BufReader::new(watched.stdout.take().expect("its output")).lines().map(|line| line.expect("UTF-8"));
    let before = lines.next().expect("what is found before anything is called");
    programs[0].tell("call 10");
    let shown: Vec<Value> =
        iter::once(before).chain(lines).map(|line| serde_json::from_str(&line).expect(&line)).collect();
    watched.wait().expect("its end");
    assert!(shown.len() >= 3, "{shown:#?}");
    let once = |run: &Value| calls(run, "com.acme.probed.Calls").get("once").map_or(0, |&(calls, _)| calls);
    let seen: Vec<u64> = shown.iter().map(once).collect();
    assert!(seen[0] == 0 && seen.last() == Some(&40), "{seen:?}");

    let mut all = weighbridge();
    all.args(["trace", "all:com.acme.probed.Several", "methods", "--for", "6s", "-o", "json"]).args(CLASSES);
    let all = all.stdout(std::process::Stdio::piped()).spawn().expect("traces");
    let pids: Vec<u64> = programs.iter().map(|probed| probed.program.pid.parse().expect("a number")).collect();
    // As soon as each has its run.
    for probed in &mut programs {
        let begin = Instant::now();
        while !probed.trace("list", &[]).stdout.contains("running") {
            assert!(begin.elapsed() < PATIENCE);
            thread::sleep(Duration::from_millis(50));
        }
        probed.tell("call 5");
    }
    let output = all.wait_with_output().expect("their end");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let jvms = report["jvms"].as_array().expect("JVMs").iter().filter(|jvm| pids.contains(&number(&jvm["pid"])));
    let found: Vec<u64> = jvms.map(|jvm| once(&jvm["result"])).collect();
    assert_eq!(found, vec![20; programs.len()], "{report:#}");
    let none = run(weighbridge().args(["trace", "all:com.acme.Nobody", "methods"]).args(CLASSES));
    assert!(none.code == Some(3) && none.stderr.contains("no JVM"), "{none}");
    let wrong = run(weighbridge().args(["trace", "some", "methods"]).args(CLASSES));
    assert!(wrong.code == Some(2) && wrong.stderr.contains("neither a process id nor `all`"), "{wrong}");
}

#[test]
fn only_what_passes_the_filter_is_recorded() {
    let built = Built::new();
    for jdk in jdks() {
        // The program's own runtime, whose scopes it opens, serves the agent as well.
        let class_path = std::env::join_paths([&built.classes, &built.runtime]).expect("a class path");
        let mut probed = Probed::with_class_path(jdk, &class_path);
        probed.tell("serve 10");
        let what = ["methods", "objects", "calls"];
        for user in ["anna", "bob", "nobody"] {
            probed.begin(&what, &["--name", user, "--scope", &format!("user={user}"), "--max-cpu", "100"]);
        }
        probed.begin(&["methods"], &["--name", "all"]);
        probed.begin(&["methods"], &["--name", "threads", "--thread", "caller-[0-1]"]);
        probed.begin(&["methods"], &["--name", "thread", "--thread", "*ler-2"]);
        probed.tell("serve 50");
        probed.tell("call 20");
        for (user, times) in [("anna", 50), ("bob", 100), ("nobody", 0)] {
            let run = probed.ask("stop", user);
            assert_eq!(run["scopes"][0], format!("user={user}"));
            let requests = calls(&run, "com.acme.probed.Scoped").get("request").map_or(0, |&(calls, _)| calls);
            assert_eq!(requests, times, "{user}, Java {}", jdk.major);
            let items = rows(trace(&run, "objects"), "places").iter().map(|row| number(&row["made"])).sum::<u64>();
            assert_eq!(items, times, "{user}, Java {}", jdk.major);
            assert_eq!(number(&trace(&run, "calls")["outermost"]), times, "{user}, Java {}", jdk.major);
        }
        // By the Java API.
        probed.tell("trace 7");
        assert_eq!(calls(&probed.ask("stop", "all"), "com.acme.probed.Scoped")["request"], (307, 0));
        assert!(calls(&probed.ask("stop", "threads"), "com.acme.probed.Calls").is_empty(), "no such pattern");
        assert_eq!(calls(&probed.ask("stop", "thread"), "com.acme.probed.Calls")["once"], (20, 0));
        probed.detach();
    }
}

#[test]
fn what_takes_too_much_is_left_out_or_ended_and_a_run_ends_by_its_time() {
    let built = Built::new();
    let jdk = jdks().last().expect("a JVM");
    let mut probed = Probed::start(jdk, &built);
    probed.tell("call 100000");
    probed.begin(&["methods"], &["--name", "m", "--max-cpu", "1"]);
    probed.begin(&["calls"], &["--name", "c", "--max-cpu", "1"]);
    let pid = probed.program.pid.clone();
    let ended = |name: &str| {
        let runs = run(weighbridge().args(["trace", "list", &pid])).json();
        let own = rows(&runs, "runs").iter().find(|run| run["name"] == *name).expect("the run").clone();
        own["ended_by"].as_str().map(str::to_owned)
    };
    let begin = Instant::now();
    let mut done = false;
    while !done {
        assert!(begin.elapsed() < PATIENCE, "never too much");
        assert_eq!(probed.program.tell("call 100000"), "done");
        done = ended("c").is_some();
    }
    assert_eq!(ended("c").as_deref(), Some("cost"));
    assert_eq!(ended("m"), None, "methods can be left out");
    let run = probed.ask("stop", "m");
    assert!(number(&trace(&run, "methods")["thinned"]) > 0, "{run:#}");
    let left = rows(trace(&run, "methods"), "methods").iter().filter(|row| row["left_out"] == true);
    assert!(left.count() > 0, "{run:#}");
    let text = probed.trace("stop", &["c"]);
    assert!(text.stdout.contains("ended because it took too much of the CPU"), "{text}");

    probed.begin(&["methods"], &["--name", "short", "--for", "1s"]);
    probed.tell("call 10");
    while ended("short").is_none() {
        assert!(begin.elapsed() < PATIENCE, "its time is never over");
        thread::sleep(Duration::from_millis(50));
    }
    probed.tell("call 10");
    let run = probed.ask("stop", "short");
    assert_eq!((run["ended_by"].as_str(), number(&run["for_ms"])), (Some("time"), 1000));
    assert_eq!(calls(&run, "com.acme.probed.Calls")["once"], (40, 0), "what came later is not counted");
    probed.detach();
}

#[test]
fn a_trace_from_here_brings_the_agent_and_takes_it_away_again() {
    let built = Built::new();
    for jdk in jdks() {
        let mut probed = Probed::start(jdk, &built);
        probed.tell("call 10");
        let output = run(weighbridge()
            .args(["trace", &probed.program.pid, "methods", "collections"])
            .args(CLASSES)
            .args(["--for", "1s", "-o", "json"]));
        assert!(output.success(), "Java {}: {output}", jdk.major);
        let both = output.json();
        assert!(both["flight"]["events"].is_array() && both["probes"]["traces"].is_array(), "{both:#}");
        let status = run(weighbridge().args(["ctl", &probed.program.pid, "status"]));
        assert!(status.code == Some(3) && status.stderr.contains("is not measured"), "{status}");
        probed.tell("call 10");
    }
}

#[test]
fn what_cannot_be_traced_is_told() {
    let built = Built::new();
    let probed = Probed::start(&jdks()[0], &built);
    let pid = probed.program.pid.as_str();
    for (arguments, code, words) in [
        (vec![pid, "methods"], 2, "wants --class or --method"),
        (vec![pid, "time", "--class", "a.B"], 2, "are for traces by probes"),
        (vec!["start", pid, "time", "--class", "a.B"], 2, "a run that stays is of traces by probes"),
        (vec!["list", pid], 3, "is not measured"),
        (vec![pid, "methods", "--method", "render", "--for", "1s"], 3, "write the class, a dot and the method's name"),
        (vec![pid, "methods", "--class", "a..B", "--for", "1s"], 3, "a..B"),
        (vec![pid, "coverage", "--class", "a.B", "--thread", "x", "--for", "1s"], 3, "are of all threads and scopes"),
        (vec![pid, "objects", "--method", "a.B.c", "--for", "1s"], 3, "coverage, objects and uses are of classes"),
        (vec![pid, "scopes", "--for", "1s"], 2, "wants --entries"),
        (vec![pid, "scopes", "--entries", "servelet"], 2, "nor one of servlet, session, spring"),
        (vec![pid, "scopes", "--entries", "/dev/null/x.toml"], 2, "x.toml"),
        (vec![pid, "samples", "--scope", "a=b", "--for", "1s"], 3, "are of all threads and scopes"),
        (vec![pid, "samples", "--every", "10", "--for", "1s"], 3, "one sample in 1024 bytes is the most"),
        (vec![pid, "samples", "--every", "often"], 2, "is no size"),
        (vec![pid, "time", "--watch", "1s"], 2, "--watch is for traces by probes"),
        (vec![pid, "methods", "--class", "a.B", "--scope", "anna", "--for", "1s"], 3, "a scope is KEY=VALUE"),
        (vec![pid, "methods", "--class", "a.B", "--max-cpu", "0", "--for", "1s"], 3, "max_cpu is a percentage"),
        (vec![pid, "methods", "--class", "a.B", "--lcov", "/dev/null/x", "--for", "1s"], 2, "--lcov"),
    ] {
        let output = run(weighbridge().arg("trace").args(&arguments));
        assert_eq!(output.code, Some(code), "{arguments:?}: {output}");
        assert!(output.stderr.contains(words) && output.stdout.is_empty(), "{arguments:?}: {output}");
    }
}

#[test]
fn traces_of_the_configuration_and_of_options_go_into_the_recording() {
    let built = Built::new();
    let config = built.folder.path().join("weighbridge.toml");
    let text = "version = 1\n[[trace]]\nname = \"lines\"\nwhat = [\"coverage\"]\nclasses = [\"com.acme.probed.Lines\"]\n\
                [[trace]]\nname = \"short\"\nwhat = [\"methods\"]\nclasses = [\"com.acme.probed.**\"]\nfor = \"1s\"\n";
    fs::write(&config, text).expect("the configuration");
    for jdk in jdks() {
        let recording = built.folder.path().join(format!("{}.wbr", jdk.major));
        let options = format!(
            "-agentpath:{}=config={},trace=objects+methods:com.acme.probed.Item,destfile={}",
            native_agent().display(),
            config.display(),
            recording.display()
        );
        let mut command = java(jdk);
        command.arg(options).arg("-cp").arg(&built.classes).arg("com.acme.probed.Main");
        let mut program = Talking::start(&mut command);
        assert_eq!(program.line(), "ready");
        let list = || run(weighbridge().args(["trace", "list", &program.pid])).json();
        let begin = Instant::now();
        while rows(&list(), "runs").len() < 3 {
            assert!(begin.elapsed() < PATIENCE, "Java {}", jdk.major);
            thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(program.tell("make 100"), "done");
        assert_eq!(program.tell("lines 1"), "done");
        let ended = |run: &Value| run["name"] == "short" && run["ended_by"] == "time";
        while !rows(&run(weighbridge().args(["trace", "list", &program.pid])).json(), "runs").iter().any(ended) {
            assert!(begin.elapsed() < PATIENCE, "Java {}", jdk.major);
            thread::sleep(Duration::from_millis(50));
        }
        drop(program.child.stdin.take());
        assert!(program.child.wait().expect("an end").success());

        let show = |arguments: &[&str]| run(weighbridge().args(["trace", "show"]).arg(&recording).args(arguments));
        let lines = show(&["lines", "-o", "json"]).json();
        assert_eq!((lines["ended_by"].as_str(), lines["traces"].as_array().map(Vec::len)), (Some("exit"), Some(1)));
        let reached = rows(trace(&lines, "coverage"), "classes")[0]["methods"].as_array().expect("methods");
        let reached: BTreeSet<u64> = (reached.iter().flat_map(|method| rows(method, "lines")))
            .filter(|line| number(&line[2]) > 0)
            .map(|line| number(&line[0]))
            .collect();
        assert_eq!(reached, marked("// +"), "Java {}", jdk.major);
        let objects = show(&["trace-1", "-o", "json"]).json();
        let made: u64 = rows(trace(&objects, "objects"), "places").iter().map(|row| number(&row["made"])).sum();
        assert_eq!(made, 250, "Java {}", jdk.major);
        assert_eq!(calls(&objects, "com.acme.probed.Item")["copy"], (50, 0));
        let several = show(&[]);
        assert!(several.code == Some(3) && several.stderr.contains("several runs: short, lines, trace-1"), "{several}");
        let none = show(&["other"]);
        assert!(none.code == Some(3) && none.stderr.contains("no run of traces has the name other"), "{none}");
        let report = run(weighbridge().arg("report").arg(&recording));
        assert!(report.stdout.contains("The run lines has traced coverage"), "{report}");
    }
}

#[test]
fn the_run_that_ended_first_makes_room() {
    let built = Built::new();
    let probed = Probed::start(jdks().last().expect("a JVM"), &built);
    probed.begin(&["methods"], &["--name", "short", "--for", "1s"]);
    for number in 1..16 {
        probed.begin(&["methods"], &["--name", &format!("n{number}")]);
    }
    let more = || probed.trace("start", &[&["methods"], &CLASSES[..], &["--name", "more"]].concat());
    let begin = Instant::now();
    while !more().success() {
        assert!(begin.elapsed() < PATIENCE, "the short one never ends");
        thread::sleep(Duration::from_millis(50));
    }
    let refused = probed.trace("start", &[&["methods"], &CLASSES[..], &["--name", "again"]].concat());
    assert!(refused.code == Some(3) && refused.stderr.contains("16 runs of traces"), "{refused}");
    probed.detach();
}
