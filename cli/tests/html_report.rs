//! The pages of `report -o html` and `heap ... -o html` in a real browser: `reporter/web/tests` does what a reader does.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::{Value, json};
use weighbridge_recording::{Header, Line, Reader, Snapshot, Writer};
use weighbridge_tests::consumers::npm;
use weighbridge_tests::made_heap_components::three;
use weighbridge_tests::made_recording::{self, Shape};
use weighbridge_tests::made_shortage::decisions;
use weighbridge_tests::{Weighbridge, compile, java, jdks, run};

/// What a name may hold that wants to be more than a name.
const HOSTILE: &str = "a.</script><img src=x onerror=window.hacked=1>";

#[test]
fn the_committed_bundle_is_what_its_sources_make() {
    let output = run(npm("run").arg("check"));
    assert!(output.success(), "{output}");
}

#[test]
fn in_a_browser_the_page_renders_sorts_searches_prints_and_turns_dark_and_foreign_names_stay_text() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let leak = leak(&weighbridge, folder.path());
    let report = page(&weighbridge, &leak, "report.html");
    let hostile = page(&weighbridge, &hostile(folder.path()), "hostile.html");
    let big = page(&weighbridge, &big(folder.path()), "big.html");
    let short = page(&weighbridge, &short(folder.path()), "short.html");
    let mut test = npm("run");
    test.args(["page"]).env("REPORT", report).env("HOSTILE", hostile).env("BIG", big).env("SHORT", short);
    let dumps = heap_pages(&weighbridge, folder.path());
    let dominators = dumps.iter().find(|page| page.ends_with("heap-dominators.html")).expect("its page");
    let output = run(test.env("TEXT", text(&weighbridge, &leak)).env("DUMP", dominators));
    assert!(output.success(), "{output}");
    assert!(output.stdout.contains("# pass 26\n") && output.stdout.contains("# skipped 0\n"), "{output}");
}

#[test]
fn axe_core_finds_nothing_on_any_page_and_all_fit_a_telephone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let mut pages = vec![page(&weighbridge, &leak(&weighbridge, folder.path()), "report.html")];
    pages.push(page(&weighbridge, &hostile(folder.path()), "hostile.html"));
    pages.push(page(&weighbridge, &short(folder.path()), "short.html"));
    pages.extend(heap_pages(&weighbridge, folder.path()));
    let pages = std::env::join_paths(&pages).expect("paths");
    let output = run(npm("run").args(["access"]).env("PAGES", pages));
    assert!(output.success(), "{output}");
    assert!(output.stdout.contains("# pass 44\n") && output.stdout.contains("# skipped 0\n"), "{output}");
}

/// A recording with decisions in memory shortages, and components in heap dumps.
fn short(folder: &Path) -> PathBuf {
    let shape = Shape { snapshots: 15, classes: 20, components: 4, interval_ms: 10_000, seed: 1 };
    let mut bytes = Vec::new();
    made_recording::write(&mut bytes, &shape).expect("a recording");
    let mut lines: Vec<Line> =
        Reader::new("short", bytes.as_slice()).expect("a recording").map(Result::unwrap).collect();
    // Before the footer.
    let end = lines.len() - 1;
    lines.splice(end..end, decisions().into_iter().chain(three().map(|dump| Line::HeapComponents(Box::new(dump)))));
    let mut writer = Writer::new(Vec::new());
    lines.iter().for_each(|line| writer.line(line).expect("a line"));
    let recording = folder.join("short.wbr");
    fs::write(&recording, writer.finish().expect("a recording")).expect("the recording");
    recording
}

/// The page of each verb that has one, on a small dump.
fn heap_pages(weighbridge: &Weighbridge, folder: &Path) -> Vec<PathBuf> {
    let classes = compile("known", &[], folder);
    let dump = folder.join("app.hprof");
    let output = run(java(&jdks()[0]).arg("-cp").arg(classes).arg("com.acme.known.Main").arg(&dump).arg("300"));
    assert!(output.success(), "{output}");
    let rules = folder.join("rules.toml");
    let config = "version = 1\n[components]\nsessions = [\"com.acme.known.Main$Session\"]\n";
    fs::write(&rules, config).expect("the configuration");
    let rules = rules.to_str().expect("UTF-8");
    let verbs: [(&str, &[&str]); 8] = [
        ("suspects", &["--least", "1"]),
        ("histogram", &[]),
        ("dominators", &["--by", "class", "--drops", "--depth", "8"]),
        ("threads", &[]),
        ("components", &["--config", rules]),
        ("path", &["com.acme.known.Main$Session"]),
        ("waste", &[]),
        ("diff", &[dump.to_str().expect("UTF-8")]),
    ];
    let made = verbs.map(|(verb, arguments)| {
        let output = run(weighbridge.command().args(["heap", verb]).arg(&dump).args(arguments).args(["-o", "html"]));
        assert!(output.success(), "{verb}: {output}");
        let page = folder.join(format!("heap-{verb}.html"));
        fs::write(&page, output.stdout).expect("the page");
        page
    });
    made.to_vec()
}

/// The text report with the table of sites, which only `--by` shows.
fn text(weighbridge: &Weighbridge, recording: &Path) -> PathBuf {
    let report = run(weighbridge.command().arg("report").arg(recording));
    let sites = run(weighbridge.command().arg("report").arg(recording).args(["--by", "site"]));
    let file = recording.with_file_name("report.txt");
    fs::write(&file, report.stdout + &sites.stdout).expect("the report");
    file
}

/// A recording of 5,000 classes.
fn big(folder: &Path) -> PathBuf {
    let file = folder.join("big.wbr");
    let shape = Shape { snapshots: 3, classes: 5_000, components: 12, interval_ms: 60_000, seed: 7 };
    made_recording::write(fs::File::create(&file).expect("a file"), &shape).expect("written");
    file
}

fn page(weighbridge: &Weighbridge, recording: &Path, name: &str) -> PathBuf {
    let page = recording.with_file_name(name);
    let output = run(weighbridge.command().arg("report").arg(recording).args(["-o", "html", "-f"]).arg(&page));
    assert!(output.success(), "{output}");
    page
}

/// A recording of the leak sample, faster than it waits, with call trees and counts of live bytes; made once for all tests.
fn leak(weighbridge: &Weighbridge, folder: &Path) -> PathBuf {
    static RECORDED: OnceLock<Vec<u8>> = OnceLock::new();
    let recording = folder.join("leak.wbr");
    fs::write(&recording, RECORDED.get_or_init(|| recorded_leak(weighbridge))).expect("the recording");
    recording
}

fn recorded_leak(weighbridge: &Weighbridge) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    weighbridge.instrument_leak(folder.path());
    let recording = folder.path().join("leak.wbr");
    let mut command = java(&jdks()[0]);
    command.args(["-Dleak.tick_ms=1", "-Dleak.ticks=1200", "-Dleak.measure=60"]);
    command.args(["-Dweighbridge.sites=10", "-Dweighbridge.references=50000"]);
    command.args(["-Dweighbridge.peak=peak-with-tolerance", "-Dweighbridge.peak_tolerance=128k"]);
    command.args(["-Dweighbridge.peak_floor=0", "-Dweighbridge.cpu_percent=50", "-Dweighbridge.pause=1h"]);
    command.arg(format!("-Dweighbridge.destfile={}", recording.display()));
    let output = run(command.arg("-jar").arg(folder.path().join("weighed/leak.jar")));
    assert!(output.success(), "{output}");
    fs::read(&recording).expect("the recording")
}

/// A recording in which everything that is a name is markup.
fn hostile(folder: &Path) -> PathBuf {
    let file = folder.join("hostile.wbr");
    let mut writer = Writer::new(fs::File::create(&file).expect("a file"));
    let mut header = Header::new("0.1.0", HOSTILE);
    header.jvm.main = Some(HOSTILE.to_owned());
    header.jvm.name = Some(HOSTILE.to_owned());
    let class = json!({"id": 0, "class": HOSTILE, "component": HOSTILE, "jar": HOSTILE});
    let figures = json!({"allocated": 9, "live": 5, "live_error": 0, "shallow_bytes": 80});
    let merged = |mut base: Value, more: Value| {
        base.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        base
    };
    let bytes = json!({"deep_bytes": 4_096, "exclusive_bytes": 4_096, "shared_bytes": 0, "exact": true});
    let snapshot = |seq: u64| {
        let row = merged(merged(json!({"id": 0}), figures.clone()), bytes.clone());
        let holders = json!({"examined": 5, "outside": 0, "others": 0, "chains": [{"objects": 5, "steps": [HOSTILE]}]});
        let ages = json!({"ages": [5], "full_ages": [5], "oldest": 3, "generations": 1, "holders": holders});
        let component = merged(merged(json!({"name": HOSTILE}), figures.clone()), bytes.clone());
        let origin = |name: &str| merged(json!({"name": name, "key": name, "value": name}), figures.clone());
        let snapshot = json!({
            "seq": seq, "uptime_ms": 1_000 * seq, "reason": HOSTILE, "label": HOSTILE, "collected": true,
            "heap": {"used_bytes": 1 << 20}, "age_from": [0],
            "classes": [merged(row, ages)], "components": [component],
            "threads": [origin(HOSTILE)], "tags": [origin(HOSTILE)],
            "total": {"measured_objects": 5, "measured_bytes": 4_096}, "shared_once_bytes": 0,
        });
        Line::Snapshot(Box::new(serde_json::from_value::<Snapshot>(snapshot).expect("a snapshot")))
    };
    let sites = json!({
        "seq": 2, "nodes": [{"id": 0, "frame": HOSTILE, "cut": true}],
        "objects": [{"site": 0, "class": 0, "objects": 5, "bytes": 80}],
    });
    let link = json!({"jar": HOSTILE, "skipped": [{"class": HOSTILE, "reason": HOSTILE}]});
    let lines = [
        Line::Header(header),
        Line::Link(serde_json::from_value(link).expect("a link")),
        Line::Class(serde_json::from_value(class).expect("a class")),
        snapshot(1),
        snapshot(2),
        Line::Sites(serde_json::from_value(sites).expect("sites")),
        Line::Note(serde_json::from_value(json!({"text": HOSTILE})).expect("a note")),
    ];
    lines.iter().for_each(|line| writer.line(line).expect("written"));
    writer.finish().expect("written");
    file
}
