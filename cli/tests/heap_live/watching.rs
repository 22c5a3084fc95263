//! `--watch`: what changed since the last dump.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Stdio};

use rustix::process::Signal;
use serde_json::Value;
use weighbridge_tests::{jdks, jdks_from};

use crate::program::{Program, array, heap, number, rows, signal, weighbridge};

fn watch(verb: &str, program: &Program, more: &[&str]) -> (Child, BufReader<ChildStdout>) {
    let mut command = weighbridge();
    command.args(["heap", verb, &program.pid, "--watch", "300ms"]).args(more);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary");
    let output = BufReader::new(child.stdout.take().expect("its output"));
    (child, output)
}

fn json(output: &mut BufReader<ChildStdout>) -> Value {
    let mut line = String::new();
    output.read_line(&mut line).expect("a line");
    serde_json::from_str(&line).unwrap_or_else(|e| panic!("not JSON ({e}): {line}"))
}

/// The exit code, and what it said.
fn end(mut child: Child) -> (Option<i32>, String) {
    let mut said = String::new();
    child.stderr.take().expect("its messages").read_to_string(&mut said).expect("text");
    (child.wait().expect("an end").code(), said)
}

#[test]
fn a_watched_program_shows_what_grew_by_how_much_until_ctrl_c() {
    for jdk in jdks() {
        let mut program = Program::start(jdk, &[], &[]);
        let (child, mut output) = watch("histogram", &program, &["-o", "json"]);
        let first = json(&mut output);
        assert!(rows(&first, "classes").len() > 100, "Java {}", jdk.version);
        program.more();
        // The array, the thread's, its name, and what the program reads the line with: in one dump or, if one comes between
        // the two arrays, in two.
        let expected = array(5_000_000) + array(51 * 1013);
        let mut grown = 0;
        while grown < expected {
            let changes = json(&mut output);
            assert_eq!(changes["after"]["pid"].to_string(), program.pid);
            for (at, row) in rows(&changes, "classes").iter().enumerate().filter(|(_, row)| row["class"] == "byte[]") {
                let before = grown;
                grown = (grown + number(&row["after"], "shallow_bytes"))
                    .saturating_sub(number(&row["before"], "shallow_bytes"));
                assert!(at == 0 || grown < before + array(5_000_000), "the largest change is first: {changes:#}");
            }
        }
        assert!(grown < expected + 10_000, "Java {}: {grown}", jdk.version);
        signal(&child, Signal::INT);
        let (code, said) = end(child);
        assert_eq!(code, Some(0), "{said}");
        let warned =
            format!("weighbridge: warning: each dump stops process {}, the first one for at most ", program.pid);
        assert!(said.starts_with(&warned) && said.lines().count() == 1, "{said}");
        program.end();
    }
}

#[test]
fn every_verb_can_be_watched_and_ends_with_its_program() {
    let jdk = jdks_from(11).pop().expect("a JVM");
    let verbs: [(&str, &[&str], &str); 5] = [
        ("threads", &[], "By thread"),
        ("release", &["--threads", "holder-01"], "By set of threads"),
        ("dominators", &["--top", "3"], "Below the root"),
        ("path", &["java.lang.Thread"], "Paths"),
        ("waste", &[], "Collections"),
    ];
    for (verb, more, title) in verbs {
        let program = Program::start(jdk, &[], &[]);
        let (child, output) = watch(verb, &program, &[more, &["--live"]].concat());
        let mut lines = output.lines().map(|line| line.expect("a line"));
        assert!(lines.any(|line| line == "What changed"), "{verb}");
        assert!(lines.any(|line| line.starts_with("  since 20")), "{verb}");
        assert!(lines.any(|line| line == title), "{verb}");
        let pid = program.pid.clone();
        program.end();
        assert!(lines.all(|_| true));
        let (code, said) = end(child);
        assert_eq!(
            (code, said.lines().last()),
            (Some(0), Some(format!("weighbridge: note: process {pid} has ended").as_str()))
        );
    }
}

#[test]
fn a_page_or_a_file_of_changes_is_refused() {
    for more in [&["-o", "html"][..], &["-f", "a"]] {
        let output = heap(&[&["threads", "1", "--watch", "1s"], more].concat());
        assert_eq!(output.code, Some(2), "{output}");
        assert_eq!(output.stderr, "weighbridge: error: --watch writes text or json, to standard output\n");
    }
}
