//! Formats of a report that crates read; what they say must be what the report says. `tests/exports.rs` has the others.

use serde_json::Value;
use weighbridge_recording::Line;
use weighbridge_tests::run;

use crate::reported::{Reported, changed};
use crate::support::{Folder, RECORDING};

#[test]
fn a_csv_table_has_the_rows_and_figures_of_the_report() {
    let reported = Reported::new();
    for (by, rows) in [("class", "classes"), ("component", "components"), ("thread", "threads"), ("tag", "tags")] {
        let text = reported.export("csv", &["--by", by]).stdout;
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().expect("a header").clone();
        let records: Vec<csv::StringRecord> = reader.records().map(|record| record.expect("a record")).collect();
        assert_eq!(records.len(), reported.rows(rows).len(), "{by}");
        for (record, row) in records.iter().zip(reported.rows(rows)) {
            for (name, cell) in header.iter().zip(record) {
                let expected = match name.strip_prefix("age_") {
                    Some(key) => &row["age"][key],
                    None => &row[name],
                };
                let same = match expected {
                    Value::Null => cell.is_empty(),
                    Value::String(text) => cell == text,
                    // The JSON reader may err in a float's last digit.
                    Value::Number(number) => number
                        .as_f64()
                        .zip(cell.parse::<f64>().ok())
                        .is_some_and(|(a, b)| (a - b).abs() <= a.abs() * 1e-12),
                    Value::Bool(yes) => cell == if *yes { "true" } else { "false" },
                    other => panic!("{by}, {name}: {other}"),
                };
                assert!(same, "{by}, {name}: {cell} is not {expected}");
            }
        }
    }
    let sites = reported.export("csv", &["--by", "site"]).stdout;
    let trees = reported.rows("call_trees");
    let nodes: usize = trees.iter().map(|tree| tree["nodes"].as_array().map_or(0, Vec::len)).sum();
    assert_eq!(csv::Reader::from_reader(sites.as_bytes()).records().count(), nodes);
}

#[test]
fn inferno_draws_the_folded_stacks_and_they_hold_all_bytes_of_known_site() {
    let reported = Reported::new();
    let folded = reported.export("folded", &[]).stdout;
    let mut svg = Vec::new();
    inferno::flamegraph::from_lines(&mut inferno::flamegraph::Options::default(), folded.lines(), &mut svg)
        .expect("a flame graph");
    let svg = String::from_utf8(svg).expect("UTF-8");
    assert!(svg.contains("com.acme.web.0.Service.handle"), "{svg}");
    let bytes = folded.lines().map(|line| line.rsplit_once(' ').and_then(|(_, n)| n.parse::<u64>().ok()).expect(line));
    let nodes = reported.rows("call_trees").iter().flat_map(|tree| tree["nodes"].as_array().into_iter().flatten());
    let own: u64 = nodes.map(|node| node["own_bytes"].as_u64().expect("bytes")).sum();
    assert_eq!(bytes.sum::<u64>(), own);
}

#[test]
fn a_recording_without_sites_has_no_folded_stacks_and_says_so() {
    let folder = Folder::new();
    folder.write("v1.wbr", RECORDING);
    let output = folder.run(&["report", "v1.wbr", "-o", "folded"]);
    assert_eq!(output.code, Some(3), "{output}");
    assert!(output.stderr.contains("option `sites`"), "{output}");
}

#[test]
fn a_profile_without_samples_is_not_written() {
    let (folder, weighbridge) = changed(|line| {
        if let Line::Snapshot(snapshot) = line {
            snapshot.tags.clear();
            snapshot.threads.clear();
        }
    });
    let profile = folder.path().join("tags.pb.gz");
    for (by, why) in [("tag", "opened no scope"), ("thread", "which threads")] {
        let mut command = weighbridge.command();
        command.arg("report").arg(folder.path()).args(["-o", "pprof", "--by", by, "-f"]).arg(&profile);
        let output = run(&mut command);
        assert_eq!(output.code, Some(3), "{output}");
        assert!(output.stderr.contains(why) && !profile.exists(), "{output}");
    }
}
