//! The page of `console` in a real browser, beside a JVM that runs: `reporter/web/tests` clicks.
#![cfg(target_os = "linux")]

#[path = "cli/consoled.rs"]
mod consoled;
#[allow(dead_code, reason = "the rest is used by attach")]
#[path = "attach/program.rs"]
mod program;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use consoled::Consoled;
use flate2::Compression;
use flate2::write::GzEncoder;
use program::{Program, wait_for, weighbridge};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use weighbridge_tests::consumers::npm;
use weighbridge_tests::made_recording::{self, Shape};
use weighbridge_tests::{jdks, run};

/// What the control on memory shortage wrote.
const SHORTAGE: &str = concat!(
    r#"{"kind":"shortage","uptime_ms":61000,"number":1,"cause":"old_generation","used_bytes":250000000,"#,
    r#""limit_bytes":240000000,"action":"forced","resolved":true,"decided_ms":40,"pause_ms":12,"#,
    r#""chosen":"request=export","chosen_thread":"worker-7","predicted_bytes":30000000,"freed_bytes":29000000,"#,
    r#""ended":true,"ended_ms":3,"candidates_total":1,"candidates":[{"what":"scope","name":"request=export","#,
    r#""thread":"worker-7","age_ms":9000,"held_bytes":30000000}]}"#,
    "\n"
);

/// The part of a recording that is there at the start, and the rest, which begins with a shortage.
fn in_two(folder: &Path) -> (PathBuf, PathBuf) {
    let shape = Shape { snapshots: 12, classes: 40, components: 5, interval_ms: 10_000, seed: 3 };
    let mut bytes = Vec::new();
    made_recording::write(&mut bytes, &shape).expect("a recording");
    // Of gzip members (RFC 1952), each of which has some lines.
    let starts: Vec<usize> = (0..bytes.len() - 2).filter(|at| bytes[*at..].starts_with(&[0x1f, 0x8b, 8])).collect();
    let middle = starts[starts.len() / 2];
    let (grows, rest) = (folder.join("grows.wbr"), folder.join("rest"));
    fs::write(&grows, &bytes[..middle]).expect("the recording");
    let mut added = GzEncoder::new(Vec::new(), Compression::fast());
    added.write_all(SHORTAGE.as_bytes()).expect("a member");
    let added = added.finish().expect("a member");
    fs::write(&rest, [&added, &bytes[middle..]].concat()).expect("its rest");
    (grows, rest)
}

fn console(arguments: &[&Path]) -> Consoled {
    let mut command = weighbridge().command();
    command.arg("console").args(["--interval", "0.2"]).args(arguments);
    Consoled::from(command)
}

#[test]
fn by_clicks_and_keys_the_page_follows_a_recording_and_measures_traces_and_dumps_a_jvm() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (grows, rest) = in_two(folder.path());
    let mut program = Program::start(&jdks()[0]);
    program.tell("make 2000");
    let console = console(&[&grows]);
    let mut test = npm("run");
    test.arg("console").env("URL", &console.url).env("GROWS", &grows).env("REST", &rest).env("PID", &program.pid);
    let output = run(&mut test);
    assert!(output.success(), "{output}");
    assert!(output.stdout.contains("# skipped 0\n"), "{output}");
    program.assert_clean("detached by the page");
}

#[test]
fn ctrl_c_ends_the_console_in_order_and_leaves_each_jvm_as_it_was() {
    let mut program = Program::start(&jdks()[0]);
    let console = console(&[]);
    let wrong = console.post(&format!("jvms/{}/attach", program.pid), &json!({"pause": "soon"}));
    assert_eq!(wrong.0, 400, "{}", wrong.1);
    let asked = json!({"include": ["com.acme.**"], "pause": "0s"});
    let (status, told) = console.post(&format!("jvms/{}/attach", program.pid), &asked);
    assert_eq!((status, &told["source"]), (200, &json!(0)), "{told}");
    assert!(told["left_out"][0].as_str().is_some_and(|left_out| left_out.contains("(--pause ")), "{told}");
    assert!(program.calls() > 0, "it is measured");
    let again = console.post(&format!("jvms/{}/measure", program.pid), &json!({}));
    assert_eq!(again.0, 429, "at once again: {}", again.1);
    wait_for("figures", || console.get("sources/0").0 == 200);
    kill_process(Pid::from_child(console.child()), Signal::INT).expect("a signal");
    let (code, said) = console.end();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("classes have their own bytes again"), "{said}");
    program.assert_clean("left by Ctrl-C");
}

#[test]
fn a_console_that_is_killed_leaves_no_probes_either() {
    let mut program = Program::start(&jdks()[0]);
    let console = console(&[]);
    let (status, told) = console.post(&format!("jvms/{}/attach", program.pid), &json!({"include": ["com.acme.**"]}));
    assert_eq!(status, 200, "{told}");
    assert!(program.calls() > 0, "it is measured");
    kill_process(Pid::from_child(console.child()), Signal::KILL).expect("a signal");
    console.end();
    program.assert_clean("left by a kill");
}
