//! `watch` on a pseudo terminal.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::num::NonZero;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::support::{Folder, RECORDING};

/// What only hangs would take longer than.
const PATIENCE: Duration = Duration::from_secs(120);

/// A terminal of 100 columns and 30 rows that runs the binary, by `script` (util-linux), and what it shows.
struct Terminal {
    child: Child,
    output: Receiver<Vec<u8>>,
    shown: vt100::Parser,
}

impl Terminal {
    fn start(folder: &Folder, arguments: &str) -> Self {
        let binary = env!("CARGO_BIN_EXE_weighbridge");
        let mut command = Command::new("script");
        command
            .args(["--quiet", "--flush", "--return", "--command"])
            .arg(format!("stty cols 100 rows 30; '{binary}' watch {arguments}; echo \"left with $?\""))
            .arg("/dev/null")
            .current_dir(folder.path("."))
            .env("TERM", "xterm")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("the tests need `script`, of util-linux (Debian: bsdutils)");
        let mut stdout = child.stdout.take().expect("its output");
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = stdout.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        let cells = |count| NonZero::new(count).expect("a terminal has cells");
        Terminal { child, output, shown: vt100::Parser::new(cells(30), cells(100), 0) }
    }

    /// Waits until the terminal shows this text.
    fn wait_for(&mut self, text: &str) {
        let started = Instant::now();
        while !self.shown.screen().contents().contains(text) {
            match self.output.recv_timeout(Duration::from_millis(100)) {
                Ok(bytes) => self.shown.process(&bytes),
                Err(_) => {
                    assert!(started.elapsed() < PATIENCE, "no {text:?} in\n{}", self.shown.screen().contents());
                }
            }
        }
    }

    fn press(&mut self, keys: &[u8]) {
        let stdin = self.child.stdin.as_mut().expect("its input");
        stdin.write_all(keys).and_then(|()| stdin.flush()).expect("a key");
    }

    /// Waits for the end; the screen must be the one from before, with its cursor.
    fn ends_with(mut self, code: i32) {
        self.wait_for(&format!("left with {code}"));
        assert!(!self.shown.screen().alternate_screen(), "the screen is as it was");
        assert!(!self.shown.screen().hide_cursor(), "the cursor is shown");
        drop(self.child.stdin.take());
        self.child.wait().expect("the end of script");
    }
}

/// The first gzip members of the recording that end before its middle, and what follows them.
fn in_two() -> (&'static [u8], &'static [u8]) {
    let starts: Vec<usize> = (1..RECORDING.len()).filter(|at| RECORDING[*at..].starts_with(&[0x1f, 0x8b, 8])).collect();
    RECORDING.split_at(starts[starts.len() / 2])
}

#[test]
fn the_view_waits_for_its_recording_grows_with_it_and_leaves_the_terminal_as_it_was() {
    let folder = Folder::new();
    let mut terminal = Terminal::start(&folder, "run.wbr --interval 0.1 --by class");
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
        let mut terminal = Terminal::start(&folder, "run.wbr");
        terminal.wait_for("snapshot");
        terminal.press(keys);
        terminal.ends_with(0);
    }
}

#[test]
fn a_file_that_becomes_no_recording_is_said_on_the_terminal_as_it_was() {
    let folder = Folder::new();
    let mut terminal = Terminal::start(&folder, "run.wbr --interval 0.1");
    terminal.wait_for("not there yet");
    folder.write("run.wbr", "PK not a recording");
    terminal.wait_for("not a weighbridge recording: it is not gzip");
    terminal.ends_with(3);
}
