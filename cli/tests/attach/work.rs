//! Probes of work in a program that runs: in classes that were loaded before and after, and none after the end.

use std::fs;

use weighbridge_tests::jdks;

use crate::program::{Attached, Program, ask, recorded, weighbridge};

/// `Counted` registers its objects, too; `Tasks` is loaded after the attach; `StringJoiner` is of the boot loader.
const CONFIG: &str = r#"
version = 1
[instrument]
include = ["com.acme.attached.Counted"]
[measure]
at = ["exit", "every 1h"]
[shortage]
checkpoints = ["com.acme.attached.Tasks.sum", "com.acme.attached.Tasks.count*"]
retry = ["com.acme.attached.Tasks.countDown", "com.acme.attached.Tasks.sum"]
[shortage.permit]
methods = ["com.acme.attached.Counted.number", "java.util.StringJoiner.add", "com.acme.attached.Tasks.sum"]
[shortage.admit]
methods = ["com.acme.**.sum"]
"#;

#[test]
fn methods_of_any_class_are_work_while_the_agent_is_there_and_have_their_own_bytes_afterwards() {
    for jdk in jdks() {
        let java = &jdk.version;
        let mut program = Program::start(jdk);
        let config = program.path("weighbridge.toml");
        fs::write(&config, CONFIG).unwrap();
        program.tell("make 5");
        for round in 1..=2 {
            let recording = program.path("a.wbr");
            let attached = Attached::start(&program.pid, &recording, &["--config", config.to_str().unwrap()]);
            assert_eq!(program.calls(), 1, "Java {java}: the constructor's probe is there");
            assert_eq!(program.tell("work"), "7 a-b [1,0,0, 2,0,0, 3,1,2] 8", "Java {java}, round {round}");
            ask(&["detach", &program.pid]).json();
            assert_eq!(attached.end(), (Some(0), String::new()));
            assert_eq!(recorded(&recording).1, "detach");
            let report = weighbridge().report(&recording);
            let skipped: Vec<&str> =
                report["skipped"].as_array().unwrap().iter().map(|row| row["reason"].as_str().unwrap()).collect();
            let reason =
                "method com.acme.attached.Tasks.countDown: it cannot run again, because its arguments are not kept";
            assert_eq!(skipped, [reason], "Java {java}, round {round}: {report:#}");
            program.assert_clean(java);
            assert_eq!(program.tell("work"), "7 a-b [] 0", "Java {java}, round {round}");
        }
        program.end(5);
    }
}
