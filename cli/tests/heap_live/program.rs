//! A program whose threads hold known arrays, and the binary beside it.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use weighbridge_tests::{Jdk, Output, Talking, Weighbridge, cache, compile, java, run};

/// What only hangs would take longer than.
const PATIENCE: Duration = Duration::from_secs(120);

pub fn weighbridge() -> Command {
    Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge")).command()
}

/// Runs `heap VERB`.
pub fn heap(arguments: &[&str]) -> Output {
    run(weighbridge().arg("heap").args(arguments))
}

/// Waits until something is so; fails with its name if it never is.
pub fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "never: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

pub fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("a signal");
}

/// An array of `length` bytes in the heap: a header of 16 bytes with compressed class pointers, rounded up to 8.
pub fn array(length: u64) -> u64 {
    (16 + length).next_multiple_of(8)
}

pub fn number(row: &Value, key: &str) -> u64 {
    row[key].as_u64().unwrap_or_else(|| panic!("no {key} in {row:#}"))
}

pub fn rows<'a>(report: &'a Value, key: &str) -> &'a [Value] {
    report[key].as_array().unwrap_or_else(|| panic!("no {key} in {report:#}"))
}

/// A program that runs until it is asked to end, or dropped.
pub struct Program {
    pub talking: Talking,
    pub pid: String,
}

impl Program {
    pub fn start(jdk: &Jdk, options: &[&str], arguments: &[&str]) -> Program {
        Program::by(jdk, options, arguments, |command| command)
    }

    /// Starts it by a command made of that of the JVM, and waits until its threads hold what they hold.
    pub fn by(jdk: &Jdk, options: &[&str], arguments: &[&str], changed: impl FnOnce(Command) -> Command) -> Program {
        static CLASSES: OnceLock<PathBuf> = OnceLock::new();
        let classes = CLASSES.get_or_init(|| compile("alone", &[], &cache().join("heap-live")));
        let mut command = java(jdk);
        // The interpreter keeps the locals of its frames as roots for as long as the frame lives.
        command.arg("-Xint").args(options).arg("-cp").arg(classes).arg("com.acme.alone.Main").args(arguments);
        let mut command = changed(command);
        let mut talking = Talking::start(&mut command);
        assert_eq!(talking.line(), "ready");
        Program { pid: talking.pid.clone(), talking }
    }

    /// Makes it hold more.
    pub fn more(&mut self) {
        assert_eq!(self.talking.tell("more"), "done");
    }

    /// The `/tmp` that it sees.
    pub fn temporary(&self) -> PathBuf {
        format!("/proc/{}/root/tmp", self.pid).into()
    }

    /// What we have left for this JVM in its `/tmp`: names that begin with `heap-` and its number.
    pub fn left(&self) -> Vec<PathBuf> {
        let inner = fs::read_to_string(format!("/proc/{}/status", self.pid)).unwrap_or_default();
        let inner = inner.lines().find_map(|line| line.strip_prefix("NSpid:")).unwrap_or(&self.pid);
        let prefix = format!("heap-{}-", inner.split_whitespace().last().expect("a number"));
        let folders = fs::read_dir(self.temporary()).into_iter().flatten().flatten();
        let ours = folders.filter(|folder| folder.file_name().to_string_lossy().starts_with("weighbridge-"));
        let inside = ours.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
        inside.filter(|it| it.file_name().to_string_lossy().starts_with(&prefix)).map(|it| it.path()).collect()
    }

    /// Ends it; it is as if nobody had looked.
    pub fn end(mut self) {
        assert_eq!(self.left(), [""; 0].map(PathBuf::from));
        self.talking.tell("end");
        assert_eq!(self.talking.child.wait().expect("an end").code(), Some(7));
    }
}
