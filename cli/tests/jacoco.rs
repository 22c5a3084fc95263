//! Coverage beside JaCoCo's: both agents in the same JVMs, which run tests of libraries.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use weighbridge_tests::{Weighbridge, jar, jars, java, jdk, native_agent, run};

/// Of each library the package, and the packages of its tests that run.
const LIBRARIES: [(&str, &str, &[&str]); 3] = [
    ("commons-codec", "org.apache.commons.codec", &["org.apache.commons.codec.digest", "org.apache.commons.codec.net"]),
    ("commons-cli", "org.apache.commons.cli", &["org.apache.commons.cli"]),
    (
        "commons-text",
        "org.apache.commons.text",
        &["org.apache.commons.text.similarity", "org.apache.commons.text.translate"],
    ),
];

/// Lines by source file and number, and whether they were reached; of a report in JaCoCo's form.
fn lines(report: &Path) -> BTreeMap<(String, u64), bool> {
    let text = fs::read_to_string(report).expect("a report");
    let mut lines = BTreeMap::new();
    let (mut package, mut source) = (String::new(), String::new());
    for tag in text.split('<') {
        let value = |key: &str| {
            let from = tag.find(&format!(" {key}=\""))? + key.len() + 3;
            Some(tag[from..].split('"').next().unwrap_or_default().to_owned())
        };
        if tag.starts_with("package ") {
            package = value("name").expect("a name");
        } else if tag.starts_with("sourcefile ") {
            source = format!("{package}/{}", value("name").expect("a name"));
        } else if tag.starts_with("line ") {
            let number = value("nr").and_then(|nr| nr.parse().ok()).expect("a line");
            lines.insert((source.clone(), number), value("ci").expect("instructions") != "0");
        }
    }
    lines
}

/// JaCoCo does not see that a line was reached whose exception left the method before its next probe, and leaves some code out
/// that a compiler adds. We see only classes that were loaded.
#[test]
fn lines_that_jacoco_sees_are_reached_and_few_others() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let jdk = jdk(17);
    let names = [
        "junit-platform-console-standalone",
        "commons-codec",
        "commons-cli",
        "commons-text",
        "commons-lang3",
        "commons-io",
    ];
    let class_path = std::env::join_paths(jars(&names)).expect("a class path");
    for (library, package, tests) in LIBRARIES {
        let path = |name: &str| folder.path().join(format!("{library}{name}"));
        let (exec, recording, theirs, ours) = (path(".exec"), path(".wbr"), path("-jacoco.xml"), path(".xml"));
        let mut program = java(jdk);
        program.arg(format!(
            "-javaagent:{}=destfile={},includes={package}.*",
            jar("org.jacoco.agent").display(),
            exec.display()
        ));
        program.arg(format!(
            "-agentpath:{}=trace=coverage:{package}.**,destfile={}",
            native_agent().display(),
            recording.display()
        ));
        program.arg("-cp").arg(&class_path).args(["org.junit.platform.console.ConsoleLauncher", "execute"]);
        program
            .args(["--details=summary", "-E", "junit-vintage"])
            .args(tests.iter().flat_map(|package| ["-p", package]));
        let output = run(&mut program);
        assert!(output.stdout.contains("tests successful"), "{library}: {output}");
        let own = jars(&[library]).into_iter().find(|jar| !jar.to_string_lossy().contains("-tests")).expect("the jar");
        let mut report = java(jdk);
        report.arg("-jar").arg(jar("org.jacoco.cli")).arg("report").arg(&exec).arg("--classfiles").arg(own);
        let output = run(report.arg("--xml").arg(&theirs));
        assert!(output.success(), "{library}: {output}");
        let mut show: Command = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge")).command();
        let output = run(show.args(["trace", "show"]).arg(&recording).arg("--jacoco").arg(&ours));
        assert!(output.success(), "{library}: {output}");

        let (theirs, ours) = (lines(&theirs), lines(&ours));
        let covered: Vec<_> = theirs.iter().filter(|(_, reached)| **reached).map(|(line, _)| line).collect();
        let missed: Vec<_> = covered.iter().filter(|line| ours.get(**line) != Some(&true)).collect();
        assert!(missed.is_empty() && covered.len() > 300, "{library}: {missed:?} of {}", covered.len());
        let common = theirs.keys().filter(|line| ours.contains_key(*line)).count();
        let more: Vec<_> =
            theirs.iter().filter(|(line, reached)| !**reached && ours.get(*line) == Some(&true)).collect();
        eprintln!("{library}: {common} lines, {} reached by both, {} by ours alone", covered.len(), more.len());
        assert!(more.len() * 50 < covered.len(), "{library}: {more:?}");
    }
}
