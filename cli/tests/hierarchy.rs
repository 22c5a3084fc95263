//! Each object is counted once, for the nearest of its classes that is instrumented, whoever instruments those above.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use weighbridge_tests::{Jdk, Output, Weighbridge, compile, java, jdks, native_agent, run};

/// Allocated objects by class as the program makes them: own ones, and those of subclasses that nothing instruments.
const MADE: [(&str, u64); 7] = [
    ("Shapes$Shape", 1500),
    ("Shapes$Round", 1000),
    ("Shapes$Circle", 3000 + 600),
    ("Shapes$Ring", 1500 + 2 * 500),
    ("Shapes$Square", 2 * 3000),
    ("Old", 3000 + 1000),
    ("OldLeaf", 1500 + 600),
];

/// The compiled program; its `Old` classes are files of a version that cannot load a class constant.
fn program(folder: &Path) -> PathBuf {
    let classes = compile("hierarchy", &[], folder);
    for old in ["Old", "OldLeaf"] {
        let file = classes.join(format!("com/acme/shape/{old}.class"));
        let mut bytes = fs::read(&file).expect("a class");
        bytes[6..8].copy_from_slice(&48_u16.to_be_bytes());
        fs::write(&file, bytes).expect("the older class");
    }
    classes
}

fn configuration(folder: &Path, classes: &str, track: &str) -> PathBuf {
    let config = folder.join("weighbridge.toml");
    let text = format!(
        "version = 1\n[instrument]\ninclude = [\"{classes}\"]\n[[target]]\nclass = \"{classes}\"\ntrack = \"{track}\"\n"
    );
    fs::write(&config, text).expect("the configuration");
    config
}

/// What a program prints, and the reports of its runs: with its rewritten classes, which are in a folder of `dest`, and with
/// its own classes and the native agent.
fn weigh(weighbridge: &Weighbridge, jdk: &Jdk, dest: &Path, classes: &Path, main: &str) -> [(Output, Value); 2] {
    let runtime = format!("-javaagent:{}=", dest.join("weighbridge-runtime.jar").display());
    let config = dest.with_file_name("weighbridge.toml");
    let native = format!("-agentpath:{}=config={},", native_agent().display(), config.display());
    let rewritten = dest.join(classes.file_name().expect("a name"));
    [("jar", runtime, rewritten), ("native", native, classes.to_owned())].map(|(way, agent, classes)| {
        let recording = dest.join(format!("{way}-{}.wbr", jdk.version));
        let output = run(java(jdk)
            .arg("-Xmx64m")
            .arg(format!("{agent}destfile={}", recording.display()))
            .arg("-cp")
            .arg(classes)
            .arg(main));
        assert!(output.success() && output.stderr.is_empty(), "Java {} {way}: {output}", jdk.version);
        (output, weighbridge.report(&recording))
    })
}

#[test]
fn an_object_is_counted_once_for_the_nearest_instrumented_class_also_by_classes_too_old_to_name_themselves() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = program(folder.path());
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    for track in ["count", "live"] {
        let config = configuration(folder.path(), "com.acme.shape.**", track);
        let dest = folder.path().join(track);
        let summary = weighbridge.instrument(&[&classes], &config, &dest);
        // Round is abstract and Shape sees its subclasses; Shapes has no objects, but a constructor.
        assert_eq!(summary["total"]["classes_rewritten"], 7, "{summary:#}");
        let skipped = &summary["jars"][0]["skipped"];
        assert_eq!(
            (&skipped[0]["class"], &skipped[0]["harmless"]),
            (&"com.acme.shape.Shapes$Round".into(), &true.into())
        );
        for jdk in jdks() {
            for (_, report) in weigh(&weighbridge, jdk, &dest, &classes, "com.acme.plug.Hierarchy") {
                let rows = report["classes"].as_array().expect("classes");
                for (class, made) in MADE {
                    let name = format!("com.acme.shape.{class}");
                    let row = rows.iter().find(|row| row["class"] == name.as_str());
                    let row = row.unwrap_or_else(|| panic!("no row of {class}: {report:#}"));
                    assert_eq!(row["allocated"], made, "{class}, {track}, Java {}: {report:#}", jdk.version);
                }
                assert_eq!(rows.len(), MADE.len(), "{rows:#?}");
            }
        }
    }
}

#[test]
fn an_object_is_counted_once_whatever_is_made_in_between() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = compile("trees", &[], folder.path());
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    for track in ["count", "live"] {
        let config = configuration(folder.path(), "com.acme.tree.**", track);
        let dest = folder.path().join(track);
        weighbridge.instrument(&[&classes], &config, &dest);
        for jdk in jdks() {
            for (output, report) in weigh(&weighbridge, jdk, &dest, &classes, "com.acme.plug.Making") {
                let mut counted: Vec<(String, u64)> = Vec::new();
                for row in report["classes"].as_array().expect("classes") {
                    let name = row["class"].as_str().expect("a name");
                    let name = name.strip_prefix("com.acme.tree.Trees$").expect("a class of Trees");
                    counted.push((name.to_owned(), row["allocated"].as_u64().expect("a count")));
                }
                counted.sort();
                let made: Vec<(String, u64)> = output
                    .stdout
                    .lines()
                    .map(|line| line.split_once(' ').expect("a class and a number"))
                    .map(|(name, count)| (name.to_owned(), count.parse().expect("a number")))
                    .collect();
                assert_eq!(counted, made, "{track}, Java {}", jdk.version);
            }
        }
    }
}
