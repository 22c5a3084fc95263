//! Reports of very many JVMs: memory must not grow with their number.

use serde_json::{Value, json};
use weighbridge_recording::{Header, Line, Reader, Writer};
use weighbridge_reporter::{Aggregate, Aggregator, html, json as json_report};

/// The lines of one JVM's recording after the header.
fn recording(lines: &[Value]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new());
    writer.line(&Line::Header(Header::new("0.1.0", "made by a test"))).unwrap();
    for line in lines {
        let inner = line["line"].clone();
        writer
            .line(&match line["kind"].as_str().unwrap() {
                "class" => Line::Class(serde_json::from_value(inner).unwrap()),
                "sites" => Line::Sites(serde_json::from_value(inner).unwrap()),
                _ => Line::Snapshot(Box::new(serde_json::from_value(inner).unwrap())),
            })
            .unwrap();
    }
    writer.finish().unwrap()
}

fn line(kind: &str, line: Value) -> Value {
    json!({"kind": kind, "line": line})
}

fn report(recordings: impl Iterator<Item = Vec<u8>>) -> Aggregate {
    let mut aggregator = Aggregator::new();
    for (index, bytes) in recordings.enumerate() {
        aggregator.read(Reader::new(&format!("{index}.wbr"), bytes.as_slice()).unwrap()).unwrap();
    }
    aggregator.finish()
}

fn as_json(aggregate: &Aggregate) -> Value {
    let mut output = Vec::new();
    json_report::write(aggregate, &mut output).unwrap();
    serde_json::from_slice(&output).unwrap()
}

/// JVM `n` constructs `n` bytes in `a.M.own` and 10 in `a.M.mN` of one of three names. An earlier snapshot has more.
fn with_sites(n: u64) -> Vec<u8> {
    let sites = |seq: u64, own: u64| {
        json!({"seq": seq, "unknown_objects": 1,
            "nodes": [{"id": 7, "frame": "a.M.main"}, {"id": 9, "parent": 7, "frame": format!("a.M.m{}", n % 3)},
                {"id": 8, "parent": 7, "frame": "a.M.own"}],
            "objects": [{"site": 8, "class": 0, "objects": 1, "bytes": own}, {"site": 9, "class": 0, "objects": 1, "bytes": 10}]})
    };
    let snapshot = |seq: u64, reason: &str| line("snapshot", json!({"seq": seq, "reason": reason}));
    recording(&[
        line("class", json!({"id": 0, "class": "a.Thing"})),
        snapshot(1, "peak"),
        line("sites", sites(1, 1_000_000)),
        snapshot(2, "exit"),
        line("sites", sites(2, n)),
    ])
}

#[test]
fn up_to_fifty_jvms_have_call_trees_of_their_own_and_more_have_the_sum_of_their_last_ones() {
    let few = as_json(&report((1..=50).map(with_sites)))["call_trees"].clone();
    let few = few.as_array().unwrap();
    assert_eq!(few.len(), 100);
    assert_eq!([&few[98]["jvm"], &few[98]["reason"], &few[99]["reason"]], [&json!(49), &json!("peak"), &json!("exit")]);

    let many = as_json(&report((1..=60).map(with_sites)))["call_trees"].clone();
    assert_eq!(many.as_array().unwrap().len(), 1);
    let sum = &many[0];
    assert_eq!([&sum["jvm"], &sum["jvms"], &sum["unknown_objects"]], [&Value::Null, &json!(60), &json!(60)]);
    let row = |node: &Value| {
        json!([
            node["frame"],
            node["depth"],
            node["own_objects"],
            node["own_bytes"],
            node["cumulative_bytes"],
            node["classes"]
        ])
    };
    let own: u64 = (1..=60).sum();
    let things = |objects: u64, bytes: u64| json!([{"class": "a.Thing", "objects": objects, "bytes": bytes}]);
    assert_eq!(
        json!(sum["nodes"].as_array().unwrap().iter().map(row).collect::<Vec<_>>()),
        json!([
            ["a.M.main", 0, 0, 0, own + 600, []],
            ["a.M.own", 1, 60, own, own, things(60, own)],
            ["a.M.m0", 1, 20, 200, 200, things(20, 200)],
            ["a.M.m1", 1, 20, 200, 200, things(20, 200)],
            ["a.M.m2", 1, 20, 200, 200, things(20, 200)],
        ])
    );
}

/// Classes of which those with a greater number grow faster.
fn leaking(classes: u64) -> Vec<u8> {
    let mut lines: Vec<Value> =
        (0..classes).map(|id| line("class", json!({"id": id, "class": format!("a.C{id}")}))).collect();
    lines.extend((1..=24).map(|seq| {
        let row = |id: u64| {
            let live = (20 + id) * seq;
            json!({"id": id, "allocated": live * 10, "live": live, "live_error": 0, "exact": true, "deep_bytes": live * 100,
                "oldest": 40, "generations": 2 * seq, "age_from": [0]})
        };
        line("snapshot", json!({"seq": seq, "uptime_ms": seq * 10_000, "collected": true,
            "collections": {"young": seq, "full": seq}, "classes": (0..classes).map(row).collect::<Vec<_>>()}))
    }));
    recording(&lines)
}

#[test]
fn of_very_many_suspects_the_first_stay_and_the_others_are_counted() {
    let one = leaking(100);
    let few = report(std::iter::repeat_n(one.clone(), 10));
    assert_eq!((few.suspects.len(), few.suspects_left_out), (1_000, 0));
    let many = report(std::iter::repeat_n(one, 35));
    assert_eq!((many.suspects.len(), many.suspects_left_out), (1_000, 2_500));
    // The fastest class of all 35 JVMs first, then the next one.
    let names: Vec<&str> = many.suspects.iter().map(|one| one.growth.class.as_str()).collect();
    let expected: Vec<String> = (0..1_000).map(|rank| format!("a.C{}", 99 - rank / 35)).collect();
    assert_eq!(names, expected);
    assert!(many.suspects.iter().all(|one| !one.reasons.is_empty()));
}

#[test]
fn the_page_of_a_fleet_has_a_hundred_suspects_and_the_number_of_others() {
    let mut page = Vec::new();
    html::write(&report(std::iter::repeat_n(leaking(100), 3)), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let data = page.split_once("id=\"report\">").unwrap().1.split_once("</script>").unwrap().0;
    let report = serde_json::from_str::<Value>(data).unwrap()["report"].take();
    assert_eq!((report["suspects"].as_array().unwrap().len(), &report["suspects_left_out"]), (100, &json!(200)));
}
