//! `weighbridge heap` on dumps of real JVMs, against what these say of themselves: every collector and layout. The dump
//! and the histogram are two calls of a running program here; `heap_real.rs` has both of one instant.

use std::collections::HashSet;
use std::path::Path;
use weighbridge_tests::snapshot::{Classes, histogram};
use weighbridge_tests::{Jdk, Weighbridge, compile, every_java, java, run};

/// The flags of each JVM: collectors, and what changes the layout of objects.
fn flags(jdk: &Jdk) -> Vec<Vec<&'static str>> {
    let mut all = vec![
        vec!["-XX:+UseG1GC"],
        vec!["-XX:+UseParallelGC"],
        vec!["-XX:+UseSerialGC", "-XX:-UseCompressedOops"],
        vec!["-XX:+UseSerialGC", "-XX:ObjectAlignmentInBytes=16"],
    ];
    if jdk.major >= 17 {
        all.push(vec!["-XX:+UseZGC"]);
    }
    if jdk.major >= 25 {
        all.push(vec!["-XX:+UseCompactObjectHeaders"]);
    }
    all
}

/// Classes whose objects a histogram counts and a dump does not hold, or holds as something else: `Class` objects of
/// classes that an archive brought and nobody loaded; dead space, which is `int[]` in dumps.
const DIFFERENT: [&str; 3] = ["java.lang.Class", "int[]", "jdk.internal.vm.FillerElement[]"];

/// All objects of a dump, reachable or not, and the names of the classes whose size is calibrated.
fn ours(weighbridge: &Weighbridge, dump: &Path) -> (Classes, HashSet<String>) {
    let mut command = weighbridge.command();
    let report = run(command.args(["heap", "histogram", "--unreachable", "-o", "json"]).arg(dump)).json();
    let (mut classes, mut calibrated) = (Classes::new(), HashSet::new());
    for row in [&report["classes"], &report["unreachable"]].into_iter().flat_map(|rows| rows.as_array().expect("rows"))
    {
        let class = row["class"].as_str().expect("a name").to_owned();
        if row["size"] == "calibrated" {
            calibrated.insert(class.clone());
        }
        let figure = |key: &str| row[key].as_u64().expect("a figure");
        let sum = classes.entry(class).or_default();
        *sum = (sum.0 + figure("instances"), sum.1 + figure("shallow_bytes"));
    }
    (classes, calibrated)
}

#[test]
fn a_histogram_is_the_virtual_machines_own_on_every_jdk_collector_and_layout() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = compile("heap", &[], folder.path());
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    for jdk in every_java() {
        for flags in flags(jdk) {
            let dump = folder.path().join("app.hprof");
            let _ = std::fs::remove_file(&dump);
            let said = run(java(jdk).arg("-Xmx256m").args(&flags).arg("-cp").arg(&classes).arg("Dumped").arg(&dump));
            assert!(said.success(), "Java {} {flags:?}: {said}", jdk.version);
            let theirs = histogram(&said.stdout);
            let (ours, calibrated) = ours(&weighbridge, &dump);
            let (mut equal, mut by_formula) = (0, Vec::new());
            for (class, (instances, bytes)) in theirs.iter().filter(|(class, _)| !DIFFERENT.contains(&class.as_str())) {
                let context = format!("Java {} {flags:?}, {class}", jdk.version);
                // The program and its classes; whatever else lives may change between the dump and the histogram.
                let (our_instances, our_bytes) = ours.get(class).copied().unwrap_or_default();
                if class.starts_with("Dumped") {
                    assert_eq!(our_instances, *instances, "{context}");
                }
                if our_instances == *instances {
                    let array = class.ends_with("[]");
                    let exact = calibrated.contains(class) || array || class.starts_with("Dumped");
                    assert!(!exact || our_bytes == *bytes, "{context}: {our_bytes} bytes, not {bytes}");
                    match our_bytes == *bytes {
                        true => equal += 1,
                        false => by_formula.push(format!("{class} {our_bytes}/{bytes}")),
                    }
                }
            }
            let context = format!("Java {} {flags:?}", jdk.version);
            println!("{context}: of {} classes {equal} are equal, by formula differ {by_formula:?}", theirs.len());
            assert!(equal >= theirs.len() * 8 / 10 && by_formula.len() <= theirs.len() / 50, "{context}: {equal}");
            std::fs::remove_file(&dump).expect("the dump");
        }
    }
}
