//! JVMs that link or run classes that were rewritten.

use std::collections::BTreeMap;
use std::fs;
use std::sync::OnceLock;

use weighbridge_probes::{Links, bridge_class};

use crate::classes::{BRIDGE, Classes, compiled};
use crate::{Jdk, java, run, verify_everything};

/// A folder with the classes, the bridge, and a runtime that counts its calls.
pub struct Program(tempfile::TempDir);

impl Program {
    /// Writes the folder.
    pub fn new(classes: &Classes) -> Self {
        static SINK: OnceLock<Classes> = OnceLock::new();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let bridge =
            bridge_class(weighbridge_runtime::BRIDGE_TEMPLATE, BRIDGE, "the table", Links::Once).expect("a bridge");
        let bridge = Classes::from([(BRIDGE.to_owned(), bridge)]);
        for (name, bytes) in SINK.get_or_init(|| compiled("sink")).iter().chain(&bridge).chain(classes) {
            let file = folder.path().join(format!("{name}.class"));
            fs::create_dir_all(file.parent().expect("a folder")).expect("the package's folder");
            fs::write(file, bytes).expect("the class file");
        }
        Program(folder)
    }

    /// Runs a class's `main` with everything verified; gives what it prints and then each kind of probe call with
    /// its count.
    pub fn run(&self, jdk: &Jdk, main: &str) -> String {
        let mut command = java(jdk);
        command.args(verify_everything(jdk)).arg("-cp").arg(self.0.path()).args(["Sink", main]);
        let output = run(&mut command);
        assert!(output.success() && output.stderr.is_empty(), "Java {}: {output}", jdk.version);
        output.stdout
    }
}

/// Links every class in a JVM that verifies everything, without initialising any: name to `linked` or the failure.
pub fn link(jdk: &Jdk, classes: &Classes) -> BTreeMap<String, String> {
    static LINKER: OnceLock<(tempfile::TempDir, Classes)> = OnceLock::new();
    let (linker, _) = LINKER.get_or_init(|| {
        let classes = compiled("link");
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, bytes) in &classes {
            fs::write(folder.path().join(format!("{name}.class")), bytes).expect("the linker");
        }
        (folder, classes)
    });
    let folder = tempfile::tempdir().expect("a temporary folder");
    // One file: a name's length, the name, the class's length, the class.
    let mut packed = Vec::new();
    for (name, bytes) in classes {
        for part in [name.as_bytes(), bytes] {
            packed.extend((part.len() as u32).to_be_bytes());
            packed.extend(part);
        }
    }
    let file = folder.path().join("classes");
    fs::write(&file, packed).expect("the packed classes");
    let mut command = java(jdk);
    command.args(verify_everything(jdk)).arg("-cp").arg(linker.path()).arg("Link").arg(&file);
    let output = run(&mut command);
    assert!(output.success(), "Java {}: {output}", jdk.version);
    let pairs = output.stdout.lines().filter_map(|line| line.split_once('\t'));
    pairs.map(|(name, result)| (name.to_owned(), result.to_owned())).collect()
}
