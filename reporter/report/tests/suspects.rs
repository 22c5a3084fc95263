//! Which classes a report suspects of leaking, in which order, and why.

use serde_json::{Value, json};
use weighbridge_recording::{ClassLine, Header, Line, Reader, Snapshot, Writer};
use weighbridge_reporter::{Aggregator, Confidence, Figure, Suspect};

/// One class at each of 24 snapshots, all after full collections.
type Class<'a> = (&'a str, &'a dyn Fn(u64) -> Value);

fn suspects(classes: &[Class]) -> Vec<Suspect> {
    let mut writer = Writer::new(Vec::new());
    writer.line(&Line::Header(Header::new("0.1.0", "made by a test"))).unwrap();
    for (id, (name, _)) in classes.iter().enumerate() {
        let class: ClassLine = serde_json::from_value(json!({"id": id, "class": name, "component": "c"})).unwrap();
        writer.line(&Line::Class(class)).unwrap();
    }
    for seq in 1..=24 {
        let rows: Vec<Value> = classes.iter().enumerate().map(|(id, (_, row))| with_id(row(seq), id)).collect();
        let snapshot: Snapshot = serde_json::from_value(json!({
            "seq": seq, "uptime_ms": seq * 10_000, "collected": true, "heap": {"used_bytes": 100_000_000},
            "collections": {"young": seq, "full": seq}, "classes": rows,
        }))
        .unwrap();
        writer.line(&Line::Snapshot(Box::new(snapshot))).unwrap();
    }
    let mut aggregator = Aggregator::new();
    aggregator.read(Reader::new("1.wbr", writer.finish().unwrap().as_slice()).unwrap()).unwrap();
    aggregator.finish().suspects
}

fn with_id(mut row: Value, id: usize) -> Value {
    row["id"] = json!(id);
    row
}

fn row(live: u64, generations: u64, deep: u64, exclusive: u64) -> Value {
    json!({
        "allocated": live * 10, "live": live, "live_error": 0, "exact": true, "deep_bytes": deep,
        "exclusive_bytes": exclusive, "oldest": 40, "generations": generations, "age_from": [0],
    })
}

fn names(suspects: &[Suspect]) -> Vec<(&str, Confidence)> {
    suspects.iter().map(|suspect| (suspect.growth.class.as_str(), suspect.confidence)).collect()
}

#[test]
fn steady_growth_with_ever_more_ages_is_a_strong_suspicion_and_growth_alone_a_possible_one() {
    let leak = |seq: u64| row(100 * seq, 2 * seq, 1_000 * seq, 0);
    // Grows more and more slowly, and its objects get no older.
    let fills = |seq: u64| row(3_000 - (3_000.0 * 0.9f64.powf(seq as f64)) as u64, 3, 900_000, 0);
    let young = |seq: u64| row(100 * seq, 3, 500 * seq, 0);
    let found = suspects(&[("a.Fills", &fills), ("a.Leak", &leak), ("a.Young", &young)]);
    assert_eq!(
        names(&found),
        [("a.Leak", Confidence::Strong), ("a.Young", Confidence::Likely), ("a.Fills", Confidence::Possible)]
    );
    assert!(found[0].age_drift >= Some(0.9) && found[0].pace >= Some(0.9), "{:?}", found[0]);
}

#[test]
fn of_equal_confidence_the_one_that_takes_more_bytes_a_minute_is_first() {
    let small = |seq: u64| row(1_000 * seq, 2 * seq, 1_000 * seq, 0);
    let large = |seq: u64| row(10 * seq, 2 * seq, 100_000 * seq, 0);
    assert_eq!(
        names(&suspects(&[("a.Small", &small), ("a.Large", &large)])),
        [("a.Large", Confidence::Strong), ("a.Small", Confidence::Strong)]
    );
}

#[test]
fn one_object_that_holds_ever_more_alone_is_suspected_for_its_bytes() {
    let log = |seq: u64| row(1, 1, 50_000 * seq, 50_000 * seq);
    let found = suspects(&[("a.Log", &log)]);
    assert_eq!(names(&found), [("a.Log", Confidence::Strong)]);
    assert_eq!(found[0].grows, Figure::Bytes);
    assert_eq!(found[0].bytes_per_minute, Some(300_000.0));
}

#[test]
fn a_snapshot_whose_walk_was_cut_off_hides_neither_a_leak_nor_its_rate() {
    // The ninth snapshot has the least live objects of its part of the run.
    let cut_off = |seq: u64, mut whole: Value| {
        if [9, 24].contains(&seq) {
            let row = whole.as_object_mut().unwrap();
            row.retain(|key, _| !key.ends_with("_bytes"));
        }
        whole
    };
    let leak = |seq: u64| {
        let mut whole = row(100 * seq, 2 * seq, 1_000_000, 0);
        whole["own_bytes"] = json!(10_000 * seq);
        cut_off(seq, whole)
    };
    let log = |seq: u64| cut_off(seq, row(1, 1, 5_000 * seq, 5_000 * seq));
    let found = suspects(&[("a.Leak", &leak), ("a.Log", &log)]);
    assert_eq!(names(&found), [("a.Leak", Confidence::Strong), ("a.Log", Confidence::Strong)]);
    let rates: Vec<_> = found.iter().map(|suspect| suspect.bytes_per_minute.map(f64::round)).collect();
    assert_eq!(rates, [Some(60_000.0), Some(30_000.0)]);
}

#[test]
fn bytes_shared_with_a_sampled_class_are_a_possible_suspicion_with_that_reason() {
    let log = |seq: u64| row(1, 1, 50_000 * seq, 50_000 * seq);
    let sampled = |_: u64| {
        let mut row = row(90_000, 3, 900_000, 0);
        row["exact"] = json!(false);
        row["live_error"] = json!(100);
        row["shared_bytes"] = json!(900_000);
        row
    };
    let found = suspects(&[("a.Log", &log), ("a.Sampled", &sampled)]);
    assert_eq!(names(&found), [("a.Log", Confidence::Possible)]);
    assert!(found[0].reasons.iter().any(|reason| reason.contains("not known exactly")), "{:?}", found[0].reasons);
}

#[test]
fn a_class_that_only_reaches_or_holds_a_leak_is_no_suspect() {
    let chain = json!({"examined": 10, "outside": 0, "others": 0,
        "chains": [{"objects": 10, "steps": ["a.Store.map", "java.util.HashMap.table"]}]});
    let leak = |seq: u64| {
        let mut row = row(100 * seq, 2 * seq, 100_000 * seq, 0);
        row["holders"] = chain.clone();
        row
    };
    let store = |seq: u64| row(1, 1, 200_000 * seq, 100_000 * seq);
    let neighbour = |seq: u64| row(1, 1, 200_000 * seq, 64);
    let found = suspects(&[("a.Leak", &leak), ("a.Neighbour", &neighbour), ("a.Store", &store)]);
    assert_eq!(names(&found), [("a.Leak", Confidence::Strong)]);
}

#[test]
fn the_reasons_have_each_figure_that_counted() {
    let leak = |seq: u64| row(100 * seq, 2 * seq, 1_000_000 * seq, 0);
    insta::assert_debug_snapshot!(suspects(&[("a.Leak", &leak)])[0].reasons);
}

#[test]
fn a_class_that_stays_or_shrinks_again_is_no_suspect() {
    let table = |_: u64| row(5_000, 1, 500_000, 500_000);
    let waves = |seq: u64| row(1_000 + 500 * (seq % 6), 10, 90_000, 90_000);
    let falls = |seq: u64| row(10_000 - 300 * seq, 30, 90_000, 90_000);
    assert_eq!(names(&suspects(&[("a.Table", &table), ("a.Waves", &waves), ("a.Falls", &falls)])), []);
}
