//! What tests of several crates share: JVMs, real jars from Maven Central, test programs, the `weighbridge` binary.
//!
//! Without the feature `jvm` there is only what starts no JVM, Maven, Python or the like, so a test of the fast tier
//! that needs one does not compile.
//!
//! It panics with a message that names what is missing: a test that cannot run is a failed test.

pub mod assembler;
mod at_once;
#[cfg(feature = "jvm")]
mod attached;
pub mod classes;
#[cfg(feature = "jvm")]
pub mod consumers;
#[cfg(feature = "jvm")]
pub mod gradle;
pub mod heap_dump;
pub mod imports;
#[cfg(feature = "jvm")]
mod jars;
#[cfg(feature = "jvm")]
mod jvm;
#[cfg(feature = "jvm")]
mod libraries;
pub mod made_heap_components;
pub mod made_recording;
pub mod made_shortage;
#[cfg(feature = "jvm")]
pub mod maven;
#[cfg(feature = "jvm")]
mod native;
#[cfg(feature = "jvm")]
mod own_temporary;
mod process;
#[cfg(feature = "jvm")]
mod programs;
#[cfg(feature = "jvm")]
mod python;
#[cfg(feature = "jvm")]
pub mod running;
#[cfg(feature = "jvm")]
pub mod snapshot;
mod started;
#[cfg(feature = "jvm")]
mod talking;
pub mod visitors;
pub mod worked_example;

pub use at_once::at_once;
#[cfg(feature = "jvm")]
pub use attached::{attach, attach_in_the_middle, attachable, in_the_middle};
#[cfg(feature = "jvm")]
pub use jars::{jar, jars};
#[cfg(feature = "jvm")]
pub use jvm::{ends, every_java, java, jdk, jdks, jdks_from, native_agent, verify_everything};
#[cfg(feature = "jvm")]
pub use libraries::libraries;
#[cfg(feature = "jvm")]
pub use native::compile_native;
#[cfg(feature = "jvm")]
pub use own_temporary::with_own_temporary;
pub use process::{Output, Weighbridge, run};
#[cfg(feature = "jvm")]
pub use programs::compile;
#[cfg(feature = "jvm")]
pub use python::python;
pub use started::Started;
#[cfg(feature = "jvm")]
pub use talking::{Talking, forget_socket};
pub use weighbridge_generated::{assert_file, assert_table};
#[cfg(feature = "jvm")]
pub use weighbridge_jdk::Jdk;

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the checkout.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests crate is in the checkout")
}

/// The folder for files that tests fetch or build and keep between runs.
pub fn cache() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    target.join("tests")
}

/// Copies a folder without what builds of Maven left in it.
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

/// Names how often tests repeat what takes long. Then they run on every Java, too.
const ROUNDS: &str = "WEIGHBRIDGE_TEST_ROUNDS";

/// How often a test repeats what takes long: a number, unless `WEIGHBRIDGE_TEST_ROUNDS` names another.
pub fn rounds(unless_told: u64) -> u64 {
    std::env::var(ROUNDS).map_or(unless_told, |text| text.parse().expect("a number of rounds"))
}

/// Whether somebody asks for more than a run of all tests has time for.
pub fn more_rounds() -> bool {
    std::env::var_os(ROUNDS).is_some()
}
