//! Each object is counted once, for the nearest of its classes that is instrumented, whoever instruments those above.

use std::fs;
use std::path::{Path, PathBuf};

use weighbridge_tests::{Weighbridge, compile, java, jdks, run};

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

#[test]
fn an_object_is_counted_once_for_the_nearest_instrumented_class_also_by_classes_too_old_to_name_themselves() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = program(folder.path());
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    for track in ["count", "live"] {
        let config = folder.path().join("weighbridge.toml");
        let text = format!(
            "version = 1\n[instrument]\ninclude = [\"com.acme.shape.**\"]\n[[target]]\nclass = \"com.acme.shape.**\"\ntrack = \"{track}\"\n"
        );
        fs::write(&config, text).expect("the configuration");
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
            let recording = folder.path().join(format!("{track}-{}.wbr", jdk.version));
            let agent = dest.join("weighbridge-runtime.jar");
            let output = run(java(jdk)
                .arg(format!("-javaagent:{}=destfile={}", agent.display(), recording.display()))
                .arg("-cp")
                .arg(dest.join("hierarchy"))
                .arg("com.acme.plug.Hierarchy"));
            assert!(output.success() && output.stderr.is_empty(), "Java {}: {output}", jdk.version);
            let report = weighbridge.report(&recording);
            let rows = report["classes"].as_array().expect("classes");
            for (class, made) in MADE {
                let name = format!("com.acme.shape.{class}");
                let row = rows.iter().find(|row| row["class"] == name.as_str());
                let row = row.unwrap_or_else(|| panic!("no row of {class}: {report:#}"));
                assert_eq!(row["allocated"], made, "{class}, {track}, Java {}", jdk.version);
            }
            assert_eq!(rows.len(), MADE.len(), "{rows:#?}");
        }
    }
}
