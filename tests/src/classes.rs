//! Java sources compiled, and JVMs that link or run classes that were rewritten.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use weighbridge_bytecode::read::{ClassFile, PoolOffsets};
use weighbridge_probes::constructor::{ConstructorProbe, Constructors, Objects, Outcome, Track};
use weighbridge_probes::{Links, bridge_class};

use crate::{Jdk, java, root, run, verify_everything};

/// The bridge that the tests' probes call.
pub const BRIDGE: &str = "Weighbridge$0123456789abcdef";

/// The probe of a class without superclasses or subclasses with probes.
pub fn probe(id: u32, track: Track) -> ConstructorProbe<'static> {
    ConstructorProbe { bridge: BRIDGE, id, track, objects: Objects::All }
}

/// One class with constructor probes.
pub fn with_constructor_probes(class: &[u8], probe: &ConstructorProbe<'_>) -> weighbridge_bytecode::Result<Outcome> {
    let mut memory = PoolOffsets::default();
    Constructors::default().rewrite(&ClassFile::read(class, &mut memory)?, probe)
}

/// Class files by internal name.
pub type Classes = BTreeMap<String, Vec<u8>>;

/// Compiles `tests/java/<name>` for Java 11.
pub fn compile(name: &str) -> Classes {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let jdk = weighbridge_jdk::to_build_with();
    jdk.compile(&[&root().join("tests/java").join(name)], &folder.path().join("classes"), &["-Xlint:none"]);
    read(&folder.path().join("classes"), "")
}

/// The class files of `tests/fixtures/<name>`.
pub fn fixture(name: &str) -> Classes {
    read(&root().join("tests/fixtures").join(name), "")
}

fn read(folder: &Path, package: &str) -> Classes {
    let mut classes = Classes::new();
    for entry in fs::read_dir(folder).expect("a folder of classes") {
        let path = entry.expect("a readable folder").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            classes.extend(read(&path, &format!("{package}{name}/")));
        } else if path.extension().is_some_and(|extension| extension == "class") {
            classes.insert(format!("{package}{name}"), fs::read(&path).expect("a class file"));
        }
    }
    classes
}

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
        for (name, bytes) in SINK.get_or_init(|| compile("sink")).iter().chain(&bridge).chain(classes) {
            let file = folder.path().join(format!("{name}.class"));
            fs::create_dir_all(file.parent().expect("a folder")).expect("the package's folder");
            fs::write(file, bytes).expect("the class file");
        }
        Program(folder)
    }

    /// Runs the `main` of a class with full verification; returns its output, then each kind of probe call with its
    /// count.
    pub fn run(&self, jdk: &Jdk, main: &str) -> String {
        let mut command = java(jdk);
        command.args(verify_everything(jdk)).arg("-cp").arg(self.0.path()).args(["Sink", main]);
        let output = run(&mut command);
        assert!(output.success() && output.stderr.is_empty(), "Java {}: {output}", jdk.version);
        output.stdout
    }
}

/// Links every class in a JVM with full verification, without initialising any: name to `linked` or the failure.
pub fn link(jdk: &Jdk, classes: &Classes) -> BTreeMap<String, String> {
    static LINKER: OnceLock<(tempfile::TempDir, Classes)> = OnceLock::new();
    let (linker, _) = LINKER.get_or_init(|| {
        let classes = compile("link");
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, bytes) in &classes {
            fs::write(folder.path().join(format!("{name}.class")), bytes).expect("the linker");
        }
        (folder, classes)
    });
    let folder = tempfile::tempdir().expect("a temporary folder");
    // One file: length of the name, name, length of the class, class.
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
