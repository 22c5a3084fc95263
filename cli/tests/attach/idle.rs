//! The agent that is there from the start.

use std::fs;

use rustix::process::Signal;
use weighbridge_tests::{jdks, native_agent};

use crate::program::{Attached, Program, ask, recorded};

#[test]
fn an_idle_agent_is_the_one_that_measures_and_no_second_copy_is_mapped() {
    for jdk in jdks() {
        let library = native_agent().to_str().unwrap();
        let mut program = Program::with(jdk, &[&format!("-agentpath:{library}")]);
        assert_eq!((program.state()[0], program.state()[2]), (0, 0));
        let recording = program.path("a.wbr");
        let attached = Attached::to(&program, &recording);
        assert_eq!(program.mapped(), [&library[1..]], "Java {}", jdk.version);
        program.tell("make 77");
        ask(&["detach", &program.pid]).json();
        assert_eq!(attached.end(), (Some(0), String::new()));
        assert_eq!(recorded(&recording), (77, "detach".to_owned()));
        program.assert_clean(&jdk.version);
        assert_eq!(program.mapped(), [&library[1..]], "Java {}", jdk.version);
        program.end(77);
    }
}

#[test]
fn a_session_of_the_start_goes_on_without_those_who_follow() {
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let (config, file) = (folder.path().join("weighbridge.toml"), folder.path().join("own.wbr"));
        fs::write(&config, "version = 1\n[instrument]\ninclude = [\"com.acme.**\"]\n").unwrap();
        let options = format!("config={},destfile={}", config.display(), file.display());
        let mut program = Program::with(jdk, &[&format!("-agentpath:{}={options}", native_agent().display())]);
        program.tell("make 8");
        let follower = Attached::start(&program.pid, &program.path("a.wbr"), &[]);
        follower.signal(Signal::INT);
        assert_eq!(follower.end(), (Some(0), String::new()), "Java {}", jdk.version);
        assert_eq!(ask(&["ctl", &program.pid, "status"]).json()["state"], "measuring");
        let follower = Attached::start(&program.pid, &folder.path().join("followed.wbr"), &[]);
        program.end(8);
        assert_eq!(follower.end(), (Some(0), String::new()));
        for recording in ["own.wbr", "followed.wbr"] {
            assert_eq!(recorded(&folder.path().join(recording)), (8, "exit".to_owned()), "Java {}", jdk.version);
        }
    }
}
