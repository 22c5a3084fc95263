//! Own bytes: tables sort by them and compare them if a recording has them.

use serde_json::{Value, json};
use weighbridge_recording::{Header, Line, Reader, Snapshot, Writer};
use weighbridge_reporter::diff::Difference;
use weighbridge_reporter::{Aggregate, Aggregator, SavedReport, json as report_json, text};

/// Two components that reach the same bytes; `(own, deep)` of each.
fn aggregate(rows: &[(&str, Option<u64>, u64)]) -> Aggregate {
    tracked(rows, true)
}

/// The same for classes of which every object is tracked, or only some.
fn tracked(rows: &[(&str, Option<u64>, u64)], exact: bool) -> Aggregate {
    let mut writer = Writer::new(Vec::new());
    writer.line(&Line::Header(Header::new("0.1.0", "made by a test"))).unwrap();
    let mut snapshot =
        json!({"seq": 1, "uptime_ms": 1000, "collected": true, "classes": [], "components": [], "tags": []});
    for (id, (name, own, deep)) in rows.iter().enumerate() {
        let line = json!({"id": id, "class": format!("com.acme.{name}.Main"), "component": name});
        writer.line(&Line::Class(serde_json::from_value(line).unwrap())).unwrap();
        let mut figures =
            json!({"live": 10, "live_error": 0.0, "exact": exact, "shallow_bytes": 240, "deep_bytes": deep});
        if let Some(own) = own {
            figures["own_bytes"] = json!(own);
            figures["own_shared_bytes"] = json!(64);
        }
        let with = |keys: Value| {
            let mut row = figures.clone();
            row.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
            row
        };
        snapshot["classes"].as_array_mut().unwrap().push(with(json!({"id": id, "allocated": 20})));
        snapshot["components"].as_array_mut().unwrap().push(with(json!({"name": name})));
        snapshot["tags"].as_array_mut().unwrap().push(with(json!({"key": "request", "value": name, "allocated": 20})));
    }
    writer.line(&Line::Snapshot(Box::new(serde_json::from_value::<Snapshot>(snapshot).unwrap()))).unwrap();
    let recording = writer.finish().unwrap();
    let mut aggregator = Aggregator::new();
    aggregator.read(Reader::new("own.wbr", recording.as_slice()).unwrap()).unwrap();
    aggregator.finish()
}

fn report(aggregate: &Aggregate) -> Value {
    let mut output = Vec::new();
    report_json::write(aggregate, &mut output).unwrap();
    serde_json::from_slice(&output).unwrap()
}

fn names<'a>(report: &'a Value, table: &str, key: &str) -> Vec<&'a str> {
    report[table].as_array().unwrap().iter().map(|row| row[key].as_str().unwrap()).collect()
}

const WIRED: [(&str, Option<u64>, u64); 2] = [("web", Some(1_000), 90_000), ("session", Some(70_000), 80_000)];

#[test]
fn a_sentence_never_says_that_a_class_reaches_less_than_it_holds() {
    let report = report(&tracked(&[("web", Some(891 << 10), 489 << 10)], false));
    let statements = report["summary"]["statements"].to_string();
    assert!(statements.contains("hold about 891.0 KiB of their own and reach at least 489.0 KiB."), "{statements}");
}

#[test]
fn the_change_of_a_component_is_told_up_to_the_last_snapshot_that_has_its_bytes() {
    let mut writer = Writer::new(Vec::new());
    writer.line(&Line::Header(Header::new("0.1.0", "made by a test"))).unwrap();
    for (seq, own) in [(1, None), (2, Some(10 << 10)), (3, Some(30 << 10)), (4, None)] {
        let row = json!({"name": "web", "live": 10, "live_error": 0.0, "exact": true, "own_bytes": own});
        let snapshot = json!({"seq": seq, "uptime_ms": 1000 * seq, "collected": true, "components": [row]});
        writer.line(&Line::Snapshot(Box::new(serde_json::from_value::<Snapshot>(snapshot).unwrap()))).unwrap();
    }
    let mut aggregator = Aggregator::new();
    aggregator.read(Reader::new("own.wbr", writer.finish().unwrap().as_slice()).unwrap()).unwrap();
    let statements = report(&aggregator.finish())["summary"]["statements"].to_string();
    assert!(statements.contains("`web` grew from 10.0 KiB at 2.0 s to 30.0 KiB at 3.0 s."), "{statements}");
}

#[test]
fn tables_are_sorted_by_own_bytes_though_others_reach_more() {
    let report = report(&aggregate(&WIRED));
    assert_eq!(names(&report, "components", "component"), ["session", "web"]);
    assert_eq!(names(&report, "classes", "component"), ["session", "web"]);
    assert_eq!(names(&report, "tags", "value"), ["session", "web"]);
    assert_eq!(report["components"][0]["own_bytes"], 70_000);
    assert_eq!(report["components"][0]["own_shared_bytes"], 64);
    assert_eq!(report["classes"][1]["own_bytes"], 1_000);
    assert_eq!(report["tags"][0]["own_bytes"], 70_000);
    let said = report["summary"]["statements"].as_array().unwrap().iter().filter_map(Value::as_str);
    let largest = said.clone().find(|sentence| sentence.starts_with("`session` holds"));
    let expected = "`session` holds 68.4 KiB of its own, and reaches 78.1 KiB";
    assert!(largest.is_some_and(|sentence| sentence.starts_with(expected)), "{:#?}", said.collect::<Vec<_>>());
}

#[test]
fn recordings_without_own_bytes_keep_the_order_of_deep_ones_and_show_no_empty_column() {
    let old = aggregate(&WIRED.map(|(name, _, deep)| (name, None, deep)));
    let report = report(&old);
    assert_eq!(names(&report, "components", "component"), ["web", "session"]);
    assert_eq!(report["components"][0]["own_bytes"], Value::Null);
    let shown = |aggregate: &Aggregate| {
        let mut output = Vec::new();
        text::write(aggregate, &text::TextOptions::default(), &mut output).unwrap();
        String::from_utf8(output).unwrap()
    };
    let title = |text: &str| text.lines().any(|line| line.split_whitespace().any(|word| word == "Own"));
    assert!(!title(&shown(&old)));
    assert!(title(&shown(&aggregate(&WIRED))));
}

#[test]
fn a_comparison_goes_by_own_bytes_unless_a_side_has_none() {
    let before = aggregate(&WIRED);
    let after = aggregate(&[("web", Some(1_500), 99_000), ("session", Some(170_000), 80_000)]);
    let saved = |aggregate: &Aggregate| SavedReport::from(aggregate);
    let difference = Difference::from_reports(("a", &saved(&before)), ("b", &saved(&after)));
    let first = serde_json::to_value(&difference.components[0]).unwrap();
    assert_eq!((&first["component"], &first["change"]), (&json!("session"), &json!("grew")));
    assert_eq!(first["own_bytes"], json!({"before": 70_000, "after": 170_000}));
    let old = aggregate(&WIRED.map(|(name, _, deep)| (name, None, deep)));
    let difference = Difference::from_reports(("a", &saved(&old)), ("b", &saved(&after)));
    assert_eq!(difference.components[0].component.as_deref(), Some("web"), "9,000 deep bytes more");
}
