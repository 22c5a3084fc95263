//! Reports on traces of every event, held against figures computed by hand.

use serde_json::{Value, json};
use weighbridge_recording::{ClassLine, ClassRow, Header, Line, LiveCount, ReadLimits, Snapshot, Writer};
use weighbridge_replay::{Event, ObjectId, TraceWriter};
use weighbridge_reporter::replay::{Error, Recording, ReplayReport, Settings};
use weighbridge_reporter::text::TextOptions;

const fn object(number: u64) -> ObjectId {
    ObjectId(number)
}

/// Objects of 24 bytes, arrays of references of 16 + 4 n, arrays of int the same.
fn names() -> Vec<Value> {
    vec![
        json!(["vm", {"version": "21", "name": "HotSpot", "unique_numbers": true, "alignment": 8, "header": "8"}]),
        json!(["class", 1, "java.lang.Object", 0, 16, {}, {}]),
        json!(["class", 2, "com.acme.Node", 1, 24, {"12": "next"}, {}]),
        json!(["array", 3, "[Lcom.acme.Node;", 1, 16, 2]),
        json!(["array", 4, "[I", 1, 16, 2]),
        json!(["class", 5, "com.acme.SubNode", 2, 24, {}, {}]),
        json!(["method", 1, "com.acme.Main", "main", "([Ljava/lang/String;)V", 9, true]),
        json!(["method", 2, "com.acme.Main", "fill", "()V", 19, true]),
        json!(["method", 3, "com.acme.Main", "mark", "()V", 30, true]),
        json!(["field", 1, "com.acme.Main", "root"]),
        json!(["field", 2, "com.acme.Node", "next"]),
        json!(["field", 3, "com.acme.Node", "label"]),
        json!(["field", 4, "com.acme.SubNode", "next"]),
        json!(["site", 1, 1, 10, "com.acme.Node"]),
        json!(["site", 2, 2, 20, "com.acme.Node[]"]),
        json!(["site", 3, 2, 21, "int[]"]),
        json!(["site", 4, 1, 11, "com.acme.Node"]),
        // Before event 13: two events have counted.
        json!(["mark", 2, "snapshot 7"]),
        // Before event 4.
        json!(["mark", 0, "collections 3"]),
        json!(["mark", 1, "collection"]),
    ]
}

/// The comments have the bytes that live after each event, and those allocated.
fn events() -> Vec<Event> {
    vec![
        Event::Begin { thread: None },
        Event::Enter { method: 1 },
        Event::Made { class: 2, site: 1, object: object(1) }, // 2: 24 of 24
        Event::Static { field: 1, value: Some(object(1)) },
        Event::Enter { method: 2 },
        Event::MadeArray { class: 3, site: 2, length: 4, object: object(2) }, // 5: 56 of 56
        Event::Local { slot: 0, value: Some(object(2)) },
        Event::MadeArray { class: 4, site: 3, length: 10, object: object(3) }, // 7: 112 of 112
        Event::Local { slot: 1, value: Some(object(3)) },
        Event::Use { object: object(3) },
        Event::Exit { unwound: 0, result: None },             // 10: 24 of 112
        Event::Made { class: 2, site: 4, object: object(4) }, // 11: 48 of 136
        Event::Field { field: 2, holder: object(1), value: Some(object(4)) },
        Event::Enter { method: 3 },
        Event::Exit { unwound: 0, result: None },
        Event::Field { field: 2, holder: object(1), value: None }, // 15: 24 of 136
        Event::Made { class: 2, site: 4, object: object(5) },      // 16: 48 of 160
        Event::Local { slot: 0, value: Some(object(5)) },
        Event::Exit { unwound: 0, result: None }, // 18: 24 of 160
        Event::End { thread: None },
    ]
}

fn trace(events: &[Event]) -> Vec<u8> {
    let mut writer = TraceWriter::new(Vec::new(), 4_096).expect("a trace");
    writer.names(&names()).expect("names");
    events.iter().for_each(|event| writer.event(1, event).expect("an event"));
    writer.names(&[json!(["read", [2]]), json!(["written", [2, 3, 4]])]).expect("names");
    writer.finish().expect("the end")
}

fn in_folder<T>(files: &[(&str, &[u8])], run: impl FnOnce(Settings) -> T) -> T {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).expect("a file");
    }
    run(Settings { trace: folder.path().join("trace.wbe"), ..Settings::default() })
}

fn read(settings: &Settings) -> ReplayReport {
    ReplayReport::read(settings, &mut |_| {}).expect("figures")
}

fn report(settings: impl FnOnce(Settings) -> Settings) -> Value {
    in_folder(&[("trace.wbe", &trace(&events()))], |found| json_of(&read(&settings(found))))
}

fn json_of(figures: &ReplayReport) -> Value {
    let mut bytes = Vec::new();
    figures.json(&mut bytes).expect("JSON");
    serde_json::from_slice(&bytes).expect("JSON")
}

fn row<'a>(report: &'a Value, list: &str, class: &str) -> &'a Value {
    let rows = report[list].as_array().expect("rows");
    rows.iter().find(|row| row["class"] == class).unwrap_or_else(|| panic!("{list} has no {class}: {report:#}"))
}

fn near(value: &Value, expected: f64) {
    let value = value.as_f64().expect("a number");
    assert!((value - expected).abs() < 1e-9, "{value}, not {expected}");
}

#[test]
fn the_curve_has_each_event_that_changed_live_bytes_and_the_first_greatest_one_is_the_peak() {
    let report = report(|settings| settings);
    let curve: Vec<[u64; 3]> = report["curve"]
        .as_array()
        .expect("points")
        .iter()
        .map(|point| ["event", "allocated_bytes", "live_bytes"].map(|key| point[key].as_u64().expect("a number")))
        .collect();
    let expected = [
        [2, 24, 24],
        [5, 56, 56],
        [7, 112, 112],
        [10, 112, 24],
        [11, 136, 48],
        [15, 136, 24],
        [16, 160, 48],
        [18, 160, 24],
    ];
    assert_eq!(curve, expected);
    let peak = &report["peak"];
    assert_eq!((&peak["event"], &peak["live_bytes"], &peak["allocated_bytes"]), (&json!(7), &json!(112), &json!(112)));
    let classes = peak["classes"].as_array().expect("rows");
    let held: Vec<(&str, u64)> = classes
        .iter()
        .map(|row| (row["class"].as_str().expect("a name"), row["bytes"].as_u64().expect("bytes")))
        .collect();
    assert_eq!(held, [("int[]", 56), ("com.acme.Node[]", 32), ("com.acme.Node", 24)]);
    let site = &peak["sites"][1];
    assert_eq!((&site["method"], &site["line"]), (&json!("com.acme.Main.fill"), &json!(20)));
    assert_eq!(report["totals"]["events"], 20);
}

#[test]
fn utilization_is_live_to_allocated_and_its_mean_weighs_each_object_by_its_bytes() {
    let report = report(|settings| settings);
    near(&report["utilization"]["at_peak"], 1.0);
    near(&report["utilization"]["at_end"], 24.0 / 160.0);
    near(&report["utilization"]["mean"], (112.0 + 24.0 * 48.0 / 136.0 + 24.0 * 48.0 / 160.0) / 160.0);
    near(&report["curve"][4]["utilization"], 48.0 / 136.0);
}

#[test]
fn spans_and_drag_are_bytes_allocated_while_objects_lived_and_after_their_last_use() {
    let report = report(|settings| settings);
    let node = row(&report, "classes", "com.acme.Node");
    // Spans of 160, 24 and 24; the first was used last when 136 bytes were allocated.
    assert_eq!((&node["objects"], &node["bytes"], &node["live_at_end_objects"]), (&json!(3), &json!(72), &json!(1)));
    let spans = &node["spans"];
    assert_eq!((&spans["median_at_most"], &spans["longest"]), (&json!(31), &json!(160)));
    assert_eq!(spans["ninety_percent_at_most"], 160);
    near(&node["space_time"], 24.0 * 160.0 + 2.0 * 24.0 * 24.0);
    near(&node["drag"], 24.0 * 24.0);
    // Of 88 bytes allocated while the array lived, the last 56 came after its last use.
    let array = row(&report, "classes", "com.acme.Node[]");
    near(&array["space_time"], 32.0 * 88.0);
    near(&array["drag_share"], 56.0 / 88.0);
    near(&row(&report, "classes", "int[]")["drag"], 0.0);
}

#[test]
fn objects_that_died_in_their_method_arrays_without_an_element_and_fields_without_a_reader_are_found() {
    let report = report(|settings| settings);
    let lives = &report["lives"];
    assert_eq!((&lives["died_in_method_objects"], &lives["died_in_method_bytes"]), (&json!(4), &json!(136)));
    let by_line: Vec<(u64, u64)> = report["sites"]
        .as_array()
        .expect("sites")
        .iter()
        .map(|site| (site["line"].as_u64().expect("a line"), site["died_in_method_objects"].as_u64().expect("objects")))
        .collect();
    assert_eq!(by_line, [(21, 1), (11, 2), (20, 1), (10, 0)]);
    let array = row(&report, "sites", "com.acme.Node[]");
    assert_eq!((&array["never_filled_arrays"], &array["never_filled_bytes"]), (&json!(1), &json!(32)));
    assert_eq!(row(&report, "sites", "int[]")["reference_arrays"], 0, "arrays of primitives are not judged");
    // `next` of the subclass is the field that is read by the name of the superclass.
    assert_eq!(report["never_read"], json!([{"class": "com.acme.Node", "field": "label"}]));
}

#[test]
fn each_mode_has_the_counts_the_peak_and_the_distance_that_it_would_have_had() {
    let report = report(|settings| Settings { tolerances: vec![40], ..settings });
    let modes = report["modes"].as_array().expect("modes").iter().map(|mode| {
        let keys = ["counts", "peak_bytes", "peak_error_bytes", "most_above_bytes", "most_below_bytes"];
        (mode["rule"].as_str().expect("a rule"), keys.map(|key| mode[key].as_u64().expect("a number")))
    });
    let expected = [
        ("every_event", [20, 112, 0, 0, 0]),
        ("every_allocation", [5, 112, 0, 88, 0]),
        ("peak_only", [4, 112, 0, 88, 0]),
        ("peak_only_skipping", [3, 56, 56, 32, 56]),
        ("threshold", [3, 112, 0, 88, 24]),
        ("peak_with_tolerance", [3, 112, 0, 88, 24]),
    ];
    assert_eq!(modes.collect::<Vec<_>>(), expected);
}

#[test]
fn a_method_that_is_asked_for_shows_what_lived_at_each_entry_and_another_name_gets_a_suggestion() {
    let report = report(|settings| Settings { at: vec!["com.acme.Main.mark".to_owned()], ..settings });
    let entry = &report["at"][0]["shown"][0];
    assert_eq!((&entry["event"], &entry["live_bytes"]), (&json!(13), &json!(48)));
    assert_eq!((&entry["classes"][0]["class"], &entry["classes"][0]["objects"]), (&json!("com.acme.Node"), &json!(2)));
    in_folder(&[("trace.wbe", &trace(&events()))], |settings| {
        for (wrong, suggested) in [("com.acme.Main.marc", true), ("mark", true), ("org.other.Thing.go", false)] {
            let settings = Settings { at: vec![wrong.to_owned()], ..settings.clone() };
            let Err(Error::NoMethod { nearest, .. }) = ReplayReport::read(&settings, &mut |_| {}) else {
                panic!("{wrong} is no method");
            };
            assert_eq!(nearest.as_deref(), suggested.then_some("com.acme.Main.mark"), "{wrong}");
        }
    });
}

#[test]
fn objects_that_existed_or_were_only_met_are_told_apart() {
    let mut events = vec![
        Event::Begin { thread: None },
        Event::Met { class: 2, length: 0, object: object(8), existed: true },
        Event::Met { class: 2, length: 0, object: object(9), existed: false },
    ];
    events.extend(self::events().into_iter().skip(1));
    in_folder(&[("trace.wbe", &trace(&events))], |settings| {
        let settings = Settings { at: vec!["com.acme.Main.fill".to_owned()], ..settings };
        let report = json_of(&read(&settings));
        let totals = &report["totals"];
        assert_eq!((&totals["existed_objects"], &totals["existed_bytes"]), (&json!(1), &json!(24)));
        assert_eq!((&totals["met_objects"], &totals["objects"]), (&json!(1), &json!(6)));
        let doubts = report["doubts"].as_array().expect("sentences");
        let told = |words: &str| doubts.iter().any(|doubt| doubt.as_str().is_some_and(|doubt| doubt.contains(words)));
        assert!(told("existed before the trace") && told("only met"), "{doubts:#?}");
    });
}

/// A recording with a snapshot of some classes: class, live objects, and whether that is exact.
fn recording(rows: &[(&str, u64, bool)], collected: bool) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new());
    writer.line(&Line::Header(Header::new("0.1.0", "00000000-0000-0000-0000-000000000000"))).expect("a header");
    let mut snapshot: Snapshot = serde_json::from_value(
        json!({"seq": 7, "collected": collected, "age_from": [0, 1], "collections": {"young": 3, "full": 1}}),
    )
    .expect("a snapshot");
    for (id, (class, live, exact)) in (1..).zip(rows) {
        let line: ClassLine = serde_json::from_value(json!({"id": id, "class": class})).expect("a class");
        writer.line(&Line::Class(line)).expect("a class");
        snapshot.classes.push(ClassRow {
            id,
            allocated: 100,
            live: Some(*live),
            live_error: Some(if *exact { 0.0 } else { 0.5 }),
            exact: Some(*exact),
            ages: Some(vec![0, *live]),
            ..ClassRow::default()
        });
    }
    writer.line(&Line::Snapshot(Box::new(snapshot))).expect("a snapshot");
    let count = LiveCount { peak_bytes: Some(100), ..LiveCount::default() };
    writer.line(&Line::LiveCount(Box::new(count))).expect("a count");
    writer.finish().expect("a recording")
}

fn beside(rows: &[(&str, u64, bool)], collected: bool) -> Value {
    let mut events = events();
    // A subclass that is not measured counts as its superclass.
    events[11] = Event::Made { class: 5, site: 4, object: object(4) };
    in_folder(&[("trace.wbe", &trace(&events)), ("run.wbr", &recording(rows, collected))], |settings| {
        let file = settings.trace.with_file_name("run.wbr");
        let recording = Some(Recording { file, limits: ReadLimits::default() });
        json_of(&read(&Settings { recording, ..settings }))["recording"].clone()
    })
}

#[test]
fn figures_of_a_recording_are_held_against_the_truth_at_the_marked_event() {
    let rows = [("com.acme.Node", 2, true), ("com.acme.Gone", 3, false), ("java.lang.Object", 1, true)];
    let beside = self::beside(&rows, true);
    assert_eq!((&beside["judged"], &beside["within"]), (&json!(3), &json!(1)));
    let snapshot = &beside["snapshots"][0];
    assert_eq!((&snapshot["snapshot"], &snapshot["event"]), (&json!(7), &json!(12)));
    let node = row(snapshot, "classes", "com.acme.Node");
    assert_eq!((&node["true_live"], &node["claim"], &node["within"]), (&json!(2), &json!("exact"), &json!(true)));
    assert_eq!(node["ages"], json!({"recorded": [0, 2], "truth": [1, 1], "apart": 0.5}));
    assert_eq!((&beside["aged"], &beside["ages_apart"]), (&json!(2), &json!(0.5)));
    let gone = row(snapshot, "classes", "com.acme.Gone");
    assert_eq!((&gone["error"], &gone["claim"], &gone["within"]), (&json!(3), &json!("\u{b1} 1"), &json!(false)));
    assert_eq!((&beside["peak"]["peak_bytes"], &beside["peak"]["true_peak_bytes"]), (&json!(100), &json!(112)));
}

#[test]
fn a_snapshot_without_a_collection_claims_no_more_than_a_bound() {
    for (recorded, claim, within) in [(3, "at most 3", true), (1, "at most 1", false)] {
        let beside = self::beside(&[("com.acme.Node", recorded, true)], false);
        assert_eq!((&beside["judged"], &beside["within"]), (&json!(1), &json!(u8::from(within))));
        let node = row(&beside["snapshots"][0], "classes", "com.acme.Node");
        assert_eq!((&node["true_live"], &node["claim"], &node["within"]), (&json!(2), &json!(claim), &json!(within)));
    }
}

#[test]
fn a_trace_that_was_cut_short_says_so_and_judges_no_field() {
    let whole = trace(&events());
    // Without the last block: 13 bytes of head, and an empty zlib stream.
    let cut = &whole[..whole.len() - 15];
    in_folder(&[("trace.wbe", cut)], |settings| {
        let figures = read(&settings);
        assert!(figures.incomplete().is_some());
        let report = json_of(&figures);
        assert_eq!((&report["trace"]["complete"], &report["never_read"]), (&json!(false), &json!([])));
        assert!(report["doubts"][0].as_str().expect("a sentence").contains("cut short"), "{report:#}");
    });
}

#[test]
fn text_and_page_have_the_same_tables_and_names_stay_text() {
    in_folder(&[("trace.wbe", &trace(&events()))], |settings| {
        let settings = Settings { at: vec!["com.acme.Main.mark".to_owned()], tolerances: vec![40], ..settings };
        let figures = read(&settings);
        let (mut text, mut html) = (Vec::new(), Vec::new());
        figures.text(&TextOptions::default(), &mut text).expect("text");
        figures.html(&TextOptions::default(), &mut html).expect("a page");
        let text = String::from_utf8(text).expect("UTF-8");
        let html = String::from_utf8(html).expect("UTF-8");
        let file = settings.trace.display().to_string();
        insta::assert_snapshot!(text.replace(&file, "trace.wbe"));
        for title in ["At the peak, by class", "Lives by allocation site", "Entry 1 of 1 into com.acme.Main.mark"] {
            assert!(text.contains(title) && html.contains(title), "{title}");
        }
        assert!(html.contains("id=\"replay\"") && html.contains("default-src 'none'"));
    });
}
