//! Builds the native agent and embeds its library. Cargo has no stable way to depend on a library as a file ("artifact
//! dependencies"), so another cargo builds it, in a target folder of its own: the outer one holds the lock of its folder.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What the agent is made of.
const SOURCES: [&str; 8] = ["agent", "bytecode", "config", "control", "probes", "jdk", "runtime-java", "Cargo.lock"];

fn main() {
    let root = Path::new("..");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    let variable = |name: &str| env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"));
    let out = PathBuf::from(variable("OUT_DIR"));
    let (target, host) = (variable("TARGET"), variable("HOST"));
    let profile = match (variable("PROFILE").as_str(), variable("OPT_LEVEL").as_str()) {
        ("release", "1") => "demo",
        ("release", _) => "release",
        _ => "dev",
    };
    // Above OUT_DIR: shared by all builds of this target folder, whatever their features.
    let folder = out.ancestors().nth(4).expect("a target folder").join("agent");
    let mut cargo = Command::new(variable("CARGO"));
    cargo.args(["build", "--package", "weighbridge-agent", "--lib", "--profile", profile, "--message-format", "short"]);
    cargo.arg("--target-dir").arg(&folder);
    if target != host {
        cargo.args(["--target", &target]);
    }
    // Variables that the outer cargo sets for this script, or for clippy, would change what the inner one builds.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        let for_scripts =
            name.starts_with("CARGO_CFG_") || name.starts_with("CARGO_FEATURE_") || name.starts_with("CARGO_PKG_");
        if for_scripts
            || ["TARGET", "HOST", "PROFILE", "OPT_LEVEL", "DEBUG", "NUM_JOBS", "RUSTC_WORKSPACE_WRAPPER"]
                .contains(&name.as_str())
        {
            cargo.env_remove(name);
        }
    }
    let status = cargo.status().expect("cargo runs");
    assert!(status.success(), "the native agent could not be built");
    let mut built = if target != host { folder.join(&target) } else { folder };
    built.push(if profile == "dev" { "debug" } else { profile });
    let name = format!("{}weighbridge{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    fs::copy(built.join(name), out.join("library")).expect("cargo built the library");
}
