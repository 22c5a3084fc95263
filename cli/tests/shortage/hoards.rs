//! `tests/java/hoards` in JVMs with little memory: it holds memory and calls methods as it is told.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::MutexGuard;
use std::time::{Duration, Instant};

use serde_json::Value;
use weighbridge_tests::{Jdk, compile, java, native_agent};

use crate::alone;
use crate::recorded::{decisions, has_decision, notes};

/// What only hangs would take longer than.
const PATIENCE: Duration = Duration::from_secs(120);

/// The thread that watches for shortages.
pub const WATCH: &str = "weighbridge-shortage";

/// Of the heap, in MiB; 60 percent of it are 76.
pub const SHORT: &str = "90";

/// The compiled program.
pub struct Program {
    folder: tempfile::TempDir,
    runtime: PathBuf,
    classes: PathBuf,
    _alone: MutexGuard<'static, ()>,
}

impl Program {
    pub fn new() -> Program {
        let alone = alone();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let runtime = folder.path().join("weighbridge-runtime.jar");
        fs::write(&runtime, weighbridge_runtime::RUNTIME_JAR).expect("the runtime");
        let classes = compile("hoards", std::slice::from_ref(&runtime), folder.path());
        Program { folder, runtime, classes, _alone: alone }
    }

    fn path(&self) -> String {
        let path = std::env::join_paths([&self.runtime, &self.classes]).expect("a class path");
        path.into_string().expect("UTF-8")
    }

    fn recording(&self) -> PathBuf {
        self.folder.path().join("run.wbr")
    }

    fn command(&self, jdk: &Jdk, path: &OsStr) -> Command {
        let mut command = java(jdk);
        command.args(["-Xmx128m", "-XX:+UseG1GC", "-cp"]).arg(path);
        command
    }

    fn start(&self, command: &mut Command) -> Running<'_> {
        let stderr = self.folder.path().join("stderr");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(&stderr).expect("a file"));
        let mut child = command.spawn().expect("java starts");
        let input = child.stdin.take().expect("its input");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let mut running = Running { program: self, child, input: Some(input), output, stderr };
        assert_eq!(running.line(), "ready");
        running
    }

    /// With the native agent, which brings runtime and API, and a configuration, which needs no version.
    pub fn with_agent(&self, jdk: &Jdk, config: &str) -> Running<'_> {
        self.start(self.agent(jdk, config, self.classes.as_os_str()).arg("com.acme.hoards.Main"))
    }

    fn agent(&self, jdk: &Jdk, config: &str, path: &OsStr) -> Command {
        let file = self.folder.path().join("weighbridge.toml");
        fs::write(&file, format!("version = 1\n{config}")).expect("the configuration");
        let mut command = self.command(jdk, path);
        let (agent, file, recording) = (native_agent().display(), file.display(), self.recording());
        command.arg(format!("-agentpath:{agent}=config={file},destfile={}", recording.display()));
        command
    }

    /// With the native agent; the program brings an API of its own.
    pub fn elsewhere_with_agent(&self, jdk: &Jdk, config: &str) -> Running<'_> {
        let path = self.path();
        self.start(self.agent(jdk, config, OsStr::new(&path)).args(["com.acme.hoards.Elsewhere", &path]))
    }

    /// With the runtime on the class path and these options, and no agent.
    pub fn alone(&self, jdk: &Jdk, options: &[&str]) -> Running<'_> {
        self.started(self.without_agent(jdk, options).arg("com.acme.hoards.Main"))
    }

    /// The same; the program brings an API of its own.
    pub fn elsewhere(&self, jdk: &Jdk, options: &[&str]) -> Running<'_> {
        self.started(self.without_agent(jdk, options).args(["com.acme.hoards.Elsewhere", &self.path()]))
    }

    /// Starts the runtime, too: no class of the program does.
    fn started(&self, command: &mut Command) -> Running<'_> {
        let mut running = self.start(command);
        assert_eq!(running.tell("measure"), "true");
        running.until("threads", WATCH);
        running
    }

    fn without_agent(&self, jdk: &Jdk, options: &[&str]) -> Command {
        let mut command = self.command(jdk, OsStr::new(&self.path()));
        command.arg(format!("-Dweighbridge.destfile={}", self.recording().display()));
        command.args(options.iter().map(|option| format!("-Dweighbridge.{option}")));
        command
    }
}

/// The program, which runs until it is dropped.
pub struct Running<'a> {
    program: &'a Program,
    child: Child,
    /// `None` once it is to end.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    stderr: PathBuf,
}

/// What is left of it.
#[derive(Debug)]
pub struct Ended {
    pub decisions: Vec<Value>,
    pub notes: Vec<String>,
    pub said: String,
}

impl Running<'_> {
    pub fn pid(&self) -> String {
        self.child.id().to_string()
    }

    fn line(&mut self) -> String {
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).expect("a line");
            assert!(line.ends_with('\n'), "it has ended: {line}{}", said(&self.stderr));
            // HotSpot says there what it posts to agents.
            if !line.contains("Posting Resource Exhausted event") {
                return line.trim_end().to_owned();
            }
        }
    }

    /// The answer to a command, or for a call what it gave and the milliseconds that it took.
    pub fn tell(&mut self, command: &str) -> String {
        writeln!(self.input.as_mut().expect("its input"), "{command}").expect("a program that reads");
        self.line()
    }

    /// What a call gave or threw.
    pub fn call(&mut self, command: &str) -> String {
        let answer = self.tell(command);
        answer.rsplit_once(" after ").unwrap_or_else(|| panic!("{command}: {answer}")).0.to_owned()
    }

    /// Starts a thread that holds memory: `NAME THREAD SCOPE MIB`, and `asks` or `works`. Then it collects: a shortage is seen
    /// after a collection, and a program that waits makes none.
    pub fn hold(&mut self, hoard: &str) {
        assert_eq!(self.tell(&format!("hold {hoard}")), "holds");
        for _ in 0..2 {
            assert_eq!(self.tell("collect"), "collected");
        }
    }

    /// Repeats a command until its answer has a text in it, and collects meanwhile.
    pub fn until(&mut self, command: &str, answer: &str) -> String {
        let begin = Instant::now();
        loop {
            let told = self.tell(command);
            if told.contains(answer) {
                return told;
            }
            self.tell("collect");
            assert!(begin.elapsed() < PATIENCE, "{command} never gave {answer}: {told}\n{}", said(&self.stderr));
        }
    }

    /// Collects until a decision is recorded.
    pub fn until_decided(&mut self) {
        let begin = Instant::now();
        while !has_decision(&self.program.recording()) {
            self.tell("collect");
            assert!(begin.elapsed() < PATIENCE, "no decision\n{}", said(&self.stderr));
        }
    }

    /// Ends it in order.
    pub fn end(mut self) -> Ended {
        self.input = None;
        let status = self.child.wait().expect("an end");
        let said = said(&self.stderr);
        assert!(status.success(), "{status}: {said}");
        let recording = self.program.recording();
        let ended = Ended { decisions: decisions(&recording), notes: notes(&recording), said };
        fs::remove_file(recording).expect("the next has its own");
        ended
    }
}

fn said(stderr: &Path) -> String {
    fs::read_to_string(stderr).unwrap_or_default()
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
