//! `replay`: exact lives of objects. The traces are written here as docs/event-trace.md has it, without the crate that
//! reads them.

use std::fs;
use std::io::Write;

use serde_json::{Value, json};

use crate::support::{Answer, Folder, RECORDING};

fn block(kind: u8, content: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(content).expect("the content");
    let packed = packed.finish().expect("a zlib stream");
    let mut crc = flate2::Crc::new();
    crc.update(&packed);
    let mut block = vec![kind];
    for number in [packed.len() as u32, content.len() as u32, crc.sum()] {
        block.extend(number.to_be_bytes());
    }
    block.extend(packed);
    block
}

fn names(lines: &[Value]) -> Vec<u8> {
    block(1, lines.iter().map(|line| format!("{line}\n")).collect::<String>().as_bytes())
}

/// `Main.main` makes a `Node` (object 1) and holds it in a static field, calls `Main.mark`, and makes another one (object 2),
/// which dies with it. All numbers are below 64: one byte each, and differences of objects are zigzags.
fn trace() -> Vec<u8> {
    let mut trace = b"WBEVENT1".to_vec();
    trace.extend(names(&[
        json!(["vm", {"version": "21", "name": "HotSpot", "unique_numbers": true, "alignment": 8, "header": "12"}]),
        json!(["class", 1, "java.lang.Object", 0, 16, {}, {}]),
        json!(["class", 2, "com.acme.Node<b>", 1, 24, {}, {}]),
        json!(["class", 3, "org.other.Thing", 1, 32, {}, {}]),
        json!(["method", 1, "com.acme.Main", "main", "([Ljava/lang/String;)V", 3, true]),
        json!(["method", 2, "com.acme.Main", "mark", "()V", 9, true]),
        json!(["field", 1, "com.acme.Main", "root"]),
        json!(["site", 1, 1, 5, "com.acme.Node<b>"]),
        json!(["site", 2, 1, 6, "org.other.Thing"]),
    ]));
    let null = 0x10;
    #[rustfmt::skip]
    let events = [
        // The thread, and the clock at its first event.
        1, 0,
        15 | null,
        10, 1,
        // Class, site, object 0 + 1.
        1, 2, 1, 2,
        // Field 1 is object 1 + 0.
        5, 1, 0,
        10, 2, 11 | null,
        // Object 1 + 1, in variable 3.
        1, 3, 2, 2,
        9, 3, 0,
        11 | null,
        15 | null | 0x20,
    ];
    trace.extend(block(2, &events));
    trace.extend(names(&[json!(["read", []]), json!(["written", [1]])]));
    trace.extend(block(3, &[]));
    trace
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("app.wbe", trace());
    folder
}

fn told(answer: &Answer, code: i32, words: &str) {
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(code), ""), "{answer}");
    assert!(answer.stderr.lines().count() == 1 && answer.stderr.contains(words), "{answer}");
}

#[test]
fn a_trace_is_shown_as_tables_for_people() {
    let answer = folder().run(&["replay", "app.wbe", "--at", "com.acme.Main.mark"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer}");
    insta::assert_snapshot!(answer.stdout);
}

#[test]
fn programs_get_all_figures_and_a_pattern_leaves_the_rows_of_its_classes() {
    let folder = folder();
    let answer = folder.run(&["replay", "app.wbe", "-o", "json", "--tolerance", "8"]);
    let report: Value = serde_json::from_str(&answer.stdout).expect("JSON");
    assert_eq!(report["peak"]["live_bytes"], 56);
    assert_eq!(report["totals"]["live_at_end_bytes"], 24);
    assert_eq!(report["curve_tolerance_bytes"], 8);
    assert_eq!(report["never_read"], json!([{"class": "com.acme.Main", "field": "root"}]));
    let classes = |pattern: &str| {
        let answer = folder.run(&["replay", "app.wbe", "-o", "json", "--class", pattern]);
        let report: Value = serde_json::from_str(&answer.stdout).expect("JSON");
        report["classes"].as_array().expect("rows").iter().map(|row| row["class"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(classes("org.**"), ["\"org.other.Thing\""]);
    assert_eq!(classes("org.other.Thing[]"), [""; 0]);
    told(&folder.run(&["replay", "app.wbe", "--class", "org..x"]), 2, "bad pattern");
}

#[test]
fn the_page_needs_no_other_file_and_a_name_in_it_stays_text() {
    let folder = folder();
    let answer = folder.run(&["replay", "app.wbe", "-o", "html", "-f", "lives.html"]);
    assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (Some(0), "", ""), "{answer}");
    let page = fs::read_to_string(folder.path("lives.html")).expect("the page");
    assert!(page.contains("id=\"replay\"") && page.contains("default-src 'none'"));
    assert!(page.contains("com.acme.Node&lt;b&gt;") && !page.contains("Node<b>"));
}

#[test]
fn a_file_that_exists_or_is_an_input_is_not_replaced() {
    let folder = folder();
    folder.write("lives.txt", "mine");
    told(&folder.run(&["replay", "app.wbe", "-f", "lives.txt"]), 2, "--force");
    assert_eq!(fs::read_to_string(folder.path("lives.txt")).expect("the file"), "mine");
    assert_eq!(folder.run(&["replay", "app.wbe", "-f", "lives.txt", "--force"]).code, Some(0));
    told(&folder.run(&["replay", "app.wbe", "-f", "app.wbe", "--force"]), 2, "one of the inputs");
    assert_eq!(fs::read(folder.path("app.wbe")).expect("the trace"), trace());
}

#[test]
fn what_is_no_trace_and_a_method_that_is_not_there_are_refused_in_one_line() {
    let folder = folder();
    folder.write("run.wbr", RECORDING);
    folder.write("empty.wbe", "");
    told(&folder.run(&["replay", "gone.wbe"]), 3, "gone.wbe");
    told(&folder.run(&["replay", "run.wbr"]), 3, "not a trace of every event");
    told(&folder.run(&["replay", "empty.wbe"]), 3, "not a trace of every event");
    told(&folder.run(&["replay", "app.wbe", "--at", "com.acme.Main.marc"]), 3, "did you mean com.acme.Main.mark?");
    told(&folder.run(&["replay", "app.wbe", "--at", "a.B.c"]), 3, "names are as com.acme.Main.mark");
    told(&folder.run(&["replay", "app.wbe", "--recording", "app.wbe"]), 3, "not a weighbridge recording");
    let mut wrong = trace();
    let events = names(&[json!(["class", 0, "Odd", 0, 16, {}, {}])]);
    wrong.splice(8..8, events);
    folder.write("wrong.wbe", wrong);
    told(&folder.run(&["replay", "wrong.wbe"]), 3, "block at byte 8");
}

#[test]
fn a_trace_that_was_cut_short_is_used_up_to_there_with_a_warning() {
    let folder = Folder::new();
    let whole = trace();
    folder.write("cut.wbe", &whole[..whole.len() - 30]);
    let answer = folder.run(&["replay", "cut.wbe", "-o", "json"]);
    assert_eq!((answer.code, answer.stderr.lines().count()), (Some(0), 1), "{answer}");
    assert!(answer.stderr.contains("the part before it is used"), "{answer}");
    let report: Value = serde_json::from_str(&answer.stdout).expect("JSON");
    assert_eq!((&report["trace"]["complete"], &report["peak"]["live_bytes"]), (&json!(false), &json!(56)));
}

#[test]
fn a_recording_of_another_run_has_no_snapshot_to_compare() {
    let folder = folder();
    folder.write("run.wbr", RECORDING);
    let answer = folder.run(&["replay", "app.wbe", "--recording", "run.wbr"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    assert!(answer.stdout.contains("no figure could be judged"), "{answer}");
}
