//! Class files of the Java programs under `tests/java`, and constructor probes in them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use weighbridge_bytecode::read::{ClassFile, PoolOffsets};
use weighbridge_probes::constructor::{Clones, ConstructorProbe, Constructors, Objects, Outcome, Track};

use crate::root;

/// The bridge that the tests' probes call.
pub const BRIDGE: &str = "Weighbridge$0123456789abcdef";

/// The probe of a class without superclasses or subclasses with probes.
pub fn probe(id: u32, track: Track) -> ConstructorProbe<'static> {
    ConstructorProbe { bridge: BRIDGE, id, track, objects: Objects::All, clones: Clones::All }
}

/// One class with constructor probes.
pub fn with_constructor_probes(class: &[u8], probe: &ConstructorProbe<'_>) -> weighbridge_bytecode::Result<Outcome> {
    let mut memory = PoolOffsets::default();
    Constructors::default().rewrite(&ClassFile::read(class, &mut memory)?, probe)
}

/// Class files by internal name.
pub type Classes = BTreeMap<String, Vec<u8>>;

/// The class files of `tests/java/<name>`, for Java 11, compiled when this crate was built.
pub fn compiled(name: &str) -> Classes {
    read(&Path::new(env!("OUT_DIR")).join(name), "")
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
