//! A session that ends while a class is loaded.

use weighbridge_tests::{Talking, attachable, compile, java, jdks};

use crate::program::{Attached, ask, weighbridge};

#[test]
fn a_class_that_was_loading_at_the_end_has_its_own_bytes_and_counts_for_no_later_session() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = compile("ending", &[], folder.path());
    for jdk in jdks() {
        let mut command = java(jdk);
        command.args(attachable(jdk)).args(["--add-opens", "java.base/java.lang=ALL-UNNAMED"]);
        let mut program = Talking::start(command.arg("-cp").arg(&classes).arg("com.acme.ending.Main"));
        assert_eq!(program.line(), "ready");
        let recording = folder.path().join(format!("{}.wbr", jdk.version));
        let include = |class: &'static str| ["--include", class, "--set", "interval=1h"];
        let first = Attached::start(&program.pid, &recording, &include("com.acme.ending.Late"));
        assert_eq!(program.tell("define"), "done");
        ask(&["detach", &program.pid]).json();
        assert_eq!(first.end(), (Some(0), String::new()));

        std::fs::remove_file(&recording).expect("the first recording");
        let second = Attached::start(&program.pid, &recording, &include("com.acme.ending.Other"));
        assert_eq!(program.tell("release"), "done");
        assert_eq!(program.tell("calls"), "0", "Java {}: its own bytes", jdk.version);
        assert_eq!(program.tell("make 1000 10"), "done");
        ask(&["detach", &program.pid]).json();
        assert_eq!(second.end(), (Some(0), String::new()));
        let report = weighbridge().report(&recording);
        let classes = report["classes"].as_array().expect("rows");
        let counts: Vec<(&str, u64)> = classes
            .iter()
            .map(|row| (row["class"].as_str().expect("a name"), row["allocated"].as_u64().expect("a number")))
            .collect();
        assert_eq!(counts, [("com.acme.ending.Other", 10)], "Java {}", jdk.version);
    }
}
