//! Programs that nobody here wrote, rewritten, verified and run: same output, and counts that the VM confirms.

use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use weighbridge_tests::snapshot::boot_jar;
use weighbridge_tests::{Jdk, Weighbridge, compile, jar, jars, java, jdks_from, native_agent, run, verify_everything};

struct Program {
    folder: tempfile::TempDir,
    weighbridge: Weighbridge,
    main: &'static str,
    /// The class path of the original: test classes first, then jars.
    original: Vec<PathBuf>,
    /// The same with the rewritten jars.
    rewritten: Vec<PathBuf>,
}

impl Program {
    fn new(source: &str, main: &'static str, artifacts: &[&str], config: &str) -> (Self, Value) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
        let libraries = jars(artifacts);
        let quiet = compile("quiet", &[], folder.path());
        let mut needed = libraries.clone();
        needed.push(quiet.clone());
        let classes = compile(source, &needed, folder.path());
        let config_file = folder.path().join("weighbridge.toml");
        fs::write(&config_file, config).expect("the configuration");
        let inputs: Vec<&Path> = libraries.iter().map(PathBuf::as_path).collect();
        let weighed = folder.path().join("weighed");
        let summary = weighbridge.instrument(&inputs, &config_file, &weighed);
        let swapped = libraries.iter().map(|jar| weighed.join(jar.file_name().expect("a jar")));
        let rewritten = [classes.clone(), quiet.clone()].into_iter().chain(swapped).collect();
        let original = [classes, quiet].into_iter().chain(libraries).collect();
        (Program { folder, weighbridge, main, original, rewritten }, summary)
    }

    fn command(&self, jdk: &Jdk, class_path: &[PathBuf]) -> Command {
        let mut command = java(jdk);
        // Log lines without their time of day, so that two runs can be compared.
        command.arg("-Djava.util.logging.SimpleFormatter.format=%5$s%n");
        command.args(verify_everything(jdk)).arg("-cp").arg(std::env::join_paths(class_path).expect("a class path"));
        command
    }

    /// Runs the original and the measured program; the outputs must be equal. Gives the report and the VM's histogram.
    fn compare_outputs(&self, jdk: &Jdk, way: Way) -> (Value, HashMap<String, (u64, u64)>) {
        let [recording, histogram] =
            ["wbr", "histogram"].map(|kind| self.folder.path().join(format!("{}-{way:?}.{kind}", jdk.major)));
        let original = run(self.command(jdk, &self.original).arg(self.main).arg(&histogram));
        assert!(original.success(), "{original}");
        let runtime = self.folder.path().join("weighed/weighbridge-runtime.jar");
        let (agent, class_path) = match way {
            Way::Jar => (format!("-javaagent:{}=", runtime.display()), self.rewritten.clone()),
            Way::Native => {
                let config = self.folder.path().join("weighbridge.toml");
                let agent = format!("-agentpath:{}=config={},", native_agent().display(), config.display());
                // The program asks for a snapshot by the API.
                (agent, [self.original.as_slice(), &[runtime]].concat())
            }
        };
        let measured = run(self
            .command(jdk, &class_path)
            .arg(format!("{agent}destfile={}", recording.display()))
            .arg(self.main)
            .arg(&histogram));
        assert_eq!(measured.code, Some(0), "Java {} {way:?}: {measured}", jdk.version);
        assert_eq!(timeless(&original.stdout), timeless(&measured.stdout), "Java {} {way:?}", jdk.version);
        assert_eq!(original.stderr, measured.stderr, "Java {} {way:?}", jdk.version);
        (self.weighbridge.report(&recording), read_histogram(&histogram))
    }
}

/// How a program is measured.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// Its jars were rewritten.
    Jar,
    /// The native agent changes its classes when they are loaded.
    Native,
}

/// Every way on every Java that the programs need.
fn matrix() -> impl Iterator<Item = (&'static Jdk, Way)> {
    jdks_from(17).into_iter().flat_map(|jdk| [(jdk, Way::Jar), (jdk, Way::Native)])
}

/// H2's shell prints how long a query took.
fn timeless(output: &str) -> String {
    let is_time = |line: &&str| !(line.starts_with('(') && line.contains(" ms)"));
    output.lines().filter(is_time).collect::<Vec<_>>().join("\n")
}

fn read_histogram(file: &Path) -> HashMap<String, (u64, u64)> {
    let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    text.lines()
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            (words[2].to_owned(), (words[0].parse().expect("instances"), words[1].parse().expect("bytes")))
        })
        .collect()
}

/// Every exact class of the snapshot at the quiescent point has as many live instances, and bytes, as the VM counts.
fn agree(report: &Value, histogram: &HashMap<String, (u64, u64)>, context: &str) -> usize {
    let mut compared = 0;
    for row in report["classes"].as_array().expect("classes") {
        if row["exact"] != true {
            continue;
        }
        let name = row["class"].as_str().expect("a name");
        let (instances, bytes) = histogram.get(name).copied().unwrap_or((0, 0));
        assert_eq!(row["live"], instances, "{context}: instances of {name}: {row:#}");
        assert_eq!(row["shallow_bytes"], bytes, "{context}: bytes of {name}: {row:#}");
        compared += 1;
    }
    compared
}

#[test]
fn h2_answers_the_same_and_its_pages_and_values_are_counted_as_the_vm_counts_them() {
    // Everything, because the VM counts by exact class: an object of a class that is not rewritten counts for its
    // nearest superclass that is.
    let config = "version = 1\n[instrument]\ninclude = [\"org.h2.**\"]\n\
        [measure]\nat = [\"request\"]\nbudget = { references = 200000 }\n\
        [components]\nstorage = [\"org.h2.mvstore.**\"]\nvalues = [\"org.h2.value.**\"]\n";
    let (h2, summary) = Program::new("h2", "Database", &["h2"], config);
    assert!(summary["total"]["classes_rewritten"].as_u64().is_some_and(|n| n > 50), "{summary:#}");
    for (jdk, way) in matrix() {
        let (report, histogram) = h2.compare_outputs(jdk, way);
        let compared = agree(&report, &histogram, &format!("H2 on Java {} {way:?}", jdk.version));
        assert!(compared >= 100, "only {compared} classes compared");
        let live = |name: &str| {
            let rows = report["classes"].as_array().expect("classes");
            rows.iter().find(|row| row["class"] == name).map_or(0, |row| row["live"].as_u64().expect("live"))
        };
        assert!(live("org.h2.mvstore.Page$Leaf") > 10, "{report:#}");
        assert!(live("org.h2.value.ValueVarchar") >= 4_500, "{report:#}");
    }
}

#[test]
fn lucene_finds_the_same_and_its_objects_are_counted_as_the_vm_counts_them() {
    let config = "version = 1\n[instrument]\ninclude = [\"org.apache.lucene.**\"]\n\
        [measure]\nat = [\"request\"]\n[components]\nindex = [\"org.apache.lucene.index.**\"]\n\
        store = [\"org.apache.lucene.store.**\"]\n";
    let artifacts = ["lucene-core", "lucene-analysis-common", "lucene-queryparser", "lucene-queries", "lucene-sandbox"];
    let (lucene, summary) = Program::new("lucene", "Search", &artifacts, config);
    assert!(summary["total"]["classes_rewritten"].as_u64().is_some_and(|n| n > 2_000), "{summary:#}");
    for (jdk, way) in matrix() {
        let (report, histogram) = lucene.compare_outputs(jdk, way);
        let compared = agree(&report, &histogram, &format!("Lucene on Java {} {way:?}", jdk.version));
        assert!(compared >= 200, "only {compared} classes compared");
    }
}

#[test]
fn a_spring_boot_jar_with_nested_jars_starts_and_measures_itself() {
    let jar = boot_jar();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let config = folder.path().join("weighbridge.toml");
    let text = "version = 1\n[instrument]\n\
        include = [\"com.acme.boot.**\", \"com.fasterxml.jackson.databind.**\", \"org.springframework.beans.factory.**\"]\n\
        [components]\norders = [\"com.acme.boot.**\"]\njson = [\"com.fasterxml.**\"]\nspring = [\"org.springframework.**\"]\n";
    fs::write(&config, text).expect("the configuration");
    let summary = weighbridge.instrument(&[&jar], &config, &folder.path().join("weighed"));
    assert!(summary["total"]["classes_rewritten"].as_u64().is_some_and(|n| n > 500), "{summary:#}");
    for jdk in jdks_from(17) {
        let recording = folder.path().join(format!("{}.wbr", jdk.major));
        let original = run(java(jdk).arg("-jar").arg(&jar));
        let rewritten = run(java(jdk)
            .args(verify_everything(jdk))
            .arg(format!("-Dweighbridge.destfile={}", recording.display()))
            .arg("-jar")
            .arg(folder.path().join("weighed").join(jar.file_name().expect("a name"))));
        assert_eq!(original.stdout, rewritten.stdout, "Java {}: {rewritten}", jdk.version);
        assert!(original.success() && rewritten.success(), "Java {}: {rewritten}", jdk.version);
        assert!(original.stdout.starts_with("kept 1234 orders"), "{original}");
        let report = weighbridge.report(&recording);
        let row = |key: &str, name: &str| {
            let rows = report[key].as_array().unwrap_or_else(|| panic!("{report:#}")).clone();
            rows.into_iter().find(|row| row["class"] == name || row["component"] == name || row["name"] == name)
        };
        let order = row("classes", "com.acme.boot.Orders$Order").unwrap_or_else(|| panic!("{report:#}"));
        assert_eq!(order["allocated"], 1_234);
        assert_eq!(order["component"], "orders");
        for component in ["orders", "json", "spring"] {
            assert!(row("components", component).is_some(), "{component}: {report:#}");
        }
    }
}

#[test]
fn every_class_of_guava_and_the_scala_library_still_loads_when_all_constructors_are_rewritten() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let load = compile("load", &[], folder.path());
    let config = folder.path().join("weighbridge.toml");
    fs::write(&config, "version = 1\n[instrument]\ninclude = [\"**\"]\n").expect("the configuration");
    let guava_needs =
        jars(&["failureaccess", "jsr305", "checker-qual", "error_prone_annotations", "j2objc-annotations"]);
    for (artifact, needs, at_least) in [("guava", guava_needs, 1_500), ("scala-library", vec![], 2_000)] {
        let original = jar(artifact);
        let weighed = folder.path().join(artifact);
        let summary = weighbridge.instrument(&[&original], &config, &weighed);
        let rewritten = weighed.join(original.file_name().expect("a name"));
        for jdk in jdks_from(17) {
            let link = |jar: &Path| {
                let output = run(java(jdk)
                    .args(verify_everything(jdk))
                    .arg("-cp")
                    .arg(&load)
                    .arg("LoadAll")
                    .arg(jar)
                    .args(&needs));
                assert!(output.success(), "{output}");
                output
            };
            let (before, after) = (link(&original), link(&rewritten));
            // The bridge is the one class that the original does not have.
            let linked: Vec<&str> = after.stdout.lines().filter(|name| !name.contains("Weighbridge$")).collect();
            assert_eq!(
                before.stdout.lines().collect::<Vec<_>>(),
                linked,
                "{artifact} on Java {}: {}",
                jdk.version,
                after.stderr
            );
            assert!(linked.len() >= at_least, "{artifact}: only {} classes", linked.len());
            println!("{artifact} on Java {}: {} classes link; {}", jdk.version, linked.len(), summary["total"]);
        }
    }
}
