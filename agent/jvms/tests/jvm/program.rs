//! A Java program that waits, and its end.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use weighbridge_jvms::AttachTarget;
use weighbridge_tests::{Jdk, cache, compile, forget_socket, java};

/// Longer than any JVM takes to answer: a test that waits for all of it has failed anyway.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A program that runs until it is dropped.
pub struct Program {
    child: Child,
    output: BufReader<ChildStdout>,
    /// The JVM's process id.
    pub pid: u32,
}

/// The folder of the classes.
pub fn classes() -> &'static Path {
    static CLASSES: OnceLock<PathBuf> = OnceLock::new();
    CLASSES.get_or_init(|| compile("waiting", &[], &cache().join("jvms")))
}

/// The command of the program, with options of the JVM.
pub fn waiting(jdk: &Jdk, options: &[&str]) -> Command {
    let mut command = java(jdk);
    command.args(options).arg("-cp").arg(classes()).args(["Waiting", "an argument"]);
    command
}

impl Program {
    /// Starts the program and waits until its `main` runs.
    pub fn start(jdk: &Jdk, options: &[&str]) -> Program {
        Program::of(&mut waiting(jdk, options)).expect("a JVM that starts")
    }

    /// Starts a command; `None` if it ends before it waits.
    pub fn of(command: &mut Command) -> Option<Program> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a process");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let pid = child.id();
        let mut program = Program { child, output, pid };
        program.line("waiting").then_some(program)
    }

    /// Reads its output up to a line; whether it is there.
    pub fn line(&mut self, wanted: &str) -> bool {
        (&mut self.output).lines().map_while(Result::ok).any(|line| line == wanted)
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.pid).expect("a pid")).expect("a pid");
        kill_process(pid, signal).expect("a signal");
    }

    /// Finds it as a JVM to attach to.
    pub fn target(&self) -> AttachTarget {
        AttachTarget::find(self.pid).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Whether the file that asks the JVM to listen is there.
    pub fn is_asked(&self) -> bool {
        let name = format!(".attach_pid{}", self.pid);
        let folders = [PathBuf::from("/tmp"), std::env::current_dir().expect("a folder")];
        folders.iter().any(|folder| folder.join(&name).exists())
    }

    /// Ends its input; gives what it still prints. It ends well, printed no threads, and no file is left.
    pub fn end(mut self) -> String {
        drop(self.child.stdin.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("text");
        assert!(self.child.wait().expect("an end").success(), "{rest}");
        assert!(!rest.contains("Full thread dump"), "{rest}");
        assert!(rest.ends_with("done\n"), "{rest}");
        assert!(!self.is_asked());
        rest
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // If it was waited for, the signals are not sent; else it may be stopped.
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            self.signal(Signal::CONT);
        }
        let _ = self.child.wait();
        assert!(std::thread::panicking() || !self.is_asked());
        forget_socket(&self.pid.to_string());
    }
}
