//! A pseudo terminal, by `script` (util-linux).

use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// What only hangs would take longer than.
const PATIENCE: Duration = Duration::from_secs(120);

/// A terminal of 100 columns and 30 rows that runs the binary, and what it shows.
pub struct Terminal {
    child: Child,
    output: Receiver<Vec<u8>>,
    shown: vt100::Parser,
}

impl Terminal {
    /// Runs the binary in a folder, with arguments as a shell takes them.
    pub fn start(folder: &Path, arguments: &str) -> Self {
        let binary = env!("CARGO_BIN_EXE_weighbridge");
        let mut command = Command::new("script");
        command
            .args(["--quiet", "--flush", "--return", "--command"])
            .arg(format!("stty cols 100 rows 30; '{binary}' {arguments}; echo \"left with $?\""))
            .arg("/dev/null")
            .current_dir(folder)
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
    pub fn wait_for(&mut self, text: &str) {
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

    pub fn press(&mut self, keys: &[u8]) {
        let stdin = self.child.stdin.as_mut().expect("its input");
        stdin.write_all(keys).and_then(|()| stdin.flush()).expect("a key");
    }

    /// Waits for the end; the screen must be the one from before, with its cursor.
    pub fn ends_with(mut self, code: i32) {
        self.wait_for(&format!("left with {code}"));
        assert!(!self.shown.screen().alternate_screen(), "the screen is as it was");
        assert!(!self.shown.screen().hide_cursor(), "the cursor is shown");
        drop(self.child.stdin.take());
        self.child.wait().expect("the end of script");
    }

    /// Closes it, whatever runs in it.
    #[allow(dead_code, reason = "not each test program uses it")]
    pub fn close(mut self) {
        self.child.kill().and_then(|()| self.child.wait()).expect("the end of script");
    }
}
