//! What may be cancelled: threads by name and scopes by tag, and why others are not.

use std::thread;
use std::time::Duration;

use weighbridge_tests::jdks;

use crate::hoards::{Program, SHORT, WATCH};
use crate::recorded::refusal;

const WHEN: &str = "[shortage]\ndry_run = false\nwhen.old_generation = \"60%\"\n";
const CANCELLED: &str = "io.weighbridge.Cancelled";

#[test]
fn a_thread_is_cancelled_by_its_name_and_a_scope_by_a_pattern_at_a_checkpoint_or_by_force() {
    let program = Program::new();
    for jdk in jdks() {
        for (permit, force, tag, way) in [
            ("threads = [\"holder-*\"]", false, "-", "asks"),
            ("threads = [\"holder-*\"]", true, "-", "works"),
            ("scopes = [\"job=big-*\"]", false, "job=big-7", "asks"),
            ("scopes = [\"job=big-*\"]", true, "job=big-7", "works"),
        ] {
            let config = format!("{WHEN}cancel.force = {force}\npermit.{permit}\n");
            let mut running = program.with_agent(jdk, &config);
            // What a thread had allocated before the first look does not count.
            running.until("threads", WATCH);
            thread::sleep(Duration::from_millis(500));
            running.hold(&format!("big holder-1 {tag} {SHORT} {way}"));
            assert_eq!(running.tell("end big"), CANCELLED, "Java {}: {config}", jdk.major);
            let ended = running.end();
            let decision = ended.decisions.iter().find(|decision| decision["ended"] == true).expect("a decision");
            let (name, what) = if tag == "-" { ("holder-1", "thread") } else { (tag, "scope") };
            assert_eq!((&decision["chosen"], &decision["chosen_thread"]), (&name.into(), &"holder-1".into()));
            assert_eq!(decision["action"], if force { "forced" } else { "cooperative" }, "{decision:#}");
            assert_eq!(decision["resolved"], true, "{decision:#}");
            assert_eq!(decision["candidates"][0]["what"], what, "{decision:#}");
        }
    }
}

#[test]
fn what_is_not_permitted_or_holds_little_is_passed_over_and_no_more_a_minute_than_is_allowed() {
    let program = Program::new();
    let config = format!("{WHEN}permit.scopes = [\"job=*\"]\ncandidates.least = \"8m\"\ncancel.per_minute = 1\n");
    for jdk in jdks() {
        let mut running = program.with_agent(jdk, &config);
        running.hold("page web-1 web=page 55 asks");
        running.hold("small worker-1 job=small 1 asks");
        running.hold("large worker-2 job=large 35 asks");
        assert_eq!(running.tell("end large"), CANCELLED);
        running.until("admit job unheard-of", "true");
        running.hold("next worker-3 job=next 35 asks");
        running.until("admit job unheard-of", "false");
        for (name, end) in [("small", "released"), ("page", "released"), ("next", "released")] {
            assert_eq!(running.tell(&format!("release {name}")), end, "{name}");
        }
        let ended = running.end();
        let first = ended.decisions.iter().find(|decision| decision["ended"] == true).expect("a decision");
        assert_eq!((&first["chosen"], &first["resolved"]), (&"job=large".into(), &true.into()), "{first:#}");
        assert_eq!(first["candidates"][0]["name"], "web=page", "the largest comes first: {first:#}");
        assert_eq!(refusal(first, "web=page"), Some(&"not permitted".into()));
        assert_eq!(refusal(first, "job=small"), Some(&"less than 8388608 bytes".into()));
        assert!(refusal(first, "job=large").is_some_and(|refused| refused.is_null()), "{first:#}");
        let last = ended.decisions.last().expect("a decision");
        assert_eq!(last["action"], "none", "{last:#}");
        assert_eq!(last["reason"], "1 were cancelled in the last minute, which is the most", "{last:#}");
    }
}
