//! Peaks and construction sites in a report.

use serde_json::{Value, json};
use weighbridge_recording::{ClassLine, Header, Line, LiveCount, Reader, Sites, Snapshot, Writer};
use weighbridge_reporter::{Aggregate, Aggregator, export, json as json_report, text};

fn aggregate(lines: &[Line]) -> Aggregate {
    let mut writer = Writer::new(Vec::new());
    writer.line(&Line::Header(Header::new("0.1.0", "made by a test"))).unwrap();
    lines.iter().for_each(|line| writer.line(line).unwrap());
    let mut aggregator = Aggregator::new();
    aggregator.read(Reader::new("1.wbr", writer.finish().unwrap().as_slice()).unwrap()).unwrap();
    aggregator.finish()
}

fn count(uptime_ms: u64, live: u64, allocated: u64, peak: bool) -> Line {
    let text = json!({"uptime_ms": uptime_ms, "mode": "peak-with-tolerance", "source": "walk", "volume": "jvm",
        "tolerance_bytes": 1 << 20, "floor_bytes": 4 << 20, "collected": true, "live_bytes": live,
        "allocated_bytes": allocated, "peak_bytes": live.max(6_000_000), "ceiling_bytes": 7_000_000,
        "ceiling_by": "allocated", "peak": peak});
    Line::LiveCount(Box::new(serde_json::from_value::<LiveCount>(text).unwrap()))
}

fn snapshot(seq: u64, reason: &str) -> Line {
    let text = json!({"seq": seq, "reason": reason, "collected": true});
    Line::Snapshot(Box::new(serde_json::from_value::<Snapshot>(text).unwrap()))
}

/// main calls a, which constructs 30 bytes and calls b, which constructs 70.
fn sites(seq: u64) -> Line {
    let text = json!({"seq": seq, "unknown_objects": 2,
        "nodes": [{"id": 1, "frame": "com.acme.Main.main"}, {"id": 2, "parent": 1, "frame": "com.acme.Main.a"},
            {"id": 5, "parent": 2, "frame": "com.acme.Main.b"}, {"id": 6, "parent": 1, "frame": "com.acme.Main.c"}],
        "objects": [{"site": 2, "class": 0, "objects": 3, "bytes": 30}, {"site": 5, "class": 0, "objects": 6, "bytes": 60},
            {"site": 5, "class": 1, "objects": 1, "bytes": 10}]});
    Line::Sites(serde_json::from_value::<Sites>(text).unwrap())
}

fn class(id: u64, name: &str) -> Line {
    Line::Class(serde_json::from_value::<ClassLine>(json!({"id": id, "class": name})).unwrap())
}

fn report() -> Aggregate {
    aggregate(&[
        class(0, "com.acme.A"),
        class(1, "com.acme.B"),
        snapshot(1, "peak"),
        sites(1),
        count(2_500, 6_000_000, 9_000_000, true),
        count(9_000, 5_000_000, 19_000_000, false),
        snapshot(2, "exit"),
        sites(2),
    ])
}

fn as_json(aggregate: &Aggregate) -> Value {
    let mut output = Vec::new();
    json_report::write(aggregate, &mut output).unwrap();
    serde_json::from_slice(&output).unwrap()
}

#[test]
fn a_peak_lies_between_the_greatest_count_and_the_ceiling() {
    let peaks = &as_json(&report())["peaks"];
    assert_eq!(peaks[0]["peak_bytes"], 6_000_000);
    assert_eq!(peaks[0]["peak_uptime_ms"], 2_500);
    assert_eq!(peaks[0]["ceiling_bytes"], 7_000_000);
    // It speaks of the time up to the last count, whenever the peak was.
    assert_eq!(peaks[0]["ceiling_uptime_ms"], 9_000);
    assert_eq!(peaks[0]["interval_ms"], Value::Null);
    let series: Vec<_> =
        peaks[0]["counts"].as_array().unwrap().iter().map(|p| [&p["allocated_bytes"], &p["live_bytes"]]).collect();
    assert_eq!(series, [[9_000_000, 6_000_000], [19_000_000, 5_000_000]]);
}

#[test]
fn a_ceiling_without_proof_is_left_out_and_the_text_has_the_reason() {
    let of = |key: &str, value: Value| {
        let mut count = json!({"uptime_ms": 900, "mode": "interval", "source": "histogram", "volume": "jvm",
            "collected": true, "live_bytes": 6 << 20, "allocated_bytes": 9 << 20, "peak_bytes": 6 << 20,
            "ceiling_bytes": 7 << 20, "peak": true});
        count[key] = value;
        let count = Line::LiveCount(Box::new(serde_json::from_value(count).expect("a count")));
        let report = aggregate(&[count]);
        let mut output = Vec::new();
        text::write(&report, &text::TextOptions::default(), &mut output).expect("the text");
        let text = String::from_utf8(output).expect("UTF-8");
        let line = text.lines().find(|line| line.contains("counted at")).expect("a sentence").trim().to_owned();
        (as_json(&report)["peaks"][0]["ceiling_bytes"].clone(), line)
    };
    let proven = "of the whole heap (class histogram), counted at 900 ms; never more than 7.0 MiB up to the last count at 900 ms.";
    let open = "counted at 900 ms; nothing says how much more it may have been between counts.";
    let (bytes, line) = of("mode", json!("interval"));
    assert!(bytes == 7 << 20 && line.ends_with(proven), "{bytes} {line}");
    for (key, value) in [("volume", json!("threads")), ("source", json!("walk")), ("ceiling_bytes", Value::Null)] {
        let (bytes, line) = of(key, value);
        assert!(bytes.is_null() && line.ends_with(open), "{key}: {bytes} {line}");
    }
    let (bytes, line) = of("ceiling_by", json!("pools"));
    assert!(bytes == 7 << 20 && line.contains("7.0 MiB (the greatest usage of the heap's pools)"), "{line}");
    let (_, line) = of("collected", json!(false));
    assert!(line.starts_with("6.0 MiB of the whole heap (class histogram), garbage included"), "{line}");
}

#[test]
fn a_call_tree_has_own_and_cumulative_shares_and_the_largest_callee_first() {
    let trees = as_json(&report())["call_trees"].clone();
    assert_eq!([&trees[0]["reason"], &trees[1]["reason"]], ["peak", "exit"]);
    let rows: Vec<_> = trees[0]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| {
            json!([
                node["frame"],
                node["depth"],
                node["own_bytes"],
                node["cumulative_bytes"],
                node["own_share"],
                node["cumulative_share"]
            ])
        })
        .collect();
    assert_eq!(
        json!(rows),
        json!([
            ["com.acme.Main.main", 0, 0, 100, 0.0, 1.0],
            ["com.acme.Main.a", 1, 30, 100, 0.3, 1.0],
            ["com.acme.Main.b", 2, 70, 70, 0.7, 0.7],
            ["com.acme.Main.c", 1, 0, 0, 0.0, 0.0],
        ])
    );
    assert_eq!(trees[0]["nodes"][2]["classes"][0], json!({"class": "com.acme.A", "objects": 6, "bytes": 60}));
}

#[test]
fn a_call_tree_whose_callers_are_missing_or_circular_is_still_read() {
    let text = json!({"seq": 1, "nodes": [{"id": 3, "parent": 9, "frame": "a"}, {"id": 9, "parent": 3, "frame": "b"}],
        "objects": [{"site": 9, "class": 7, "objects": 1, "bytes": 8}, {"site": 77, "class": 7, "objects": 1, "bytes": 8}]});
    let lines = [snapshot(1, "exit"), Line::Sites(serde_json::from_value::<Sites>(text).unwrap())];
    let trees = as_json(&aggregate(&lines))["call_trees"].clone();
    assert_eq!(trees[0]["nodes"].as_array().unwrap().len(), 2);
    assert_eq!(trees[0]["nodes"][0]["cumulative_bytes"], 8);
}

#[test]
fn the_text_report_names_the_peak_and_the_sites() {
    let mut output = Vec::new();
    text::write(&report(), &text::TextOptions::default(), &mut output).unwrap();
    insta::assert_snapshot!(String::from_utf8(output).unwrap());
}

#[test]
fn a_peak_with_a_heap_dump_gives_the_command_that_shows_what_the_dump_holds() {
    let command = |file: &str| {
        let text = json!({"uptime_ms": 1, "allocated_bytes": 1, "live_bytes": 1, "peak": true, "dump": file});
        let count = Line::LiveCount(Box::new(serde_json::from_value(text).expect("a count")));
        as_json(&aggregate(&[count]))["peaks"][0]["dump_command"].clone()
    };
    assert_eq!(command("/tmp/peak-17.hprof"), "weighbridge heap dominators /tmp/peak-17.hprof");
    assert_eq!(command("a peak's.hprof"), r"weighbridge heap dominators 'a peak'\''s.hprof'");
}

/// main calls a, which constructs 30 bytes. A cut stack begins with a, too, and constructs 70.
fn cut() -> Aggregate {
    let text = json!({"seq": 1, "nodes": [{"id": 1, "frame": "com.acme.Main.main"}, {"id": 2, "parent": 1, "frame": "com.acme.Main.a"},
            {"id": 3, "frame": "com.acme.Main.a", "cut": true}, {"id": 4, "parent": 3, "frame": "com.acme.Main.b"}],
        "objects": [{"site": 2, "class": 0, "objects": 3, "bytes": 30}, {"site": 4, "class": 0, "objects": 7, "bytes": 70}]});
    let sites = Line::Sites(serde_json::from_value::<Sites>(text).unwrap());
    aggregate(&[class(0, "com.acme.A"), snapshot(1, "exit"), sites])
}

#[test]
fn a_cut_stack_is_marked_above_its_first_frame_and_the_constructed_class_is_its_leaf() {
    let mut folded = Vec::new();
    export::folded::write(&cut(), &mut folded).unwrap();
    assert_eq!(
        String::from_utf8(folded).unwrap(),
        "(callers_cut_off);com.acme.Main.a;com.acme.Main.b;com.acme.A 70\n\
         com.acme.Main.main;com.acme.Main.a;com.acme.A 30\n"
    );
}

#[test]
fn cut_callers_have_a_marked_node_of_their_own() {
    let nodes = as_json(&cut())["call_trees"][0]["nodes"].clone();
    let rows: Vec<_> = nodes
        .as_array()
        .unwrap()
        .iter()
        .map(|n| [&n["frame"], &n["cut"], &n["depth"], &n["cumulative_bytes"]])
        .collect();
    assert_eq!(
        serde_json::to_value(rows).unwrap(),
        json!([
            ["(callers cut off)", true, 0, 70],
            ["com.acme.Main.a", null, 1, 70],
            ["com.acme.Main.b", null, 2, 70],
            ["com.acme.Main.main", null, 0, 30],
            ["com.acme.Main.a", null, 1, 30],
        ])
    );
}

#[test]
fn the_text_report_names_what_was_cut_off_although_it_constructs_nothing() {
    let mut output = Vec::new();
    text::write(&cut(), &text::TextOptions::default(), &mut output).unwrap();
    assert!(String::from_utf8(output).unwrap().contains("(callers cut off)"));
}
