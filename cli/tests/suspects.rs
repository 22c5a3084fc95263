//! How often the rule that looks for leaks errs: on programs that keep what they should, and on leaks.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use weighbridge_tests::{Jdk, Weighbridge, compile, java, jdks_from, root, run};

const ITEM: &str = "suspects.things.Item";
const HOLDER: &str = "suspects.things.Holder";
const CONFIG: &str = "version = 1\n\n[instrument]\ninclude = [\"suspects.things.*\"]\n";
const TICKS: u64 = 2_400;

/// How a run is measured.
#[derive(Clone, Copy)]
enum Measured {
    /// Every 100 ticks, after a forced full collection.
    Collected,
    /// Forty times a second, without one; one at the end.
    Interval,
}

struct Programs {
    folder: tempfile::TempDir,
    weighbridge: Weighbridge,
    class_path: PathBuf,
}

impl Programs {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
        let classes = compile("suspects", &[], folder.path());
        let config = folder.path().join("weighbridge.toml");
        fs::write(&config, CONFIG).expect("the configuration");
        let weighed = folder.path().join("weighed");
        let summary = weighbridge.instrument(&[&classes], &config, &weighed);
        assert_eq!(summary["total"]["classes_rewritten"], 3, "{summary:#}");
        let class_path = weighed.join(classes.file_name().expect("a folder"));
        Programs { folder, weighbridge, class_path }
    }

    /// The suspects of one run: class, confidence.
    fn suspects(&self, jdk: &Jdk, name: &str, seed: u64, measured: Measured) -> Vec<(String, String)> {
        let recording = self.folder.path().join(format!("{name}-{seed}.wbr"));
        let _ = fs::remove_file(&recording);
        let agent = self.folder.path().join("weighed/weighbridge-runtime.jar");
        let (measure, interval) = match measured {
            Measured::Collected => ("100", ""),
            Measured::Interval => ("0", ",interval=25ms,cpu_percent=50"),
        };
        let mut command = java(jdk);
        command.args(["-Xmx32m", "-XX:+UseSerialGC"]);
        command.arg(format!("-javaagent:{}=destfile={}{interval}", agent.display(), recording.display()));
        command.arg("-cp").arg(&self.class_path).arg("suspects.Scenarios");
        let output = run(command.args([name, &seed.to_string(), &TICKS.to_string(), measure]));
        assert!(output.success(), "{name}: {output}");
        let report = self.weighbridge.report(&recording);
        let snapshots = report["summary"]["snapshots"].as_u64();
        assert!(snapshots >= Some(8), "{name}: {snapshots:?} snapshots show nothing");
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let suspects = report["suspects"].as_array().expect("a list").iter();
        suspects.map(|suspect| (text(&suspect["class"]), text(&suspect["confidence"]))).collect()
    }
}

/// The scenarios, as their source names them.
fn scenarios() -> (Vec<String>, Vec<String>) {
    let source = fs::read_to_string(root().join("tests/java/suspects/suspects/Scenarios.java")).expect("the source");
    let names = source.lines().filter_map(|line| line.trim().strip_prefix("case \"")?.split('"').next());
    names.map(str::to_owned).partition(|name| !name.starts_with("leak-"))
}

fn leaking(name: &str) -> &'static str {
    if name == "leak-bytes" { HOLDER } else { ITEM }
}

#[test]
fn a_leak_of_objects_and_one_of_bytes_are_the_first_suspects_and_a_bounded_cache_is_none() {
    let programs = Programs::new();
    let jdk = jdks_from(17)[0];
    for name in ["leak-map", "leak-bytes"] {
        let suspects = programs.suspects(jdk, name, 1, Measured::Collected);
        assert_eq!(suspects, [(leaking(name).to_owned(), "strong".to_owned())], "{name}");
    }
    assert_eq!(programs.suspects(jdk, "bounded-cache", 1, Measured::Collected), []);
}

/// The figures of docs/suspects.md: `./run-tests -p weighbridge --test suspects -- --ignored --nocapture`.
#[test]
#[ignore = "takes some ten minutes"]
fn how_often_healthy_programs_are_suspected_and_leaks_are_not() {
    let programs = Programs::new();
    let jdks = jdks_from(17);
    let (healthy, leaks) = scenarios();
    let kinds = [("after full collections", Measured::Collected, 2), ("at an interval", Measured::Interval, 1)];
    let mut table: BTreeMap<(bool, String, &str), Counts> = BTreeMap::new();
    for (kind, measured, seeds) in kinds {
        for (is_leak, name) in healthy.iter().map(|name| (false, name)).chain(leaks.iter().map(|name| (true, name))) {
            let counts = table.entry((is_leak, name.clone(), kind)).or_default();
            for jdk in [jdks[0], jdks[jdks.len() - 1]] {
                for seed in 1..=seeds {
                    counts.add(name, is_leak, &programs.suspects(jdk, name, seed, measured));
                }
            }
            println!("{kind}: {name}: {counts:?}");
        }
    }
    println!(
        "\n| Program | measured | runs | first suspect is the leak | other suspects: strong | likely | possible |\n|---|---|---|---|---|---|---|"
    );
    for ((is_leak, name, kind), counts) in &table {
        let found = if *is_leak { counts.found.to_string() } else { String::new() };
        let Counts { runs, strong, likely, possible, .. } = counts;
        println!("| {name} | {kind} | {runs} | {found} | {strong} | {likely} | {possible} |");
    }
    let runs = |leak: bool| table.iter().filter(move |((is_leak, ..), _)| *is_leak == leak).map(|(_, counts)| counts);
    let sum = |leak: bool, figure: fn(&Counts) -> u32| runs(leak).map(figure).sum::<u32>();
    println!(
        "\nhealthy: {} runs, {} suspects, {} of them strong; leaks: {} runs, {} found first",
        sum(false, |t| t.runs),
        sum(false, |t| t.strong + t.likely + t.possible),
        sum(false, |t| t.strong),
        sum(true, |t| t.runs),
        sum(true, |t| t.found),
    );
    assert!(sum(false, |t| t.runs) >= 40);
}

#[derive(Default, Debug)]
struct Counts {
    runs: u32,
    found: u32,
    strong: u32,
    likely: u32,
    possible: u32,
}

impl Counts {
    fn add(&mut self, name: &str, is_leak: bool, suspects: &[(String, String)]) {
        self.runs += 1;
        let right = |class: &str| is_leak && class == leaking(name);
        self.found += u32::from(suspects.first().is_some_and(|(class, _)| right(class)));
        for (_, confidence) in suspects.iter().filter(|(class, _)| !right(class)) {
            match confidence.as_str() {
                "strong" => self.strong += 1,
                "likely" => self.likely += 1,
                _ => self.possible += 1,
            }
        }
    }
}
