//! Objects, allocations and references.

use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use weighbridge_tests::{Talking, attachable, compile_native, java, jdks};

use crate::program::{Built, PATIENCE, Probed, number, rows, trace};

#[test]
fn objects_are_followed_from_the_stack_that_made_them_to_the_collection_that_found_them_dead() {
    let built = Built::new();
    for jdk in jdks() {
        let mut probed = Probed::start(jdk, &built);
        probed.begin(&["objects"], &["--name", "o", "--except", "com.acme.probed.Calls", "--max-cpu", "100"]);
        probed.tell("make 1000");
        let items = |run: &Value| {
            let mut sums = BTreeMap::new();
            for row in rows(trace(run, "objects"), "places").iter().filter(|row| row["class"] == "com.acme.probed.Item")
            {
                let frame = row["frames"][0].as_str().expect("a frame").split(':').next().expect("a method").to_owned();
                let sum: &mut [u64; 3] = sums.entry(frame).or_default();
                for (sum, key) in sum.iter_mut().zip(["made", "died", "live"]) {
                    *sum += number(&row[key]);
                }
            }
            sums
        };
        let wait_for = |expected: [(&str, [u64; 3]); 3]| {
            let expected = expected.map(|(name, numbers)| (name.to_owned(), numbers)).into_iter().collect();
            let begin = Instant::now();
            loop {
                let run = probed.ask("show", "o");
                let found = items(&run);
                if found == expected {
                    return run;
                }
                // Who dies is told by the collector's thread, somewhat later.
                assert!(begin.elapsed() < PATIENCE, "Java {}: {found:?}", jdk.major);
                thread::sleep(Duration::from_millis(50));
            }
        };
        let run = wait_for([
            ("com.acme.probed.Main.kept", [1000, 0, 1000]),
            ("com.acme.probed.Main.dropped", [1000, 1000, 0]),
            ("com.acme.probed.Item.copy", [500, 500, 0]),
        ]);
        let oldest = rows(trace(&run, "objects"), "oldest");
        let numbers: Vec<u64> = oldest.iter().map(|row| number(&row["object"])).collect();
        assert!(numbers.len() == 20 && numbers.is_sorted() && numbers[0] == 1, "{numbers:?}");
        for row in rows(trace(&run, "objects"), "places") {
            let lives: u64 = rows(row, "lives").iter().map(|lives| number(&lives["objects"])).sum();
            assert_eq!(lives, number(&row["died"]), "each death has its age: {row}");
            assert!(row["class"] != "com.acme.probed.Calls", "{row}");
        }
        probed.tell("drop 1");
        let begin = Instant::now();
        while items(&probed.ask("show", "o"))["com.acme.probed.Main.kept"] != [1000, 1000, 0] {
            assert!(begin.elapsed() < PATIENCE, "Java {}", jdk.major);
            thread::sleep(Duration::from_millis(50));
        }
        probed.ask("stop", "o");
        probed.detach();
    }
}

#[test]
fn global_references_of_native_code_are_told_by_who_creates_them() {
    let built = Built::new();
    let library = compile_native("references.c", built.folder.path());
    for jdk in jdks() {
        let mut command = java(jdk);
        command.args(attachable(jdk)).arg(format!("-Dreferences={}", library.display()));
        let mut program = Talking::start(command.arg("-cp").arg(&built.classes).arg("com.acme.probed.Main"));
        assert_eq!(program.line(), "ready");
        let mut probed = Probed { program, jdk };
        probed.tell("native 30");
        let started = probed.trace("start", &["references", "--name", "r"]);
        assert!(started.success(), "{started}");
        probed.tell("native 300");
        let found = |run: &Value| {
            let own = rows(trace(run, "references"), "references")
                .iter()
                .find(|row| row["frames"][0] == "com.acme.probed.Native.keep")
                .unwrap_or_else(|| panic!("{run:#}"))
                .clone();
            let caller = own["frames"][1].as_str().expect("a frame");
            assert!(caller.starts_with("com.acme.probed.Native.references:"), "{own}");
            ["created", "weak", "freed", "live"].map(|key| number(&own[key]))
        };
        assert_eq!(found(&probed.ask("show", "r")), [600, 300, 200, 400], "Java {}", jdk.major);
        let text = probed.trace("show", &["r"]);
        assert!(text.stdout.contains("com.acme.probed.Native.keep"), "{text}");
        let ended = probed.ask("stop", "r");
        assert_eq!(found(&ended), [600, 300, 200, 400]);
        // The functions are the JVM's own again.
        probed.tell("native 3");
        let started = probed.trace("start", &["references", "--name", "r"]);
        assert!(started.success(), "{started}");
        probed.tell("native 0");
        let again = probed.ask("stop", "r");
        let own = rows(trace(&again, "references"), "references").iter();
        assert_eq!(own.filter(|row| row.to_string().contains("probed")).count(), 0, "{again:#}");
        probed.detach();
    }
}

#[test]
fn references_beyond_the_most_that_are_followed_are_counted_and_told() {
    const MOST: u64 = 400_000;
    let built = Built::new();
    let library = compile_native("references.c", built.folder.path());
    let jdk = &jdks()[0];
    let mut command = java(jdk);
    command.args(attachable(jdk)).arg(format!("-Dreferences={}", library.display()));
    let mut program = Talking::start(command.arg("-cp").arg(&built.classes).arg("com.acme.probed.Main"));
    assert_eq!(program.line(), "ready");
    let mut probed = Probed { program, jdk };
    let started = probed.trace("start", &["references", "--name", "r"]);
    assert!(started.success(), "{started}");
    probed.tell(&format!("leak {}", MOST + 100));
    let text = probed.trace("show", &["r"]);
    assert!(text.stdout.contains("beyond the most that are followed at once"), "{text}");
    let run = probed.ask("stop", "r");
    let rows = rows(trace(&run, "references"), "references");
    let sum = |key: &str| rows.iter().map(|row| number(&row[key])).sum::<u64>();
    let leaked = rows.iter().find(|row| row["frames"][0] == "com.acme.probed.Native.leak").expect("the method");
    assert_eq!(number(&leaked["created"]), MOST + 100);
    // The JVM's own libraries may have created some, too.
    assert!(sum("live") <= MOST && sum("not_followed") >= 100, "{run:#}");
    probed.detach();
}

#[test]
fn samples_of_allocations_estimate_what_each_site_allocates() {
    const ITEMS: u64 = 2_000_000;
    let built = Built::new();
    for jdk in jdks() {
        let mut probed = Probed::start(jdk, &built);
        let started = probed.trace("start", &["samples", "--name", "s", "--every", "16k"]);
        assert!(started.success(), "{started}");
        probed.tell(&format!("allocate {ITEMS}"));
        let run = probed.ask("show", "s");
        let sampled = trace(&run, "samples");
        assert_eq!(sampled["every_bytes"], 16 << 10);
        let sum = |class: &str, method: &str| {
            let own = rows(sampled, "samples").iter().filter(|row| {
                row["class"] == *class && row["frames"][0].as_str().is_some_and(|frame| frame.starts_with(method))
            });
            own.fold((0, 0.0), |(bytes, square), row| {
                (bytes + number(&row["bytes"]), square + (number(&row["error_bytes"]) as f64).powi(2))
            })
        };
        // An Item has 16 bytes with compressed class pointers; an array of 100 bytes 120.
        for (class, bytes) in [("com.acme.probed.Item", 16 * ITEMS), ("byte[]", 120 * ITEMS)] {
            let (estimated, square) = sum(class, "com.acme.probed.Main.allocate");
            // Twice the error: one in ten thousand runs is outside.
            assert!(
                (estimated as f64 - bytes as f64).abs() <= 2.0 * square.sqrt() + 64_000.0,
                "Java {}, {class}: {estimated} +- {} of {bytes}",
                jdk.major,
                square.sqrt()
            );
        }
        let folded = built.folder.path().join(format!("{}.folded", jdk.major));
        let file = folded.to_str().expect("UTF-8");
        let text = probed.trace("stop", &["s", "--folded", file, "--by", "bytes"]);
        assert!(text.success() && text.stdout.contains("Allocations by class"), "{text}");
        let folded = fs::read_to_string(&folded).expect("stacks");
        assert!(
            folded.lines().any(|line| line.contains("com.acme.probed.Main.allocate:") && line.contains(";byte[] "))
        );
        // Nobody samples any more.
        probed.tell("allocate 1000");
        let started = probed.trace("start", &["samples", "--name", "s", "--every", "1g"]);
        assert!(started.success(), "{started}");
        probed.tell("allocate 1000000");
        let few = probed.ask("stop", "s");
        assert!(number(&trace(&few, "samples")["events"]) < 50, "{few:#}");
        probed.detach();
    }
}

#[test]
fn objects_that_nobody_uses_are_told_from_those_that_are_used() {
    let built = Built::new();
    for jdk in jdks() {
        let mut probed = Probed::start(jdk, &built);
        probed.tell("hold 30");
        probed.begin(&["uses"], &["--name", "u", "--max-cpu", "100"]);
        probed.tell("hold 60");
        // An object is judged by the second.
        thread::sleep(Duration::from_secs(4));
        probed.tell("use 1");
        let run = probed.ask("show", "u");
        let sites = rows(trace(&run, "uses"), "places").iter().filter(|row| row["class"] == "com.acme.probed.Held");
        let found: BTreeMap<String, [u64; 3]> = sites
            .map(|row| {
                let made_by = row["frames"][0].as_str().expect("a frame").split(':').next().expect("a method");
                let lately = |lately: bool| -> u64 {
                    let own = rows(row, "unused").iter().filter(|own| (number(&own["below_s"]) <= 2) == lately);
                    own.map(|own| number(&own["objects"])).sum()
                };
                (made_by.to_owned(), [number(&row["live"]), lately(true), lately(false)])
            })
            .collect();
        let expected = [("(there before the trace)", [30, 20, 10]), ("com.acme.probed.Held.hold", [60, 40, 20])];
        let expected = expected.map(|(name, numbers)| (name.to_owned(), numbers)).into_iter().collect();
        assert_eq!(found, expected, "Java {}: {run:#}", jdk.major);
        let unused = rows(trace(&run, "uses"), "unused");
        assert!(unused.len() == 20 && unused.iter().all(|row| number(&row["unused_s"]) >= 2), "{unused:#?}");
        let text = probed.trace("show", &["u"]);
        assert!(text.stdout.contains("Live objects by the time since their last use"), "{text}");
        assert_eq!(rows(trace(&probed.ask("stop", "u"), "uses"), "unused").len(), 20, "the end has it, too");
        probed.detach();
    }
}
