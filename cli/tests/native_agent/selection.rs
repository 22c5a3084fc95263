//! Which classes are selected, and for which an object counts.

use serde_json::Value;
use weighbridge_tests::{every_java, jdks};

use crate::programs::{LOADING, Programs, as_made, counted, made, rows};

#[test]
fn classes_are_selected_as_in_a_build_in_each_loader_and_those_below_them_count_for_them() {
    let programs = Programs::new("loading", &[]);
    for jdk in every_java() {
        let (output, report) = programs.measure(jdk, LOADING, "", &["com.acme.loading.Loading"]);
        let context = format!("Java {}: {report:#}", jdk.version);
        as_made(&output, &report, &context);
        let of = |class: &str| {
            let name = |row: &&Value| counted(row).0 == format!("com.acme.loading.Classes${class}");
            rows(&report).iter().filter(name).collect::<Vec<_>>()
        };
        let (chosen, counted, cache) = (of("Chosen"), of("Counted"), of("Cache"));
        // Objects of a hidden class below one have no probe, and are found in the heap.
        let known = |row: &Value| ["allocated", "unannounced"].iter().filter_map(|key| row[key].as_u64()).sum::<u64>();
        let all_live = |row: &&Value| row["component"] == "chosen" && row["live"] == known(row);
        assert!(chosen.iter().all(all_live), "{context}");
        let named =
            |part: &str| chosen.iter().filter(|row| row["class"].as_str().is_some_and(|n| n.contains(part))).count();
        assert_eq!((named("Chosen (app)"), named("Chosen (Loading$Own@")), (1, 2), "{context}");
        assert_eq!((&counted[0]["track"], &counted[0]["live"]), (&"count".into(), &Value::Null), "{context}");
        assert!(cache[0]["deep_bytes"].as_u64().expect("bytes") < 1 << 10, "{context}");
        // Before 15 there are no hidden classes.
        let hidden: Vec<&str> = report["skipped"]
            .as_array()
            .expect("a list")
            .iter()
            .filter(|row| row["reason"] == "no JVM lets an agent change a hidden class")
            .map(|row| row["class"].as_str().expect("a name"))
            .collect();
        let expected = if jdk.major >= 15 { vec!["com.acme.loading.Classes$Hidden"] } else { vec![] };
        assert_eq!(hidden, expected, "{context}");
    }
}

#[test]
fn classes_of_loaders_that_come_and_go_are_counted_until_their_end() {
    let programs = Programs::new("loading", &[]);
    for jdk in jdks() {
        let (output, report) = programs.measure(jdk, LOADING, "", &["-Xmx64m", "com.acme.loading.Scripts"]);
        let context = format!("Java {}", jdk.version);
        let constructed: u64 = rows(&report).iter().map(|row| counted(row).1).sum();
        assert_eq!(vec![("com.acme.loading.Classes$Note".to_owned(), constructed)], made(&output), "{context}");
        let live: u64 = rows(&report).iter().filter_map(|row| row["live"].as_u64()).sum();
        assert_eq!(live, 0, "{context}");
    }
}

/// More classes than ids are kept ready for, defined without a name: the hook gets none.
#[test]
fn very_many_classes_at_once_are_counted_or_listed() {
    const CLASSES: usize = 20_000;
    let programs = Programs::new("loading", &[]);
    for jdk in jdks() {
        let config = "[instrument]\ninclude = [\"com.acme.loading.Many$Part*\"]\n";
        let (output, report) = programs.measure(jdk, config, "", &["com.acme.loading.Many"]);
        assert!(output.stdout.contains("made 20000"), "Java {}: {output}", jdk.version);
        let ones = rows(&report).iter().filter(|row| counted(row).1 == 1).count();
        let skipped = report["skipped"].as_array().expect("a list");
        assert!(skipped.iter().all(|row| row["reason"] == "too many classes were loaded at once"), "{skipped:?}");
        // As many are listed by name at most.
        let is_complete = ones + skipped.len() == CLASSES || skipped.len() == 1000 && ones < CLASSES - skipped.len();
        assert!(is_complete, "Java {}: {ones} and {}", jdk.version, skipped.len());
    }
}
