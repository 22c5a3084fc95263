//! Builds a binary that runs on as many machines as the tools that are here allow.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::corpus::fetch::{checkout, target_folder};

/// The oldest glibc that Rust's standard library works with.
const OLDEST_GLIBC: &str = "2.17";

/// Builds for the processor of this machine; gives the binary. With `cargo zigbuild` (PyPI: `cargo-zigbuild`, `ziglang`) it is
/// static, if Rust's standard library for musl is installed, else for an old glibc. Without, it is for this machine's glibc.
pub fn portable() -> Result<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = |libc: &str| format!("{}-unknown-linux-{libc}", env::consts::ARCH);
    let mut command = Command::new(&cargo);
    let built_for = if !has("cargo-zigbuild") {
        command.args(["build", "--target", &target("gnu")]);
        target("gnu")
    } else {
        let old = format!("{}.{OLDEST_GLIBC}", target("gnu"));
        // A JVM on glibc loads the agent, whatever the program is linked with.
        command.env("WEIGHBRIDGE_AGENT_TARGET", &old);
        let is_static = has_standard_library(&target("musl"));
        command.args(["zigbuild", "--target", if is_static { target("musl") } else { old }.as_str()]);
        target(if is_static { "musl" } else { "gnu" })
    };
    command.args(["--release", "--package", "weighbridge", "--locked"]).current_dir(checkout());
    let status = command.status().context("run cargo")?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(target_folder().join(built_for).join("release/weighbridge"))
}

/// Whether `rustup target add` has brought the standard library for a target.
fn has_standard_library(target: &str) -> bool {
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let output = rustc.args(["--print", "target-libdir", "--target", target]).output();
    output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

/// Whether a command is on the `PATH`.
pub fn has(command: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(command).is_file())
}
