//! Objects that no constructor announced: the native agent finds them in the heap.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;
use weighbridge_tests::{Jdk, Weighbridge, attach, compile, java, jdks, native_agent, run};

const MAIN: &str = "com.acme.unannounced.Main";
const CONFIG: &str = "version = 1\n[instrument]\ninclude = [\"com.acme.unannounced.*\"]\n";

/// The program, which goes on when it gets a byte.
struct Program {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Program {
    fn start(command: &mut Command, classes: &Path) -> Program {
        let mut child = command
            .arg("-cp")
            .arg(classes)
            .arg(MAIN)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("java starts");
        let (input, output) = (child.stdin.take().expect("input"), child.stdout.take().expect("output"));
        Program { child, input, output: BufReader::new(output) }
    }

    /// Waits until it says this.
    fn until(&mut self, said: &str) {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        assert_eq!(line.trim_end(), said);
    }

    fn go(&mut self) {
        self.input.write_all(b"\n").expect("it reads");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Setting {
    folder: tempfile::TempDir,
    weighbridge: Weighbridge,
    classes: PathBuf,
}

impl Setting {
    fn new() -> Setting {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("weighbridge.toml"), CONFIG).expect("the configuration");
        let classes = compile("unannounced", &[], folder.path());
        Setting { folder, weighbridge: Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge")), classes }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program with the agent from its start.
    fn measured(&self, jdk: &Jdk, recording: &Path) -> Program {
        let config = self.path("weighbridge.toml");
        let agent = format!(
            "{}=config={},destfile={},pause=1h",
            native_agent().display(),
            config.display(),
            recording.display()
        );
        Program::start(java(jdk).arg(format!("-agentpath:{agent}")), &self.classes)
    }

    fn ctl(&self, program: &Program, words: &[&str]) -> Value {
        let pid = program.child.id().to_string();
        let output = run(self.weighbridge.command().args(["ctl", &pid]).args(words));
        assert!(output.success(), "{words:?}: {output}");
        output.json()
    }
}

/// The row of a class in a report.
fn row<'r>(report: &'r Value, class: &str) -> &'r Value {
    let rows = report["classes"].as_array().unwrap_or_else(|| panic!("{report:#}"));
    let name = format!("{MAIN}${class}");
    rows.iter().find(|row| row["class"] == *name).unwrap_or_else(|| panic!("no {name}: {report:#}"))
}

/// Constructed, there before, unannounced, live.
fn figures(report: &Value, class: &str) -> [u64; 4] {
    let row = row(report, class);
    ["allocated", "before", "unannounced", "live"].map(|key| row[key].as_u64().unwrap_or(0))
}

#[test]
fn objects_made_without_a_constructor_are_found_at_each_full_measurement() {
    let setting = Setting::new();
    for jdk in jdks() {
        let recording = setting.path(&format!("{}.wbr", jdk.major));
        let mut program = setting.measured(jdk, &recording);
        program.until("early");
        program.go();
        program.until("made");
        setting.ctl(&program, &["measure"]);
        setting.ctl(&program, &["measure"]);
        let report = setting.weighbridge.report(&recording);
        let context = format!("Java {}: {report:#}", jdk.version);
        assert_eq!(figures(&report, "Letter"), [100, 0, 100, 200], "{context}");
        assert_eq!(figures(&report, "Raw"), [7, 0, 7, 14], "{context}");
        assert_eq!(figures(&report, "Early"), [3011, 0, 0, 3011], "{context}");
        assert_eq!(row(&report, "Letter")["exact"], true, "{context}");
    }
}

const LEFT_OUT: &str = "objects that existed before measuring began were not looked for: only a heap dump counts them";

#[test]
fn objects_that_exist_at_an_attach_are_live_from_the_first_moment_and_not_constructed() {
    let setting = Setting::new();
    // 3000 early objects exist before the attach; the other classes are loaded later.
    // Measured by a heap dump, which has them anyway.
    let ways: [(&[&str], [u64; 4]); 2] = [(&[], [11, 3000, 0, 3011]), (&["--no-seed"], [11, 0, 3000, 3011])];
    for (jdk, (more, early)) in jdks().iter().flat_map(|jdk| ways.map(|way| (jdk, way))) {
        let recording = setting.path(&format!("attached-{}{}.wbr", jdk.major, more.concat()));
        let mut program = Program::start(java(jdk).stderr(Stdio::null()), &setting.classes);
        program.until("early");
        let pid = program.child.id().to_string();
        let include = [&["--include", "com.acme.unannounced.*", "--pause", "1h"], more].concat();
        let attached = attach(&setting.weighbridge, &pid, &recording, &include);
        program.go();
        program.until("made");
        setting.ctl(&program, &["measure"]);
        assert!(run(setting.weighbridge.command().args(["detach", &pid])).success());
        assert_eq!(attached.end(), (Some(0), String::new()));
        let report = setting.weighbridge.report(&recording);
        let context = format!("Java {} {more:?}: {report:#}", jdk.version);
        assert_eq!(figures(&report, "Early"), early, "{context}");
        let notes = report["notes"].as_array().expect("a list");
        assert_eq!(notes.iter().any(|note| note == LEFT_OUT), !more.is_empty(), "{context}");
        assert_eq!(figures(&report, "Letter"), [100, 0, 100, 200], "{context}");
        assert_eq!(figures(&report, "Raw"), [7, 0, 7, 14], "{context}");
    }
}

#[test]
fn a_run_has_a_recording_of_its_own_with_its_classes_and_says_its_name() {
    let setting = Setting::new();
    let jdk = jdks().last().expect("a JDK");
    let recording = setting.path("session.wbr");
    let mut program = setting.measured(jdk, &recording);
    program.until("early");
    let file = setting.path("letters.wbr");
    let file_text = file.display().to_string();
    let started = setting.ctl(&program, &["start", "letters", "--include", "**$Letter", "--file", &file_text]);
    assert_eq!(started["recording"], file_text.as_str());
    let status = setting.ctl(&program, &["status"]);
    assert_eq!(status["runs"][0]["filters"]["include"][0], "**$Letter", "{status:#}");
    program.go();
    program.until("made");
    let stopped = setting.ctl(&program, &["stop"]);
    assert_eq!(stopped["snapshots"], 2, "{stopped:#}");
    let report = setting.weighbridge.report(&file);
    assert_eq!(report["classes"].as_array().map(Vec::len), Some(1), "{report:#}");
    assert_eq!(figures(&report, "Letter"), [100, 0, 100, 200], "{report:#}");
    let pid = program.child.id().to_string();
    for (words, said) in [
        (["stop", "letters"].as_slice(), "no run has the name letters"),
        (&["start", "a/b"], "a run's name has 1 to 64 letters"),
        (&["start", "b", "--set", "references=7"], "references is no setting of a run"),
        (&["start", "b", "--set", "interval=often"], "option interval=often: it takes"),
        (&["start", "b", "--file", "/dev/null/no.wbr"], "could not be written"),
    ] {
        let output = run(setting.weighbridge.command().args(["ctl", &pid]).args(words));
        assert_eq!(output.code, Some(3), "{words:?}: {output}");
        assert!(output.stderr.contains(said), "{words:?}: {output}");
    }
}
