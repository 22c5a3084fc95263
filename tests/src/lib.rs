//! Shared code of the end-to-end tests: JVMs, real jars from Maven Central, test programs, the `weighbridge` binary.
//!
//! It panics with a message that names what is missing: a test that cannot run is a failed test.

pub mod assembler;
pub mod classes;
pub mod consumers;
pub mod heap_dump;
pub mod imports;
mod jars;
pub mod made_recording;
pub mod maven;
mod process;
mod programs;
mod python;
pub mod snapshot;
pub mod worked_example;

pub use jars::{jar, jars};
pub use process::{Output, Weighbridge, java, run, verify_everything};
pub use programs::compile;
pub use python::python;
pub use weighbridge_jdk::Jdk;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The root of the checkout.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests crate is in the checkout")
}

/// The folder for files that tests fetch or build and keep between runs.
pub fn cache() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    target.join("tests")
}

/// The Java installations to test on, one per feature version, printed once per test process.
pub fn jdks() -> &'static [Jdk] {
    static FOUND: OnceLock<Vec<Jdk>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let found = weighbridge_jdk::for_tests();
        assert!(
            !found.is_empty(),
            "no Java installation found: install one or name it in {}",
            weighbridge_jdk::TEST_JDKS
        );
        for jdk in &found {
            eprintln!("tests use Java {} at {}", jdk.version, jdk.home.display());
        }
        found
    })
}

/// Those of [`jdks`] from a feature version; panics if there is none.
pub fn jdks_from(major: u32) -> Vec<&'static Jdk> {
    let usable: Vec<&Jdk> = jdks().iter().filter(|jdk| jdk.major >= major).collect();
    assert!(
        !usable.is_empty(),
        "no Java {major} or newer found: install one or name it in {}",
        weighbridge_jdk::TEST_JDKS
    );
    usable
}

/// Copies a folder without the `target` folders of Maven.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let (entry, path) = entry.map(|entry| (entry.file_name(), entry.path())).expect("an entry");
        match path.is_dir() {
            true if entry == "target" => {}
            true => copy(&path, &to.join(entry)),
            false => _ = fs::copy(&path, to.join(entry)).expect("a copy"),
        }
    }
}
