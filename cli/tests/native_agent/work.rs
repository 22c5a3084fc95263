//! Methods that `[shortage]` names: the program runs as without the agent.

use weighbridge_tests::{at_once, jdks, run};

use crate::programs::{LOADING, Programs, as_made};

#[test]
fn a_program_runs_on_whatever_methods_are_work() {
    let programs = Programs::new("loading", &[]);
    at_once(jdks().iter().enumerate(), |(index, jdk)| {
        let launch = ["com.acme.loading.Everything"];
        let original = run(programs.java(jdk).args(launch));
        assert!(original.success(), "{original}");
        let part = ["java.util.**.*", "java.lang.**.*"][index % 2];
        for pattern in ["com.acme.**.*", part, "**.*"] {
            let config = format!("[shortage]\ncheckpoints = [\"{pattern}\"]\nretry = [\"com.acme.**.*\"]\n");
            let (output, _) = programs.measure(jdk, &config, "", &launch);
            assert_eq!(original.stdout, output.stdout, "Java {} {pattern}", jdk.version);
        }
    });
}

#[test]
fn classes_that_register_their_objects_count_them_when_their_methods_are_work() {
    let programs = Programs::new("loading", &[]);
    let shortage = "[shortage]\ncheckpoints = [\"com.acme.**.*\"]\nretry = [\"com.acme.**.*\"]\n\
        permit.methods = [\"com.acme.**.*\", \"java.util.ArrayList.*\"]\nadmit.methods = [\"com.acme.**.*\"]\n";
    for jdk in jdks() {
        let config = format!("{LOADING}{shortage}");
        let (output, report) = programs.measure(jdk, &config, "", &["com.acme.loading.Loading"]);
        as_made(&output, &report, &format!("Java {}", jdk.version));
    }
}
