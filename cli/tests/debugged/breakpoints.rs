//! Breakpoints of `jdb`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use weighbridge_tests::{Talking, Weighbridge, attachable, compile, java, run};

/// What only hangs would take longer than.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn breakpoints_are_met_while_calls_are_counted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let runtime = folder.path().join("weighbridge-runtime.jar");
    std::fs::write(&runtime, weighbridge_runtime::RUNTIME_JAR).expect("the runtime");
    let classes = compile("probed", &[runtime], folder.path());
    // A JRE has no debugger, and no library for one.
    let jdk = &weighbridge_jdk::to_build_with();
    let mut command = java(jdk);
    command.args(attachable(jdk)).arg("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0");
    let mut program = Talking::start(command.arg("-cp").arg(&classes).arg("com.acme.probed.Main"));
    let listening = program.line();
    let port = listening.rsplit(' ').next().expect("Listening for transport dt_socket at address: PORT").to_owned();
    assert_eq!(program.line(), "ready");
    assert_eq!(program.tell("call 10"), "done");

    let mut jdb = Command::new(jdk.tool("jdb"));
    jdb.args(["-connect", &format!("com.sun.jdi.SocketAttach:hostname=127.0.0.1,port={port}")]);
    let mut jdb = jdb.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("jdb");
    let (sender, said) = mpsc::channel();
    let output = BufReader::new(jdb.stdout.take().expect("its output"));
    thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    let mut input = jdb.stdin.take().expect("its input");
    let wait_for = |words: &str| {
        let mut all = String::new();
        while !all.contains(words) {
            match said.recv_timeout(PATIENCE) {
                Ok(line) => all += &(line + "\n"),
                Err(_) => panic!("never {words}:\n{all}"),
            }
        }
    };
    writeln!(input, "stop in com.acme.probed.Slow.quick").expect("jdb reads");
    wait_for("Deferring breakpoint");

    let weighbridge = || Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge")).command();
    let mut start = weighbridge();
    start.args(["trace", "start", &program.pid, "methods", "--class", "com.acme.probed.**", "--name", "t"]);
    let output = run(&mut start);
    assert!(output.success(), "{output}");
    for _ in 0..3 {
        writeln!(program.child.stdin.as_mut().expect("its input"), "slow 1").expect("a program that reads");
        wait_for("Breakpoint hit");
        writeln!(input, "cont").expect("jdb reads");
        assert_eq!(program.line(), "done");
    }
    writeln!(input, "clear com.acme.probed.Slow.quick").expect("jdb reads");
    wait_for("Removed");
    assert_eq!(program.tell("slow 1"), "done");
    let run = run(weighbridge().args(["trace", "stop", &program.pid, "t", "-o", "json"])).json();
    let methods = run["traces"][0]["methods"].as_array().expect("methods");
    let quick = methods.iter().find(|row| row["method"] == "quick").expect("the method");
    assert_eq!(quick["calls"], 4, "{run:#}");
    writeln!(input, "exit").expect("jdb reads");
    jdb.wait().expect("an end");
    assert!(program.line().starts_with("Listening"), "for the next debugger");
    assert_eq!(program.tell("call 10"), "done", "it goes on without either");
}
