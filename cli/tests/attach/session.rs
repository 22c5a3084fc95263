//! A session from the attach to the end, and what can be asked meanwhile.

use rustix::process::Signal;
use weighbridge_tests::{every_java, jdks};

use crate::program::{Attached, Program, ask, recorded};

/// Only those measurements are taken that somebody asks for.
const SELDOM: [&str; 4] = ["--include", "com.acme.**", "--set", "interval=1h"];

#[test]
fn what_a_running_program_constructs_is_counted_and_after_the_end_nothing_is_left_and_all_can_be_done_again() {
    for jdk in every_java() {
        let mut program = Program::start(jdk);
        let mut made = 0;
        program.tell("make 50");
        assert_eq!(program.tell("api"), "none");
        for round in 1..=2 {
            let recording = program.path("a.wbr");
            let attached = Attached::to(&program, &recording);
            assert_eq!(program.calls(), 1, "Java {}: the probe is there", jdk.version);
            program.tell(&format!("make {}", 1000 * round));
            made += 1000 * round;
            assert_eq!(program.tell("api"), "true", "Java {}: the agent brings the API", jdk.version);
            let ended = ask(&["detach", &program.pid]).json();
            assert!(ended["classes"].as_u64() >= Some(3), "{ended}");
            assert_eq!(attached.end(), (Some(0), String::new()));
            assert_eq!(recorded(&recording), (1000 * round, "detach".to_owned()), "Java {}", jdk.version);
            program.assert_clean(&jdk.version);
            assert_eq!(program.tell("api"), "false", "Java {}: it stays, and does nothing", jdk.version);
            assert_eq!(program.mapped().len(), 1);
        }
        program.end(50 + made);
    }
}

#[test]
fn a_class_that_is_loaded_between_two_measurements_holds_nothing_of_ours_after_the_end() {
    for jdk in jdks() {
        let mut program = Program::start(jdk);
        let recording = program.path("a.wbr");
        let attached = Attached::start(&program.pid, &recording, &SELDOM);
        for _ in 0..2 {
            ask(&["ctl", &program.pid, "measure"]).json();
            program.tell("make 10");
        }
        ask(&["ctl", &program.pid, "measure"]).json();
        ask(&["detach", &program.pid]).json();
        assert_eq!(attached.end(), (Some(0), String::new()));
        assert_eq!(recorded(&recording), (20, "detach".to_owned()), "Java {}", jdk.version);
        program.assert_clean(&jdk.version);
        program.end(20);
    }
}

#[test]
fn no_event_stays_enabled_after_the_end() {
    for jdk in jdks() {
        // What the JVM itself says of the events that agents want.
        let mut program = Program::with(jdk, &["-XX:TraceJVMTI=ec+s", "-Xlog:jvmti=trace:file=jvmti.log"]);
        let attached = Attached::to(&program, &program.path("a.wbr"));
        let what = ["objects", "samples", "references", "--class", "com.acme.attached.Counted", "--name", "t"];
        let started = ask(&[&["trace", "start", program.pid.as_str()], &what[..]].concat());
        assert!(started.success(), "{started}");
        program.tell("make 10");
        ask(&["detach", &program.pid]).json();
        assert_eq!(attached.end(), (Some(0), String::new()));
        let log = std::fs::read_to_string(program.path("jvmti.log")).expect("what the JVM says");
        let mut enabled = std::collections::BTreeSet::new();
        for line in log.lines() {
            if let Some((_, event)) = line.split_once("user enabled event ") {
                enabled.insert(event);
            } else if let Some((_, event)) = line.split_once("user disabled event ") {
                enabled.remove(event);
            }
        }
        assert!(log.contains("user enabled event ") && enabled.is_empty(), "Java {}: {enabled:?}", jdk.version);
        program.end(10);
    }
}

#[test]
fn a_recording_of_an_attached_program_is_read_while_it_grows() {
    let jdk = &jdks()[0];
    let mut program = Program::start(jdk);
    let recording = program.path("a.wbr");
    let attached = Attached::start(&program.pid, &recording, &["--include", "com.acme.**"]);
    program.tell("make 10");
    ask(&["ctl", &program.pid, "measure", "a label"]).json();
    let file = recording.to_str().unwrap();
    crate::program::wait_for("the snapshot", || ask(&["watch", "--once", file]).stdout.contains("· snapshot "));
    for target in [file, &program.pid] {
        let frame = ask(&["watch", "--once", "--by", "class", "--size", "120x24", target]);
        assert!(frame.success() && frame.stdout.contains("attached.Load$Item"), "{frame}");
    }
    attached.signal(Signal::INT);
    let (code, said) = attached.end();
    assert_eq!(code, Some(0));
    assert!(said.ends_with("classes have their own bytes again"), "{said}");
    assert_eq!(recorded(&recording), (10, "detach".to_owned()));
    program.end(10);
}

#[test]
fn the_agent_is_asked_and_a_wrong_request_gets_one_sentence() {
    for jdk in jdks() {
        let mut program = Program::start(jdk);
        let pid = program.pid.clone();
        let ctl = |words: &[&str]| ask(&[&["ctl", pid.as_str()], words].concat());
        let attached = Attached::start(&pid, &program.path("a.wbr"), &SELDOM);
        let status = ctl(&["status"]).json();
        assert_eq!((&status["state"], &status["pid"]), (&"measuring".into(), &pid.parse::<u64>().unwrap().into()));
        assert!(status["classes"]["probes"].as_u64() >= Some(3), "{status}");
        assert_eq!(ctl(&["measure"]).json()["snapshot"], 1);
        assert_eq!(ctl(&["measure", "hello"]).json()["snapshot"], 2);
        assert_eq!(ctl(&["set", "interval=1h", "holders=false"]).json()["settings"]["interval"], "1h");
        for (words, code, sentence) in [
            (&["set", "intrval=1h"][..], 3, "intrval cannot be changed; what can: interval,"),
            (&["set", "interval=soon"], 3, "option interval=soon: it takes 500ms, 10s, 5m, 1h or off"),
            (&["set", "interval"], 2, "interval: not KEY=VALUE"),
        ] {
            let refused = ctl(words);
            assert_eq!(refused.code, Some(code), "{refused}");
            assert!(
                refused.stderr.starts_with("weighbridge: error: ") && refused.stderr.contains(sentence),
                "{refused}"
            );
            assert_eq!(refused.stderr.lines().count(), 1, "{refused}");
        }
        assert_eq!(
            ctl(&["set", "holders=false"]).json()["settings"]["interval"],
            "1h",
            "a refused request changes nothing"
        );
        let again = ask(&["attach", &pid, "--include", "com.acme.**", "-o", program.path("b.wbr").to_str().unwrap()]);
        assert_eq!(again.code, Some(3));
        let expected = format!(
            "weighbridge: error: process {pid} is measured already; `weighbridge detach {pid}` ends that, \
             or attach without a configuration to watch it\n"
        );
        assert_eq!(again.stderr, expected);
        assert!(!program.path("b.wbr").exists());
        ask(&["ctl", &pid, "detach"]).json();
        assert_eq!(attached.end().0, Some(0));
        let gone = ctl(&["status"]);
        let expected =
            format!("weighbridge: error: process {pid} is not measured; `weighbridge attach {pid}` does it\n");
        assert_eq!((gone.code, gone.stderr), (Some(3), expected));
        program.assert_clean(&jdk.version);
        program.end(0);
    }
}

#[test]
fn who_attaches_without_a_configuration_follows_and_his_end_is_not_that_of_the_session() {
    let mut program = Program::start(&jdks()[0]);
    let (first, second) = (program.path("1.wbr"), program.path("2.wbr"));
    let ours = Attached::to(&program, &first);
    let follower = Attached::start(&program.pid, &second, &[]);
    program.tell("make 10");
    ask(&["ctl", &program.pid, "measure"]).json();
    // One at the interval may come first.
    let is_snapshot = || second.metadata().is_ok_and(|about| about.len() > 0) && recorded(&second).0 == 10;
    crate::program::wait_for("the snapshot", is_snapshot);
    follower.signal(Signal::INT);
    assert_eq!(follower.end(), (Some(0), String::new()));
    assert_eq!(recorded(&second), (10, "none".to_owned()));
    program.tell("make 10");
    let follower = Attached::start(&program.pid, &second, &[]);
    ours.signal(Signal::TERM);
    assert_eq!(ours.end().0, Some(0));
    assert_eq!(follower.end(), (Some(0), String::new()));
    assert_eq!(recorded(&first), (20, "detach".to_owned()), "{}", program.stderr());
    assert_eq!(recorded(&second), (20, "detach".to_owned()), "{}", program.stderr());
    program.assert_clean("first");
    program.end(20);
}

#[test]
fn subscribe_prints_the_lines_of_the_recording() {
    let mut program = Program::start(&jdks()[0]);
    let attached = Attached::to(&program, &program.path("a.wbr"));
    let subscriber = crate::program::weighbridge()
        .command()
        .args(["ctl", &program.pid, "subscribe"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    crate::program::wait_for("a subscriber", || {
        ask(&["ctl", &program.pid, "status"]).json()["clients"].as_u64() >= Some(3)
    });
    ask(&["ctl", &program.pid, "measure", "seen"]).json();
    ask(&["detach", &program.pid]).json();
    let output = subscriber.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let kinds: Vec<String> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["kind"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kinds[0], "header", "{text}");
    assert!(kinds.contains(&"snapshot".to_owned()) && kinds.last().unwrap() == "footer", "{kinds:?}");
    attached.end();
    program.assert_clean("first");
}

#[test]
fn the_interval_is_that_of_the_command_line_or_else_of_the_configuration() {
    let program = Program::start(&jdks()[0]);
    let config = program.path("weighbridge.toml");
    let config = config.to_str().unwrap();
    let include = "version = 1\n[instrument]\ninclude = [\"com.acme.**\"]\n";
    let every = format!("{include}[measure]\nat = [\"every 20s\"]\n");
    for (text, set, interval) in
        [(include, &[][..], "5s"), (&every, &[], "20s"), (&every, &["--set", "interval=30s"], "30s")]
    {
        std::fs::write(config, text).unwrap();
        let attached = Attached::start(&program.pid, &program.path("a.wbr"), &[&["--config", config], set].concat());
        let settings = ask(&["ctl", &program.pid, "set", "holders=true"]).json();
        assert_eq!(settings["settings"]["interval"], interval, "{text}");
        attached.signal(Signal::INT);
        assert_eq!(attached.end().0, Some(0));
    }
}
