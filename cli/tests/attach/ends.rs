//! Ends that nobody asked for.

use rustix::process::Signal;
use weighbridge_tests::jdks;

use crate::program::{Attached, Program, ask, recorded, wait_for};

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
