//! Clients that ask without end.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use weighbridge_tests::jdks;

use crate::program::{Attached, Program, ask, recorded, wait_for};

/// What is sent again and again, and no answer is ever read.
const FLOODS: [&str; 3] = ["{\"v\":1,\"id\":1,\"do\":\"status\"}\n", "no request\n", "a line without an end "];

/// How many clients an agent serves.
const SERVED: usize = 16;

#[test]
fn clients_that_ask_without_end_hold_up_neither_the_program_nor_other_clients() {
    for jdk in jdks() {
        let mut program = Program::start(jdk);
        let recording = program.path("a.wbr");
        let attached = Attached::to(&program, &recording);
        let uid = rustix::process::geteuid().as_raw();
        let socket = PathBuf::from(format!("/tmp/weighbridge-{uid}/{}.sock", program.pid));
        let status = ["ctl", program.pid.as_str(), "status"].map(str::to_owned);
        let status = || ask(&status.each_ref().map(String::as_str));
        let (over, mut answers) = (AtomicBool::new(false), Vec::new());
        thread::scope(|scope| {
            for flood in FLOODS {
                scope.spawn(|| {
                    while !over.load(Ordering::Relaxed) {
                        let mut stream = UnixStream::connect(&socket).unwrap();
                        stream.set_write_timeout(Some(Duration::from_millis(100))).unwrap();
                        // Until the agent takes no more.
                        let mut sent = Ok(());
                        while sent.is_ok() && !over.load(Ordering::Relaxed) {
                            sent = stream.write_all(flood.as_bytes());
                        }
                    }
                });
            }
            for _ in 0..10 {
                program.tell("make 10");
                answers.push(status());
            }
            over.store(true, Ordering::Relaxed);
        });
        for answer in answers {
            assert_eq!(answer.json()["state"], "measuring", "Java {}", jdk.version);
        }
        wait_for("the end of the flood", || status().json()["clients"] == 2);
        let expected = format!("{SERVED} clients are connected, no more are served\n");
        let mut crowd = Vec::new();
        wait_for("a crowd", || {
            crowd.extend((0..SERVED).map(|_| UnixStream::connect(&socket).unwrap()));
            let refused = status();
            refused.code == Some(3) && refused.stderr.ends_with(&expected)
        });
        program.tell("make 10");
        drop(crowd);
        wait_for("room", || status().success());
        ask(&["detach", &program.pid]).json();
        assert_eq!(attached.end(), (Some(0), String::new()));
        assert_eq!(recorded(&recording), (110, "detach".to_owned()), "Java {}", jdk.version);
        program.assert_clean(&jdk.version);
        program.end(110);
    }
}
