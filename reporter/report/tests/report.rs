//! The report of a recording, and what it must never invent.

use serde_json::{Value, json};
use weighbridge_recording::{
    ClassLine, ClassRow, ComponentRow, Footer, Header, Line, Reader, Snapshot, WalkOutcome, Writer,
};
use weighbridge_reporter::{Aggregate, Aggregator, ClassFigures, SavedReport, json, text};

const V1: &[u8] = include_bytes!("../../recording/tests/fixtures/v1.wbr");

fn aggregate(recordings: &[&[u8]]) -> Aggregate {
    let mut aggregator = Aggregator::new();
    for (index, bytes) in recordings.iter().enumerate() {
        aggregator.read(Reader::new(&format!("{}.wbr", index + 1), *bytes).unwrap()).unwrap();
    }
    aggregator.finish()
}

fn as_text(aggregate: &Aggregate, options: &text::TextOptions) -> String {
    let mut output = Vec::new();
    text::write(aggregate, options, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

fn as_json(aggregate: &Aggregate) -> Value {
    let mut output = Vec::new();
    json::write(aggregate, &mut output).unwrap();
    serde_json::from_slice(&output).unwrap()
}

fn recording(lines: &[Line]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new());
    writer.line(&Line::Header(Header::new("0.1.0", "made by a test"))).unwrap();
    lines.iter().for_each(|line| writer.line(line).unwrap());
    writer.finish().unwrap()
}

fn class(id: u64, name: &str) -> Line {
    let text = json!({"id": id, "class": name, "component": "c"});
    Line::Class(serde_json::from_value::<ClassLine>(text).unwrap())
}

fn snapshot(seq: u64, rows: Vec<ClassRow>) -> Snapshot {
    let mut snapshot: Snapshot = serde_json::from_value(json!({ "seq": seq, "collected": true })).unwrap();
    snapshot.classes = rows;
    snapshot
}

fn live(id: u64, live: u64, error: f64, deep: Option<u64>) -> ClassRow {
    ClassRow {
        id,
        allocated: live * 2,
        live: Some(live),
        live_error: Some(error),
        exact: Some(error == 0.0),
        deep_bytes: deep,
        ..ClassRow::default()
    }
}

fn snapshot_line(snapshot: Snapshot) -> Line {
    Line::Snapshot(Box::new(snapshot))
}

#[test]
fn the_text_report_of_one_recording() {
    insta::assert_snapshot!(as_text(&aggregate(&[V1]), &text::TextOptions::default()));
}

#[test]
fn the_text_report_fits_a_narrow_terminal_and_shows_the_top_rows() {
    let options = text::TextOptions { width: Some(80), colour: true, top: Some(2) };
    let text = as_text(&aggregate(&[V1]), &options);
    let tables = text.lines().filter(|line| line.starts_with(' ') && !line.starts_with("  "));
    for line in tables {
        assert!(line.chars().count() <= 80, "{line}");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn the_text_report_of_several_recordings() {
    insta::assert_snapshot!(as_text(&aggregate(&[V1, V1]), &text::TextOptions::default()));
}

#[test]
fn the_text_report_of_a_cut_recording_names_the_cut() {
    // Cut inside the third member: the sampled snapshot is lost, the first one stays.
    insta::assert_snapshot!(as_text(&aggregate(&[&V1[..1_500]]), &text::TextOptions::default()));
}

#[test]
fn the_json_report_of_one_recording() {
    let mut output = Vec::new();
    json::write(&aggregate(&[V1]), &mut output).unwrap();
    insta::assert_snapshot!(String::from_utf8(output).unwrap());
}

#[test]
fn several_jvms_add_up_and_errors_combine_in_quadrature() {
    let jvm = |live_objects, error, deep| {
        recording(&[class(0, "a.A"), snapshot_line(snapshot(1, vec![live(0, live_objects, error, Some(deep))]))])
    };
    let report = as_json(&aggregate(&[&jvm(100, 3.0, 1_000), &jvm(50, 4.0, 500)]));
    let row = &report["classes"][0];
    assert_eq!(row["allocated"], 300);
    assert_eq!(row["live"], 150);
    assert_eq!(row["live_error"], 5.0);
    assert_eq!(row["exact"], false);
    assert_eq!(row["deep_bytes"], 1_500);
    assert_eq!(row["definitions"], 2);
    assert_eq!(report["summary"]["jvms"], 2);
}

#[test]
fn classes_of_one_name_in_several_loaders_of_a_jvm_have_rows_with_their_loaders_names() {
    let of = |id, name, loader: &str| match class(id, name) {
        Line::Class(class) => Line::Class(ClassLine { loader: Some(loader.to_owned()), ..class }),
        other => other,
    };
    let rows = (0..5).map(|id| live(id, id + 1, 0.0, Some(100 - id))).collect();
    // The name of the last one has what looks like a loader.
    let others = [of(3, "a.A", "collected"), of(4, "a.Test$it works (app)", "app")];
    let lines = [of(0, "a.A", "app"), of(1, "a.B", "app"), of(2, "a.A", "a.Own@1f")].into_iter().chain(others);
    let lines: Vec<Line> = lines.chain([snapshot_line(snapshot(1, rows))]).collect();
    let report = as_json(&aggregate(&[&recording(&lines)]));
    let names: Vec<&Value> = report["classes"].as_array().unwrap().iter().map(|row| &row["class"]).collect();
    assert_eq!(names, ["a.A (app)", "a.B", "a.A (Own@1f)", "a.A (collected)", "a.Test$it works (app)"]);
    let saved = SavedReport::parse(report.to_string().as_bytes()).unwrap();
    let names: Vec<&str> = saved.classes.iter().map(ClassFigures::name).collect();
    assert_eq!(names, ["a.A", "a.B", "a.A", "a.A", "a.Test$it works (app)"]);
}

#[test]
fn chains_of_holders_add_up_over_jvms_and_memory_outside_the_heap_is_separate() {
    let jvm = |chained: u64, outside: u64| {
        let holders = json!({"examined": chained + outside, "outside": outside, "others": 0,
            "chains": [{"objects": chained, "steps": ["a.Cache.map", "java.util.HashMap$Node[]"]}]});
        let mut row = live(0, chained + outside, 0.0, Some(100));
        row.off_heap_bytes = Some(2_048);
        row.holders = Some(serde_json::from_value(holders).unwrap());
        let mut snapshot = snapshot(1, vec![row]);
        snapshot.heap = serde_json::from_value(json!({"used_bytes": 1_000})).unwrap();
        snapshot.total = serde_json::from_value(json!({"measured_bytes": 100, "off_heap_bytes": 2_048})).unwrap();
        recording(&[class(0, "a.Order"), snapshot_line(snapshot)])
    };
    let aggregate = aggregate(&[&jvm(30, 1), &jvm(12, 0)]);
    let report = as_json(&aggregate);
    assert_eq!(report["summary"]["not_reached_bytes"], 1_800);
    assert_eq!(report["summary"]["off_heap_bytes"], 4_096);
    let row = &report["classes"][0];
    assert_eq!(row["off_heap_bytes"], 4_096);
    assert_eq!(row["holders"]["examined"], 43);
    assert_eq!(row["holders"]["chains"].as_array().unwrap().len(), 1);
    assert_eq!(row["holders"]["chains"][0]["objects"], 42);
    let text = as_text(&aggregate, &text::TextOptions::default());
    let from = text.find("Why alive").expect("the section");
    insta::assert_snapshot!(text[from..].split("\nBy JVM").next().unwrap());
}

#[test]
fn a_figure_that_one_jvm_did_not_measure_is_null_and_never_a_partial_sum() {
    let jvm = |row| recording(&[class(0, "a.A"), snapshot_line(snapshot(1, vec![row]))]);
    let counted = ClassRow { id: 0, allocated: 5, ..ClassRow::default() };
    let report = as_json(&aggregate(&[&jvm(live(0, 10, 0.0, Some(1))), &jvm(counted)]));
    let row = &report["classes"][0];
    assert_eq!(row["allocated"], 25);
    for key in ["live", "live_error", "exact", "deep_bytes", "peak_live", "age", "shallow_bytes"] {
        assert_eq!(row[key], Value::Null, "{key}");
    }
}

#[test]
fn bytes_that_were_measured_of_few_objects_are_said_to_be() {
    let met = |met| ClassRow {
        exact: Some(false),
        met: Some(met),
        own_bytes: Some(50_000),
        ..live(0, 1_000, 0.0, Some(50_000))
    };
    let statements = |row| {
        let report = as_json(&aggregate(&[&recording(&[class(0, "a.A"), snapshot_line(snapshot(1, vec![row]))])]));
        report["summary"]["statements"].to_string()
    };
    let few = statements(met(100));
    let said = "The about 1,000 live objects of `a.A` hold about 48.8 KiB of their own, estimated from the 100 that were \
                met, and reach at least 48.8 KiB.";
    assert!(few.contains(said) && few.contains("Of 1 class fewer than nine in ten live objects were met"), "{few}");
    let most = statements(met(950));
    assert!(most.contains("hold about 48.8 KiB of their own") && !most.contains("were met"), "{most}");
}

#[test]
fn the_last_snapshot_gives_the_figures_and_all_of_them_the_peak() {
    let lines = [
        class(0, "a.A"),
        snapshot_line(snapshot(1, vec![live(0, 10, 0.0, Some(100))])),
        snapshot_line(snapshot(2, vec![live(0, 70, 0.0, Some(700))])),
        snapshot_line(snapshot(3, vec![live(0, 40, 0.0, Some(400))])),
    ];
    let report = as_json(&aggregate(&[&recording(&lines)]));
    let row = &report["classes"][0];
    assert_eq!((&row["live"], &row["peak_live"], &row["deep_bytes"]), (&json!(40), &json!(70), &json!(400)));
    assert_eq!(report["history"].as_array().unwrap().len(), 3);
}

#[test]
fn rows_are_in_the_order_of_deep_bytes_and_equal_ones_of_names() {
    let rows =
        vec![live(0, 1, 0.0, None), live(1, 1, 0.0, Some(5)), live(2, 1, 0.0, Some(9)), live(3, 1, 0.0, Some(5))];
    let lines =
        [class(0, "z.Unmeasured"), class(1, "b.B"), class(2, "c.C"), class(3, "a.A"), snapshot_line(snapshot(1, rows))];
    let report = as_json(&aggregate(&[&recording(&lines)]));
    let names: Vec<&Value> = report["classes"].as_array().unwrap().iter().map(|row| &row["class"]).collect();
    assert_eq!(names, ["c.C", "a.A", "b.B", "z.Unmeasured"]);
}

#[test]
fn a_stopped_walk_leaves_no_deep_figure_and_the_report_has_the_reason() {
    let mut stopped = snapshot(1, vec![live(0, 10, 0.0, None)]);
    stopped.walk = Some(WalkOutcome { stopped: Some("out of time".to_owned()), ..WalkOutcome::default() });
    let bytes = recording(&[class(0, "a.A"), snapshot_line(stopped), Line::Footer(Footer::default())]);
    let aggregate = aggregate(&[&bytes]);
    let text = as_text(&aggregate, &text::TextOptions::default());
    assert!(text.contains("The JVM has no deep sizes: the walk stopped early (out of time)."), "{text}");
    assert_eq!(as_json(&aggregate)["classes"][0]["deep_bytes"], Value::Null);
}

#[test]
fn a_jvm_without_a_snapshot_is_named_and_has_no_figures() {
    let aggregate = aggregate(&[&recording(&[])]);
    let text = as_text(&aggregate, &text::TextOptions::default());
    assert!(text.contains("The JVM left no snapshot: it has no figures here."), "{text}");
    let report = as_json(&aggregate);
    assert_eq!(report["classes"], json!([]));
    assert_eq!(report["summary"]["measured_bytes"], Value::Null);
    assert_eq!(report["cost"]["snapshots"], Value::Null);
}

#[test]
fn a_row_without_its_class_line_keeps_its_figures_under_its_id() {
    let bytes = recording(&[snapshot_line(snapshot(1, vec![live(7, 1, 0.0, None)]))]);
    assert_eq!(as_json(&aggregate(&[&bytes]))["classes"][0]["class"], "(class 7 of 1.wbr)");
}

#[test]
fn control_characters_of_a_recording_never_reach_the_terminal() {
    let mut hostile = snapshot(1, vec![live(0, 1, 0.0, Some(1))]);
    hostile.components = vec![ComponentRow { name: "\x1b[2Jc".into(), deep_bytes: Some(1), ..Default::default() }];
    let bytes = recording(&[class(0, "a.\x1b]0;owned\x07"), snapshot_line(hostile)]);
    let text = as_text(&aggregate(&[&bytes]), &text::TextOptions::default());
    assert!(!text.contains('\x1b') && !text.contains('\x07'), "{text:?}");
}

#[test]
fn absurd_figures_saturate_instead_of_ending_the_report() {
    let huge = ClassRow { allocated: u64::MAX, ..live(0, 1, 1e308, Some(u64::MAX)) };
    let mut absurd = snapshot(u64::MAX, vec![huge.clone(), ClassRow { id: 1, ..huge }]);
    absurd.uptime_ms = Some(u64::MAX);
    let bytes = recording(&[class(0, "a.A"), class(1, "a.A"), snapshot_line(absurd)]);
    let aggregate = aggregate(&[&bytes, &bytes]);
    assert_eq!(as_json(&aggregate)["classes"][0]["allocated"], u64::MAX);
    as_text(&aggregate, &text::TextOptions::default());
}

fn aged(seq: u64, generations: u64, ages: [u64; 3]) -> Line {
    let live: u64 = ages.iter().sum();
    let text = json!({
        "seq": seq, "age_from": [0, 1, 4],
        "classes": [{
            "id": 0, "allocated": 1_000, "live": live, "live_error": 0.0, "exact": true, "instance_bytes": 24,
            "since_collection": 5, "last_cycle": 70, "oldest": 9, "oldest_full": 2, "generations": generations,
            "ages": ages, "full_ages": [live, 0, 0],
        }],
        "threads": [{"name": "pool-*", "allocated": 900, "live": live, "live_error": 0.0, "shallow_bytes": 24 * live}],
        "tags": [{"key": "request", "value": "GET /orders", "allocated": 640, "allocated_error": 25.0,
            "live": 3, "live_error": 0.0, "shallow_bytes": 72}],
    });
    snapshot_line(serde_json::from_value(text).unwrap())
}

#[test]
fn ages_threads_tags_and_cycles_of_several_jvms_add_up_and_the_trend_is_reported() {
    let one = recording(&[class(0, "a.A"), aged(1, 2, [7, 0, 0]), aged(2, 9, [1, 2, 3])]);
    let aggregate = aggregate(&[&one, &one]);
    let report = as_json(&aggregate);
    let row = &report["classes"][0];
    assert_eq!(row["age"]["generations"], 9);
    assert_eq!(row["age"]["generations_first"], 2);
    assert_eq!(row["age"]["max_full"], 2);
    assert_eq!(row["age"]["buckets"][2], json!({"from": 4, "to": null, "live": 6, "live_by_full": 0}));
    assert_eq!(row["age"]["buckets"][1], json!({"from": 1, "to": 3, "live": 4, "live_by_full": 0}));
    assert_eq!(row["allocated_bytes"], 2 * 1_000 * 24);
    assert_eq!(row["since_collection"], 10);
    assert_eq!(row["last_cycle_bytes"], 2 * 70 * 24);
    assert_eq!(report["threads"][0]["allocated"], 1_800);
    assert_eq!(report["tags"][0]["live"], 6);
    insta::assert_snapshot!(as_text(&aggregate, &text::TextOptions::default()));
}

#[test]
fn jvms_with_different_age_buckets_have_no_common_histogram() {
    let other = json!({
        "seq": 1, "age_from": [0, 9],
        "classes": [{"id": 0, "allocated": 4, "live": 4, "oldest": 3, "ages": [4, 0], "full_ages": [4, 0]}],
    });
    let one = recording(&[class(0, "a.A"), aged(1, 2, [7, 0, 0])]);
    let two = recording(&[class(0, "a.A"), snapshot_line(serde_json::from_value(other).unwrap())]);
    let report = as_json(&aggregate(&[&one, &two]));
    assert_eq!(report["classes"][0]["age"]["buckets"], json!([]));
    assert_eq!(report["classes"][0]["age"]["max"], 9);
    assert_eq!(report["classes"][0]["since_collection"], Value::Null);
}

#[test]
fn a_long_history_keeps_evenly_spread_snapshots_and_the_first_and_last_of_each_jvm() {
    let jvm = |snapshots: u64| {
        let lines: Vec<Line> = (1..=snapshots).map(|seq| snapshot_line(snapshot(seq, Vec::new()))).collect();
        recording(&lines)
    };
    let report = as_json(&aggregate(&[&jvm(9_001), &jvm(2_500), &jvm(3)]));
    assert_eq!(report["history_every"], 2);
    let points = |jvm: u64| -> Vec<u64> {
        let points = report["history"].as_array().unwrap().iter().filter(|point| point["jvm"] == jvm);
        points.map(|point| point["seq"].as_u64().unwrap()).collect()
    };
    assert_eq!(points(0), (1..=9_001).step_by(2).collect::<Vec<u64>>());
    assert_eq!(points(1), (1..=2_500).step_by(2).chain([2_500]).collect::<Vec<u64>>());
    assert_eq!(points(2), [1, 3]);
    assert_eq!(as_json(&aggregate(&[&jvm(9_001)]))["history_every"], 1);
}

#[test]
fn the_heap_of_the_runtime_itself_is_reported_with_its_part_and_instead_of_an_estimate() {
    let of = |heap: Value| {
        let mut one = snapshot(1, vec![live(0, 5, 0.0, None)]);
        one.heap = Some(serde_json::from_value(heap).unwrap());
        let footer = json!({"cost": {"probe_cpu_ms": 1.0, "registry_bytes": 4 << 20}});
        let footer = Line::Footer(serde_json::from_value(footer).unwrap());
        let aggregate = aggregate(&[&recording(&[class(0, "a.A"), snapshot_line(one), footer])]);
        (
            as_json(&aggregate)["summary"]["heap_runtime_bytes"].clone(),
            as_text(&aggregate, &text::TextOptions::default()),
        )
    };
    let (bytes, text) = of(json!({"used_bytes": 30 << 20, "runtime_bytes": 3 << 20}));
    assert_eq!(bytes, 3 << 20);
    assert!(text.contains(", 3.0 MiB (10.0 %) of the used heap") && !text.contains("registry"), "{text}");
    let (bytes, text) = of(json!({"used_bytes": 30 << 20}));
    assert!(bytes.is_null() && text.contains("registry 4.0 MiB (estimated)"), "{text}");
}
