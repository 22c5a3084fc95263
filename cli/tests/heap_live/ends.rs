//! Nothing is left, however the command or the program ends.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use rustix::process::Signal;
use weighbridge_tests::{Jdk, jdks};

use crate::program::{Program, heap, signal, wait_for, weighbridge};

/// A program with enough in its heap that a dump takes a while, and a command for which it begins to write one.
fn writing(jdk: &Jdk) -> (Program, Child) {
    let mut program = Program::start(jdk, &[], &[]);
    (0..40).for_each(|_| program.more());
    let mut command = weighbridge();
    let command = command.args(["heap", "histogram", &program.pid]).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().expect("the binary");
    wait_for("a dump", || !files(&program).is_empty());
    (program, child)
}

fn files(program: &Program) -> Vec<std::path::PathBuf> {
    let entries =
        |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path()).collect::<Vec<_>>();
    program.left().iter().flat_map(|folder| entries(folder)).collect()
}

#[test]
fn a_signal_leaves_nothing_while_the_dump_is_written() {
    for jdk in jdks() {
        for sent in [Signal::INT, Signal::TERM, Signal::HUP] {
            let (program, mut child) = writing(jdk);
            signal(&child, sent);
            let status = child.wait().expect("an end");
            assert_eq!(status.signal(), Some(sent.as_raw()), "Java {}: {status}", jdk.version);
            assert_eq!(program.left().len(), 0, "Java {}", jdk.version);
            // The JVM is done with it then, and has made no file of its own accord.
            assert!(heap(&["histogram", &program.pid]).success());
            program.end();
        }
    }
}

#[test]
fn a_kill_leaves_nothing_while_the_dump_is_read() {
    for jdk in jdks() {
        let (program, mut child) = writing(jdk);
        wait_for("a dump without a name", || program.left().is_empty());
        signal(&child, Signal::KILL);
        child.wait().expect("an end");
        program.end();
    }
}

#[test]
fn what_a_kill_leaves_while_the_dump_is_written_goes_with_a_later_command() {
    for jdk in jdks() {
        let (program, mut child) = writing(jdk);
        signal(&child, Signal::KILL);
        child.wait().expect("an end");
        let left = program.left();
        assert_eq!(left.len(), 1, "Java {}: {left:?}", jdk.version);
        assert!(heap(&["histogram", &program.pid]).success());
        assert_eq!(program.left(), left, "Java {}: another command may still wait for it", jdk.version);
        let long_ago = SystemTime::now() - Duration::from_secs(700);
        for path in files(&program).iter().chain(&left) {
            File::open(path).and_then(|file| file.set_modified(long_ago)).expect("another time");
        }
        assert!(heap(&["histogram", &program.pid]).success());
        program.end();
    }
}

#[test]
fn a_program_that_dies_meanwhile_gives_an_error_and_no_report() {
    for jdk in jdks() {
        let (mut program, child) = writing(jdk);
        signal(&program.talking.child, Signal::KILL);
        let output = child.wait_with_output().expect("an end");
        let said = String::from_utf8_lossy(&output.stderr);
        let expected = format!("process {} ended before it answered; start the program again", program.pid);
        assert_eq!(said, format!("weighbridge: error: {expected}\n"), "Java {}", jdk.version);
        assert_eq!(output.status.code(), Some(3));
        program.talking.child.wait().expect("an end");
        assert!(!left_in_tmp(&program.pid), "Java {}", jdk.version);
    }
}

/// Whether there is a folder for the dump of a process that has ended.
fn left_in_tmp(pid: &str) -> bool {
    let folder = format!("/tmp/weighbridge-{}", rustix::process::geteuid().as_raw());
    let mut names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.any(|name| name.to_string_lossy().starts_with(&format!("heap-{pid}-")))
}

#[test]
fn a_dump_that_the_jvm_cannot_write_whole_gives_an_error_and_no_report() {
    for jdk in jdks() {
        let limited = |command: Command| {
            let mut outer = Command::new("sh");
            // Blocks of 512 bytes: less than the arrays take.
            outer.args(["-c", "ulimit -f 4000; exec \"$@\"", "sh"]).arg(command.get_program()).args(command.get_args());
            outer.env_remove("JAVA_TOOL_OPTIONS");
            outer
        };
        let program = Program::by(jdk, &[], &[], limited);
        let output = heap(&["threads", &program.pid]);
        let begin = format!("weighbridge: error: process {}: the dump is not whole: ", program.pid);
        assert!(output.code == Some(3) && output.stdout.is_empty(), "Java {}: {output}", jdk.version);
        assert!(output.stderr.starts_with(&begin) && output.stderr.lines().count() == 1, "{output}");
        program.end();
    }
}
