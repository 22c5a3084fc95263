//! The truth test: a program that knows its own numbers against what the report says of it.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use weighbridge_tests::{
    Jdk, Weighbridge, attach_in_the_middle, attachable, compile, every_java, in_the_middle, jar, java, jdks,
    native_agent, run,
};

const MAIN: &str = "com.acme.truth.Truth";

/// The class of which more objects are made between two collections than the registry's budget.
const OVER_BUDGET: &str = "com.acme.truth.zoo.Dust";

/// What the program says of one of its classes.
#[derive(Debug)]
struct Truth {
    constructed: u64,
    reachable: u64,
    /// Reachable when measuring began.
    before: u64,
    /// Shallow bytes, deep bytes and deep objects by JOL.
    jol: Option<[u64; 3]>,
}

struct Weighed {
    folder: tempfile::TempDir,
    weighbridge: Weighbridge,
}

impl Weighed {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
        let original = folder.path().join("truth.jar");
        fs::write(&original, weighbridge_samples::TRUTH_JAR).expect("the jar");
        let config = folder.path().join("weighbridge.toml");
        let text = "version = 1\n[instrument]\ninclude = [\"com.acme.truth.zoo.**\"]\n\
            [measure]\nbudget = { references = 20000 }\n";
        fs::write(&config, text).expect("the configuration");
        let summary = weighbridge.instrument(&[&original], &config, &folder.path().join("weighed"));
        assert_eq!(summary["total"]["classes_rewritten"], 12, "{summary:#}");
        Weighed { folder, weighbridge }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the weighed program and gives its own numbers and the report's.
    fn run(&self, jdk: &Jdk, options: &[String], launch: &[String]) -> (BTreeMap<String, Truth>, Value) {
        let recording = self.recording();
        let output =
            run(java(jdk).args(options).arg(format!("-Dweighbridge.destfile={}", recording.display())).args(launch));
        assert!(output.success() && output.stderr.is_empty(), "{} {options:?}: {output}", jdk.version);
        (truths(&output.stdout), self.weighbridge.report(&recording))
    }

    /// Runs the program twice and attaches between. Its own numbers are those of the second time, on top of what is there.
    fn run_attached(&self, jdk: &Jdk, options: &[String], class_path: &[&Path]) -> (BTreeMap<String, Truth>, Value) {
        let recording = self.recording();
        let (middle, folder) = in_the_middle();
        let class_path = std::env::join_paths([class_path, &[folder]].concat()).expect("a class path");
        let mut command = java(jdk);
        command.args(attachable(jdk)).args(options).arg("-cp").arg(class_path).args([middle, "twice", MAIN]);
        let config = self.path("weighbridge.toml");
        // Nodes of both times fit into this budget; there is still more dust. However busy the machine is, nothing is left out.
        let arguments = ["--config", config.to_str().expect("UTF-8"), "--set", "references=40000", "--pause", "1h"];
        let (before, output) = attach_in_the_middle(&self.weighbridge, &mut command, &recording, &arguments);
        assert!(output.success() && output.stderr.is_empty(), "{} {options:?}: {output}", jdk.version);
        let (before, mut truths) = (truths(&before), truths(&output.stdout));
        for (class, truth) in &mut truths {
            truth.constructed -= before[class].constructed;
            truth.before = before[class].reachable;
        }
        (truths, self.weighbridge.report(&recording))
    }

    /// The flag of the native agent.
    fn agent(&self) -> String {
        format!("-agentpath:{}=config={}", native_agent().display(), self.path("weighbridge.toml").display())
    }

    /// A path for one more recording.
    fn recording(&self) -> PathBuf {
        self.path(&format!("{}.wbr", fs::read_dir(self.folder.path()).expect("the folder").count()))
    }
}

/// The arguments that run the program from a class path.
fn launch(class_path: &[&Path]) -> [String; 3] {
    let class_path = std::env::join_paths(class_path).expect("a class path");
    ["-cp".to_owned(), class_path.into_string().expect("UTF-8"), MAIN.to_owned()]
}

fn truths(stdout: &str) -> BTreeMap<String, Truth> {
    let lines = stdout.lines().filter_map(|line| line.strip_prefix("truth "));
    lines
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let number = |i: usize| words[i].parse::<u64>().unwrap_or_else(|e| panic!("{line}: {e}"));
            let jol = (words.len() == 6).then(|| [number(3), number(4), number(5)]);
            (words[0].to_owned(), Truth { constructed: number(1), reachable: number(2), before: 0, jol })
        })
        .collect()
}

/// Holds every class of the report against the program's own numbers.
fn compare(truths: &BTreeMap<String, Truth>, report: &Value, context: &str) {
    let classes = report["classes"].as_array().unwrap_or_else(|| panic!("{context}: {report:#}"));
    assert_eq!(classes.len(), truths.len(), "{context}: {report:#}");
    let sum = |key: &str| -> u64 {
        let rows = report["components"].as_array().unwrap_or_else(|| panic!("{context}: {report:#}"));
        rows.iter().map(|row| row[key].as_u64().unwrap_or_else(|| panic!("{context}: {key}: {row:#}"))).sum()
    };
    let summary = &report["summary"];
    let [measured, shared, rest, used] =
        ["measured_bytes", "shared_once_bytes", "not_reached_bytes", "heap_used_bytes"]
            .map(|key| summary[key].as_u64().unwrap_or_else(|| panic!("{context}: {key}: {summary:#}")));
    assert_eq!(sum("exclusive_bytes") + shared, measured, "{context}: {report:#}");
    assert_eq!(sum("exclusive_bytes") + sum("shared_even_bytes"), measured, "{context}: {report:#}");
    assert_eq!(measured + rest, used, "{context}: {summary:#}");
    for row in classes {
        let name = row["class"].as_str().expect("a name");
        let truth = truths.get(name).unwrap_or_else(|| panic!("{context}: the program has no {name}"));
        assert_eq!(row["allocated"], truth.constructed, "{context}: allocated {name}");
        assert_eq!(row["before"].as_u64().unwrap_or(0), truth.before, "{context}: before {name}: {row:#}");
        let error = row["live_error"].as_f64().unwrap_or_else(|| panic!("{context}: {name}: {row:#}"));
        let live = row["live"].as_u64().unwrap_or_else(|| panic!("{context}: {name}: {row:#}"));
        assert!(live.abs_diff(truth.reachable) as f64 <= error, "{context}: live {name}: {row:#}");
        // Of the one that constructs more than can be tracked the JVM has counted the live objects; those of Shenandoah
        // and ZGC count without a collection, and may miss one.
        let estimated =
            name == OVER_BUDGET && ["Shenandoah", "ZGC"].iter().any(|collector| context.contains(collector));
        assert!(error == 0.0 || estimated, "{context}: {name}: {row:#}");
        assert!(name == OVER_BUDGET || row["exact"] == true, "{context}: {name}: {row:#}");
        if let Some([shallow, deep, objects]) = truth.jol {
            assert_eq!(row["shallow_bytes"], shallow, "{context}: shallow bytes of {name}");
            assert_eq!(row["deep_bytes"], deep, "{context}: deep bytes of {name}");
            assert_eq!(row["deep_objects"], objects, "{context}: deep objects of {name}");
        }
    }
}

/// The layouts that a JDK offers.
fn layouts(jdk: &Jdk) -> Vec<Vec<String>> {
    let mut layouts = vec![vec![], vec!["-XX:-UseCompressedOops".to_owned()]];
    if jdk.major >= 25 {
        layouts.push(vec!["-XX:+UseCompactObjectHeaders".to_owned()]);
        layouts.push(vec!["-XX:+UseCompactObjectHeaders".to_owned(), "-XX:-UseCompressedOops".to_owned()]);
    }
    layouts
}

/// Lets JOL read the fields of the JDK's collections.
fn opened_for_jol() -> Vec<String> {
    ["lang", "util", "util.concurrent", "util.concurrent.atomic", "math"]
        .iter()
        .flat_map(|package| ["--add-opens".to_owned(), format!("java.base/java.{package}=ALL-UNNAMED")])
        .collect()
}

#[test]
fn counts_and_deep_bytes_equal_the_programs_own_and_jols_on_every_jdk_and_layout() {
    let weighed = Weighed::new();
    let jol = jar("jol-core");
    let oracle = compile("jol", &[weighed.path("truth.jar"), jol.clone()], weighed.folder.path());
    // Gives JOL the JVM's own sizes; its jar has the agent's class but no manifest attribute that names it.
    let empty = weighed.path("empty");
    fs::create_dir(&empty).expect("a folder");
    let services = oracle.join("META-INF/services");
    fs::create_dir_all(&services).expect("the services folder");
    fs::write(services.join("com.acme.truth.Oracle"), "org.weighbridge.jol.JolOracle\n").expect("the service file");
    let jol_agent = weighed.path("jol-agent.jar");
    let premain = [("Premain-Class", "org.openjdk.jol.vm.InstrumentationSupport")];
    weighbridge_jdk::pack_jar(&empty, &premain, &jol_agent);
    // Sizes of the JVM's own, and by formula: the agent's runtime has no other, and is on no class path.
    let [by_jar, by_agent] = ["weighed/truth.jar", "truth.jar"].map(|jar| weighed.path(jar));
    let runtime = format!("-javaagent:{}", weighed.path("weighed/weighbridge-runtime.jar").display());
    let ways = [(by_jar, runtime), (by_agent, weighed.agent())];
    for jdk in every_java() {
        for (layout, (truth_jar, agent)) in
            layouts(jdk).iter().flat_map(|layout| ways.each_ref().map(|way| (layout, way)))
        {
            let mut options = layout.clone();
            options.extend(opened_for_jol());
            options.extend([agent.clone(), format!("-javaagent:{}", jol_agent.display())]);
            if jdk.major >= 24 {
                // JOL's warning, not ours: the other tests of this file run without the option and see none.
                options.push("--sun-misc-unsafe-memory-access=allow".to_owned());
            }
            let (truths, report) = weighed.run(jdk, &options, &launch(&[truth_jar, &jol, &oracle]));
            let context = format!("Java {} {layout:?} {agent}", jdk.version);
            assert!(truths.values().all(|truth| truth.jol.is_some()), "{context}: the oracle did not answer");
            compare(&truths, &report, &context);
            println!("{context}: {} classes agree", truths.len());
        }
    }
}

#[test]
fn an_executable_jar_measures_itself_without_any_flag() {
    let weighed = Weighed::new();
    let launch = ["-jar".to_owned(), weighed.path("weighed/truth.jar").display().to_string()];
    for jdk in jdks() {
        let (truths, report) = weighed.run(jdk, &[], &launch);
        compare(&truths, &report, &format!("Java {} -jar", jdk.version));
        assert_eq!(report["jvm"]["sizes"], "instrumentation", "Java {}: {report:#}", jdk.version);
        assert_eq!(report["jvm"]["access"], "instrumentation", "Java {}: {report:#}", jdk.version);
    }
}

/// The collectors that a JDK offers.
fn collectors(jdk: &Jdk) -> Vec<&'static str> {
    let mut collectors = vec!["-XX:+UseG1GC", "-XX:+UseSerialGC", "-XX:+UseParallelGC"];
    if jdk.major >= 17 {
        collectors.extend(["-XX:+UseZGC", "-XX:+UseShenandoahGC"]);
    }
    collectors
}

#[test]
fn the_native_agent_counts_what_the_program_counts_with_every_collector() {
    let weighed = Weighed::new();
    let [original, rewritten] = ["truth.jar", "weighed/truth.jar"].map(|jar| weighed.path(jar));
    let runtime = weighed.path("weighed/weighbridge-runtime.jar");
    for jdk in jdks() {
        for collector in collectors(jdk) {
            let context = format!("Java {} {collector}", jdk.version);
            let collector = collector.to_owned();
            // The program calls the API; a rewritten jar has its own objects counted by its own probes only.
            let jars = [&original, &rewritten];
            for jar in jars.into_iter().take(if collector.ends_with("UseG1GC") { 2 } else { 1 }) {
                let (truths, report) =
                    weighed.run(jdk, &[collector.clone(), weighed.agent()], &launch(&[jar, &runtime]));
                compare(&truths, &report, &format!("{context} {}", jar.display()));
            }
            let (truths, report) = weighed.run_attached(jdk, &[collector], &[&original]);
            compare(&truths, &report, &format!("{context} attached"));
        }
    }
}

#[test]
fn without_the_runtime_the_rewritten_jar_prints_what_the_original_prints() {
    let weighed = Weighed::new();
    let rewritten = unpacked_without_runtime(&weighed.path("weighed/truth.jar"), weighed.folder.path());
    for jdk in jdks() {
        let [original, silent] =
            [weighed.path("truth.jar"), rewritten.clone()].map(|path| run(java(jdk).arg("-cp").arg(path).arg(MAIN)));
        assert!(original.success() && original.stdout.contains("not weighed"), "{original}");
        assert_eq!((original.stdout, original.stderr), (silent.stdout, silent.stderr), "Java {}", jdk.version);
    }
}

/// A copy of a rewritten jar with the embedded runtime left out.
fn unpacked_without_runtime(jar: &Path, into: &Path) -> PathBuf {
    let classes = into.join("without-runtime");
    fs::create_dir(&classes).expect("a folder");
    let mut archive = zip::ZipArchive::new(fs::File::open(jar).expect("the jar")).expect("a zip file");
    archive.extract(&classes).expect("the classes");
    fs::remove_dir_all(classes.join("io/weighbridge")).expect("the executable jar carries the runtime");
    classes
}
