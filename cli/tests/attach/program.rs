//! A Java program under load, and the binary beside it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use weighbridge_tests::{Jdk, Output, Started, Weighbridge, attachable, cache, compile, forget_socket, java, run};

/// What only hangs would take longer than.
const PATIENCE: Duration = Duration::from_secs(120);

/// What the program prints at its end, after the number of counted objects.
pub const DIGEST: &str = "digest 6002468067026406688";

pub const COUNTED: &str = "com.acme.attached.Counted";

pub fn weighbridge() -> Weighbridge {
    Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"))
}

/// Runs the binary.
pub fn ask(arguments: &[&str]) -> Output {
    run(weighbridge().command().args(arguments))
}

/// Waits until something is so; fails with its name if it never is.
pub fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "never: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Where the files of an attach are for a moment.
pub fn our_folder() -> PathBuf {
    format!("/tmp/weighbridge-{}", rustix::process::geteuid().as_raw()).into()
}

/// A program that runs until its end is asked for, or it is dropped.
pub struct Program {
    child: Child,
    output: BufReader<ChildStdout>,
    folder: tempfile::TempDir,
    pub pid: String,
}

impl Program {
    pub fn start(jdk: &Jdk) -> Program {
        Program::with(jdk, &[])
    }

    /// Starts it with options of the JVM, and waits until its `main` runs.
    pub fn with(jdk: &Jdk, options: &[&str]) -> Program {
        Program::by(jdk, options, |command| command)
    }

    /// The same by a command made of that of the JVM.
    pub fn by(jdk: &Jdk, options: &[&str], changed: impl FnOnce(Command) -> Command) -> Program {
        static CLASSES: OnceLock<PathBuf> = OnceLock::new();
        let classes = CLASSES.get_or_init(|| compile("attached", &[], &cache().join("attach")));
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut command = java(jdk);
        // What the JDK keeps softly must not count as left behind.
        command
            .args(attachable(jdk))
            .args(["--add-opens", "java.base/java.lang=ALL-UNNAMED", "-Xmx256m", "-XX:SoftRefLRUPolicyMSPerMB=0"])
            .args(options)
            .arg("-cp")
            .arg(classes)
            .arg("com.acme.attached.Main");
        let mut command = changed(command);
        command
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(folder.path().join("stderr")).expect("a file"));
        let mut child = command.spawn().expect("a JVM");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let pid = child.id().to_string();
        let mut program = Program { child, output, folder, pid };
        assert_eq!(program.line(), "ready", "{}", program.stderr());
        program
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    /// What it answers to a line.
    pub fn tell(&mut self, line: &str) -> String {
        writeln!(self.child.stdin.as_mut().expect("its input"), "{line}").expect("a program that reads");
        self.line()
    }

    /// The numbers that it tells of itself after collections: loaders of our runtime, used heap, threads of ours, used
    /// metaspace.
    pub fn state(&mut self) -> [u64; 4] {
        let line = self.tell("state");
        let words: Vec<&str> = line.split(' ').collect();
        [1, 3, 5, 7].map(|index| words[index].parse().expect("a number"))
    }

    /// How many calls of the bridge the constructor of a counted object makes: 0 if it has its own bytes.
    pub fn calls(&mut self) -> u64 {
        let line = self.tell("calls");
        line.strip_prefix("calls ").and_then(|calls| calls.parse().ok()).expect(&line)
    }

    pub fn stderr(&self) -> String {
        fs::read_to_string(self.path("stderr")).expect("its standard error")
    }

    /// A path in its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("a signal");
    }

    /// Stops it, as its state says when this returns; the signal alone takes a moment.
    pub fn stop(&self) {
        self.signal(Signal::STOP);
        let stat = format!("/proc/{}/stat", self.pid);
        wait_for("a stop", || fs::read_to_string(&stat).expect("a process").contains(") T "));
    }

    /// Waits until it was killed.
    pub fn wait(&mut self) {
        self.child.wait().expect("an end");
    }

    /// Its entries in a folder of `/proc`, as links or texts.
    fn proc(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(format!("/proc/{}/{folder}", self.pid)).expect("a process");
        let name = |path: &Path| match folder {
            "fd" => fs::read_link(path).map(|link| link.display().to_string()),
            _ => fs::read_to_string(path.join("comm")),
        };
        entries.filter_map(|entry| name(&entry.ok()?.path()).ok()).collect()
    }

    /// Open files and sockets: what each of them is.
    pub fn descriptors(&self) -> Vec<String> {
        self.proc("fd")
    }

    /// The files of the agent that are mapped, each once.
    pub fn mapped(&self) -> Vec<String> {
        let maps = fs::read_to_string(format!("/proc/{}/maps", self.pid)).expect("a process");
        let mut found: Vec<String> = maps
            .lines()
            .filter(|line| line.contains("libweighbridge"))
            .filter_map(|line| Some(line.split_once('/')?.1.to_owned()))
            .collect();
        found.dedup();
        found
    }

    /// Threads of the system.
    pub fn threads(&self) -> usize {
        self.proc("task").len()
    }

    /// Whether a thread of the agent or the runtime lives.
    pub fn has_thread_of_ours(&self) -> bool {
        self.proc("task").iter().any(|name| name.starts_with("weighbridge"))
    }

    /// Nothing of ours is left but the mapped library.
    pub fn assert_clean(&mut self, java: &str) {
        // The thread that answered may still end.
        wait_for("no thread of ours", || !self.has_thread_of_ours());
        let (begin, mut state) = (Instant::now(), self.state());
        while !matches!(state, [0, _, 0, _]) {
            assert!(begin.elapsed() < PATIENCE, "Java {java}: loaders, heap, threads of ours, metaspace: {state:?}");
            state = self.state();
        }
        assert_eq!(self.calls(), 0, "Java {java}: probes");
        let fds = self.descriptors();
        assert!(
            !fds.iter().any(|link| link.contains("weighbridge-") || link.contains("anon_inode:[event")),
            "Java {java}: {fds:?}"
        );
        assert_eq!(self.files(), [""; 0], "Java {java}");
        assert!(!ask(&["ctl", &self.pid, "status"]).success());
    }

    /// Our files in `/tmp` that name the process.
    pub fn files(&self) -> Vec<String> {
        let names = fs::read_dir(our_folder()).into_iter().flatten().flatten();
        names
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| name.split(|c: char| !c.is_ascii_digit()).any(|word| word == self.pid))
            .collect()
    }

    /// Ends it, with this code; it is as if nobody had measured.
    pub fn end(mut self, made: u64) {
        let line = self.tell("end 7");
        assert_eq!(line, format!("made {made}, {DIGEST}"), "{}", self.stderr());
        assert_eq!(self.child.wait().expect("an end").code(), Some(7));
        assert_eq!(self.stderr(), "");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // A killed JVM leaves them.
        forget_socket(&self.pid);
        let _ = fs::remove_file(our_folder().join(format!("{}.sock", self.pid)));
    }
}

/// `weighbridge attach -o FILE`, which runs until the session ends or a signal comes.
pub struct Attached(Started);

impl Attached {
    /// Attaches and measures the program's classes, when it is asked to; they have their probes when this returns.
    pub fn to(program: &Program, recording: &Path) -> Attached {
        Attached::with(program, recording, &[])
    }

    /// The same with more arguments.
    pub fn with(program: &Program, recording: &Path, more: &[&str]) -> Attached {
        let arguments = ["--include", "com.acme.**", "--set", "interval=2h"];
        Attached::start(&program.pid, recording, &[&arguments, more].concat())
    }

    pub fn start(pid: &str, recording: &Path, arguments: &[&str]) -> Attached {
        Attached(weighbridge_tests::attach(&weighbridge(), pid, recording, arguments))
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(self.0.child()), signal).expect("a signal");
    }

    /// What it has said up to the note that it measures.
    pub fn said(&self) -> &str {
        self.0.said()
    }

    /// Waits for its end: its exit code, and its last message.
    pub fn end(self) -> (Option<i32>, String) {
        self.0.end()
    }
}

/// What a recording tells: how many counted objects were constructed, and how it ended.
pub fn recorded(recording: &Path) -> (u64, String) {
    let report = weighbridge().report(recording);
    assert_eq!(report["damaged"], serde_json::json!([]));
    let rows = report["classes"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["class"] == COUNTED);
    let count = row.map_or(0, |row| row["allocated"].as_u64().expect("a number"));
    let end = report["jvms"][0]["end_reason"].as_str();
    if end.is_none() {
        // For whoever looks at a test that has failed: which lines have come.
        for line in weighbridge_recording::Reader::open(recording).expect("a recording") {
            eprintln!("{:.200}", format!("{line:?}"));
        }
    }
    (count, end.unwrap_or("none").to_owned())
}
