//! The page: its data, its size, and text from outside that must stay text.

use serde_json::{Value, json};
use weighbridge_recording::{ClassLine, Header, Line, Reader, Snapshot, Writer};
use weighbridge_reporter::{Aggregate, Aggregator, html};
use weighbridge_tests::made_recording::{self, Shape};

const V1: &[u8] = include_bytes!("../../recording/tests/fixtures/v1.wbr");
/// The size limit for the page of these snapshots. A page of a day has at most twice their parts, and may have 1 MB.
const MOST_BYTES: usize = 600_000;

fn aggregate(recording: &[u8]) -> Aggregate {
    let mut aggregator = Aggregator::new();
    aggregator.read(Reader::new("1.wbr", recording).unwrap()).unwrap();
    aggregator.finish()
}

fn page(aggregate: &Aggregate) -> String {
    let mut output = Vec::new();
    html::write(aggregate, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

/// The data that the page's program reads.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"report\">").expect("the data");
    serde_json::from_str(rest.split_once("</script>").expect("its end").0).expect("JSON")
}

#[test]
fn the_page_holds_the_json_report_with_its_history_in_columns() {
    let page = page(&aggregate(V1));
    let data = data(&page);
    assert_eq!(data["report"]["format"], 1);
    assert_eq!(data["report"]["history"], json!([]));
    assert_eq!(data["series"][0]["snapshots"], 3);
    assert_eq!(data["series"][0]["per_part"], 1);
    for key in ["classes", "components", "suspects", "peaks", "call_trees", "skipped", "cost"] {
        assert!(!data["report"][key].is_null(), "{key}");
    }
}

#[test]
fn the_same_aggregate_gives_the_same_bytes() {
    assert_eq!(page(&aggregate(V1)), page(&aggregate(V1)));
}

#[test]
fn a_name_that_is_markup_ends_no_element_and_opens_no_comment() {
    let name = "a.</script><!--<script>alert(1)</script>";
    let mut header = Header::new("0.1.0", "made by a test");
    header.jvm.main = Some(name.to_owned());
    let class: ClassLine = serde_json::from_value(json!({"id": 0, "class": name, "component": name})).unwrap();
    let row = json!({"id": 0, "allocated": 1, "live": 1, "live_error": 0, "exact": true, "deep_bytes": 9});
    let snapshot: Snapshot = serde_json::from_value(json!({"seq": 1, "classes": [row]})).unwrap();
    let mut writer = Writer::new(Vec::new());
    for line in [Line::Header(header), Line::Class(class), Line::Snapshot(Box::new(snapshot))] {
        writer.line(&line).unwrap();
    }
    let hostile = page(&aggregate(&writer.finish().unwrap()));
    let plain = page(&aggregate(V1));
    for mark in ["<script", "</script>", "<!--"] {
        assert_eq!(hostile.matches(mark).count(), plain.matches(mark).count(), "{mark}");
    }
    assert_eq!(data(&hostile)["report"]["classes"][0]["class"], name);
}

#[test]
fn the_policy_names_the_digests_of_what_the_page_runs_and_allows_nothing_else() {
    let page = page(&aggregate(V1));
    let policy = page.split_once("Content-Security-Policy\" content=\"").expect("a policy").1;
    let policy = policy.split_once('"').expect("its end").0;
    let parts: Vec<&str> = policy.split("; ").collect();
    assert_eq!(parts[0], "default-src 'none'");
    assert!(parts[1].starts_with("style-src 'sha256-") && parts[2].starts_with("script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
}

#[test]
fn a_page_of_many_snapshots_of_200_classes_stays_small_and_names_its_thinning() {
    let mut recording = Vec::new();
    let shape = Shape { snapshots: 500, ..Shape::day() };
    made_recording::write(&mut recording, &shape).unwrap();
    let page = page(&aggregate(&recording));
    assert!(page.len() < MOST_BYTES, "{} bytes", page.len());
    let data = data(&page);
    let series = &data["series"][0];
    assert_eq!((&series["snapshots"], &series["per_part"]), (&json!(500), &json!(2)));
    assert_eq!(series["uptime_ms"].as_array().unwrap().len(), 250);
    assert_eq!(series["measured_bytes"]["min"].as_array().unwrap().len(), 250);
    assert_eq!(data["report"]["classes"].as_array().unwrap().len(), 200);
    let suspects = data["report"]["suspects"].as_array().unwrap();
    assert!(suspects.iter().any(|suspect| suspect["class"] == shape.class(0)), "the class that leaks: {suspects:#?}");
}
