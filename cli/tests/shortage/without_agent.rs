//! The runtime without an agent: what it can do of `[shortage]`, and what it says that it cannot.

use weighbridge_tests::jdks;

use crate::hoards::{Program, SHORT};

const OPTIONS: [&str; 9] = [
    "shortage=act",
    "shortage_old_generation=60%",
    "shortage_scopes=job=big",
    "shortage_force=true",
    "shortage_methods=com.acme.hoards.Jobs.large",
    "shortage_container=90%",
    "shortage_exhausted=true",
    "shortage_measure=exact",
    "shortage_analyser=/usr/bin/weighbridge",
];

#[test]
fn work_that_asks_is_cancelled_and_what_needs_the_agent_is_told() {
    let program = Program::new();
    for jdk in jdks() {
        let mut running = program.alone(jdk, &OPTIONS);
        running.hold(&format!("big holder job=big {SHORT} asks"));
        assert_eq!(running.tell("end big"), "io.weighbridge.Cancelled", "Java {}", jdk.major);
        let ended = running.end();
        let decision = ended.decisions.iter().find(|decision| decision["ended"] == true).expect("a decision");
        assert_eq!((&decision["chosen"], &decision["action"]), (&"job=big".into(), &"cooperative".into()));
        let note = "without the native agent these options do nothing: shortage_container, shortage_exhausted, \
                    shortage_force, shortage_measure=exact, shortage_methods";
        assert!(ended.notes.iter().any(|told| told == note), "{:#?}", ended.notes);
        assert!(ended.said.contains(note), "{}", ended.said);
    }
}

#[test]
fn a_policy_that_needs_no_agent_gets_no_such_note() {
    let program = Program::new();
    let options = ["shortage=act", "shortage_old_generation=60%", "shortage_scopes=job=big"];
    let running = program.alone(&jdks()[0], &options);
    let ended = running.end();
    assert!(!ended.said.contains("without the native agent"), "{}", ended.said);
}
