//! `report` and the help from outside.

use std::io::Read;
use std::process::Stdio;

use crate::support::{Folder, RECORDING};
use insta::assert_snapshot;

#[test]
fn the_help_of_every_verb_is_as_documented() {
    let folder = Folder::new();
    assert_snapshot!("help", folder.run(&["--help"]));
    let verbs = [
        "init",
        "config",
        "instrument",
        "report",
        "watch",
        "diff",
        "merge",
        "check",
        "trend",
        "export",
        "run",
        "jvms",
        "attach",
        "detach",
        "ctl",
        "doctor",
        "trace",
        "replay",
        "agent",
        "demo",
        "verify",
        "explain",
        "licenses",
        "completions",
        "man",
    ];
    for verb in verbs {
        assert_snapshot!(format!("help_{verb}"), folder.run(&[verb, "--help"]));
    }
    assert_snapshot!("help_heap", folder.run(&["heap", "--help"]));
    let verbs = [
        "suspects",
        "histogram",
        "dominators",
        "threads",
        "release",
        "components",
        "path",
        "object",
        "waste",
        "diff",
        "redact",
    ];
    for verb in verbs {
        assert_snapshot!(format!("help_heap_{verb}"), folder.run(&["heap", verb, "--help"]));
    }
}

#[test]
fn the_version_is_the_workspaces() {
    let answer = Folder::new().run(&["--version"]);
    assert_eq!(answer.stdout, format!("weighbridge {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_binary_carries_its_licenses_and_those_of_what_is_in_it() {
    let answer = Folder::new().run(&["licenses"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer}");
    for part in
        ["The Weighbridge authors", "Apache License", "\n  clap 4.", "\n  uplot 1.", "Copyright (c) 2022 Leon Sorokin"]
    {
        assert!(answer.stdout.contains(part), "{part}");
    }
}

#[test]
fn no_verb_is_a_usage_error_that_shows_the_help() {
    let answer = Folder::new().run(&[]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("Usage: weighbridge <COMMAND>"), "{answer}");
}

#[test]
fn a_report_goes_to_standard_output_without_colour_when_it_is_no_terminal() {
    let folder = Folder::new();
    folder.write("run.wbr", RECORDING);
    let answer = folder.run(&["report", "run.wbr", "--top", "1"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer}");
    assert!(!answer.stdout.contains('\x1b'), "{answer}");
    assert!(answer.stdout.contains("... and 3 more (--top)"), "{answer}");
    assert_eq!(answer.stdout, folder.run(&["report", "run.wbr", "--top", "1"]).stdout);
}

#[test]
fn a_directory_means_the_recordings_in_it() {
    let folder = Folder::new();
    folder.write("runs/b.wbr", RECORDING);
    folder.write("runs/a.wbr", RECORDING);
    folder.write("runs/readme.txt", "not a recording, and not asked for");
    let answer = folder.run(&["report", "runs", "-o", "json"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    let report: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    let files: Vec<&str> = report["jvms"].as_array().unwrap().iter().filter_map(|jvm| jvm["file"].as_str()).collect();
    assert_eq!(files, ["runs/a.wbr", "runs/b.wbr"]);
    assert_eq!(report["classes"][0]["allocated"], 2_600);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    folder.write("run.wbr", RECORDING);
    let many = vec!["run.wbr"; 400];
    let mut child = folder
        .command()
        .arg("report")
        .args(many)
        .args(["-o", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // When the pipe is closed, more than it can hold is still to be written.
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_file_name_as_format_gives_the_format_of_its_ending() {
    let folder = Folder::new();
    folder.write("run.wbr", RECORDING);
    for (file, starts) in [("report.html", &b"<!doctype html>"[..]), ("a report.JSON", b"{"), ("r.pb.gz", b"\x1f\x8b")]
    {
        let answer = folder.run(&["report", "run.wbr", "-o", file]);
        assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (Some(0), "", ""), "{answer}");
        let written = std::fs::read(folder.path(file)).unwrap();
        assert!(written.to_ascii_lowercase().starts_with(starts), "{file}: {:?}", &written[..20]);
        let again = folder.run(&["report", "run.wbr", "-o", file]);
        assert!(again.code == Some(2) && again.stderr.contains("use --force"), "{again}");
    }
    let two = folder.run(&["report", "run.wbr", "-o", "x.csv", "-f", "y.csv"]);
    assert!(two.code == Some(2) && two.stderr.contains("-o names a file, and -f another one"), "{two}");
    let unknown = folder.run(&["report", "run.wbr", "-o", "report.pdf"]);
    assert!(unknown.code == Some(2) && unknown.stderr.contains("[possible values: text, json, html"), "{unknown}");
}
