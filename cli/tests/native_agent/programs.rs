//! Programs with the agent, and what they and the report say.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;
use weighbridge_tests::{Jdk, Output, Weighbridge, compile, java, native_agent, run, verify_everything};

/// Compiled programs, and a folder for what running them makes.
pub struct Programs {
    pub folder: tempfile::TempDir,
    weighbridge: Weighbridge,
    pub classes: PathBuf,
    runs: AtomicU32,
}

impl Programs {
    pub fn new(program: &str, class_path: &[PathBuf]) -> Programs {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let classes = compile(program, class_path, folder.path());
        let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
        Programs { folder, weighbridge, classes, runs: AtomicU32::new(0) }
    }

    /// The agent's flag, with a configuration and options of the runtime.
    fn agent(&self, config: &str, options: &str) -> (String, PathBuf) {
        let run = self.runs.fetch_add(1, Ordering::Relaxed);
        let file = self.folder.path().join(format!("{run}.toml"));
        fs::write(&file, format!("version = 1\n{config}")).expect("the configuration");
        let recording = self.folder.path().join(format!("{run}.wbr"));
        let (agent, destfile) = (native_agent().display(), recording.display());
        (format!("-agentpath:{agent}=config={},destfile={destfile}{options}", file.display()), recording)
    }

    pub fn java(&self, jdk: &Jdk) -> Command {
        let mut command = java(jdk);
        command.args(verify_everything(jdk)).arg("-cp").arg(&self.classes);
        command
    }

    /// Runs a program with the agent; it must say nothing on standard error. Gives what it printed, and the report.
    pub fn measure(&self, jdk: &Jdk, config: &str, options: &str, launch: &[&str]) -> (Output, Value) {
        let (output, report) = self.measure_as(config, options, |agent| {
            let mut command = self.java(jdk);
            command.arg(agent).args(launch);
            command
        });
        assert!(output.stderr.is_empty(), "Java {} {config}: {output}", jdk.version);
        (output, report)
    }

    /// The same with any command, which gets the agent's flag.
    pub fn measure_as(&self, config: &str, options: &str, command: impl FnOnce(&str) -> Command) -> (Output, Value) {
        let (agent, recording) = self.agent(config, options);
        let mut command = command(&agent);
        let output = run(&mut command);
        assert!(output.success(), "{command:?} {config}: {output}");
        (output, self.weighbridge.report(&recording))
    }
}

pub fn rows(report: &Value) -> &Vec<Value> {
    report["classes"].as_array().unwrap_or_else(|| panic!("no classes: {report:#}"))
}

/// A row's class without the loader, and how many objects were constructed.
pub fn counted(row: &Value) -> (String, u64) {
    let class = row["class"].as_str().expect("a name").split(" (").next().expect("a name");
    (class.to_owned(), row["allocated"].as_u64().expect("a count"))
}

/// What a program says to have made, in order.
pub fn made(output: &Output) -> Vec<(String, u64)> {
    let lines = output.stdout.lines().filter_map(|line| line.strip_prefix("made ")?.split_once(' '));
    let mut made: Vec<(String, u64)> =
        lines.map(|(class, count)| (class.to_owned(), count.parse().expect("a number"))).collect();
    made.sort();
    made
}

/// What the program `Loading` is measured with.
pub const LOADING: &str = r#"
[instrument]
include = ["com.acme.loading.Classes$Chosen", "com.acme.loading.Classes$Left*"]
exclude = ["com.acme.loading.Classes$LeftOut*"]
annotated = ["com.acme.loading.Classes$Weighed"]
extends = ["com.acme.loading.Classes$Base", "com.acme.loading.Classes$Marker"]
[[target]]
class = "com.acme.loading.Classes$Counted"
track = "count"
[[target]]
class = "com.acme.loading.Classes$Cache"
fields = ["entries"]
[components]
chosen = ["com.acme.loading.Classes$Chosen"]
"#;

/// The report has a row for each line of the program, with as many objects.
pub fn as_made(output: &Output, report: &Value, context: &str) {
    let mut all: Vec<(String, u64)> = rows(report).iter().map(counted).collect();
    all.sort();
    assert_eq!(all, made(output), "{context}: {report:#}");
}
