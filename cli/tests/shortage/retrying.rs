//! Methods that run again when they are out of memory.

use weighbridge_tests::jdks;

use crate::hoards::{Ended, Program};

/// Nothing is a shortage but an `OutOfMemoryError`.
const CONFIG: &str = r#"
[shortage]
dry_run = false
retry = ["com.acme.hoards.Jobs.large", "com.acme.hoards.Jobs.tooLarge"]
when.old_generation = "off"
permit.scopes = ["job=big"]
cancel.per_minute = 60
"#;

const OUT_OF_MEMORY: &str = "java.lang.OutOfMemoryError";
const CANCELLED: &str = "io.weighbridge.Cancelled";

/// The method meets the error, who holds the memory is cancelled, and the method runs again.
fn runs_again(ended: &Ended, action: &str) {
    let cancelled: Vec<_> = ended.decisions.iter().filter(|decision| decision["chosen"] == "job=big").collect();
    assert!(!cancelled.is_empty(), "{}", ended.said);
    for decision in cancelled {
        assert_eq!((&decision["cause"], &decision["action"]), (&"exhausted".into(), &action.into()), "{decision:#}");
        assert_eq!((&decision["ended"], &decision["resolved"]), (&true.into(), &true.into()), "{decision:#}");
    }
}

#[test]
fn a_named_method_runs_again_with_its_arguments_when_who_held_the_memory_has_ended() {
    let program = Program::new();
    for jdk in jdks() {
        for (config, way, action) in
            [(CONFIG.to_owned(), "asks", "cooperative"), (format!("{CONFIG}cancel.force = true\n"), "works", "forced")]
        {
            let mut running = program.with_agent(jdk, &config);
            running.hold(&format!("big holder job=big 80 {way}"));
            let told = running.call("large 60 again");
            // A thread may be slow to come to its checkpoint, or where it can be stopped; then memory is short a second time.
            let expected: Vec<String> = (2..=3).map(|run| format!("again 60 1099511627776 0.5 in run {run}")).collect();
            assert!(expected.contains(&told), "Java {}, {action}: {told}", jdk.major);
            assert_eq!(running.tell("end big"), CANCELLED);

            running.hold(&format!("big holder job=big 80 {way}"));
            assert_eq!(running.call("unnamed 60 x"), OUT_OF_MEMORY, "who is not named gets the error");
            assert_eq!(running.tell("end big"), CANCELLED, "and its need is met all the same");
            runs_again(&running.end(), action);
        }
    }
}

#[test]
fn a_method_runs_again_three_times_at_most_and_never_in_a_dry_run() {
    let program = Program::new();
    for jdk in jdks() {
        for (config, runs) in [(CONFIG.to_owned(), "4"), (CONFIG.replace("dry_run = false", ""), "1")] {
            let mut running = program.with_agent(jdk, &config);
            assert_eq!(running.call("tooLarge"), OUT_OF_MEMORY);
            assert_eq!(running.call("runs"), runs, "Java {}", jdk.major);
            let ended = running.end();
            assert!(ended.decisions.iter().all(|decision| decision.get("chosen").is_none()), "{ended:#?}");
        }
    }
}
