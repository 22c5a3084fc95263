//! The Java programs under `tests/java`, compiled for a test.

use crate::root;
use std::path::{Path, PathBuf};

/// Compiles `tests/java/<program>` with a class path; returns the folder of its classes in `into`.
pub fn compile(program: &str, class_path: &[PathBuf], into: &Path) -> PathBuf {
    let classes = into.join(program);
    let joined = std::env::join_paths(class_path).expect("paths without the separator");
    let joined = joined.to_str().expect("paths in UTF-8").to_owned();
    let sources = root().join("tests/java").join(program);
    assert!(sources.is_dir(), "no program {}", sources.display());
    let mut arguments = vec!["-Xlint:none"];
    if !class_path.is_empty() {
        arguments.extend(["-cp", joined.as_str()]);
    }
    weighbridge_jdk::to_build_with().compile(&[&sources], &classes, &arguments);
    classes
}
