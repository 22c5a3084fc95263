//! The policy of a program that runs: it is changed, switched off, and it ends with a detach.

use weighbridge_tests::{Output, Weighbridge, jdks, run};

use crate::hoards::{Program, SHORT, WATCH};

fn ask(arguments: &[&str]) -> Output {
    run(Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge")).command().args(arguments))
}

#[test]
fn a_policy_is_set_changed_and_switched_off_while_the_program_runs() {
    let program = Program::new();
    let none = "[instrument]\ninclude = [\"com.acme.hoards.Jobs\"]\n";
    let hold = format!("big holder job=big {SHORT} asks");
    for jdk in jdks() {
        let mut running = program.with_agent(jdk, none);
        let pid = running.pid();
        let set = |settings: &[&str]| ask(&[&["ctl", &pid, "set"], settings].concat()).json();
        let threads = running.tell("threads");
        assert!(!threads.contains(WATCH), "{threads}");

        set(&["shortage=act", "shortage_old_generation=60%", "shortage_admit_wait=100ms"]);
        running.until("threads", WATCH);
        running.hold(&hold);
        running.until("admit job unheard-of", "false");

        let settings = set(&["shortage_scopes=job=big*"]);
        assert_eq!(settings["settings"]["shortage_scopes"], "job=big*", "{settings}");
        // The next collection shows that memory is short still.
        assert_eq!(running.tell("collect"), "collected");
        assert_eq!(running.tell("end big"), "io.weighbridge.Cancelled", "now it may be cancelled");
        running.until("admit job unheard-of", "true");

        set(&["shortage_scopes=job=none"]);
        running.hold(&hold);
        running.until("admit job unheard-of", "false");
        set(&["shortage=off"]);
        assert_eq!(running.call("admit job unheard-of"), "true", "every gate is open");
        let threads = running.tell("threads");
        assert!(!threads.contains(WATCH), "{threads}");
        assert_eq!(running.tell("release big"), "released");

        set(&["shortage=act"]);
        running.until("threads", WATCH);
        assert!(ask(&["detach", &pid]).success());
        let threads = running.tell("threads");
        assert!(!threads.contains(WATCH), "{threads}");
        running.hold(&hold);
        assert_eq!(running.call("admit job unheard-of"), "true");
        assert_eq!(running.tell("release big"), "released");
        let ended = running.end();
        assert_eq!(ended.decisions.iter().filter(|decision| decision["ended"] == true).count(), 1, "{ended:#?}");
    }
}
