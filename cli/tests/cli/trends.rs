//! `trend`: the figures of many builds.

use std::fs;

use insta::assert_snapshot;

use crate::budgets::{SHAPE, json, made};
use crate::support::Folder;

/// Four builds of a program, of which the later ones run longer: what leaks is more in each.
fn builds(folder: &Folder) {
    for (name, snapshots) in [("build-9.wbr", 20), ("build-10.wbr", 30), ("build-11.wbr", 40)] {
        folder.write(&format!("builds/{name}"), made(1, snapshots));
    }
    folder.write("builds/build-12/a.wbr", made(1, 50));
}

#[test]
fn what_leaks_grows_from_build_to_build_and_comes_first() {
    let folder = Folder::new();
    builds(&folder);
    let answer = folder.run(&["trend", "builds", "--label", "file", "--top", "3"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer}");
    assert_snapshot!(answer.stdout);
    let trend = json(&folder.run(&["trend", "builds", "--label", "file", "-o", "json"]));
    let labels: Vec<&str> =
        trend["builds"].as_array().expect("builds").iter().filter_map(|build| build["label"].as_str()).collect();
    assert_eq!(labels, ["build-9.wbr", "build-10.wbr", "build-11.wbr", "build-12"]);
    let classes = trend["classes"].as_array().expect("classes");
    let leak = classes.iter().find(|row| row["class"] == SHAPE.class(0)).expect("the class that leaks");
    assert_eq!(leak["live"]["verdict"], "grew", "{leak:#}");
    let values: Vec<u64> =
        leak["live"]["values"].as_array().expect("values").iter().filter_map(serde_json::Value::as_u64).collect();
    assert!(values.len() == 4 && values.is_sorted() && values[0] < values[3], "{leak:#}");
}

#[test]
fn a_saved_report_is_a_build_as_its_recording_is() {
    let folder = Folder::new();
    folder.write("a.wbr", made(1, 20));
    folder.write("b.wbr", made(1, 50));
    assert_eq!(folder.run(&["report", "b.wbr", "-o", "b.json"]).code, Some(0));
    let of = |last: &str| {
        let mut trend = json(&folder.run(&["trend", "a.wbr", last, "--label", "file", "-o", "json"]));
        trend.as_object_mut().expect("an object").remove("builds");
        trend
    };
    assert_eq!(of("b.wbr"), of("b.json"));
}

#[test]
fn a_spreadsheet_has_a_row_for_each_figure_of_each_build_and_the_page_loads_nothing() {
    let folder = Folder::new();
    builds(&folder);
    let answer = folder.run(&["trend", "builds", "--label", "file", "-o", "csv"]);
    let mut rows = csv::Reader::from_reader(answer.stdout.as_bytes());
    let headers = rows.headers().expect("a header").clone();
    assert_eq!(headers, vec!["build", "started_ms", "class", "component", "figure", "value", "error"]);
    let rows = rows.records().collect::<Result<Vec<_>, _>>().expect("rows");
    assert!(rows.len() >= 4 * 2 * SHAPE.classes, "{}", rows.len());
    let page = folder.run(&["trend", "builds", "--label", "file", "-o", "html", "-f", "trend.html"]);
    assert_eq!((page.code, page.stdout.as_str()), (Some(0), ""), "{page}");
    let html = fs::read_to_string(folder.path("trend.html")).expect("the page");
    assert!(html.contains("<svg role=img") && html.contains("default-src 'none'"), "{}", &html[html.len() - 2_000..]);
}

#[test]
fn what_is_no_trend_is_refused_in_one_line() {
    let folder = Folder::new();
    folder.write("one/a.wbr", made(1, 20));
    folder.write("b.json", "{}");
    folder.write("empty/readme.txt", "nothing");
    let single = folder.run(&["trend", "one"]);
    assert_eq!((single.code, single.stderr.lines().count()), (Some(0), 1), "{single}");
    for (arguments, words) in [
        (&["trend", "empty"][..], "no recording and no JSON report"),
        (&["trend", "one/a.wbr", "b.json"], "neither a recording nor a JSON report"),
        (&["trend", "one/a.wbr", "gone"], "gone"),
        (&["trend", "one/a.wbr", "one/a.wbr", "--label", "session"], "no session id"),
    ] {
        let answer = folder.run(arguments);
        assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.lines().count()), (Some(3), "", 1), "{answer}");
        assert!(answer.stderr.contains(words), "{answer}");
    }
}
