//! What makes attaching impossible: one sentence each, the program goes on, and no file is left.

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::Signal;
use weighbridge_jvms::{AttachTarget, Error};
use weighbridge_tests::jdks;

use crate::program::{PATIENCE, Program, waiting};

/// A JVM that cannot listen, for there is a folder where it would make its socket. It handles SIGQUIT all the same.
struct Deaf(Program, PathBuf);

impl Deaf {
    fn start(jdk: &weighbridge_tests::Jdk) -> Deaf {
        let program = Program::start(jdk, &[]);
        let folder = PathBuf::from(format!("/tmp/.java_pid{}.tmp", program.pid));
        fs::create_dir(&folder).unwrap();
        Deaf(program, folder)
    }
}

impl Drop for Deaf {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.1);
    }
}

fn refusal(pid: u32) -> String {
    AttachTarget::find(pid).expect_err("no target").to_string()
}

#[test]
fn a_jvm_that_lets_nobody_attach_is_named_wherever_the_option_is() {
    const OPTION: &str = "-XX:+DisableAttachMechanism";
    for jdk in jdks() {
        let mut by_variable = waiting(jdk, &[]);
        by_variable.env("JAVA_TOOL_OPTIONS", OPTION).stderr(Stdio::null());
        let hidden = Program::start(jdk, &[OPTION, "-XX:-UsePerfData"]);
        for program in [Program::start(jdk, &[OPTION]), Program::of(&mut by_variable).unwrap(), hidden] {
            let expected = format!(
                "process {} was started with -XX:+DisableAttachMechanism; \
                 start it without this option, or with -agentpath",
                program.pid
            );
            assert_eq!(refusal(program.pid), expected, "Java {}", jdk.version);
            program.end();
        }
    }
}

#[test]
fn a_stopped_jvm_is_named_at_once_and_answers_when_it_goes_on() {
    for jdk in jdks() {
        let program = Program::start(jdk, &[]);
        let target = program.target();
        let expected =
            format!("process {0} is stopped; continue it with `kill -CONT {0}` and attach again", program.pid);
        // Before it listens, and after.
        for _ in 0..2 {
            program.signal(Signal::STOP);
            while !refusal_or_empty(program.pid).contains("is stopped") {
                thread::yield_now();
            }
            assert_eq!(refusal(program.pid), expected);
            assert_eq!(target.properties(PATIENCE).unwrap_err().to_string(), expected);
            assert!(!program.is_asked());
            program.signal(Signal::CONT);
            while AttachTarget::find(program.pid).is_err() {
                thread::yield_now();
            }
            target.properties(PATIENCE).unwrap();
        }
        program.end();
    }
}

fn refusal_or_empty(pid: u32) -> String {
    AttachTarget::find(pid).err().map(|e| e.to_string()).unwrap_or_default()
}

#[test]
fn a_jvm_that_ends_while_it_is_asked_to_listen_is_named() {
    for jdk in jdks() {
        let deaf = Deaf::start(jdk);
        let target = deaf.0.target();
        let error = thread::scope(|scope| {
            let attaching = scope.spawn(|| target.properties(PATIENCE));
            while !deaf.0.is_asked() {
                thread::yield_now();
            }
            deaf.0.signal(Signal::KILL);
            attaching.join().unwrap().unwrap_err()
        });
        let expected = format!("process {} ended before it answered; start the program again", deaf.0.pid);
        assert_eq!(error.to_string(), expected, "Java {}", jdk.version);
        assert!(!deaf.0.is_asked());
        assert_eq!(target.properties(PATIENCE).unwrap_err().to_string(), expected);
        let none = format!("there is no process {}; `weighbridge jvms` lists the JVMs", deaf.0.pid);
        assert_eq!(refusal(deaf.0.pid), none);
    }
}

#[test]
fn a_jvm_that_ends_while_it_carries_a_command_out_is_named() {
    for jdk in jdks() {
        let program = Program::start(jdk, &[]);
        let target = program.target();
        target.properties(PATIENCE).unwrap();
        let error = thread::scope(|scope| {
            // One of the commands meets the end.
            let attaching = scope.spawn(|| {
                loop {
                    if let Err(e) = target.command("jcmd", &["Thread.print"], PATIENCE) {
                        return e;
                    }
                }
            });
            program.signal(Signal::KILL);
            attaching.join().unwrap()
        });
        assert!(matches!(error, Error::Ended { .. }), "Java {}: {error}", jdk.version);
    }
}

#[test]
fn a_jvm_that_cannot_listen_is_left_when_the_patience_ends_and_goes_on() {
    for jdk in jdks() {
        let deaf = Deaf::start(jdk);
        let target = deaf.0.target();
        let error = target.properties(Duration::from_millis(300)).unwrap_err().to_string();
        let expected = format!(
            "process {0} did not answer within 300ms; see that it is not paused and can write to /proc/{0}/root/tmp, \
             then attach again",
            deaf.0.pid
        );
        assert_eq!(error, expected, "Java {}", jdk.version);
        assert!(!deaf.0.is_asked());
        fs::remove_dir(&deaf.1).unwrap();
        assert_eq!(target.properties(PATIENCE).unwrap()["java.version"], jdk.version);
    }
}

#[test]
fn a_jvm_that_missed_the_first_signal_is_asked_again() {
    for jdk in jdks() {
        let deaf = Deaf::start(jdk);
        let target = deaf.0.target();
        let properties = thread::scope(|scope| {
            let attaching = scope.spawn(|| target.properties(PATIENCE));
            while !deaf.0.is_asked() {
                thread::yield_now();
            }
            // Most likely the JVM has seen the signal by now. If not, it answers at once.
            thread::sleep(Duration::from_millis(200));
            fs::remove_dir(&deaf.1).unwrap();
            attaching.join().unwrap()
        });
        assert_eq!(properties.unwrap()["java.version"], jdk.version);
    }
}

#[test]
fn a_socket_that_was_removed_is_made_again() {
    for jdk in jdks() {
        let program = Program::start(jdk, &[]);
        let target = program.target();
        for _ in 0..3 {
            assert_eq!(target.properties(PATIENCE).unwrap()["java.version"], jdk.version);
            fs::remove_file(format!("/tmp/.java_pid{}", program.pid)).unwrap();
        }
        program.end();
    }
}

#[test]
fn a_process_that_is_no_jvm_gets_no_signal() {
    let mut child = Command::new("sleep").arg("600").spawn().unwrap();
    let pid = child.id();
    let expected = format!("process {pid} (sleep) is no JVM; `weighbridge jvms` lists the JVMs");
    // It may not be `sleep` yet.
    while refusal(pid) != expected {
        assert!(child.try_wait().unwrap().is_none());
    }
    assert!(child.try_wait().unwrap().is_none());
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_jvm_that_starts_is_left_alone_until_it_handles_the_signal() {
    for jdk in jdks() {
        let mut command = waiting(jdk, &[]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let pid = child.id();
        let properties = loop {
            match AttachTarget::find(pid).and_then(|target| target.properties(PATIENCE)) {
                Ok(properties) => break properties,
                // Before `exec`, before the library is mapped, and before there is a handler.
                Err(Error::NoJvm { .. } | Error::NotReady { .. }) => thread::yield_now(),
                // "getSystemClassLoader cannot be called during the system class loader instantiation"
                Err(Error::Refused { text, .. }) if text.contains("IllegalStateException") => thread::yield_now(),
                Err(e) => panic!("Java {}: {e}", jdk.version),
            }
        };
        assert_eq!(properties["java.version"], jdk.version);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "waiting\ndone\n");
    }
}

#[test]
fn a_jvm_without_signals_is_reached_by_its_socket_and_gets_no_signal() {
    for jdk in jdks() {
        let program = Program::start(jdk, &["-Xrs"]);
        let target = program.target();
        assert_eq!(target.properties(PATIENCE).unwrap()["java.version"], jdk.version);
        fs::remove_file(format!("/tmp/.java_pid{}", program.pid)).unwrap();
        let expected = format!(
            "process {} does not handle SIGQUIT: it is starting or has signals off (-Xrs); \
             attach later, or start it without -Xrs",
            program.pid
        );
        assert_eq!(refusal(program.pid), expected, "Java {}", jdk.version);
        assert_eq!(target.properties(PATIENCE).unwrap_err().to_string(), expected);
        assert!(!program.is_asked());
        program.end();
    }
}

#[test]
fn a_socket_of_another_process_gets_no_command() {
    let jdk = &jdks()[0];
    let program = Program::start(jdk, &[]);
    let path = format!("/tmp/.java_pid{}", program.pid);
    let listener = UnixListener::bind(&path).unwrap();
    let target = program.target();
    let named = format!("/proc/{}/root{path}", program.pid);
    // Elsewhere the other process may be one without an id here.
    if fs::read_link("/proc/self/ns/pid").unwrap().to_str() == Some("pid:[4026531836]") {
        let error = target.properties(PATIENCE).unwrap_err().to_string();
        assert_eq!(error, format!("{named} is not of process {}; remove it and attach again", program.pid));
    } else {
        eprintln!("not in the first process namespace: a foreign socket is not tested");
    }
    drop(listener);
    let error = target.properties(PATIENCE).unwrap_err().to_string();
    let expected = format!(
        "process {} does not listen at {named} (Connection refused (os error 111)); remove this file and attach again",
        program.pid
    );
    assert_eq!(error, expected);
    fs::remove_file(&path).unwrap();
    assert_eq!(target.properties(PATIENCE).unwrap()["java.version"], jdk.version);
    program.end();
}
