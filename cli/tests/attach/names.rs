//! Names of classes that UTF-8 and class files write differently.

use weighbridge_tests::{Talking, attachable, compile, java, jdks};

use crate::program::{Attached, ask, weighbridge};

/// U+1D4B2 has four bytes in UTF-8, and six in class files.
const NAMED: &str = "com.acme.named.\u{1D4B2}x";

#[test]
fn a_class_whose_name_has_a_character_above_u_ffff_is_measured_traced_and_gets_its_own_bytes_back() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = compile("named", &[], folder.path());
    for jdk in jdks() {
        let mut command = java(jdk);
        command.args(attachable(jdk)).args(["--add-opens", "java.base/java.lang=ALL-UNNAMED"]);
        let mut program = Talking::start(command.arg("-cp").arg(&classes).arg("com.acme.named.Main"));
        assert_eq!(program.line(), "ready");
        assert_eq!(program.tell("make 5"), "done");
        let recording = folder.path().join(format!("{}.wbr", jdk.version));
        let file = recording.to_str().expect("UTF-8");
        let include = ["--include", "com.acme.named.\u{1D4B2}?", "--set", "interval=1h"];
        let attached = Attached::start(&program.pid, &recording, &include);
        assert_eq!(program.tell("make 7"), "done");
        let started = ask(&["trace", "start", &program.pid, "methods", "samples", "--class", NAMED, "--name", "t"]);
        assert!(started.success(), "{started}");
        assert_eq!(program.tell("make 3"), "done");
        let traced = ask(&["trace", "stop", &program.pid, "t", "-o", "json"]).json();
        let methods = traced["traces"][0]["methods"].as_array().expect("methods");
        let once = methods.iter().find(|row| row["method"] == "once").unwrap_or_else(|| panic!("{traced:#}"));
        assert_eq!((&once["class"], &once["calls"]), (&NAMED.into(), &3.into()), "Java {}", jdk.version);
        ask(&["detach", &program.pid]).json();
        assert_eq!(attached.end(), (Some(0), String::new()));
        assert_eq!(program.tell("calls"), "0", "Java {}: its own bytes", jdk.version);

        let report = weighbridge().report(&recording);
        let rows = report["classes"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["class"] == NAMED).unwrap_or_else(|| panic!("{report:#}"));
        let numbers = ["allocated", "before", "live"].map(|key| row[key].as_u64());
        assert_eq!(numbers, [Some(10), Some(5), Some(15)], "Java {}: {row:#}", jdk.version);
        for format in ["text", "csv", "markdown", "html"] {
            let shown = ask(&["report", file, "-o", format]);
            assert!(shown.success() && shown.stdout.contains("\u{1D4B2}x"), "{format}: {shown}");
        }
    }
}
