//! Compiles the Java programs whose classes tests read, so that such a test starts no compiler.

use std::env;
use std::path::{Path, PathBuf};

/// Folders of `java` that need no class path.
const PROGRAMS: [&str; 11] =
    ["bridge", "cleanup", "com", "copies", "link", "middle", "shapes", "sink", "tables", "trace", "work"];

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    weighbridge_jdk::rerun_if_environment_changes();
    let jdk = weighbridge_jdk::to_build_with();
    for program in PROGRAMS {
        let sources = Path::new("java").join(program);
        println!("cargo::rerun-if-changed={}", sources.display());
        jdk.compile(&[&sources], &out.join(program), &["-Xlint:none"]);
    }
}
