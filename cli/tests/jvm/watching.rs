//! `watch` on a pseudo terminal.

use std::fs::OpenOptions;
use std::io::Write;

use crate::support::{Folder, RECORDING};
use crate::terminal::Terminal;

/// A terminal that shows a recording of the folder.
fn watch(folder: &Folder, arguments: &str) -> Terminal {
    Terminal::start(&folder.path("."), &format!("watch {arguments}"))
}

/// The first gzip members of the recording that end before its middle, and what follows them.
fn in_two() -> (&'static [u8], &'static [u8]) {
    let starts: Vec<usize> = (1..RECORDING.len()).filter(|at| RECORDING[*at..].starts_with(&[0x1f, 0x8b, 8])).collect();
    RECORDING.split_at(starts[starts.len() / 2])
}

#[test]
fn the_view_waits_for_its_recording_grows_with_it_and_leaves_the_terminal_as_it_was() {
    let folder = Folder::new();
    let mut terminal = watch(&folder, "run.wbr --interval 0.1 --by class");
    terminal.wait_for("not there yet");
    let (first, rest) = in_two();
    folder.write("run.wbr", first);
    terminal.wait_for("snapshot 1");
    OpenOptions::new().append(true).open(folder.path("run.wbr")).unwrap().write_all(rest).unwrap();
    terminal.wait_for("the program ended in order (exit)");
    terminal.press(b"?");
    terminal.wait_for("any key closes");
    terminal.press(b" ");
    terminal.wait_for("q quit");
    terminal.press(b"q");
    terminal.ends_with(0);
}

#[test]
fn ctrl_c_and_escape_end_the_view_in_order() {
    let folder = Folder::new();
    folder.write("run.wbr", RECORDING);
    for keys in [&b"\x03"[..], b"\x1b"] {
        let mut terminal = watch(&folder, "run.wbr");
        terminal.wait_for("snapshot");
        terminal.press(keys);
        terminal.ends_with(0);
    }
}

#[test]
fn a_file_that_becomes_no_recording_is_said_on_the_terminal_as_it_was() {
    let folder = Folder::new();
    let mut terminal = watch(&folder, "run.wbr --interval 0.1");
    terminal.wait_for("not there yet");
    folder.write("run.wbr", "PK not a recording");
    terminal.wait_for("not a weighbridge recording: it is not gzip");
    terminal.ends_with(3);
}
