//! Writes what a running agent records into a file of this side.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context;
use flate2::Compression;
use flate2::write::GzEncoder;
use weighbridge_control::{Client, Lines};

use crate::ctl::Socket;
use crate::exit::Failure;
use crate::signals::Signals;

const PATIENCE: Duration = Duration::from_secs(30);
/// Between two looks at signals and at the end.
const LOOK: Duration = Duration::from_millis(50);

/// A thread that copies lines until the agent ends, or its JVM.
pub(super) struct Follow {
    thread: JoinHandle<io::Result<()>>,
    ended: Arc<AtomicBool>,
}

impl Follow {
    /// Asks for the lines; the first of them are in the file when this returns, or soon after.
    pub(super) fn begin(socket: &Socket, file: &Path) -> Result<Follow, Failure> {
        let output = File::create(file).with_context(|| file.display().to_string())?;
        let lines = Client::connect(socket.path())
            .and_then(|client| client.subscribe(PATIENCE))
            .with_context(|| socket.title())?;
        let ended = Arc::new(AtomicBool::new(false));
        let tell = Arc::clone(&ended);
        let thread = thread::spawn(move || {
            let copied = copy(lines, output);
            tell.store(true, Ordering::Release);
            copied
        });
        Ok(Follow { thread, ended })
    }

    /// The agent sends nothing more.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Waits for the end, or for a signal.
    pub(super) fn wait(&self) -> Result<(), Failure> {
        let signals = Signals::catch()?;
        while !self.has_ended() && !signals.came() {
            thread::sleep(LOOK);
        }
        Ok(())
    }

    /// Waits until the last line is in the file.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let copied = self.thread.join().map_err(|_| anyhow::anyhow!("a thread panicked"))?;
        copied.context("the recording")?;
        Ok(())
    }
}

/// Lines that are of no use before the next one go into its gzip member.
const INCOMPLETE: [&str; 3] = ["{\"kind\":\"header\"", "{\"kind\":\"link\"", "{\"kind\":\"class\""];

fn copy(lines: Lines, mut output: File) -> io::Result<()> {
    let mut member = GzEncoder::new(Vec::new(), Compression::default());
    let mut waiting = false;
    for line in lines {
        // A connection that breaks ends the recording where it is.
        let Ok(line) = line else { break };
        member.write_all(line.as_bytes())?;
        member.write_all(b"\n")?;
        waiting = INCOMPLETE.iter().any(|kind| line.starts_with(kind));
        if !waiting {
            let full = std::mem::replace(&mut member, GzEncoder::new(Vec::new(), Compression::default()));
            output.write_all(&full.finish()?)?;
        }
    }
    if waiting {
        output.write_all(&member.finish()?)?;
    }
    Ok(())
}
