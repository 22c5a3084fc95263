//! Decisions in memory shortages: in the text, the JSON, the page and the metrics.

use serde_json::{Value, json};
use weighbridge_recording::{Header, Line, Reader, Writer};
use weighbridge_reporter::export::openmetrics::{self, Dialect, Labelled};
use weighbridge_reporter::{Aggregate, Aggregator, ShortageState, html, json as report_json, text};
use weighbridge_tests::made_shortage::decisions;

fn aggregate(jvms: &[&[Line]]) -> Aggregate {
    let mut aggregator = Aggregator::new();
    for (index, lines) in jvms.iter().enumerate() {
        let mut writer = Writer::new(Vec::new());
        writer.line(&Line::Header(Header::new("0.1.0", &format!("jvm {index}")))).unwrap();
        let snapshot = |seq: u64| serde_json::from_value(json!({"seq": seq, "uptime_ms": seq * 20_000})).unwrap();
        for seq in 1..=5 {
            writer.line(&Line::Snapshot(Box::new(snapshot(seq)))).unwrap();
        }
        lines.iter().for_each(|line| writer.line(line).unwrap());
        let bytes = writer.finish().unwrap();
        aggregator.read(Reader::new(&format!("{index}.wbr"), bytes.as_slice()).unwrap()).unwrap();
    }
    aggregator.finish()
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut output = Vec::new();
    write(&mut output).unwrap();
    String::from_utf8(output).unwrap()
}

fn dry() -> Line {
    let [first, ..] = decisions();
    let Line::Shortage(mut line) = first else { unreachable!("a decision") };
    line.dry_run = Some(true);
    line.action = Some("would_cancel".into());
    (line.ended, line.freed_bytes, line.resolved) = (None, None, Some(false));
    Line::Shortage(line)
}

/// The samples of the metrics, without labels that are the same everywhere.
fn samples(all: &Aggregate) -> Vec<String> {
    let labelled = [Labelled { labels: &[], aggregate: all }];
    let text = written(|out| openmetrics::write_each(&labelled, None, "0", Dialect::OpenMetrics, out));
    text.lines().filter_map(|line| Some(line.strip_prefix("weighbridge_shortage_")?.to_owned())).collect()
}

#[test]
fn the_text_has_a_sentence_and_a_table_of_what_was_done_why_and_what_it_freed() {
    let all = aggregate(&[&decisions()]);
    let text = written(|out| text::write(&all, &text::TextOptions::default(), out));
    let sentence = "Memory was short: 3 decisions, 2 pieces of work were cancelled, 48.0 MiB freed.";
    assert!(text.contains(sentence), "{text}");
    assert!(text.starts_with("Weighbridge report"), "no class was to be measured: {text}");
    let table = text.split_once("Memory shortages\n").expect("a table").1;
    insta::assert_snapshot!(table.split("\n\n").next().expect("its end"));
}

#[test]
fn a_dry_run_says_that_nothing_was_touched_and_nothing_of_how_memory_was_afterwards() {
    let text = written(|out| text::write(&aggregate(&[&[dry()]]), &text::TextOptions::default(), out));
    assert!(text.contains("Memory was short: 1 decision in a dry run, nothing was touched."), "{text}");
    assert!(text.contains("dry run: would cancel job=report"), "{text}");
    assert!(!text.contains("still short") && !text.contains("free again"), "{text}");
}

#[test]
fn json_has_the_lines_of_the_recording_with_their_jvm() {
    let all = aggregate(&[&[], &decisions()]);
    let report: Value = serde_json::from_str(&written(|out| report_json::write(&all, out))).unwrap();
    let lines = report["shortages"].as_array().expect("decisions");
    assert_eq!(lines.len(), 3);
    for (line, written) in lines.iter().zip(decisions()) {
        let mut expected = serde_json::to_value(&written).unwrap();
        expected.as_object_mut().unwrap().remove("kind");
        expected["jvm"] = 1.into();
        assert_eq!(line, &expected);
    }
}

#[test]
fn the_page_has_the_decisions_and_their_words() {
    let all = aggregate(&[&decisions()]);
    let page = written(|out| html::write(&all, out));
    let (_, data) = page.split_once("<script type=\"application/json\" id=\"report\">").expect("the data");
    let data: Value = serde_json::from_str(data.split_once("</script>").expect("its end").0).expect("JSON");
    assert_eq!(data["report"]["shortages"].as_array().map(Vec::len), Some(3));
    let done: Vec<&str> =
        data["shortage_texts"].as_array().expect("texts").iter().filter_map(|text| text["done"].as_str()).collect();
    assert_eq!(done, ["cancelled job=report", "stopped method=com.acme.Report.render by force", "nothing"]);
}

#[test]
fn metrics_count_decisions_by_action_and_what_was_freed_and_add_up_over_jvms() {
    assert_eq!(samples(&aggregate(&[&[]])), Vec::<String>::new(), "nothing is known of who did not look");
    let expected = [
        "unresolved 1",
        "decisions_total{action=\"none\"} 1",
        "decisions_total{action=\"would_cancel\"} 0",
        "decisions_total{action=\"cooperative\"} 1",
        "decisions_total{action=\"forced\"} 1",
        "freed_bytes_total 50331648",
        "delayed_total 7",
        "refused_total 2",
    ];
    assert_eq!(samples(&aggregate(&[&decisions()])), expected);
    let two = samples(&aggregate(&[&decisions(), &decisions()[..1], &[dry()]]));
    assert_eq!(two[0], "unresolved 1", "{two:?}");
    assert!(two.contains(&"decisions_total{action=\"cooperative\"} 2".to_owned()), "{two:?}");
    assert!(two.contains(&"decisions_total{action=\"would_cancel\"} 1".to_owned()), "{two:?}");
    assert!(two.contains(&format!("freed_bytes_total {}", (38 + 10 + 38) << 20)), "{two:?}");
    assert!(!samples(&aggregate(&[&[dry()]]))[0].starts_with("unresolved"), "a dry run does not look");
}

#[test]
fn the_state_of_a_running_jvm_has_its_mode_its_decisions_and_the_last_candidates() {
    let lines: Vec<Value> = decisions().iter().map(|line| serde_json::to_value(line).unwrap()).collect();
    let state = json!({"mode": "act", "short": true, "delayed": 7, "refused": 2, "works": 3, "decisions": lines});
    let shown = |state: &Value, top| {
        let state: ShortageState = serde_json::from_value(state.clone()).unwrap();
        written(|out| text::shortage_state(&state, &text::TextOptions { top, ..text::TextOptions::default() }, out))
    };
    insta::assert_snapshot!(shown(&state, None));
    assert!(!shown(&state, Some(1)).contains("job=report"), "the newest only");
    assert_eq!(shown(&json!({"mode": "off"}), None), "Memory shortage\n  off: the configuration has no [shortage]\n");
}
