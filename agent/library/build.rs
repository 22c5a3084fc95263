//! Builds the native agent and embeds its library. Cargo has no stable way to depend on a library as a file ("artifact
//! dependencies"), so another cargo builds it, in a target folder of its own: the outer one holds the lock of its folder.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What the agent is made of.
const SOURCES: [&str; 11] = [
    "agent/control",
    "agent/jvmti",
    "agent/outside",
    "config",
    "rewriter/bytecode",
    "rewriter/probes",
    "runtime-java/contract",
    "runtime-java/runtime",
    "tools/jdk",
    "Cargo.lock",
    "Cargo.toml",
];

/// The variable that names another target for the agent than that of the program, as `cargo zigbuild` takes it if it ends with a
/// version of glibc: `x86_64-unknown-linux-gnu.2.17`.
const AGENT_TARGET: &str = "WEIGHBRIDGE_AGENT_TARGET";

fn main() {
    let root = Path::new("../..");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    let variable = |name: &str| env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"));
    let out = PathBuf::from(variable("OUT_DIR"));
    let host = variable("HOST");
    println!("cargo::rerun-if-env-changed={AGENT_TARGET}");
    // A static program with musl cannot be loaded into a JVM, and nearly all JVMs are on glibc.
    let wanted = env::var(AGENT_TARGET).unwrap_or_else(|_| variable("TARGET").replace("-linux-musl", "-linux-gnu"));
    // The rest is the oldest glibc that it shall work with, which zig knows.
    let (target, glibc) = wanted.split_once('.').map_or((&*wanted, None), |(target, glibc)| (target, Some(glibc)));
    let profile = match (variable("PROFILE").as_str(), variable("OPT_LEVEL").as_str()) {
        ("release", "1") => "demo",
        ("release", _) => "release",
        _ => "dev",
    };
    // Above OUT_DIR: shared by all builds of this target folder, whatever their features.
    let folder = out.ancestors().nth(4).expect("a target folder").join("agent");
    let mut cargo = Command::new(variable("CARGO"));
    cargo.arg(if glibc.is_some() { "zigbuild" } else { "build" });
    cargo.args(["--package", "weighbridge-agent", "--lib", "--profile", profile, "--message-format", "short"]);
    cargo.arg("--target-dir").arg(&folder);
    let is_host = target == host && glibc.is_none();
    if !is_host {
        cargo.args(["--target", &wanted]);
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
    let mut built = if is_host { folder } else { folder.join(target) };
    built.push(if profile == "dev" { "debug" } else { profile });
    let name = format!("{}weighbridge{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    fs::copy(built.join(name), out.join("library")).expect("cargo built the library");
}
