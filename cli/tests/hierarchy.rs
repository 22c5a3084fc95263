//! Each object is counted once, for the nearest of its classes that is instrumented, whoever instruments those above, and
//! whatever shape its class has.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use weighbridge_tests::{
    Jdk, Output, Weighbridge, attach_in_the_middle, attachable, compile, copy, in_the_middle, java, jdks, native_agent,
    root, run,
};

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

/// Objects of classes of every shape: those that live before a second run, and those that each run makes.
const SHAPES: [(&str, u64, u64); 26] = [
    ("Shapes", 0, 1),
    ("Shapes$1", 0, 1),
    ("Shapes$BranchInSuperCall", 0, 2),
    ("Shapes$Catching", 0, 2),
    ("Shapes$Colour", 1, 0),
    ("Shapes$Colour$1", 1, 0),
    ("Shapes$Derived", 0, 5),
    ("Shapes$Inner", 0, 1),
    ("Shapes$Nested", 0, 1),
    ("Shapes$Plain", 0, 2),
    ("Shapes$SeveralReturns", 0, 10),
    ("Shapes$Switching", 0, 2),
    ("Shapes$Throwing", 0, 1),
    ("Copies", 0, 3),
    ("Copies$Below", 0, 2),
    ("Copies$Bits", 0, 2),
    ("Copies$Built", 1, 2),
    ("Copies$Dated", 0, 4),
    ("Copies$Fresh", 0, 2),
    ("Copies$Listed", 0, 3),
    // The constructor's copy of the first one; then the second one's.
    ("Copies$Mapped", 0, 4),
    ("Copies$Plain", 0, 2),
    ("Copies$PlainBelow", 0, 2),
    ("Copies$Queued", 0, 2),
    ("Copies$Shared", 0, 1),
    ("Copies$Sub", 0, 2),
];
/// The same of classes with statements before `super(...)`, which only Java 25 has.
const EARLY: [(&str, u64, u64); 1] = [("Early$Checked", 0, 3)];

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

/// How a program is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// Its classes were rewritten.
    Rewritten,
    /// The native agent changes them when they are loaded.
    Native,
    /// The agent attaches after a first run. Its probes are those of `Native`, so not in every test.
    Attached,
}

const BOTH: [Way; 2] = [Way::Rewritten, Way::Native];
const ALL: [Way; 3] = [Way::Rewritten, Way::Native, Way::Attached];

/// What a program prints and the report of its last run. Its rewritten classes are in a folder of `dest`.
fn weigh(weighbridge: &Weighbridge, jdk: &Jdk, way: Way, dest: &Path, classes: &Path, main: &str) -> (Output, Value) {
    let recording = dest.join(format!("{way:?}-{}.wbr", jdk.version));
    let config = dest.with_file_name("weighbridge.toml");
    let (middle, folder) = in_the_middle();
    let rewritten = dest.join(classes.file_name().expect("a name"));
    let classes = if way == Way::Rewritten { &rewritten } else { classes };
    let mut command = java(jdk);
    command.arg("-Xmx64m").arg("-cp").arg(std::env::join_paths([classes, folder]).expect("a class path"));
    let mut with_agent = |agent: String| {
        let mut output =
            run(command.arg(format!("{agent}destfile={}", recording.display())).args([middle, "twice", main]));
        output.stdout.truncate(output.stdout.len() - "middle\n".len());
        output
    };
    let config = config.to_str().expect("UTF-8");
    let output = match way {
        Way::Rewritten => with_agent(format!("-javaagent:{}=", dest.join("weighbridge-runtime.jar").display())),
        Way::Native => with_agent(format!("-agentpath:{}=config={config},", native_agent().display())),
        Way::Attached => {
            command.args(attachable(jdk)).args([middle, "twice", main]);
            attach_in_the_middle(weighbridge, &mut command, &recording, &["--config", config]).1
        }
    };
    assert!(output.success() && output.stderr.is_empty(), "Java {} {way:?}: {output}", jdk.version);
    (output, weighbridge.report(&recording))
}

#[test]
fn an_object_is_counted_once_for_the_nearest_instrumented_class_also_by_classes_too_old_to_name_themselves() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = program(folder.path());
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    for (track, ways) in [("count", &BOTH[..]), ("live", &ALL)] {
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
            for &way in ways {
                let (_, report) = weigh(&weighbridge, jdk, way, &dest, &classes, "com.acme.plug.Hierarchy");
                let rows = report["classes"].as_array().expect("classes");
                for (class, made) in MADE {
                    let name = format!("com.acme.shape.{class}");
                    let row = rows.iter().find(|row| row["class"] == name.as_str());
                    let row = row.unwrap_or_else(|| panic!("no row of {class}: {report:#}"));
                    assert_eq!(row["allocated"], made, "{class}, {track}, Java {} {way:?}: {report:#}", jdk.version);
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
    for (track, ways) in [("count", &BOTH[..]), ("live", &ALL)] {
        let config = configuration(folder.path(), "com.acme.tree.**", track);
        let dest = folder.path().join(track);
        weighbridge.instrument(&[&classes], &config, &dest);
        for jdk in jdks() {
            for &way in ways {
                let (output, report) = weigh(&weighbridge, jdk, way, &dest, &classes, "com.acme.plug.Making");
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
                assert_eq!(counted, made, "{track}, Java {} {way:?}", jdk.version);
            }
        }
    }
}

#[test]
fn objects_of_classes_of_every_shape_are_counted_the_same_in_every_way() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = folder.path().join("classes");
    for program in ["shapes", "copies"] {
        copy(&compile(program, &[], folder.path()), &classes);
    }
    copy(&root().join("tests/fixtures/early"), &classes);
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let config = folder.path().join("weighbridge.toml");
    let text = "version = 1\n[instrument]\ninclude = [\"Shapes**\", \"Copies**\", \"Early**\"]\n";
    fs::write(&config, text).expect("the configuration");
    let dest = folder.path().join("weighed");
    weighbridge.instrument(&[&classes], &config, &dest);
    for (jdk, way) in jdks().iter().flat_map(|jdk| ALL.map(|way| (jdk, way))) {
        let early = jdk.major >= 25;
        let main = if early { "Shapes,Copies,Early" } else { "Shapes,Copies" };
        let (_, report) = weigh(&weighbridge, jdk, way, &dest, &classes, main);
        let number = |row: &Value, key: &str| row[key].as_u64().unwrap_or(0);
        let mut counted: Vec<(&str, u64, u64)> = Vec::new();
        for row in report["classes"].as_array().expect("classes") {
            let class = row["class"].as_str().expect("a name");
            counted.push((class, number(row, "before"), number(row, "allocated")));
        }
        counted.retain(|(_, before, made)| before + made > 0);
        counted.sort_unstable();
        let mut made: Vec<(&str, u64, u64)> = SHAPES.to_vec();
        made.extend(EARLY.iter().filter(|_| early));
        if way != Way::Attached {
            made.iter_mut().for_each(|(_, before, made)| *made += std::mem::take(before));
        }
        made.sort_unstable();
        assert_eq!(counted, made, "Java {} {way:?}: {report:#}", jdk.version);
    }
}
