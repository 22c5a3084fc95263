//! Programs that nobody here wrote, measured in every way, verified and run: same output, and counts that the VM confirms.

use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use weighbridge_tests::snapshot::boot_jar;
use weighbridge_tests::{
    Jdk, Weighbridge, attach_in_the_middle, attachable, compile, in_the_middle, jar, jars, java, jdks, jdks_from,
    native_agent, run, verify_everything,
};

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

    /// Runs the original and the measured program; the outputs must be equal. Gives the report and the VM's histograms.
    fn compare_outputs(&self, jdk: &Jdk, way: Way) -> (Value, [Histogram; 2]) {
        let [recording, histograms] =
            ["wbr", "histograms"].map(|kind| self.folder.path().join(format!("{}-{way:?}.{kind}", jdk.major)));
        let original = run(self.command(jdk, &self.original).arg(self.main).arg(&histograms));
        assert!(original.success(), "{original}");
        let config = self.folder.path().join("weighbridge.toml");
        let runtime = self.folder.path().join("weighed/weighbridge-runtime.jar");
        // The program asks for a snapshot by the API.
        let with_api = [self.original.as_slice(), std::slice::from_ref(&runtime)].concat();
        let with_agent = |agent: &str, class_path: &[PathBuf]| {
            let mut command = self.command(jdk, class_path);
            run(command.arg(format!("{agent}destfile={}", recording.display())).arg(self.main).arg(&histograms))
        };
        let measured = match way {
            Way::Jar => with_agent(&format!("-javaagent:{}=", runtime.display()), &self.rewritten),
            Way::Native => {
                with_agent(&format!("-agentpath:{}=config={},", native_agent().display(), config.display()), &with_api)
            }
            Way::Attached => {
                let (middle, folder) = in_the_middle();
                let mut command = self.command(jdk, &[with_api.as_slice(), &[folder.to_owned()]].concat());
                command.args(attachable(jdk)).args([middle, "twice", self.main]).arg(&histograms);
                let arguments = ["--config", config.to_str().expect("UTF-8")];
                let (before, output) = attach_in_the_middle(&self.weighbridge, &mut command, &recording, &arguments);
                assert_eq!(timeless(&before), timeless(&output.stdout), "Java {}", jdk.version);
                output
            }
        };
        assert_eq!(measured.code, Some(0), "Java {} {way:?}: {measured}", jdk.version);
        assert_eq!(timeless(&original.stdout), timeless(&measured.stdout), "Java {} {way:?}", jdk.version);
        assert_eq!(original.stderr, measured.stderr, "Java {} {way:?}", jdk.version);
        (self.weighbridge.report(&recording), read_histograms(&histograms))
    }
}

/// How a program is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// Its jars were rewritten.
    Jar,
    /// The native agent changes its classes when they are loaded.
    Native,
    /// It runs twice, and the agent attaches between.
    Attached,
}

/// Every way on each Java that the programs run on; attaching takes two runs, so on the newest only.
fn matrix() -> impl Iterator<Item = (&'static Jdk, Way)> {
    let newest = jdks().iter().map(|jdk| jdk.major).max();
    let all = jdks_from(17).into_iter().flat_map(|jdk| [Way::Jar, Way::Native, Way::Attached].map(|way| (jdk, way)));
    all.filter(move |(jdk, way)| *way != Way::Attached || Some(jdk.major) == newest)
}

/// H2's shell prints how long a query took.
fn timeless(output: &str) -> String {
    let is_time = |line: &&str| !(line.starts_with('(') && line.contains(" ms)"));
    output.lines().filter(is_time).collect::<Vec<_>>().join("\n")
}

/// A class histogram of the VM: instances and bytes by class.
type Histogram = HashMap<String, (u64, u64)>;

/// The histograms right before and right after the snapshot.
fn read_histograms(file: &Path) -> [Histogram; 2] {
    let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let (before, after) = text.split_once("\n\n").expect("two histograms");
    [before, after].map(|text| {
        let row = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            (words[2].to_owned(), (words[0].parse().expect("instances"), words[1].parse().expect("bytes")))
        };
        text.lines().map(row).collect()
    })
}

/// Every exact class of the snapshot at the quiescent point has as many live instances, and bytes, as the VM counts.
/// Where the VM's own counts right before and right after differ, because a thread of the library let go of something,
/// the snapshot's lie between them.
fn agree(report: &Value, [before, after]: &[Histogram; 2], context: &str) -> usize {
    let mut compared = 0;
    for row in report["classes"].as_array().expect("classes") {
        if row["exact"] != true {
            continue;
        }
        let name = row["class"].as_str().expect("a name");
        let of = |histogram: &Histogram| histogram.get(name).copied().unwrap_or((0, 0));
        let between = |key: &str, one: u64, other: u64| {
            let range = one.min(other)..=one.max(other);
            assert!(
                row[key].as_u64().is_some_and(|n| range.contains(&n)),
                "{context}: {key} of {name}: {range:?}, {row:#}"
            );
        };
        let ((instances, bytes), (instances_after, bytes_after)) = (of(before), of(after));
        between("live", instances, instances_after);
        between("shallow_bytes", bytes, bytes_after);
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
        let (report, histograms) = h2.compare_outputs(jdk, way);
        let compared = agree(&report, &histograms, &format!("H2 on Java {} {way:?}", jdk.version));
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
        let (report, histograms) = lucene.compare_outputs(jdk, way);
        let compared = agree(&report, &histograms, &format!("Lucene on Java {} {way:?}", jdk.version));
        assert!(compared >= 200, "only {compared} classes compared");
    }
}

#[test]
fn a_spring_boot_jar_with_nested_jars_starts_and_is_measured() {
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
    let weighed = folder.path().join("weighed").join(jar.file_name().expect("a name"));
    let agent = format!("-agentpath:{}=config={}", native_agent().display(), config.display());
    // The rewritten jar needs no option.
    let ways = [(weighed, None), (jar.clone(), Some(agent))];
    for jdk in jdks_from(17) {
        let original = run(java(jdk).arg("-jar").arg(&jar));
        assert!(original.success() && original.stdout.starts_with("kept 1234 orders"), "{original}");
        for (path, agent) in &ways {
            let recording = folder.path().join(format!("{}-{}.wbr", jdk.major, agent.is_some()));
            let measured = run(java(jdk)
                .args(verify_everything(jdk))
                .args(agent)
                .arg(format!("-Dweighbridge.destfile={}", recording.display()))
                .arg("-jar")
                .arg(path));
            assert_eq!(original.stdout, measured.stdout, "Java {} {agent:?}: {measured}", jdk.version);
            assert!(measured.success(), "Java {} {agent:?}: {measured}", jdk.version);
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
}

#[test]
fn every_class_of_large_libraries_still_loads_when_all_constructors_have_probes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let load = compile("load", &[], folder.path());
    let config = folder.path().join("weighbridge.toml");
    fs::write(&config, "version = 1\n[instrument]\ninclude = [\"**\"]\n").expect("the configuration");
    let guava_needs =
        jars(&["failureaccess", "jsr305", "checker-qual", "error_prone_annotations", "j2objc-annotations"]);
    for (artifact, needs, at_least) in [
        ("guava", guava_needs, 1_500),
        ("scala-library", vec![], 2_000),
        ("h2", vec![], 1_000),
        ("lucene-core", vec![], 2_000),
        ("bcprov-jdk18on", vec![], 4_000),
    ] {
        let original = jar(artifact);
        let weighed = folder.path().join(artifact);
        let summary = weighbridge.instrument(&[&original], &config, &weighed);
        let rewritten = weighed.join(original.file_name().expect("a name"));
        for jdk in jdks() {
            let recording = weighed.join(format!("{}.wbr", jdk.major));
            let agent = native_agent().display();
            let agent = format!("-agentpath:{agent}=config={},destfile={}", config.display(), recording.display());
            let link = |agent: Option<&str>, jar: &Path| {
                let mut command = java(jdk);
                command.args(verify_everything(jdk)).args(agent).arg("-cp").arg(&load).arg("LoadAll").arg(jar);
                let output = run(command.args(&needs));
                assert!(output.success(), "{artifact} on Java {}: {output}", jdk.version);
                output
            };
            let before = link(None, &original);
            for (way, after) in [(Way::Jar, link(None, &rewritten)), (Way::Native, link(Some(&agent), &original))] {
                let context = format!("{artifact} on Java {} {way:?}", jdk.version);
                // The bridge, and the runtime of an executable jar.
                let ours = |name: &&str| name.contains("Weighbridge$") || name.starts_with("io.weighbridge.");
                let linked: Vec<&str> = after.stdout.lines().filter(|name| !ours(name)).collect();
                assert_eq!(before.stdout.lines().collect::<Vec<_>>(), linked, "{context}: {}", after.stderr);
                assert_eq!(reasons(&before.stderr), reasons(&after.stderr), "{context}");
            }
            let (linked, report) = (before.stdout.lines().count(), weighbridge.report(&recording));
            let probed = report["jvms"][0]["instrumented_classes"].as_u64();
            assert!(linked >= at_least, "{artifact}: only {linked} classes");
            // The others are interfaces.
            assert!(probed >= Some(linked as u64 / 2), "{artifact} on Java {}: {probed:?} of {linked}", jdk.version);
            println!("{artifact} on Java {}: {linked} classes link, {probed:?}; {}", jdk.version, summary["total"]);
        }
    }
}

/// The classes that need other jars, with the errors. Which of several missing classes the verifier meets first depends on
/// what was linked before.
fn reasons(errors: &str) -> Vec<(&str, &str)> {
    errors
        .lines()
        .map(|line| {
            let (class, error) = line.split_once(": ").expect("a class and an error");
            (class, error.split(':').next().expect("a part"))
        })
        .collect()
}
