//! The text report in a terminal: widths, colours and single tables.

use serde_json::json;
use weighbridge_recording::{ClassLine, Header, Line, Reader, Sites, Snapshot, Writer};
use weighbridge_reporter::text::{self, ReportGrouping, TextOptions};
use weighbridge_reporter::{Aggregate, Aggregator};
use weighbridge_tests::made_recording::{self, Shape};

fn aggregate(recording: &[u8]) -> Aggregate {
    let mut aggregator = Aggregator::new();
    aggregator.read(Reader::new("server.wbr", recording).unwrap()).unwrap();
    aggregator.finish()
}

/// Ten minutes of a server that leaks.
fn server() -> Aggregate {
    let mut recording = Vec::new();
    let shape = Shape { snapshots: 60, classes: 9, components: 4, interval_ms: 10_000, seed: 1 };
    made_recording::write(&mut recording, &shape).unwrap();
    aggregate(&recording)
}

/// A small program, with or without construction sites.
fn small(with_sites: bool) -> Aggregate {
    let class = |id: u64, name: &str| {
        Line::Class(serde_json::from_value::<ClassLine>(json!({"id": id, "class": name, "component": "c"})).unwrap())
    };
    let row = |id: u64| json!({"id": id, "allocated": 9, "live": 5, "live_error": 0, "exact": true});
    let snapshot = json!({"seq": 1, "reason": "exit", "classes": [row(0), row(1)]});
    let sites = json!({
        "seq": 1,
        "nodes": [{"id": 0, "frame": "a.Main.run"}, {"id": 1, "parent": 0, "frame": "a.Pool.fill"},
                  {"id": 2, "frame": "a.Pool.fill"}],
        "objects": [{"site": 0, "class": 0, "objects": 1, "bytes": 16}, {"site": 1, "class": 0, "objects": 4, "bytes": 64},
                    {"site": 2, "class": 1, "objects": 5, "bytes": 4_000}],
    });
    let mut lines = vec![
        Line::Header(Header::new("0.1.0", "made by a test")),
        class(0, "a.Buffer"),
        class(1, "a.Page"),
        Line::Snapshot(Box::new(serde_json::from_value::<Snapshot>(snapshot).unwrap())),
    ];
    if with_sites {
        lines.push(Line::Sites(serde_json::from_value::<Sites>(sites).unwrap()));
    }
    let mut writer = Writer::new(Vec::new());
    lines.iter().for_each(|line| writer.line(line).unwrap());
    aggregate(&writer.finish().unwrap())
}

fn whole(aggregate: &Aggregate, options: &TextOptions) -> String {
    let mut output = Vec::new();
    text::write(aggregate, options, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

fn only(aggregate: &Aggregate, by: ReportGrouping, options: &TextOptions) -> String {
    let mut output = Vec::new();
    text::write_by(aggregate, by, options, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

fn wide(width: u16) -> TextOptions {
    TextOptions { width: Some(width), top: Some(5), ..TextOptions::default() }
}

#[test]
fn no_line_is_wider_than_the_terminal_and_suspects_come_first() {
    for width in [80, 140] {
        let text = whole(&server(), &wide(width));
        for line in text.lines() {
            assert!(line.chars().count() <= usize::from(width), "{width}: {line}");
        }
        assert!(text.find("Leak suspects") < text.find("Summary"), "{text}");
        insta::assert_snapshot!(format!("at_{width}_columns"), text);
    }
}

#[test]
fn without_a_width_every_sentence_is_one_line() {
    let text = whole(&server(), &TextOptions::default());
    let sentence = text.lines().find(|line| line.contains("Live objects rise to the end")).unwrap();
    assert!(sentence.ends_with("full markings of the heap."), "{sentence}");
}

#[test]
fn colours_set_off_headings_and_suspects_and_change_no_letter() {
    let plain = whole(&server(), &wide(100));
    let coloured = whole(&server(), &TextOptions { colour: true, ..wide(100) });
    assert!(!plain.contains('\x1b'));
    assert!(coloured.contains("\x1b[1mLeak suspects\x1b[0m\n"), "{coloured}");
    assert!(coloured.contains("\x1b[1;31mcom.acme.web.0.Session0\x1b[0m"), "{coloured}");
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, code)) = rest.split_once('\x1b') {
        stripped += before;
        rest = code.split_once('m').unwrap().1;
    }
    assert_eq!(stripped + rest, plain);
}

#[test]
fn one_table_alone_has_all_its_rows_and_nothing_else() {
    let text = only(&server(), ReportGrouping::Class, &TextOptions::default());
    assert!(text.starts_with("By class\n"), "{text}");
    assert_eq!(text.lines().filter(|line| line.contains("com.acme.")).count(), 9);
    assert!(!text.contains("Summary") && !text.contains("\n\n"), "{text}");
    let text = only(&server(), ReportGrouping::Class, &TextOptions { top: Some(2), ..TextOptions::default() });
    assert!(text.contains("... and 7 more (--top)"), "{text}");
    assert_eq!(
        only(&server(), ReportGrouping::Component, &TextOptions::default()).lines().filter(|l| l.contains('.')).count(),
        4
    );
    assert!(only(&server(), ReportGrouping::Thread, &TextOptions::default()).contains("http-*"));
}

#[test]
fn methods_are_added_up_over_their_callers() {
    insta::assert_snapshot!(only(&small(true), ReportGrouping::Site, &TextOptions::default()));
}

#[test]
fn a_table_without_data_is_a_sentence() {
    assert!(only(&small(false), ReportGrouping::Site, &TextOptions::default()).starts_with("sites were not recorded"));
    assert!(
        only(&small(false), ReportGrouping::Tag, &TextOptions::default()).starts_with("the program opened no scope")
    );
}
