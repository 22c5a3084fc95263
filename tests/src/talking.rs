//! Programs that answer lines with lines.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

/// A program that runs until it is dropped.
pub struct Talking {
    /// The process, with its standard input.
    pub child: Child,
    output: BufReader<ChildStdout>,
    /// Its number.
    pub pid: String,
}

impl Talking {
    /// Starts it, with pipes for its input and output.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a program");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let pid = child.id().to_string();
        Talking { child, output, pid }
    }

    /// The next line that it prints; empty at the end.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    /// What it answers to a line.
    pub fn tell(&mut self, line: &str) -> String {
        writeln!(self.child.stdin.as_mut().expect("its input"), "{line}").expect("a program that reads");
        self.line()
    }
}

impl Drop for Talking {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        forget_socket(&self.pid);
    }
}

/// Removes the socket at which a JVM of this number has listened: a killed one leaves it. The next JVM of this number
/// removes it as it starts, but not if it is of another user.
pub fn forget_socket(pid: &str) {
    let _ = std::fs::remove_file(format!("/tmp/.java_pid{pid}"));
}
