//! Many rounds of attach and detach leave nothing that grows.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

use weighbridge_recording::{Line, Reader};
use weighbridge_tests::{at_once, jdks, rounds, run};

#[path = "attach/program.rs"]
#[allow(dead_code, reason = "the other tests of attaching use the rest")]
mod program;

use program::{Attached, Program, ask, recorded, wait_for};

/// Unless the environment names another number.
const ROUNDS: u64 = 30;
/// Rounds after which what is made once is there.
const FIRST: u64 = 5;
/// What the used heap right after collections may differ by: the threads under load have constructed when it begins.
const SLACK: u64 = 1 << 20;
/// What the used metaspace may differ by, which has profiles of the program's methods, too. Each runtime takes a third of it.
const SLACK_OF_CLASSES: u64 = 4 << 20;

#[test]
fn many_rounds_leave_no_class_thread_descriptor_or_object_behind() {
    let rounds = rounds(ROUNDS);
    at_once(jdks(), |jdk| {
        let mut program = Program::with(jdk, &["-XX:NativeMemoryTracking=summary"]);
        let recording = program.path("a.wbr");
        let mut first = None;
        for round in 1..=rounds {
            // Once it measures by a heap dump, which the rest may not afford.
            let dumps = round == rounds / 2;
            let attached = Attached::with(&program, &recording, if dumps { &["--pause", "10s"] } else { &[] });
            program.tell("make 10");
            ask(&["detach", &program.pid]).json();
            assert_eq!(attached.end(), (Some(0), String::new()), "Java {}, round {round}", jdk.version);
            assert_eq!(recorded(&recording), (10, "detach".to_owned()), "Java {}, round {round}", jdk.version);
            assert!(!dumps || has_dump(&recording), "Java {}", jdk.version);
            if [FIRST, FIRST.max(rounds / 10), rounds / 2, rounds].contains(&round) {
                program.assert_clean(&jdk.version);
                let state = program.state();
                let (descriptors, threads) = (program.descriptors(), program.threads());
                println!(
                    "Java {}, round {round}: {state:?} loaders, heap, threads of ours, metaspace; {threads} threads; descriptors \
                     {descriptors:?}; KiB of native memory: {}",
                    jdk.version,
                    native_memory(&program)
                );
                first.get_or_insert((state, descriptors, threads));
            }
        }
        let ([_, heap, _, metaspace], descriptors, threads) = first.unwrap();
        wait_for("as much heap as before", || program.state()[1] <= heap + SLACK);
        wait_for("as much metaspace as before", || program.state()[3] <= metaspace + SLACK_OF_CLASSES);
        wait_for("as few descriptors as before", || program.descriptors().len() <= descriptors.len());
        // The JVM itself may start a few threads.
        assert!(program.threads() <= threads + 3, "Java {}: {threads}, now {}", jdk.version, program.threads());
        assert_eq!(program.mapped().len(), 1, "Java {}", jdk.version);
        program.end(10 * rounds);
    });
}

/// Whether a snapshot's figures are those of a heap dump.
fn has_dump(recording: &Path) -> bool {
    let mut lines = Reader::open(recording).expect("a recording");
    lines.any(|line| matches!(line, Ok(Line::Snapshot(snapshot)) if snapshot.dump.is_some()))
}

/// What the JVM has allocated of each kind, as it says.
fn native_memory(program: &Program) -> String {
    let jcmd = weighbridge_jdk::to_build_with().tool("jcmd");
    let summary = run(Command::new(jcmd).args([&program.pid, "VM.native_memory", "summary"]));
    let lines = summary.stdout.lines().filter_map(|line| {
        let (kind, numbers) = line.trim_start_matches(['-', ' ']).split_once(" (reserved=")?;
        let committed = numbers.split_once("committed=")?.1.split("KB").next()?;
        Some(format!("{kind} {committed}"))
    });
    lines.collect::<Vec<_>>().join(", ")
}
