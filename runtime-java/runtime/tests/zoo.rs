//! Deep sizes of random object graphs against Java Object Layout, on every JDK and layout.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};
use weighbridge_tests::{Jdk, compile, every_java, jar, java, native_agent, root, run};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// Graphs measured in each JVM.
const GRAPHS: usize = 240;

/// The flags of each JVM: those that change layouts, and collectors with other ways to find an object again.
/// JOL 0.17 takes any object for 64 KiB where the low bits of a reference are ZGC's colours (from JDK 23 on).
fn flags(jdk: &Jdk) -> Vec<Vec<&'static str>> {
    let mut all = vec![
        vec!["-Xmx5g"],
        vec!["-Xmx512m", "-XX:-UseCompressedOops", "-XX:+UseSerialGC"],
        vec!["-Xmx512m", "-XX:ObjectAlignmentInBytes=16", "-XX:+UseParallelGC"],
    ];
    if (17..23).contains(&jdk.major) {
        all.push(vec!["-Xmx512m", "-XX:+UseZGC"]);
    }
    if jdk.major >= 25 {
        all.push(vec!["-Xmx512m", "-XX:+UseCompactObjectHeaders"]);
        all.push(vec!["-Xmx5g", "-XX:+UseCompactObjectHeaders", "-XX:ObjectAlignmentInBytes=16"]);
        all.push(vec!["-Xmx512m", "-XX:+UseCompactObjectHeaders", "-XX:-UseCompressedOops"]);
    }
    all
}

#[test]
fn deep_sizes_of_random_graphs_equal_those_of_jol_on_every_jdk_and_layout() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let runtime = folder.path().join("runtime.jar");
    fs::write(&runtime, unsealed(weighbridge_runtime::RUNTIME_JAR)).expect("the runtime");
    let jol = jar("jol-core");
    let zoo = compile("zoo", &[runtime.clone(), jol.clone()], folder.path());
    let javac = weighbridge_jdk::to_build_with().tool("javac");
    let record = root().join("tests/java/zoo-records/records/Pair.java");
    let output = run(Command::new(javac).args(["--release", "17", "-d"]).arg(&zoo).arg(record));
    assert!(output.success(), "{output}");
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).expect("a folder");
    let jol_agent = folder.path().join("jol-agent.jar");
    weighbridge_jdk::pack_jar(&empty, &[("Premain-Class", "org.openjdk.jol.vm.InstrumentationSupport")], &jol_agent);
    let class_path = std::env::join_paths([&runtime, &zoo, &jol]).expect("a class path");
    let config = folder.path().join("weighbridge.toml");
    // Whatever has probes, the walk finds the same.
    let text = "version = 1\n[instrument]\ninclude = [\"records.**\", \"java.util.**\", \"java.time.**\"]\n";
    fs::write(&config, text).expect("the configuration");
    // By the JVM's own sizes, and by formula.
    let agents = [
        format!("-javaagent:{}=output=none", runtime.display()),
        format!("-agentpath:{}=config={},output=none", native_agent().display(), config.display()),
    ];
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_millis().to_string();
    println!("zoo seed {seed}");
    for jdk in every_java() {
        for (flags, agent) in flags(jdk).iter().flat_map(|flags| agents.each_ref().map(|agent| (flags, agent))) {
            let mut command = java(jdk);
            command.args(flags).arg(agent);
            if jdk.major >= 24 {
                command.arg("--sun-misc-unsafe-memory-access=allow");
            }
            for package in [
                "lang",
                "math",
                "nio",
                "time",
                "util",
                "util.concurrent",
                "util.concurrent.atomic",
                "util.concurrent.locks",
            ] {
                command.arg("--add-opens").arg(format!("java.base/java.{package}=ALL-UNNAMED"));
            }
            command.args(["-Djol.magicFieldOffset=true", "-Djol.skipHotspotSAAttach=true"]);
            command.arg(format!("-javaagent:{}", jol_agent.display())).arg("-cp").arg(&class_path);
            let output = run(command.args(["io.weighbridge.runtime.walk.Zoo", &seed, &GRAPHS.to_string()]));
            let context = format!("Java {} {flags:?} {agent}, seed {seed}", jdk.version);
            assert!(output.success(), "{context}: {output}");
            let agreed = output.stdout.lines().find(|line| line.starts_with("agreed ")).unwrap_or_default();
            let words: Vec<&str> = agreed.split(' ').collect();
            assert_eq!(words[1], GRAPHS.to_string(), "{context}: {output}");
            assert!(words[2].parse::<u64>().is_ok_and(|objects| objects > 10_000), "{context}: {output}");
            let table = if flags.contains(&"-XX:+UseZGC") { "HashedObjects" } else { "GranuleTable" };
            let access = match agent.starts_with("-javaagent") {
                true => "instrumentation",
                false if jdk.major >= 16 => "opened",
                false => "unsafe",
            };
            assert_eq!(words[3..], [table, access], "{context}");
            println!("{context}: {agreed}");
        }
    }
}

/// The zoo is in the package of the walk, which the jar that ships would not have shared.
fn unsealed(jar: &[u8]) -> Vec<u8> {
    let mut from = ZipArchive::new(Cursor::new(jar)).expect("the runtime");
    let mut to = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..from.len() {
        let mut entry = from.by_index(index).expect("an entry");
        let name = entry.name().expect("its name").into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("its bytes");
        if name == "META-INF/MANIFEST.MF" {
            let text = String::from_utf8(bytes).expect("a manifest");
            assert!(text.contains("Sealed: true\r\n"), "{text}");
            bytes = text.replace("Sealed: true\r\n", "").into_bytes();
        }
        to.start_file(name, SimpleFileOptions::default()).expect("an entry");
        to.write_all(&bytes).expect("its bytes");
    }
    to.finish().expect("a jar").into_inner()
}
