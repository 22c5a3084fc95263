//! `weighbridge attach` beside a program that runs.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{Jdk, Output, Started, Weighbridge};

/// `weighbridge attach -o FILE` to a process, with more arguments, which runs until the session ends or a signal comes. The
/// classes have their probes when this returns.
pub fn attach(weighbridge: &Weighbridge, pid: &str, recording: &Path, arguments: &[&str]) -> Started {
    let mut command = weighbridge.command();
    command.args(["attach", pid]).args(arguments).arg("-o").arg(recording).arg("--force");
    Started::until(&mut command, "is measured; Ctrl-C ends it")
}

/// The options with which a JVM does not warn of agents that come later.
pub fn attachable(jdk: &Jdk) -> &'static [&'static str] {
    if jdk.major >= 21 { &["-XX:+EnableDynamicAgentLoading"] } else { &[] }
}

/// What runs a program once or twice and waits before the last time: its main class, and the folder of its class. Its
/// arguments are in `tests/java/middle`.
pub fn in_the_middle() -> (&'static str, &'static Path) {
    ("Middle", Path::new(concat!(env!("OUT_DIR"), "/middle")))
}

/// Runs a program that waits in the middle, and attaches there. Gives what it printed before, and its output afterwards.
pub fn attach_in_the_middle(
    weighbridge: &Weighbridge,
    command: &mut Command,
    recording: &Path,
    arguments: &[&str],
) -> (String, Output) {
    let errors = tempfile::NamedTempFile::new().expect("a file");
    command.stderr(File::create(errors.path()).expect("a file"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a JVM");
    let mut output = BufReader::new(child.stdout.take().expect("its output"));
    let stderr = || fs::read_to_string(errors.path()).expect("its standard error");
    let mut before = String::new();
    while !before.ends_with("middle\n") {
        assert!(output.read_line(&mut before).expect("a line") > 0, "{before}\n{}", stderr());
    }
    let attached = attach(weighbridge, &child.id().to_string(), recording, arguments);
    child.stdin.take().expect("its input").write_all(b"\n").expect("a program that reads");
    let mut stdout = String::new();
    output.read_to_string(&mut stdout).expect("its output");
    let code = child.wait().expect("an end").code();
    assert_eq!(attached.end(), (Some(0), String::new()), "{stdout}\n{}", stderr());
    before.truncate(before.len() - "middle\n".len());
    (before, Output { code, stdout, stderr: stderr() })
}
