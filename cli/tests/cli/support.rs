//! Runs the binary in a directory, and makes its answer one text to compare.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A recording of format 1 (reporter/recording/tests/versions.rs states its totals).
pub const RECORDING: &[u8] = include_bytes!("../../../reporter/recording/tests/fixtures/v1.wbr");

/// A configuration that matches the demo's classes.
pub const CONFIG: &str = "version = 1\n[instrument]\ninclude = [\"com.acme.**\"]\n";

/// A temporary directory. Commands run in it, so messages name relative paths.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().expect("a temporary directory"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a path below the directory")).expect("its parent");
        fs::write(&path, bytes).expect("a file");
        path
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_weighbridge"));
        command
            .current_dir(self.0.path())
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env_remove("JAVA_TOOL_OPTIONS")
            .env_remove("JDK_JAVA_OPTIONS")
            .env_remove("CLASSPATH")
            .env_remove("COLUMNS");
        command
    }

    /// Runs the binary and returns its exit code and its output without this directory's path.
    pub fn run(&self, arguments: &[&str]) -> Answer {
        self.answer(self.command().args(arguments))
    }

    pub fn answer(&self, command: &mut Command) -> Answer {
        Answer::of(command.output().expect("the binary starts"), self.0.path())
    }

    /// The names in a directory, sorted.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).expect("a directory");
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// The output of a run.
#[derive(Debug)]
pub struct Answer {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Answer {
    fn of(output: Output, folder: &Path) -> Self {
        let folder = folder.to_str().expect("UTF-8");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8").replace(folder, "[DIR]");
        Answer { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let code = self.code.map_or("none".to_owned(), |code| code.to_string());
        write!(f, "exit code {code}\n--- stdout\n{}--- stderr\n{}", self.stdout, self.stderr)
    }
}

/// A zip file of stored entries.
pub fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    use std::io::Write;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, bytes) in entries {
        zip.start_file(*name, options).expect("an entry");
        zip.write_all(bytes).expect("its bytes");
    }
    zip.finish().expect("a zip").into_inner()
}

/// An entry of the demo's jar.
pub fn demo_class(name: &str) -> Vec<u8> {
    use std::io::Read;
    let mut archive =
        zip::ZipArchive::new(std::io::Cursor::new(weighbridge_samples::DEMO_JAR)).expect("the demo's jar");
    let mut bytes = Vec::new();
    archive.by_name(name).expect("its class").read_to_end(&mut bytes).expect("its bytes");
    bytes
}

/// A text with each number as `N`: counts, offsets and lengths depend on the compiler that built the samples.
pub fn without_numbers(text: &str) -> String {
    let mut shortened = String::new();
    for c in text.chars() {
        match c.is_ascii_digit() {
            false => shortened.push(c),
            true if !shortened.ends_with('N') => shortened.push('N'),
            true => {}
        }
    }
    shortened
}
