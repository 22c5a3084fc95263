//! Compiles the Java runtime with the machine's `javac` and packs its jar.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Writes a Rust array of the classes' dotted names and bytes, in the order of the names.
fn list_classes(folder: &Path, list: &Path) {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("javac wrote the folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    let mut classes: Vec<(String, String)> = files
        .iter()
        .map(|file| {
            let name = file.strip_prefix(folder).expect("a file of the folder").with_extension("");
            (name.display().to_string().replace(['/', '\\'], "."), file.display().to_string())
        })
        .collect();
    classes.sort();
    let lines: String = classes.iter().map(|(name, file)| format!("({name:?}, include_bytes!({file:?})),\n")).collect();
    fs::write(list, format!("&[\n{lines}]")).expect("the list can be written");
}

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let sources = Path::new("src/main/java");
    println!("cargo::rerun-if-changed=src/main/java");
    println!("cargo::rerun-if-changed=src/bridge/java");
    println!("cargo::rerun-if-changed=src/events/java");
    println!("cargo::rerun-if-changed=src/loader/java");
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
    list_classes(&classes, &out.join("classes.rs"));
    let verifier = out.join("verify");
    jdk.compile(&[Path::new("src/verify/java")], &verifier, &[]);
    let main = [("Main-Class", "io.weighbridge.verify.LinkClasses")];
    weighbridge_jdk::pack_jar(&verifier, &main, &out.join("weighbridge-verify.jar"));
    let loader = out.join("loader");
    jdk.compile(&[Path::new("src/loader/java")], &loader, &[]);
    fs::copy(loader.join("io/weighbridge/loader/RuntimeLoader.class"), out.join("RuntimeLoader.class"))
        .expect("javac wrote the loader");
    let bridge = out.join("bridge");
    // Constants of the contract are copied into the templates: they need no class of the runtime when they run.
    let contract = ["-classpath", classes.to_str().expect("a path in UTF-8")];
    jdk.compile(&[Path::new("src/bridge/java")], &bridge, &contract);
    for template in ["Bridge.class", "Traces.class"] {
        fs::copy(bridge.join("io/weighbridge/template").join(template), out.join(template))
            .expect("javac wrote the templates");
    }
    // It calls the JDK's inner `Unsafe`, which no release of Java exports.
    let events = out.join("events");
    let inner = ["-source", "11", "-target", "11", "--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED"];
    jdk.compile(&[Path::new("src/events/java")], &events, &[&inner[..], &contract].concat());
    fs::copy(events.join("io/weighbridge/template/Events.class"), out.join("Events.class"))
        .expect("javac wrote the template");
}
