//! A command that goes on until a signal comes or it is dropped, and says on standard error how far it is.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, Stdio};

/// Such a command.
pub struct Started {
    child: Child,
    stderr: BufReader<ChildStderr>,
    said: String,
}

impl Started {
    /// Starts it, and waits until it has said these words.
    pub fn until(command: &mut Command, words: &str) -> Self {
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the binary");
        let stderr = BufReader::new(child.stderr.take().expect("its messages"));
        let mut started = Started { child, stderr, said: String::new() };
        while !started.said.contains(words) {
            let read = started.stderr.read_line(&mut started.said).expect("a message");
            assert!(read > 0, "{}", started.said);
        }
        started
    }

    /// What it has said up to the line with these words.
    pub fn said(&self) -> &str {
        &self.said
    }

    /// Its process, to send signals to.
    pub fn child(&self) -> &Child {
        &self.child
    }

    /// Waits for its end: its exit code, and its last message.
    pub fn end(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).expect("messages");
        (self.child.wait().expect("an end").code(), rest.trim_end().to_owned())
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
