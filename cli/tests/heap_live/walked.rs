//! Dumps of a program that is measured, written while the runtime's walk holds all of its objects.

use std::path::{Path, PathBuf};

use weighbridge_tests::{Jdk, compile, java, jdks, native_agent, run};

use crate::program::heap;

/// A walk may end between the moment it is seen and the dump.
const DUMPS: usize = 4;

/// Runs the program with some options; gives its dumps.
fn dumps(jdk: &Jdk, classes: &Path, folder: &Path, name: &str, options: &[String]) -> Vec<PathBuf> {
    let dumps: Vec<PathBuf> = (0..DUMPS).map(|at| folder.join(format!("{name}-{}-{at}.hprof", jdk.major))).collect();
    let mut program = java(jdk);
    program.args(options).arg("-cp").arg(classes).arg("com.acme.walked.Main").args(&dumps);
    let output = run(&mut program);
    assert!(output.success(), "Java {}: {output}", jdk.version);
    dumps
}

/// The only figure that a question gives.
fn figure(dump: &Path, query: &str) -> u64 {
    let output = heap(&["sql", dump.to_str().expect("UTF-8"), query, "-o", "csv"]);
    let figure = output.stdout.lines().nth(1).and_then(|line| line.parse().ok());
    figure.unwrap_or_else(|| panic!("{query}: {output}"))
}

#[test]
fn what_the_program_holds_has_its_owner_while_a_walk_runs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = compile("walked", &[], folder.path());
    let (config, recording) = (folder.path().join("rules.toml"), folder.path().join("run.wbr"));
    std::fs::write(&config, "version = 1\n[instrument]\ninclude = [\"com.acme.walked.**\"]\n").expect("its rules");
    let agent = native_agent().display();
    let measured = format!("-agentpath:{agent}=config={},destfile={}", config.display(), recording.display());
    let retained = "select retained from objects where class = 'com.acme.walked.Main$Shop'";
    let walking = "select count(*) from frames where class = 'io.weighbridge.runtime.walk.Walk'";
    for jdk in jdks() {
        let expected = figure(&dumps(jdk, &classes, folder.path(), "alone", &[])[0], retained);
        assert!(expected > 300_000 * 70, "{expected}");
        let mut dumps = dumps(jdk, &classes, folder.path(), "measured", std::slice::from_ref(&measured));
        dumps.retain(|dump| figure(dump, walking) > 0);
        assert!(!dumps.is_empty(), "Java {}: no dump in a walk", jdk.version);
        for dump in dumps {
            assert_eq!(figure(&dump, retained), expected, "Java {}: {}", jdk.version, dump.display());
        }
    }
}
