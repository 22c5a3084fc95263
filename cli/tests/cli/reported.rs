//! Recordings of two JVMs, and the report of them that every format is held against.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::fs::File;

use serde_json::Value;
use weighbridge_recording::{Line, Reader, Writer};
use weighbridge_tests::made_recording::{self, Shape};
use weighbridge_tests::{Output, Weighbridge, run};

/// More classes than OpenMetrics gives series of their own below.
pub const SHAPE: Shape = Shape { snapshots: 12, classes: 60, components: 5, interval_ms: 60_000, seed: 7 };

pub struct Reported {
    pub folder: tempfile::TempDir,
    pub weighbridge: Weighbridge,
    pub report: Value,
}

impl Reported {
    /// Two JVMs of one program.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for seed in [7, 8] {
            let file = File::create(folder.path().join(format!("{seed}.wbr"))).expect("a recording");
            made_recording::write(file, &Shape { seed, ..SHAPE }).expect("a recording");
        }
        let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
        let report = weighbridge.report(folder.path());
        Reported { folder, weighbridge, report }
    }

    pub fn export(&self, format: &str, options: &[&str]) -> Output {
        let mut command = self.weighbridge.command();
        let output = run(command.arg("report").arg(self.folder.path()).args(["-o", format]).args(options));
        assert!(output.success() && output.stderr.is_empty(), "{format} {options:?}: {output}");
        output
    }

    pub fn sum(&self, rows: &str, figure: &str) -> u64 {
        self.rows(rows).iter().map(|row| row[figure].as_u64().unwrap_or_else(|| panic!("{rows}: {row:#}"))).sum()
    }

    pub fn rows(&self, rows: &str) -> &[Value] {
        self.report[rows].as_array().unwrap_or_else(|| panic!("no {rows}: {:#}", self.report))
    }
}

/// A recording whose lines were changed on the way.
pub fn changed(change: impl Fn(&mut Line)) -> (tempfile::TempDir, Weighbridge) {
    let mut made = Vec::new();
    made_recording::write(&mut made, &SHAPE).expect("a recording");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = Writer::new(File::create(folder.path().join("run.wbr")).expect("a recording"));
    for line in Reader::new("made.wbr", made.as_slice()).expect("a recording") {
        let mut line = line.expect("a line");
        change(&mut line);
        writer.line(&line).expect("a line");
        if matches!(line, Line::Snapshot(_)) {
            writer.end_member().expect("a member");
        }
    }
    writer.finish().expect("a recording");
    (folder, Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge")))
}
