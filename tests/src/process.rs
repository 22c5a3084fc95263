//! Runs child processes.

use serde_json::Value;
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The output of a finished process.
pub struct Output {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Output {
    /// Whether the exit code is 0.
    pub fn success(&self) -> bool {
        self.code == Some(0)
    }

    /// Standard output as JSON.
    pub fn json(&self) -> Value {
        assert!(self.success(), "{self}");
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("not JSON ({e}):\n{self}"))
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit code {:?}\n--- stdout\n{}--- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|e| match e.kind() {
        ErrorKind::NotFound => panic!("install {:?}: the tests need it", command.get_program()),
        _ => panic!("run {command:?}: {e}"),
    });
    Output {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The binary under test.
pub struct Weighbridge(PathBuf);

impl Weighbridge {
    /// Wraps the path that cargo gives as `env!("CARGO_BIN_EXE_weighbridge")`.
    pub fn new(binary: &str) -> Self {
        Weighbridge(PathBuf::from(binary))
    }

    /// A command of the binary, without arguments.
    pub fn command(&self) -> Command {
        Command::new(&self.0)
    }

    /// Runs `instrument --json` into a folder; returns the summary.
    pub fn instrument(&self, inputs: &[&Path], config: &Path, dest: &Path) -> Value {
        let mut command = self.command();
        command.arg("instrument").args(inputs).arg("--config").arg(config).arg("--dest").arg(dest).arg("--json");
        run(&mut command).json()
    }

    /// Writes the leak sample into a folder and rewrites it to `weighed/leak.jar`; returns the summary.
    pub fn instrument_leak(&self, folder: &Path) -> Value {
        let jar = folder.join("leak.jar");
        fs::write(&jar, weighbridge_samples::LEAK_JAR).expect("the jar");
        let config = folder.join("weighbridge.toml");
        fs::write(&config, weighbridge_samples::LEAK_CONFIG).expect("the configuration");
        self.instrument(&[&jar], &config, &folder.join("weighed"))
    }

    /// `report -o json` of one recording.
    pub fn report(&self, recording: &Path) -> Value {
        run(self.command().arg("report").arg(recording).args(["-o", "json"])).json()
    }
}
