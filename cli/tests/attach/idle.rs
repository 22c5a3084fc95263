//! The agent that is there from the start.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;

use rustix::process::Signal;
use weighbridge_tests::{jdks, native_agent};

use crate::program::{Attached, Program, ask, recorded, wait_for};

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

/// A client of the socket that subscribes with these arguments, and has got the consent.
fn subscriber(program: &Program, arguments: &str) -> UnixStream {
    let user = rustix::process::geteuid().as_raw();
    let mut stream = UnixStream::connect(format!("/tmp/weighbridge-{user}/{}.sock", program.pid)).expect("the socket");
    writeln!(stream, "{{\"v\":1,\"id\":1,\"do\":\"subscribe\"{arguments}}}").expect("asked");
    let mut reply = String::new();
    BufReader::new(&stream).read_line(&mut reply).expect("a reply");
    assert_eq!(reply, "{\"v\":1,\"id\":1,\"ok\":{}}\n");
    stream
}

#[test]
fn a_session_ends_with_the_client_that_attached_and_not_with_one_that_followed_before() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("weighbridge.toml");
    fs::write(&config, "version = 1\n[instrument]\ninclude = [\"com.acme.**\"]\n").unwrap();
    let options = format!("config={},output=stream,end=client", config.display());
    let mut program = Program::with(&jdks()[0], &[&format!("-agentpath:{}={options}", native_agent().display())]);
    drop(subscriber(&program, ""));
    wait_for("one client", || ask(&["ctl", &program.pid, "status"]).json()["clients"] == 1);
    let attached = subscriber(&program, ",\"attached\":true");
    drop(subscriber(&program, ",\"attached\":true"));
    wait_for("two clients", || ask(&["ctl", &program.pid, "status"]).json()["clients"] == 2);
    program.tell("make 3");
    drop(attached);
    wait_for("the end of the session", || !ask(&["ctl", &program.pid, "status"]).success());
    program.assert_clean("first");
    program.end(3);
}
