//! Compiles the Java runtime with the machine's `javac` and packs its jar.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let sources = Path::new("src/main/java");
    println!("cargo::rerun-if-changed=src/main/java");
    println!("cargo::rerun-if-changed=src/bridge/java");
    println!("cargo::rerun-if-changed=src/verify/java");
    weighbridge_jdk::rerun_if_environment_changes();
    let jdk = weighbridge_jdk::to_build_with();
    let classes = out.join("classes");
    jdk.compile(&[sources], &classes, &[]);
    let version = env::var("CARGO_PKG_VERSION").expect("cargo sets CARGO_PKG_VERSION");
    let manifest = [
        // A package comes from this jar whole, or not at all: its public classes are ours alone to call.
        ("Sealed", "true"),
        ("Implementation-Title", "weighbridge-runtime"),
        ("Implementation-Version", version.as_str()),
        ("Premain-Class", "io.weighbridge.runtime.Agent"),
        ("Agent-Class", "io.weighbridge.runtime.Agent"),
        ("Launcher-Agent-Class", "io.weighbridge.runtime.Agent"),
    ];
    // Inflating its classes would be 3 % of the CPU of a small program.
    weighbridge_jdk::pack_stored_jar(&classes, &manifest, &out.join("weighbridge-runtime.jar"));
    let verifier = out.join("verify");
    jdk.compile(&[Path::new("src/verify/java")], &verifier, &[]);
    let main = [("Main-Class", "io.weighbridge.verify.LinkClasses")];
    weighbridge_jdk::pack_jar(&verifier, &main, &out.join("weighbridge-verify.jar"));
    let bridge = out.join("bridge");
    jdk.compile(&[Path::new("src/bridge/java")], &bridge, &[]);
    fs::copy(bridge.join("io/weighbridge/template/Bridge.class"), out.join("Bridge.class"))
        .expect("javac wrote the bridge template");
}
