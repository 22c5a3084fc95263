//! A program that is stopped while it is measured.

use rustix::process::Signal;
use weighbridge_tests::jdks;

use crate::program::{Attached, Program, ask, recorded, wait_for};

#[test]
fn a_program_that_is_stopped_is_named_by_every_command_and_goes_on_as_if_nothing_was() {
    for jdk in jdks() {
        let mut program = Program::start(jdk);
        let [ours, other] = ["a.wbr", "b.wbr"].map(|name| program.path(name));
        let other = other.to_str().unwrap();
        let attached = Attached::to(&program, &ours);
        program.tell("make 10");
        let pid = program.pid.clone();
        program.stop();
        let expected = format!(
            "weighbridge: error: process {pid} is stopped; continue it with `kill -CONT {pid}` and attach again"
        );
        let is_named = |words: &[&str]| {
            let output = ask(words);
            output.code == Some(3) && output.stderr.trim_end() == expected
        };
        for words in
            [&["ctl", &pid, "status"][..], &["ctl", &pid, "measure"], &["detach", &pid], &["attach", &pid, "-o", other]]
        {
            assert!(is_named(words), "Java {}: {words:?}: {}", jdk.version, ask(words));
        }
        program.signal(Signal::CONT);
        wait_for("an answer", || ask(&["ctl", &pid, "status"]).success());
        program.tell("make 10");
        program.stop();
        assert!(is_named(&["ctl", &pid, "status"]), "Java {}", jdk.version);
        attached.signal(Signal::INT);
        assert_eq!(attached.end(), (Some(3), expected.clone()), "Java {}", jdk.version);
        program.signal(Signal::CONT);
        wait_for("the end of the session", || !ask(&["ctl", &pid, "status"]).success());
        program.assert_clean(&jdk.version);
        assert_eq!(recorded(&ours).1, "none");
        program.end(20);
    }
}
