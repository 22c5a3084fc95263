//! `watch` without a terminal.

use std::process::Command;

use crate::support::{Folder, RECORDING};
use insta::assert_snapshot;

#[test]
fn a_process_is_watched_by_the_recording_that_it_has_open() {
    let folder = Folder::new();
    let recording = folder.write("custom-name.wbr", RECORDING);
    let file = std::fs::File::open(recording).unwrap();
    // Any process that has the file open is enough.
    let mut sleeping = Command::new("sleep").arg("600").stdin(file).spawn().expect("sleep");
    let pid = sleeping.id().to_string();
    let answer = folder.run(&["watch", &pid, "--once", "--size", "80x10"]);
    sleeping.kill().unwrap();
    sleeping.wait().unwrap();
    assert_eq!(answer.code, Some(0), "{answer}");
    assert!(answer.stdout.contains(&format!("weighbridge watch process {pid}")), "{answer}");
    let gone = folder.run(&["watch", &pid, "--once"]);
    assert_eq!((gone.code, gone.stdout.as_str()), (Some(3), ""), "{gone}");
    assert!(gone.stderr.contains("there is no such process"), "{gone}");
}

#[test]
fn one_frame_is_text() {
    let folder = Folder::new();
    folder.write("run.wbr", RECORDING);
    let answer = folder.run(&["watch", "run.wbr", "--once", "--by", "class", "--sort", "live"]);
    // How long ago the fixture was made changes.
    let title = answer.stdout.lines().next().unwrap_or_default().to_owned();
    assert!(title.contains("weighbridge watch run.wbr") && title.contains("ended · snapshot"), "{answer}");
    assert_snapshot!(answer.stdout.replacen(&title, "[TITLE]", 1));
    let cut = &RECORDING[..RECORDING.len() - 5];
    folder.write("cut.wbr", cut);
    let cut = folder.run(&["watch", "cut.wbr", "--once", "--filter", "nothing has this name", "--size", "60x8"]);
    assert_eq!(cut.code, Some(0), "{cut}");
    assert!(cut.stdout.contains("nothing matches"), "{cut}");
}

#[test]
fn a_target_that_cannot_be_watched_is_reported_in_one_line() {
    let folder = Folder::new();
    folder.write("run.wbr", RECORDING);
    folder.write("empty.wbr", "");
    folder.write("other.wbr", "PK not a recording");
    let cases = [
        vec!["watch", "run.wbr"],
        vec!["watch", ".", "--once"],
        vec!["watch", "missing.wbr", "--once"],
        vec!["watch", "empty.wbr", "--once"],
        vec!["watch", "other.wbr", "--once"],
        vec!["watch", "run.wbr", "--once", "--size", "80"],
        vec!["watch", "run.wbr", "--size", "80x24"],
        vec!["watch", "run.wbr", "--interval", "0"],
    ];
    let answers = cases.iter().map(|case| format!("$ {}\n{}", case.join(" "), folder.run(case)));
    assert_snapshot!(answers.collect::<Vec<_>>().join("\n"));
}
