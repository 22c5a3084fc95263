//! Many rounds of attach and detach leave nothing that grows.
#![cfg(target_os = "linux")]

use weighbridge_tests::jdks;

#[path = "attach/program.rs"]
#[allow(dead_code, reason = "the other tests of attaching use the rest")]
mod program;

use program::{Attached, Program, ask, recorded, wait_for};

const ROUNDS: u64 = 50;
/// Rounds after which what is made once is there.
const FIRST: u64 = 5;
/// What the used heap after collections may differ by: the threads under load construct all the time.
const SLACK: u64 = 4 << 20;

#[test]
fn fifty_rounds_leave_no_class_thread_descriptor_or_object_behind() {
    // The oldest and the newest: each round takes a second or more.
    let jdks = jdks();
    for jdk in [&jdks[0], &jdks[jdks.len() - 1]] {
        let mut program = Program::start(jdk);
        let recording = program.path("a.wbr");
        let mut first = None;
        for round in 1..=ROUNDS {
            let attached = Attached::to(&program, &recording);
            program.tell("make 10");
            ask(&["detach", &program.pid]).json();
            assert_eq!(attached.end(), (Some(0), String::new()), "Java {}, round {round}", jdk.version);
            assert_eq!(recorded(&recording), (10, "detach".to_owned()), "Java {}, round {round}", jdk.version);
            if round == FIRST {
                program.assert_clean(&jdk.version);
                first = Some((program.state(), program.descriptors(), program.threads()));
            }
        }
        program.assert_clean(&jdk.version);
        let ([_, heap, _], descriptors, threads) = first.unwrap();
        // What the threads construct between two collections counts, too; what is kept does not go away.
        wait_for("as much heap as before", || program.state()[1] <= heap + SLACK);
        assert!(
            program.descriptors() <= descriptors,
            "Java {}: {descriptors}, now {}",
            jdk.version,
            program.descriptors()
        );
        // The JVM itself may start a few threads.
        assert!(program.threads() <= threads + 3, "Java {}: {threads}, now {}", jdk.version, program.threads());
        assert_eq!(program.mapped().len(), 1, "Java {}", jdk.version);
        program.end(10 * ROUNDS);
    }
}
