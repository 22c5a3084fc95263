//! The Gradle plugin on a build of two modules: tests are weighed, and the results fit every checkout.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use weighbridge_tests::maven::publish_binary;
use weighbridge_tests::{copy, gradle, root, run};

/// Name, allocated and live objects of what the test of `app` constructs.
const TESTS_OF_APP: [(&str, u64, u64); 4] = [
    ("com.acme.orders.Line", 600, 400),
    ("com.acme.orders.Order", 300, 200),
    ("com.acme.orders.book.OrderBook", 1, 1),
    ("com.acme.orders.book.UrgentOrder", 20, 20),
];

/// The tasks of `app` that end in a report.
const TASKS: [&str; 3] = ["app:weighbridgeInstrumentTest", "app:test", "app:weighbridgeReport"];

#[test]
fn the_tests_are_weighed_once_and_their_results_come_from_the_build_cache_in_another_checkout() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let first = checkout(&folder.path().join("a first checkout"));
    let output = report(&first);
    for task in TASKS {
        assert_eq!(outcome(&output, task), "", "{task} was executed: {output}");
    }
    assert!(output.contains("Configuration cache entry stored."), "{output}");
    assert_eq!(classes(&first), expected());
    let text = fs::read_to_string(first.join("app/build/reports/weighbridge/report.txt")).expect("the text report");
    assert!(text.contains("session app"), "{text}");
    let jar = fs::File::open(first.join("api/build/libs/api.jar")).expect("the jar of api");
    let jar = zip::ZipArchive::new(jar).expect("an archive");
    let bridges = jar.file_names().filter(|name| name.as_ref().is_ok_and(|name| name.contains("Weighbridge$"))).count();
    assert_eq!(bridges, 0, "what is packaged are the original classes");

    let output = report(&first);
    assert!(output.contains("Configuration cache entry reused."), "{output}");
    for task in TASKS {
        assert_eq!(outcome(&output, task), "UP-TO-DATE", "{task}: {output}");
    }

    let second = checkout(&folder.path().join("a second checkout"));
    let output = report(&second);
    for task in TASKS {
        assert_eq!(outcome(&output, task), "FROM-CACHE", "{task}: {output}");
    }
    assert_eq!(classes(&second), expected());

    edit(&second.join("app/src/main/java/com/acme/orders/book/OrderBook.java"), "open orders", "orders");
    let output = report(&second);
    for task in TASKS {
        assert_eq!(outcome(&output, task), "", "{task} was executed: {output}");
    }
    assert!(output.contains("Configuration cache entry reused."), "{output}");
    assert_eq!(classes(&second), expected());
}

#[test]
fn budgets_are_held_with_the_binary_of_a_repository_and_coverage_is_that_of_the_originals() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let checkout = checkout(&folder.path().join("a checkout"));
    let build = |arguments: &[&str]| run(command(&checkout).args(arguments));
    edit(&checkout.join("weighbridge.toml"), "max = 1000", "max = 199");
    edit(&checkout.join("build.gradle"), "apply plugin: 'java'", "apply plugin: 'java'\n    apply plugin: 'jacoco'");
    // This also brings what the build needs, so that the next one can be offline.
    let output = build(&["app:test", "-Pweighbridge.skip"]);
    assert!(output.success(), "{output}");
    assert!(!checkout.join("app/build/weighbridge").exists(), "skipped is as if the plugin were not there");
    let unweighed = fs::read(checkout.join("app/build/jacoco/test.exec")).expect("what JaCoCo recorded");
    fs::remove_dir_all(checkout.join("app/build")).expect("the build goes");
    let output = build(&["app:weighbridgeCheck", "--offline"]);
    let coordinates = concat!("io.weighbridge:weighbridge-cli:", env!("CARGO_PKG_VERSION"), ":exe:");
    assert!(!output.success() && output.stderr.contains(coordinates), "{output}");
    assert!(output.stderr.contains("this build is offline"), "{output}");

    let repository = folder.path().join("repository");
    publish_binary(env!("CARGO_BIN_EXE_weighbridge"), env!("CARGO_PKG_VERSION"), &repository);
    let with_it = format!("mavenCentral(); maven {{ url = '{}' }} }}\n    dependencies", repository.display());
    edit(&checkout.join("build.gradle"), "mavenCentral() }\n    dependencies", &with_it);
    let output = build(&["weighbridgeCheck", "--continue"]);
    assert!(!output.success() && output.stderr.contains("memory budgets are broken"), "{output}");
    assert!(output.stderr.contains("com.acme.orders.Order of component orders: live 200, 199 allowed"), "{output}");
    assert!(output.stdout.contains("No budget is checked: no test ran"), "api has no tests: {output}");
    let verdicts = checkout.join("app/build/test-results/weighbridge/TEST-weighbridge.xml");
    let verdicts = fs::read_to_string(verdicts).expect("the verdicts");
    assert!(verdicts.contains("tests=\"1\" failures=\"1\""), "{verdicts}");
    let covered = fs::read(checkout.join("app/build/jacoco/test.exec")).expect("what JaCoCo recorded");
    let [covered, unweighed] = [covered, unweighed].map(|recorded| ids(&recorded, "com/acme/orders/"));
    assert!(covered.len() >= 4, "{covered:?}");
    assert_eq!(covered, unweighed);
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

fn edit(file: &Path, text: &str, by: &str) {
    let content = fs::read_to_string(file).expect("a text file");
    assert!(content.contains(text), "{} has no {text:?}", file.display());
    fs::write(file, content.replace(text, by)).expect("the file");
}

/// Runs the report of all modules, with a build cache beside the checkout; gives what Gradle says.
fn report(checkout: &Path) -> String {
    let mut gradle = command(checkout);
    gradle.arg(format!("-Pweighbridge.executable={}", env!("CARGO_BIN_EXE_weighbridge")));
    let output = run(gradle.args(["--build-cache", "weighbridgeReport"]));
    assert!(output.success(), "{output}");
    output.stdout
}

fn command(checkout: &Path) -> Command {
    let mut command = gradle::gradle(checkout);
    command.arg(format!("-PweighbridgeRepository={}", gradle::plugin().display()));
    command
}

/// The ids of the classes of a package that JaCoCo saw, by name: a block of a class is 0x11, its id, its name, its probes.
fn ids(recorded: &[u8], package: &str) -> Vec<(String, u64)> {
    let mut ids = Vec::new();
    for at in 11..recorded.len() {
        if !recorded[at..].starts_with(package.as_bytes()) || recorded[at - 11] != 0x11 {
            continue;
        }
        let length = usize::from(u16::from_be_bytes([recorded[at - 2], recorded[at - 1]]));
        let name = String::from_utf8(recorded[at..at + length].to_vec()).expect("a name");
        // The class that a rewritten folder has besides is in no report.
        if name.contains("/Weighbridge$") {
            continue;
        }
        ids.push((name, u64::from_be_bytes(recorded[at - 10..at - 2].try_into().expect("eight bytes"))));
    }
    ids.sort();
    ids
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
    let report = fs::read(checkout.join("app/build/reports/weighbridge/report.json")).expect("the JSON report");
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
