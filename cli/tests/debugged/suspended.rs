//! A debugger that suspends threads while they are in probes and callbacks.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use weighbridge_tests::{Weighbridge, attachable, compile, compile_native, forget_socket, java, run};

use crate::jdwp::Debugger;

/// What only hangs would take longer than.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often all threads are suspended while a trace runs.
const SUSPENDS: usize = 200;
/// So often each thread is suspended alone, too.
const ALONE_EVERY: usize = 20;

/// What the program does all the time: it calls, makes and allocates, starts threads, and makes references of JNI.
const WORK: [&str; 5] = ["call 20", "allocate 2000", "hold 3", "churn 200", "use 1"];

/// `tests/java/probed`, which is told to work again as soon as it has worked.
struct Busy {
    child: Child,
    pid: String,
    /// Of the debugger.
    port: String,
    done: Arc<AtomicU64>,
    ends: Arc<AtomicBool>,
    feeder: Option<JoinHandle<()>>,
}

impl Busy {
    fn start(command: &mut Command) -> Busy {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a program");
        let pid = child.id().to_string();
        let mut input = child.stdin.take().expect("its input");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines().map_while(Result::ok);
        let listening = lines.next().expect("Listening for transport dt_socket at address: PORT");
        let port = listening.rsplit(' ').next().expect("a port").to_owned();
        assert_eq!(lines.next().as_deref(), Some("ready"));
        let (done, ends) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (counted, asked) = (Arc::clone(&done), Arc::clone(&ends));
        let feeder = thread::spawn(move || {
            for work in WORK.iter().cycle() {
                if asked.load(Ordering::Acquire) || writeln!(input, "{work}").is_err() {
                    return;
                }
                // When a debugger has left, the JVM says once more where it listens.
                match lines.find(|line| !line.starts_with("Listening for transport")) {
                    Some(line) if line == "done" => counted.fetch_add(1, Ordering::AcqRel),
                    _ => return,
                };
            }
        });
        Busy { child, pid, port, done, ends, feeder: Some(feeder) }
    }

    /// Waits until it has done something more.
    fn wait_for_work(&self, meanwhile: &str) {
        let (before, begin) = (self.done.load(Ordering::Acquire), Instant::now());
        while self.done.load(Ordering::Acquire) == before {
            assert!(begin.elapsed() < PATIENCE, "the program stands still: {meanwhile}");
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Release);
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = self.feeder.take().map(JoinHandle::join);
        forget_socket(&self.pid);
    }
}

#[test]
fn a_debugger_may_suspend_threads_at_any_moment_of_each_trace() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let runtime = folder.path().join("weighbridge-runtime.jar");
    std::fs::write(&runtime, weighbridge_runtime::RUNTIME_JAR).expect("the runtime");
    let classes = compile("probed", &[runtime], folder.path());
    let library = compile_native("references.c", folder.path());
    // A JRE has no library for a debugger.
    let jdk = &weighbridge_jdk::to_build_with();
    let mut command = java(jdk);
    command.args(attachable(jdk)).arg("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0");
    command.arg(format!("-Dreferences={}", library.display()));
    let program = Busy::start(command.arg("-cp").arg(&classes).arg("com.acme.probed.Main"));
    let mut debugger = Debugger::connect(&program.port);

    let weighbridge = || Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge")).command();
    let all_classes = ["--class", "com.acme.probed.**"];
    let traces: [(&str, &[&str]); 8] = [
        ("references", &[]),
        ("samples", &["--every", "1k"]),
        ("methods", &all_classes),
        ("calls", &all_classes),
        ("coverage", &all_classes),
        ("objects", &all_classes),
        ("uses", &all_classes),
        ("scopes", &["--entries", "executors"]),
    ];
    for (what, more) in traces {
        let started = run(weighbridge().args(["trace", "start", &program.pid, what, "--name", "t"]).args(more));
        assert!(started.success(), "{what}: {started}");
        program.wait_for_work(what);
        for number in 0..SUSPENDS {
            debugger.suspend_all();
            let threads = debugger.list_threads();
            debugger.resume_all();
            if number % ALONE_EVERY == 0 {
                for thread in threads {
                    if debugger.suspend_thread(thread) {
                        debugger.resume_thread(thread);
                    }
                }
                program.wait_for_work(what);
            }
        }
        let stopped = run(weighbridge().args(["trace", "stop", &program.pid, "t", "-o", "json"]));
        assert!(stopped.success(), "{what}: {stopped}");
    }
    let detached = run(weighbridge().args(["detach", &program.pid]));
    assert!(detached.success(), "{detached}");
    program.wait_for_work("after the end");
    debugger.dispose();
    program.wait_for_work("without either");
}
