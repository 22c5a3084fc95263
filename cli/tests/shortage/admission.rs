//! New work while memory is short: a gate at named methods, and `Weighbridge.admit`.

use weighbridge_tests::{Jdk, Weighbridge, jdks, run};

use crate::hoards::{Program, Running, SHORT};
use crate::recorded::refusal;

const NOT_ADMITTED: &str = "io.weighbridge.NotAdmitted";

/// The gate of three methods, one of which is also permitted, by another pattern; who holds the memory may not be cancelled.
const GATES: &str = r#"
[shortage]
dry_run = false
when.old_generation = "60%"
permit.methods = ["com.acme.hoards.Jobs.sm*"]
[shortage.admit]
methods = ["com.acme.hoards.Jobs.small", "com.acme.hoards.Jobs.rare", "com.acme.hoards.Jobs.large"]
wait = "300ms"
"#;

/// The same for a runtime without agent.
const OPTIONS: [&str; 3] = ["shortage=act", "shortage_old_generation=60%", "shortage_admit_wait=300ms"];

fn set(running: &Running<'_>, setting: &str) {
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    run(weighbridge.command().args(["ctl", &running.pid(), "set", setting])).json();
}

/// Waits until memory is short, and gives the answer of the first question that was refused.
fn fall_short(running: &mut Running<'_>) -> u64 {
    running.hold(&format!("big holder job=big {SHORT} asks"));
    let refused = running.until("admit job unheard-of", "false after ");
    refused.rsplit_once(' ').and_then(|(_, ms)| ms.parse().ok()).expect("milliseconds")
}

fn delays_and_refuses(program: &Program, jdk: &Jdk) {
    let mut running = program.with_agent(jdk, GATES);
    for _ in 0..10 {
        assert_eq!(running.call("small"), "65536");
    }
    assert_eq!(running.call("rare"), "65536");
    assert!(fall_short(&mut running) >= 300, "it waits first");
    assert_eq!(running.call("rare"), NOT_ADMITTED);
    assert_eq!(running.call("large 1 x"), NOT_ADMITTED);
    assert_eq!(running.call("unnamed 1 x"), "x 1 1099511627776 0.5 in run 1", "no gate");
    assert_eq!(running.call("small"), "65536", "it is known to need little");

    set(&running, "shortage_admit_wait=1h");
    assert_eq!(running.tell("later waiting large 1 waited"), "later");
    assert_eq!(running.tell("release big"), "released");
    assert_eq!(
        running.tell("result waiting").rsplit_once(" after ").map(|told| told.0),
        Some("waited 1 1099511627776 0.5 in run 1")
    );
    assert_eq!(running.call("rare"), "65536");

    set(&running, "shortage_admit_wait=300ms");
    fall_short(&mut running);
    let ended = running.end();
    let first = &ended.decisions[0];
    assert_eq!((&first["action"], &first["cause"]), (&"none".into(), &"old_generation".into()), "{first:#}");
    assert_eq!(refusal(first, "job=big"), Some(&"not permitted".into()), "{first:#}");
    let last = ended.decisions.last().expect("a decision");
    // Three that were refused, and the one that waited; of those that ask whether memory is short, any number.
    assert!(last["refused"].as_u64() >= Some(3) && last["delayed"].as_u64() >= Some(4), "{last:#}");
}

#[test]
fn a_gate_delays_and_refuses_what_may_need_much_and_opens_when_memory_is_back() {
    let program = Program::new();
    for jdk in jdks() {
        delays_and_refuses(&program, jdk);
    }
}

#[test]
fn a_dry_run_delays_nothing() {
    let program = Program::new();
    let dry = GATES.replace("dry_run = false", "dry_run = true").replace("300ms", "1h");
    for jdk in jdks() {
        let mut running = program.with_agent(jdk, &dry);
        running.hold(&format!("big holder job=big {SHORT} asks"));
        for _ in 0..5 {
            running.tell("collect");
            assert_eq!(running.call("large 1 x"), "x 1 1099511627776 0.5 in run 1");
            assert_eq!(running.call("admit job unheard-of"), "true");
        }
        running.until_decided();
        let ended = running.end();
        assert!(!ended.decisions.is_empty(), "{}", ended.said);
        for decision in ended.decisions {
            assert_eq!(decision["dry_run"], true);
            assert_eq!((&decision["delayed"], &decision["refused"]), (&0.into(), &0.into()), "{decision:#}");
        }
    }
}

/// A program that asks for admission by itself.
fn asks(mut running: Running<'_>) {
    assert_eq!(running.call("admit job unheard-of"), "true", "memory is not short");
    for _ in 0..5 {
        assert_eq!(running.call("scope job small"), "65536");
    }
    fall_short(&mut running);
    assert_eq!(running.call("admit job small"), "true", "it is known to need little");
    assert_eq!(running.tell("release big"), "released");
    running.until("admit job unheard-of", "true");
    let ended = running.end();
    let first = &ended.decisions[0];
    assert_eq!(refusal(first, "job=big"), Some(&"not permitted".into()), "{first:#}");
}

#[test]
fn a_program_can_ask_with_the_agent_and_without_and_through_an_api_of_its_own() {
    let program = Program::new();
    for jdk in jdks() {
        asks(program.with_agent(jdk, GATES));
        asks(program.alone(jdk, &OPTIONS));
        asks(program.elsewhere(jdk, &OPTIONS));
        asks(program.elsewhere_with_agent(jdk, GATES));
    }
}
