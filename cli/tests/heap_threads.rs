//! What threads hold, in dumps of a program that knows it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use weighbridge_tests::{Jdk, Weighbridge, compile, every_java, java, run};

/// An array of `length` bytes in the heap: a header of 16 bytes with compressed class pointers, rounded up to 8.
fn array(length: u64) -> u64 {
    (16 + length).next_multiple_of(8)
}

fn dump(jdk: &Jdk, classes: &Path, folder: &Path) -> PathBuf {
    let dump = folder.join(format!("holders-{}.hprof", jdk.major));
    // The interpreter keeps the locals of its frames as roots for as long as the frame lives.
    let output = run(java(jdk).arg("-Xint").arg("-cp").arg(classes).arg("com.acme.holders.Main").arg(&dump));
    assert!(output.success(), "{output}");
    dump
}

fn heap(weighbridge: &Weighbridge, verb: &str, dump: &Path, arguments: &[&str]) -> Value {
    let output = run(weighbridge.command().args(["heap", verb]).arg(dump).args(["-o", "json"]).args(arguments));
    assert!(output.success(), "{output}");
    output.json()
}

fn find<'a>(list: &'a Value, key: &str, value: &str) -> &'a Value {
    let list = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    list.iter().find(|row| row[key] == value).unwrap_or_else(|| panic!("no {key} {value} in {list:#?}"))
}

#[test]
fn threads_frames_and_sets_of_threads_hold_what_the_program_gave_them() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classes = compile("holders", &[], folder.path());
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    for jdk in every_java() {
        let context = format!("Java {}", jdk.version);
        let dump = dump(jdk, &classes, folder.path());
        let threads = heap(&weighbridge, "threads", &dump, &[]);
        let ids: Vec<i64> =
            threads["threads"].as_array().expect("rows").iter().filter_map(|row| row["java_id"].as_i64()).collect();
        let distinct: BTreeSet<i64> = ids.iter().copied().collect();
        assert!(distinct.len() == ids.len() && ids.len() > 4, "{context}: {ids:?}");
        // That they are those of `Thread.getId()` is what the exact measure of shortages tests.
        let mut alone = Vec::new();
        for (name, two) in [("worker-0", true), ("worker-1", true), ("worker-2", false)] {
            let thread = find(&threads["threads"], "name", name);
            let bytes = |key: &str| thread[key].as_u64().expect("a number");
            alone.push(bytes("proprietary_bytes"));
            // The arrays, and little beside them: the thread's lambda and its like.
            let own = array(50_000) + array(100_000);
            assert!((own..own + 1000).contains(&bytes("proprietary_bytes")), "{context}: {thread:#}");
            let shared = array(300_000) + if two { array(70_000) } else { 0 };
            assert!((shared..shared + 3000).contains(&bytes("shared_bytes")), "{context}: {thread:#}");
            assert_eq!(bytes("total_bytes"), bytes("proprietary_bytes") + bytes("shared_bytes"));
            let frames = thread["frames"].as_array().expect("frames");
            let inner = frames.iter().find(|row| row["method"].as_str().is_some_and(|m| m.contains("Main.inner")));
            let inner = inner.unwrap_or_else(|| panic!("{context}: no inner frame: {thread:#}"));
            assert_eq!(inner["proprietary_bytes"], array(50_000), "{context}");
            assert_eq!(inner["kind"], "variable");
            let shared = inner["frame_shared"].as_array().expect("ids");
            let largest = find(&threads["frame_shared"], "id", shared[0].as_str().expect("an id"));
            assert_eq!(largest["shared_bytes"], array(100_000), "{context}: {largest:#}");
            assert_eq!(largest["class"], "byte[]");
            assert_eq!(largest["threads"], serde_json::json!([thread["thread"]]));
        }
        let largest = &threads["thread_shared"][0];
        assert_eq!((&largest["id"], &largest["shared_bytes"]), (&"#T1".into(), &array(300_000).into()), "{context}");
        assert_eq!(threads["thread_shared"][1]["shared_bytes"], array(70_000), "{context}");
        assert_eq!(threads["thread_shared"][1]["threads"].as_array().map(Vec::len), Some(2), "{context}");
        // The 200,000 bytes of the static field belong to nobody.
        let all = threads["summary"]["proprietary_bytes"].as_u64().zip(threads["summary"]["shared_bytes"].as_u64());
        let (proprietary, shared) = all.expect("sums");
        assert!(proprietary < 3 * (array(50_000) + array(100_000)) + 50_000, "{context}: {:#}", threads["summary"]);
        assert!(shared < array(300_000) + array(70_000) + 50_000, "{context}: {:#}", threads["summary"]);

        let arguments = ["--threads", "worker-0,worker-1", "--threads", "worker-0,worker-2", "--start", "worker-0"];
        let release = heap(&weighbridge, "release", &dump, &[&arguments[..], &["--running", "worker-2"]].concat());
        let [first, second] = release["sets"].as_array().expect("sets").as_slice() else { panic!("{release:#}") };
        assert_eq!(first["proprietary_bytes"].as_u64(), Some(alone[0] + alone[1]), "{context}");
        let two = first["shared_bytes"].as_u64().expect("a number");
        assert!((array(70_000)..array(70_000) + 1000).contains(&two), "{context}: {first:#}");
        assert_eq!(second["shared_bytes"].as_u64().map(|bytes| bytes < 1000), Some(true), "{context}: {second:#}");
        // Beside worker-2 alone, worker-0 adds what it holds alone and what it shares with worker-1.
        let growth = release["growth"][0]["bytes"].as_u64().expect("a number");
        assert!(
            (alone[0] + array(70_000)..alone[0] + array(70_000) + 1000).contains(&growth),
            "{context}: {release:#}"
        );
    }
}

#[test]
fn a_thread_that_the_dump_does_not_have_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let classes = compile("holders", &[], folder.path());
    let dump = dump(&every_java()[0], &classes, folder.path());
    let output = run(weighbridge.command().args(["heap", "release"]).arg(&dump).args(["--threads", "main,nobody"]));
    assert_eq!(output.code, Some(2), "{output}");
    let said = format!("weighbridge: error: {}: no thread is called `nobody`", dump.display());
    assert_eq!(output.stderr.lines().last(), Some(said.as_str()));
    assert_eq!(output.stdout, "");
}
