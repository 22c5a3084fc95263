//! What each of fifty threads holds, to the byte.

use serde_json::Value;
use weighbridge_tests::{Jdk, jdks, jdks_from};

use crate::program::{Program, array, heap, number, rows};

/// The first version whose dumps have parked virtual threads with their frames.
const VIRTUAL: u32 = 25;

fn holds_to_the_byte(jdk: &Jdk, arguments: &[&str]) {
    let program = Program::start(jdk, &[], arguments);
    for more in [&[][..], &["--live"]] {
        let context = format!("Java {}, {arguments:?}, {more:?}", jdk.version);
        let report = heap(&[&["threads", &program.pid, "-o", "json"], more].concat()).json();
        let thread = |i: u64| {
            let name = format!("holder-{i:02}");
            let found: Vec<&Value> = rows(&report, "threads").iter().filter(|row| row["name"] == name).collect();
            let [one] = found.as_slice() else { panic!("{context}: {} of {name}", found.len()) };
            *one
        };
        // It has all that the others have, but for an array of its own and that of a group.
        let bare = thread(0);
        let mut groups = vec![Vec::new(); 5];
        for i in 1..=50 {
            let row = thread(i);
            let (own, group) = (array(1013 * i), (i - 1) / 10);
            groups[group as usize].push(row["thread"].clone());
            assert_eq!(
                number(row, "proprietary_bytes"),
                number(bare, "proprietary_bytes") + own,
                "{context}: {row:#} {bare:#}"
            );
            let shared = number(bare, "shared_bytes") + array(200_000 + 1000 * group);
            assert_eq!(number(row, "shared_bytes"), shared, "{context}: {row:#}");
            let frames = rows(row, "frames").iter();
            let holding: Vec<&Value> =
                frames.filter(|frame| frame["method"].as_str().is_some_and(|it| it.contains(".Main.hold:"))).collect();
            let [frame] = holding.as_slice() else { panic!("{context}: {row:#}") };
            assert_eq!(number(frame, "proprietary_bytes"), own, "{context}: {frame:#}");
        }
        let entry = |bytes: u64| {
            let mut entries = rows(&report, "thread_shared").iter();
            entries.find(|entry| entry["shared_bytes"] == bytes && entry["class"] == "byte[]").expect("an entry")
        };
        for (group, threads) in (0..).zip(&groups) {
            let mut holding = rows(entry(array(200_000 + 1000 * group)), "threads").to_vec();
            holding.sort_by_key(Value::as_u64);
            let mut threads = threads.clone();
            threads.sort_by_key(Value::as_u64);
            assert_eq!(holding, threads, "{context}");
        }
        assert_eq!(rows(entry(array(777_777)), "threads").len(), 51, "{context}");
        let process = &report["dump"]["process"];
        assert_eq!(process["main"], "com.acme.alone.Main", "{context}");
        assert_eq!(process["live"], !more.is_empty(), "{context}");
        assert!(number(process, "stopped_ms") <= number(process, "answered_ms"), "{context}: {process}");
        assert!(number(process, "safepoints") >= 1, "{context}: {process}");
    }
    program.end();
}

#[test]
fn what_each_of_fifty_threads_holds_is_known_to_the_byte() {
    for jdk in jdks() {
        holds_to_the_byte(jdk, &[]);
    }
}

/// Dumps of 21 have parked virtual threads as objects without frames: what their frames hold is not judged.
#[test]
fn what_each_of_fifty_virtual_threads_holds_is_known_to_the_byte() {
    for jdk in jdks_from(VIRTUAL) {
        holds_to_the_byte(jdk, &["virtual"]);
    }
}
