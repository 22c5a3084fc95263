//! A report without suspects says whether anything was judged. A run that measured nothing begins with that.

use serde_json::{Value, json};
use weighbridge_recording::{ClassLine, Footer, Header, Line, Reader, Snapshot, Writer};
use weighbridge_reporter::{Aggregate, Aggregator, text};

/// A JVM whose one class grows by 100 objects a snapshot, every 10 s. `collected` has the snapshots after a full
/// collection.
fn growing(collected: &[bool], more: &Value) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new());
    writer.line(&Line::Header(Header::new("0.1.0", "made by a test"))).unwrap();
    let class: ClassLine = serde_json::from_value(json!({"id": 0, "class": "a.Leak"})).unwrap();
    writer.line(&Line::Class(class)).unwrap();
    for (index, collected) in collected.iter().enumerate() {
        let seq = index as u64 + 1;
        let mut snapshot = json!({
            "seq": seq, "uptime_ms": seq * 10_000, "collected": collected,
            "classes": [{"id": 0, "allocated": 1_000 * seq, "live": 100 * seq, "live_error": 0, "exact": true}],
        });
        more.as_object().into_iter().flatten().for_each(|(key, value)| snapshot[key] = value.clone());
        let snapshot: Snapshot = serde_json::from_value(snapshot).unwrap();
        writer.line(&Line::Snapshot(Box::new(snapshot))).unwrap();
    }
    writer.finish().unwrap()
}

fn aggregate(recordings: &[Vec<u8>]) -> Aggregate {
    let mut aggregator = Aggregator::new();
    for bytes in recordings {
        aggregator.read(Reader::new("1.wbr", bytes.as_slice()).unwrap()).unwrap();
    }
    aggregator.finish()
}

fn report(aggregate: &Aggregate) -> (String, Value) {
    let mut text = Vec::new();
    text::write(aggregate, &text::TextOptions::default(), &mut text).unwrap();
    let mut json = Vec::new();
    weighbridge_reporter::json::write(aggregate, &mut json).unwrap();
    (String::from_utf8(text).unwrap(), serde_json::from_slice(&json).unwrap())
}

#[test]
fn a_run_is_judged_exactly_when_its_snapshots_can_show_steady_growth() {
    for snapshots in 0..=10 {
        for behind in [false, true] {
            let each = |collected| [vec![collected; snapshots], vec![true; usize::from(behind)]].concat();
            for run in [each(true), each(false)] {
                let aggregate = aggregate(&[growing(&run, &json!({}))]);
                assert_ne!(aggregate.suspects.is_empty(), aggregate.not_judged.is_empty(), "{run:?}");
            }
        }
    }
}

#[test]
fn a_run_that_is_too_short_is_not_judged_and_text_and_json_have_its_numbers() {
    let short = aggregate(&[growing(&[false, false, true], &json!({}))]);
    let (text, json) = report(&short);
    let reason = "3 snapshots in 30.0 s, 7 are needed";
    assert!(text.contains(&format!("Leak suspects\n  not judged: {reason}")), "{text}");
    let row = &json["suspects_not_judged"][0];
    assert!(row["reason"].as_str().unwrap().starts_with(reason), "{row}");
    assert_eq!((&row["snapshots"], &row["collected"], &row["needed"]), (&json!(3), &json!(1), &json!(7)));
    let first = json["summary"]["statements"][0].as_str().unwrap();
    assert!(first.starts_with(&format!("Leak suspects were not judged: {reason}")), "{first}");

    let (text, _) = report(&aggregate(&[growing(&[false; 40], &json!({}))]));
    assert!(
        text.contains("not judged: 40 snapshots in 6 min 40 s, but no full marking of the heap behind them"),
        "{text}"
    );
    let (text, json) = report(&aggregate(&[growing(&[true; 24], &json!({})), growing(&[true], &json!({}))]));
    assert!(
        text.contains("  JVM 2 not judged: 1 snapshot in 10.0 s, 7 are needed") && text.contains("a.Leak"),
        "{text}"
    );
    assert_eq!(json["suspects_not_judged"][0]["jvm"], 1);
}

#[test]
fn a_run_that_was_judged_by_upper_bounds_says_what_does_not_show_in_it() {
    let even = json!({"classes": [{"id": 0, "allocated": 1_000, "live": 100, "live_error": 0, "exact": true}]});
    let bounds =
        "none: no class grows to the end of the run; between full markings of the heap only upper bounds are known";
    let (text, _) = report(&aggregate(&[growing(&[false, false, false, false, false, false, false, true], &even)]));
    assert!(text.contains(bounds), "{text}");
    let (text, _) = report(&aggregate(&[growing(&[true; 8], &even)]));
    assert!(text.contains("none: no class grows to the end of the run\n"), "{text}");
}

#[test]
fn the_report_of_a_run_without_a_rewritten_class_begins_with_that() {
    let mut writer = Writer::new(Vec::new());
    writer.line(&Line::Header(Header::new("0.1.0", "made by a test"))).unwrap();
    let snapshot: Snapshot = serde_json::from_value(json!({"seq": 1, "uptime_ms": 9_000, "classes": []})).unwrap();
    writer.line(&Line::Snapshot(Box::new(snapshot))).unwrap();
    writer.line(&Line::Footer(Footer::default())).unwrap();
    let nothing = writer.finish().unwrap();
    let (text, json) = report(&aggregate(std::slice::from_ref(&nothing)));
    assert!(text.starts_with("Nothing was measured\n  No rewritten class was loaded: "), "{text}");
    assert!(json["summary"]["statements"][0].as_str().unwrap().starts_with("No rewritten class was loaded"), "{json}");
    assert_eq!(json["summary"]["jvms_without_rewritten_classes"], 1);
    let (text, _) = report(&aggregate(&[growing(&[true; 8], &json!({})), nothing]));
    assert!(text.starts_with("Nothing was measured\n  No rewritten class was loaded in JVM 2: "), "{text}");
    let (text, _) = report(&aggregate(&[growing(&[true; 8], &json!({}))]));
    assert!(!text.contains("Nothing was measured"), "{text}");
    let (text, _) = report(&aggregate(&[growing(&[], &json!({}))]));
    assert!(!text.contains("Nothing was measured"), "a JVM without a snapshot may have constructed much: {text}");
    let idle = growing(&[true], &json!({"classes": []}));
    let (text, _) = report(&aggregate(&[idle]));
    assert!(text.starts_with("Nothing was measured\n  No object of the"), "{text}");
}

#[test]
fn a_stretched_interval_is_reported_with_its_length_and_reason() {
    let interval = json!({"interval": {"asked_ms": 1_000, "stretched_ms": 20_000, "cost_ms": 400, "cpu_percent": 2}});
    let (text, json) = report(&aggregate(&[growing(&[true; 8], &interval)]));
    let said = "stretched its interval of 1.0 s to up to 20.0 s (in 8 snapshots): a measurement took 400 ms of CPU, \
                and `cpu_percent` allows measuring 2 % of a core";
    assert!(text.contains(said), "{text}");
    assert_eq!(json["jvms"][0]["interval"]["stretched_ms"], 20_000);
    assert_eq!(json["jvms"][0]["interval"]["snapshots"], 8);
    let (text, json) = report(&aggregate(&[growing(&[true; 8], &json!({}))]));
    assert!(!text.contains("stretched") && json["jvms"][0]["interval"].is_null(), "{text}");
}

#[test]
fn a_peak_that_may_be_garbage_is_explained() {
    let (text, _) = report(&aggregate(&[growing(&[false; 8], &json!({}))]));
    assert!(text.contains("Peak: ") && text.contains("a peak may be garbage"), "{text}");
}
