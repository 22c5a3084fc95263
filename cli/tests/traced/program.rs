//! The traced program, and what it says.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use weighbridge_tests::{Jdk, Output, Talking, Weighbridge, attachable, compile, java, root, run};

/// What only hangs would take longer than.
pub const PATIENCE: Duration = Duration::from_secs(120);

pub const CLASSES: [&str; 2] = ["--class", "com.acme.probed.**"];

pub fn weighbridge() -> Command {
    Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge")).command()
}

/// The compiled `tests/java/probed`, and the runtime for its scopes.
pub struct Built {
    pub folder: tempfile::TempDir,
    pub classes: PathBuf,
    pub runtime: PathBuf,
}

impl Built {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let runtime = folder.path().join("weighbridge-runtime.jar");
        fs::write(&runtime, weighbridge_runtime::RUNTIME_JAR).expect("the runtime");
        let classes = compile("probed", std::slice::from_ref(&runtime), folder.path());
        Built { folder, classes, runtime }
    }
}

/// That program, which does what it is told.
pub struct Probed {
    pub program: Talking,
    pub jdk: &'static Jdk,
}

impl Probed {
    pub fn start(jdk: &'static Jdk, built: &Built) -> Self {
        Probed::with_class_path(jdk, built.classes.as_os_str())
    }

    pub fn with_class_path(jdk: &'static Jdk, class_path: &OsStr) -> Self {
        Probed::of(jdk, class_path, "com.acme.probed.Main")
    }

    pub fn of(jdk: &'static Jdk, class_path: &OsStr, main: &str) -> Self {
        let mut command = java(jdk);
        command.args(attachable(jdk)).arg("-cp").arg(class_path).arg(main);
        let mut program = Talking::start(&mut command);
        assert_eq!(program.line(), "ready");
        Probed { program, jdk }
    }

    pub fn tell(&mut self, line: &str) {
        assert_eq!(self.program.tell(line), "done", "{line}");
    }

    pub fn trace(&self, verb: &str, arguments: &[&str]) -> Output {
        run(weighbridge().args(["trace", verb, &self.program.pid]).args(arguments))
    }

    /// Begins a run of all classes of the program.
    pub fn begin(&self, what: &[&str], more: &[&str]) {
        let output = self.trace("start", &[what, &CLASSES, more].concat());
        assert!(output.success(), "Java {}: {output}", self.jdk.major);
    }

    pub fn ask(&self, verb: &str, name: &str) -> Value {
        let output = self.trace(verb, &[name, "-o", "json"]);
        assert!(output.success(), "Java {}: {output}", self.jdk.major);
        output.json()
    }

    pub fn detach(&self) {
        let output = run(weighbridge().args(["detach", &self.program.pid]));
        assert!(output.success(), "{output}");
    }
}

pub fn trace<'a>(run: &'a Value, what: &str) -> &'a Value {
    let traces = run["traces"].as_array().expect("traces");
    traces.iter().find(|trace| trace["what"] == what).unwrap_or_else(|| panic!("no {what}: {run:#}"))
}

pub fn rows<'a>(trace: &'a Value, key: &str) -> &'a [Value] {
    trace[key].as_array().unwrap_or_else(|| panic!("no {key}: {trace:#}"))
}

pub fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// Calls and exceptions of each method of a class.
pub fn calls(run: &Value, class: &str) -> BTreeMap<String, (u64, u64)> {
    let own = rows(trace(run, "methods"), "methods").iter().filter(|row| row["class"] == *class);
    let of_row = |row: &Value| {
        let name = row["method"].as_str().expect("a name").to_owned();
        let within: u64 = rows(row, "within").iter().map(|within| number(&within["calls"])).sum();
        assert_eq!(within, number(&row["calls"]), "each call has its time: {row}");
        (name, (number(&row["calls"]), number(&row["thrown"])))
    };
    own.map(of_row).collect()
}

/// Lines of `Lines.java` whose mark is this.
pub fn marked(mark: &str) -> BTreeSet<u64> {
    let source = fs::read_to_string(root().join("tests/java/probed/com/acme/probed/Lines.java")).expect("the source");
    let lines = source.lines().enumerate().filter(|(_, line)| line.ends_with(mark));
    lines.map(|(index, _)| index as u64 + 1).collect()
}
