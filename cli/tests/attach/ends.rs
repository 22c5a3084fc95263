//! Ends that nobody asked for.

use std::fs::File;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, SystemTime};

use rustix::process::Signal;
use weighbridge_jvms::AttachTarget;
use weighbridge_tests::jdks;

use crate::program::{Attached, Program, ask, our_folder, recorded, wait_for, weighbridge};

#[test]
fn a_client_that_is_killed_ends_its_session() {
    for jdk in jdks() {
        let mut program = Program::start(jdk);
        let attached = Attached::to(&program, &program.path("a.wbr"));
        assert_eq!(program.calls(), 1);
        attached.signal(Signal::KILL);
        attached.end();
        wait_for("the end of the session", || !ask(&["ctl", &program.pid, "status"]).success());
        program.assert_clean(&jdk.version);
        Attached::to(&program, &program.path("b.wbr"));
        program.end(0);
    }
}

#[test]
fn a_client_that_is_killed_while_it_attaches_leaves_the_program_as_it_was() {
    for jdk in [&jdks()[0], &jdks()[jdks().len() - 1]] {
        let mut program = Program::start(jdk);
        let target = AttachTarget::find(program.pid.parse().unwrap()).unwrap();
        let is_measured = |program: &Program| ask(&["ctl", &program.pid, "status"]).success();
        for delay in [0, 30, 60, 90, 120, 150, 200, 300, 500, 800] {
            let recording = program.path("a.wbr");
            let with = ["--include", "com.acme.**", "--force", "-o", recording.to_str().unwrap()];
            let mut command = weighbridge().command();
            let mut client = command.args(["attach", &program.pid]).args(with).stderr(Stdio::null()).spawn().unwrap();
            thread::sleep(Duration::from_millis(delay));
            client.kill().unwrap();
            client.wait().unwrap();
            // The JVM answers one after the other: what the client has still asked is done then.
            let _ = target.command("properties", &[], Duration::from_secs(60));
            if is_measured(&program) {
                break;
            }
        }
        // An agent that was loaded waits for a while for its client, whoever else asks.
        wait_for("the end of the session", || !is_measured(&program));
        wait_for("no thread of ours", || !program.has_thread_of_ours());
        // What the client has left goes when somebody attaches much later.
        let long_ago = SystemTime::now() - Duration::from_secs(3600);
        for name in program.files() {
            let file = File::options().append(true).open(our_folder().join(name)).unwrap();
            file.set_modified(long_ago).unwrap();
        }
        let attached = Attached::to(&program, &program.path("b.wbr"));
        assert_eq!(program.calls(), 1, "Java {}", jdk.version);
        assert!(ask(&["detach", &program.pid]).success());
        attached.end();
        program.assert_clean(&jdk.version);
        program.end(0);
    }
}

#[test]
fn a_program_that_ends_while_it_is_measured_leaves_a_whole_recording() {
    for jdk in jdks() {
        let mut program = Program::start(jdk);
        let recording = tempfile::NamedTempFile::new().unwrap();
        let attached = Attached::to(&program, recording.path());
        program.tell("make 123");
        program.end(123);
        assert_eq!(attached.end(), (Some(0), String::new()));
        assert_eq!(recorded(recording.path()), (123, "exit".to_owned()), "Java {}", jdk.version);
    }
}

#[test]
fn a_program_that_is_killed_while_it_is_measured_is_named() {
    let mut program = Program::start(&jdks()[0]);
    let recording = program.path("a.wbr");
    let attached = Attached::to(&program, &recording);
    program.tell("make 5");
    ask(&["ctl", &program.pid, "measure"]).json();
    wait_for("the snapshot", || recording.metadata().unwrap().len() > 0);
    program.signal(Signal::KILL);
    program.wait();
    let expected = format!("weighbridge: error: process {} ended without a last line: killed, or crashed", program.pid);
    assert_eq!(attached.end(), (Some(3), expected));
    assert_eq!(recorded(&recording), (5, "none".to_owned()));
    assert_eq!(ask(&["ctl", &program.pid, "status"]).code, Some(3));
}
