//! The Gradle script on a build of two modules: tests are weighed, and the results fit every checkout.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use weighbridge_tests::{cache, copy, root, run};

/// Name, allocated and live objects of what the test of `app` constructs.
const TESTS_OF_APP: [(&str, u64, u64); 4] = [
    ("com.acme.orders.Line", 600, 400),
    ("com.acme.orders.Order", 300, 200),
    ("com.acme.orders.book.OrderBook", 1, 1),
    ("com.acme.orders.book.UrgentOrder", 20, 20),
];

#[test]
fn the_tests_are_weighed_once_and_their_results_come_from_the_build_cache_in_another_checkout() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let first = checkout(&folder.path().join("a first checkout"));
    let output = gradle(&first);
    for task in ["api:weighbridgeInstrument", "app:weighbridgeInstrument", "app:test", "app:weighbridgeReport"] {
        assert_eq!(outcome(&output, task), "", "{task} was executed: {output}");
    }
    assert_eq!(classes(&first), expected());
    let report = fs::read_to_string(first.join("app/build/weighbridge/report.txt")).expect("the text report");
    assert!(report.contains("session app"), "{report}");

    let second = checkout(&folder.path().join("a second checkout"));
    let output = gradle(&second);
    for task in ["api:weighbridgeInstrument", "app:weighbridgeInstrument", "app:test", "app:weighbridgeReport"] {
        assert_eq!(outcome(&output, task), "FROM-CACHE", "{task}: {output}");
    }
    assert_eq!(classes(&second), expected());

    let class = second.join("app/src/main/java/com/acme/orders/book/OrderBook.java");
    let source = fs::read_to_string(&class).expect("the class");
    fs::write(&class, source.replace("open orders", "orders")).expect("the changed class");
    let output = gradle(&second);
    assert_eq!(outcome(&output, "api:weighbridgeInstrument"), "UP-TO-DATE", "{output}");
    for task in ["app:weighbridgeInstrument", "app:test", "app:weighbridgeReport"] {
        assert_eq!(outcome(&output, task), "", "{task} was executed: {output}");
    }
    assert_eq!(classes(&second), expected());
}

#[test]
fn tests_whose_coverage_would_be_lost_are_refused_and_a_skipped_build_needs_nothing_of_ours() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let checkout = checkout(folder.path());
    let build = checkout.join("build.gradle");
    let script = fs::read_to_string(&build).expect("the build");
    fs::write(&build, script.replace("apply plugin: 'java'", "apply plugin: 'java'\n    apply plugin: 'jacoco'"))
        .expect("the build with JaCoCo");
    let output = run(&mut command(&checkout, "weighbridgeReport"));
    assert!(!output.success(), "{output}");
    assert!(output.stderr.contains(":app:test: JaCoCo's coverage of rewritten classes would be lost"), "{output}");

    fs::remove_file(checkout.join("weighbridge.toml")).expect("the configuration goes");
    let mut gradle = command(&checkout, "classes");
    let output = run(gradle.args(["-PweighbridgeSkip", "-PweighbridgeExecutable=/nowhere"]));
    assert!(output.success(), "{output}");
    assert!(!checkout.join("app/build/weighbridge").exists(), "{output}");
}

fn expected() -> Vec<(String, u64, u64)> {
    TESTS_OF_APP.map(|(class, allocated, live)| (class.to_owned(), allocated, live)).into()
}

/// The modules of the Maven sample with the builds and tests of `tests/gradle`.
fn checkout(folder: &Path) -> PathBuf {
    copy(&root().join("tests/gradle"), folder);
    let sample = root().join("samples/maven-multi-module");
    fs::copy(sample.join("weighbridge.toml"), folder.join("weighbridge.toml")).expect("the configuration");
    for module in ["api", "app"] {
        copy(&sample.join(module).join("src/main"), &folder.join(module).join("src/main"));
    }
    folder.to_owned()
}

/// Runs the report of all modules, with a build cache beside the checkout; gives what Gradle says.
fn gradle(checkout: &Path) -> String {
    let output = run(&mut command(checkout, "weighbridgeReport"));
    assert!(output.success(), "{output}");
    output.stdout
}

fn command(checkout: &Path, task: &str) -> Command {
    let mut gradle = Command::new("gradle");
    gradle.args(["--no-daemon", "--console=plain", "--build-cache", task, "--gradle-user-home"]);
    gradle.arg(cache().join("gradle")).current_dir(checkout).env_remove("JAVA_TOOL_OPTIONS");
    gradle.arg(format!("-PweighbridgeScript={}", root().join("gradle/weighbridge.gradle").display()));
    gradle.arg(format!("-PweighbridgeExecutable={}", env!("CARGO_BIN_EXE_weighbridge")));
    gradle
}

/// The outcome of a task in Gradle's output; nothing if it was executed.
fn outcome(output: &str, task: &str) -> String {
    let names = [format!(":{task}"), format!("> Task :{task}")];
    let line = output.lines().find(|line| {
        names
            .iter()
            .any(|name| line.strip_prefix(name.as_str()).is_some_and(|rest| !rest.starts_with(char::is_alphabetic)))
    });
    let line = line.unwrap_or_else(|| panic!("no task {task}: {output}"));
    line.rsplit_once(task).map(|(_, outcome)| outcome.trim().to_owned()).unwrap_or_default()
}

/// Name, allocated and live objects of the classes of the report of `app`, by name; all figures must be exact.
fn classes(checkout: &Path) -> Vec<(String, u64, u64)> {
    let report = fs::read(checkout.join("app/build/weighbridge/report.json")).expect("the JSON report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    let mut classes: Vec<_> = report["classes"]
        .as_array()
        .expect("a list of classes")
        .iter()
        .map(|class| {
            assert_eq!(class["exact"], true, "{class:#}");
            let number = |key: &str| class[key].as_u64().expect("a number");
            (class["class"].as_str().expect("a name").to_owned(), number("allocated"), number("live"))
        })
        .collect();
    classes.sort();
    classes
}
