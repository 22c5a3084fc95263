//! Every class of large jars, loaded and linked.

use weighbridge_tests::{jar, jdks, run};

use crate::programs::Programs;

const JARS: [(&str, usize); 5] =
    [("guava", 1_500), ("h2", 1_000), ("scala-library", 2_000), ("lucene-core", 2_000), ("bcprov-jdk18on", 4_000)];

#[test]
fn all_classes_of_large_jars_load_and_link_as_without_the_agent() {
    let programs = Programs::new("load", &[]);
    let all = jdks();
    for (artifact, at_least) in JARS {
        let path = jar(artifact);
        let path = path.to_str().expect("UTF-8");
        // The oldest and the newest: each run links thousands of classes.
        for jdk in [&all[0], &all[all.len() - 1]] {
            let launch = ["LoadAll", path];
            let original = run(programs.java(jdk).args(launch));
            let (measured, report) = programs.measure_as("[instrument]\ninclude = [\"**\"]\n", "", |agent| {
                let mut command = programs.java(jdk);
                command.arg(agent).args(launch);
                command
            });
            let context = format!("{artifact} on Java {}", jdk.version);
            assert_eq!(original.stdout, measured.stdout, "{context}: {}", measured.stderr);
            assert_eq!(reasons(&original.stderr), reasons(&measured.stderr), "{context}");
            let (linked, probed) =
                (original.stdout.lines().count(), report["jvms"][0]["instrumented_classes"].as_u64());
            assert!(linked >= at_least, "{context}: only {linked} classes");
            // The others are interfaces.
            assert!(probed >= Some(linked as u64 / 2), "{context}: {probed:?} of {linked}");
            println!("{context}: {linked} classes link, {probed:?} with probes");
        }
    }
}

/// The classes that need other jars, with the errors. Which of several missing classes the verifier meets first depends on what
/// was linked before.
fn reasons(errors: &str) -> Vec<(&str, &str)> {
    errors
        .lines()
        .map(|line| {
            let (class, error) = line.split_once(": ").expect("a class and an error");
            (class, error.split(':').next().expect("a part"))
        })
        .collect()
}
