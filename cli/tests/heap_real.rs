//! Histograms of real programs, against the virtual machine's own of the same instant.

use std::collections::BTreeSet;

use serde_json::Value;
use weighbridge_tests::snapshot::{Classes, Program, Programs, Snapshot};
use weighbridge_tests::{Weighbridge, at_once, jdks, run};

/// Collectors fill dead space with objects. Dumps have these as `int[]`.
const FILLERS: &str = "jdk.internal.vm.FillerElement[]";

/// HotSpot leaves gaps of a few bytes between the static fields of some classes. They are seen in the distance to the
/// next object, unless a dead object lies there, and a dead one of 8 bytes would look like them: bytes by which all
/// `Class` objects together may be told wrong.
const GAPS: u64 = 64;

/// Hidden classes have an address in their name: behind a slash in a histogram, a plus in a dump, and not in a dump of
/// Java 11.
fn known_as(class: &str) -> &str {
    let address = class.find("/0x").or_else(|| class.find("+0x"));
    address.map_or(class, |at| &class[..at])
}

/// All objects of a dump, reachable or not.
fn ours(report: &Value) -> Classes {
    let mut classes = Classes::new();
    for row in [&report["classes"], &report["unreachable"]].into_iter().flat_map(|rows| rows.as_array().expect("rows"))
    {
        let figure = |key: &str| row[key].as_u64().expect("a figure");
        let sum = classes.entry(known_as(row["class"].as_str().expect("a name")).to_owned()).or_default();
        *sum = (sum.0 + figure("instances"), sum.1 + figure("shallow_bytes"));
    }
    classes
}

fn theirs(snapshot: &Snapshot) -> Classes {
    let mut classes = Classes::new();
    for (class, (instances, bytes)) in &snapshot.histogram {
        let name = if class == FILLERS { "int[]" } else { known_as(class) };
        let sum = classes.entry(name.to_owned()).or_default();
        *sum = (sum.0 + instances, sum.1 + bytes);
    }
    classes
}

/// Most of these is padding (`@Contended`; of the pool since JDK 19), which a dump does not state: a single instance shows
/// its size only if a known object follows it in the heap.
const PADDED: [&str; 3] = [
    "java.util.concurrent.ConcurrentHashMap$CounterCell",
    "java.util.concurrent.ForkJoinPool",
    "java.util.concurrent.atomic.Striped64$Cell",
];

/// Threads with a class and fields of their own. What HotSpot injects into `Thread` changes from release to release, and
/// may leave room for such fields or not: a single instance shows it only if a known object follows it in the heap.
/// Without evidence of any single instance, these were the only classes of all programs that differed, by 8 bytes.
const THREADS: [&str; 3] = [
    "java.lang.ref.Finalizer$FinalizerThread",
    "java.util.logging.LogManager$Cleaner",
    "jdk.internal.misc.InnocuousThread",
];

/// Nothing stands out in a program that is idle and holds what it should. (The sample that leaks holds little yet.)
fn healthy(weighbridge: &Weighbridge, snapshot: &Snapshot, context: &str) {
    let report = run(weighbridge.command().args(["heap", "suspects", "-o", "json"]).arg(&snapshot.dump)).json();
    assert_eq!(report["suspects"].as_array().map(Vec::len), Some(0), "{context}: {report:#}");
    assert!(report["looked_at"].as_array().is_some_and(|lines| lines.len() > 5), "{context}: {report:#}");
}

#[test]
fn every_class_of_a_real_program_has_the_instances_and_bytes_that_the_virtual_machine_counts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let programs = Programs::new(folder.path());
    at_once(jdks(), |jdk| {
        for program in Program::ALL.into_iter().filter(|program| program.oldest() <= jdk.major) {
            let context = format!("{program:?} on Java {}", jdk.version);
            let snapshot = programs.snapshot(program, jdk);
            let mut command = weighbridge.command();
            command.args(["heap", "histogram", "--unreachable", "-o", "json"]).arg(&snapshot.dump);
            let report = run(&mut command).json();
            healthy(&weighbridge, &snapshot, &context);
            std::fs::remove_file(&snapshot.dump).expect("the dump");
            let (ours, theirs) = (ours(&report), theirs(&snapshot));
            let changed: BTreeSet<&str> = snapshot.changed.iter().map(|class| known_as(class)).collect();
            // A timer that went off meanwhile; where nothing moved, everything is compared.
            assert!(changed.len() <= theirs.len() / 50, "{context}: {changed:?} changed meanwhile");
            let names: BTreeSet<&str> = ours.keys().chain(theirs.keys()).map(String::as_str).collect();
            let mut equal = 0;
            for class in names.iter().copied().filter(|class| !changed.contains(class)) {
                let (our_instances, our_bytes) = ours.get(class).copied().unwrap_or_default();
                let (instances, bytes) = theirs.get(class).copied().unwrap_or_default();
                if class == "java.lang.Class" {
                    // Not dumped: those of archived classes that nobody loaded. References to them are counted.
                    let missing = report["dump"]["missing_objects"].as_u64().expect("a number");
                    assert_eq!(our_instances + missing, instances, "{context}: {class}");
                    let near = our_bytes.abs_diff(bytes) <= GAPS;
                    assert!(missing > 0 || near, "{context}: {class} {our_bytes}, not {bytes}");
                    equal += usize::from(missing == 0 && our_bytes == bytes);
                    continue;
                }
                if PADDED.contains(&class) && our_bytes < bytes {
                    assert_eq!(our_instances, instances, "{context}: {class}");
                    continue;
                }
                let by_formula = || {
                    let rows = report["classes"].as_array().expect("rows");
                    rows.iter().find(|row| row["class"] == class).is_some_and(|row| row["size"] == "formula")
                };
                if THREADS.contains(&class) && by_formula() && our_bytes.abs_diff(bytes) == 8 {
                    assert_eq!((our_instances, instances), (1, 1), "{context}: {class}");
                    continue;
                }
                assert_eq!((our_instances, our_bytes), (instances, bytes), "{context}: {class}");
                equal += 1;
            }
            println!("{context}: {equal} of {} classes are equal, {} changed meanwhile", names.len(), changed.len());
        }
    });
}
