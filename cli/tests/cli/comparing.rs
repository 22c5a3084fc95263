//! `diff`, `merge` and `check` from outside.

use crate::budgets::{SHAPE, budgets, json, junit, made};
use crate::support::{Folder, RECORDING};
use insta::assert_snapshot;
use serde_json::Value;
use weighbridge_tests::made_recording::{self, Shape};

#[test]
fn a_recording_and_its_saved_report_are_the_same_to_a_comparison() {
    let folder = Folder::new();
    folder.write("run.wbr", made(1, 12));
    folder.run(&["report", "run.wbr", "-o", "json", "-f", "run.json"]);
    let difference = json(&folder.run(&["diff", "run.wbr", "run.json", "-o", "json"]));
    for rows in ["classes", "components"] {
        let rows = difference[rows].as_array().expect("rows");
        assert!(!rows.is_empty() && rows.iter().all(|row| row["change"] == "same"), "{rows:#?}");
    }
}

#[test]
fn a_difference_separates_growth_from_noise() {
    let folder = Folder::new();
    folder.write("before.wbr", made(1, 12));
    folder.write("after.wbr", made(1, 50));
    let answer = folder.run(&["diff", "before.wbr", "after.wbr", "-o", "json"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer}");
    let rows = json(&answer)["classes"].as_array().expect("rows").clone();
    let leak = SHAPE.class(0);
    let row = rows.iter().find(|row| row["class"] == leak.as_str()).expect("the class that leaks");
    assert_eq!(row["change"], "grew", "{row:#}");
    for row in &rows {
        let pair = |figure: &str, side: &str| row[figure][side].as_f64().expect("a figure");
        let difference = (pair("live", "after") - pair("live", "before")).abs();
        let error = row["live_error"].as_f64().expect("an error");
        let significant = difference > 2.0 * error && difference > 0.0;
        assert_eq!(significant, row["change"] == "grew" || row["change"] == "shrank", "{row:#}");
    }
    assert!(rows.iter().any(|row| row["change"] == "within_error"), "{rows:#?}");
}

#[test]
fn a_class_that_one_side_lacks_appeared_or_vanished() {
    let folder = Folder::new();
    folder.write("small.wbr", {
        let mut bytes = Vec::new();
        made_recording::write(&mut bytes, &Shape { classes: 4, ..SHAPE }).expect("a recording");
        bytes
    });
    folder.write("large.wbr", made(1, 50));
    let changes = |before: &str, after: &str| -> Vec<String> {
        let rows = json(&folder.run(&["diff", before, after, "-o", "json"]))["classes"].clone();
        rows.as_array().expect("rows").iter().map(|row| row["change"].as_str().expect("a word").to_owned()).collect()
    };
    assert_eq!(changes("small.wbr", "large.wbr").iter().filter(|change| *change == "appeared").count(), 16);
    assert_eq!(changes("large.wbr", "small.wbr").iter().filter(|change| *change == "vanished").count(), 16);
}

#[test]
fn the_text_of_a_difference() {
    let folder = Folder::new();
    folder.write("before.wbr", made(1, 12));
    folder.write("after.wbr", made(1, 50));
    assert_snapshot!(folder.run(&["diff", "before.wbr", "after.wbr", "--top", "5"]));
}

#[test]
fn a_file_that_is_neither_recording_nor_report_is_named() {
    let folder = Folder::new();
    folder.write("run.wbr", RECORDING);
    folder.write("other.json", "{\"a\": 1}");
    folder.write("newer.json", "{\"format\": 9, \"jvms\": [], \"summary\": {}}");
    let messages =
        ["other.json", "newer.json", "absent.wbr"].map(|name| folder.run(&["diff", "run.wbr", name]).to_string());
    assert_snapshot!(messages.join("\n"));
}

#[test]
fn a_merged_recording_reports_as_its_parts_and_is_merged_again() {
    let folder = Folder::new();
    folder.write("parts/a.wbr", made(1, 12));
    folder.write("parts/b.wbr", made(2, 12));
    folder.write("c.wbr", made(3, 12));
    assert_eq!(folder.run(&["merge", "parts", "-f", "ab.wbr"]).code, Some(0));
    let answer = folder.run(&["merge", "ab.wbr", "c.wbr", "parts/a.wbr", "-f", "abc.wbr"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    assert!(answer.stderr.contains("parts/a.wbr: given twice, or in another recording already"), "{answer}");
    let rows = |arguments: &[&str]| {
        let mut report = json(&folder.run(arguments));
        assert_eq!(report["summary"]["jvms"], 3);
        report["jvms"].as_array_mut().expect("JVMs").iter_mut().for_each(|jvm| jvm["file"] = Value::Null);
        report
    };
    assert_eq!(rows(&["report", "abc.wbr", "-o", "json"]), rows(&["report", "parts", "c.wbr", "-o", "json"]));
}

#[test]
fn a_cut_recording_is_merged_up_to_the_cut_and_the_rest_reads_on() {
    let folder = Folder::new();
    let whole = made(1, 12);
    folder.write("cut.wbr", &whole[..whole.len() * 2 / 3]);
    folder.write("whole.wbr", made(2, 12));
    let answer = folder.run(&["merge", "cut.wbr", "whole.wbr", "-f", "both.wbr"]);
    assert_eq!(answer.code, Some(3), "{answer}");
    assert!(answer.stderr.contains("cut.wbr: cut at byte"), "{answer}");
    let (merged, parts) = (
        folder.run(&["report", "both.wbr", "-o", "json"]),
        folder.run(&["report", "cut.wbr", "whole.wbr", "-o", "json"]),
    );
    assert_eq!((merged.code, merged.stderr.as_str()), (Some(0), ""), "{merged}");
    assert_eq!(json(&merged)["classes"], json(&parts)["classes"]);
    assert_eq!(json(&merged)["history"], json(&parts)["history"]);
}

#[test]
fn a_table_has_a_column_for_each_jvm_and_their_sum() {
    let folder = Folder::new();
    folder.write("a.wbr", made(1, 12));
    folder.write("b.wbr", made(2, 12));
    let answer = folder.run(&["merge", "a.wbr", "b.wbr", "-o", "csv"]);
    let mut reader = csv::Reader::from_reader(answer.stdout.as_bytes());
    let header: Vec<String> = reader.headers().expect("a header").iter().map(str::to_owned).collect();
    assert_eq!(header[2..5], ["live all", "live 1 pid 1001", "live 2 pid 1002"]);
    let report = json(&folder.run(&["report", "a.wbr", "b.wbr", "-o", "json"]));
    let mut rows = 0;
    for record in reader.records() {
        let record = record.expect("a record");
        let number = |index: usize| record[index].parse::<u64>().expect("a number");
        assert_eq!(number(2), number(3) + number(4), "{record:?}");
        let row = report["classes"].as_array().expect("rows").iter().find(|row| row["class"] == record[0]).expect("it");
        assert_eq!((row["live"].as_u64(), row["deep_bytes"].as_u64()), (Some(number(2)), Some(number(5))));
        rows += 1;
    }
    assert_eq!(rows, 20);
    let table = json(&folder.run(&["merge", "a.wbr", "b.wbr", "-o", "json"]));
    assert_eq!(table["classes"][0]["by_jvm"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_broken_budget_fails_with_one_line_and_noise_does_not() {
    let folder = Folder::new();
    folder.write("run.wbr", made(1, 50));
    budgets(&folder);
    assert_snapshot!(folder.run(&["check", "run.wbr", "--config", "weighbridge.toml"]));
    let verdicts = json(&folder.run(&["check", "run.wbr", "--config", "weighbridge.toml", "-o", "json"]));
    let outcomes: Vec<&str> =
        verdicts["verdicts"].as_array().expect("verdicts").iter().filter_map(|row| row["outcome"].as_str()).collect();
    assert_eq!(outcomes, ["broken", "within_error", "broken", "held", "not_found", "broken"]);
    assert_snapshot!("annotations", folder.run(&["check", "run.wbr", "--config", "weighbridge.toml", "-o", "github"]));
}

#[test]
fn an_increase_is_judged_against_a_baseline_and_needs_one() {
    let folder = Folder::new();
    folder.write("before.wbr", made(1, 12));
    folder.write("after.wbr", made(1, 50));
    folder.run(&["report", "before.wbr", "-o", "json", "-f", "before.json"]);
    let leak = SHAPE.class(0);
    let text = format!("version = 1\n[[budget]]\nclass = \"{leak}\"\nfigure = \"live\"\nmax_increase = \"1 %\"\n");
    folder.write("weighbridge.toml", text);
    let check = |recording: &str, more: &[&str]| {
        folder.run(&[&["check", recording, "--config", "weighbridge.toml"], more].concat())
    };
    assert_eq!(check("after.wbr", &["--baseline", "before.json"]).code, Some(1));
    assert_eq!(check("before.wbr", &["--baseline", "before.json"]).code, Some(0));
    let answer = check("after.wbr", &[]);
    assert_eq!(answer.code, Some(2), "{answer}");
    assert!(answer.stderr.contains("line 2: `max_increase` needs --baseline"), "{answer}");
}

#[test]
fn a_figure_that_was_not_measured_is_no_pass() {
    let folder = Folder::new();
    // Class 3 of this recording is only counted, and three snapshots show no growth.
    folder.write("run.wbr", RECORDING);
    let check = |subject: &str, figure: &str| {
        let text = format!("version = 1\n[[budget]]\nclass = \"{subject}\"\nfigure = \"{figure}\"\nmax = 5\n");
        folder.write("weighbridge.toml", text);
        folder.run(&["check", "run.wbr", "--config", "weighbridge.toml"])
    };
    for (subject, figure, said) in [
        ("com.acme.shop.Money", "live", "live was not measured, so"),
        ("com.acme.shop.store.Page", "live_per_minute", "live_per_minute was not judged (3 snapshots in "),
    ] {
        let answer = check(subject, figure);
        assert_eq!(answer.code, Some(3), "{answer}");
        assert!(answer.stdout.contains(said), "{answer}");
    }
    assert!(check("com.acme.shop.store.Page", "live_per_minute").stdout.contains(", 7 are needed: "));
}

#[test]
fn a_run_without_a_rewritten_class_holds_no_budget() {
    use std::io::Write;
    let folder = Folder::new();
    let mut nothing = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let lines =
        "{\"kind\":\"header\",\"format\":1}\n{\"kind\":\"snapshot\",\"seq\":1,\"uptime_ms\":9,\"classes\":[]}\n";
    nothing.write_all(lines.as_bytes()).expect("a member");
    folder.write("run.wbr", nothing.finish().expect("a member"));
    let budget = "version = 1\n[[budget]]\nclass = \"com.acme.Cache\"\nfigure = \"live\"\nmax = 5\n";
    folder.write("weighbridge.toml", budget);
    let answer = folder.run(&["check", "run.wbr", "--config", "weighbridge.toml"]);
    assert_eq!(answer.code, Some(3), "{answer}");
    assert!(answer.stderr.contains("run.wbr: no rewritten class was loaded, so no budget was checked"), "{answer}");
}

#[test]
fn a_component_that_reaches_ever_more_bytes_breaks_its_budget_and_one_that_does_not_holds_it() {
    let folder = Folder::new();
    // One class in each component, so that the others do not hide the leak.
    let shape = |snapshots| Shape { snapshots, classes: 4, ..SHAPE };
    for (file, snapshots) in [("run.wbr", 50), ("short.wbr", 5)] {
        let mut bytes = Vec::new();
        made_recording::write(&mut bytes, &shape(snapshots)).expect("a recording");
        folder.write(file, bytes);
    }
    let text: String = (0..4)
        .map(|index| {
            let name = SHAPE.component(index);
            format!("[[budget]]\ncomponent = \"{name}\"\nfigure = \"deep_bytes_per_minute\"\nmax = \"1 KiB\"\n")
        })
        .collect();
    folder.write("weighbridge.toml", format!("version = 1\n{text}"));
    let check = |file: &str| folder.run(&["check", file, "--config", "weighbridge.toml", "-o", "json"]);
    let verdicts = json(&check("run.wbr"))["verdicts"].as_array().expect("verdicts").clone();
    let report = json(&folder.run(&["report", "run.wbr", "-o", "json"]));
    let growth = report["component_growth"].as_array().expect("a list");
    for (index, verdict) in verdicts.iter().enumerate() {
        let grows = |row: &&Value| row["component"] == SHAPE.component(index).as_str() && row["figure"] == "deep_bytes";
        let Some(row) = growth.iter().find(grows) else {
            assert!(verdict["outcome"] == "held" && verdict["value"] == 0.0, "{verdict:#}");
            continue;
        };
        let [told, found] = [&verdict["value"], &row["bytes_per_minute"]].map(|value| value.as_f64().expect("a rate"));
        assert!(verdict["outcome"] == "broken" && (told - found).abs() < 1.0, "{verdict:#} {row:#}");
        let sentence = verdict["sentence"].as_str().expect("a sentence");
        assert!(sentence.contains("/min from ") && sentence.contains(" of the run, 1.0 KiB/min allowed"), "{sentence}");
        for key in ["from_uptime_ms", "to_uptime_ms"] {
            assert_eq!(verdict[key], row[key], "{verdict:#}");
        }
    }
    assert_eq!(
        growth[0]["component"],
        SHAPE.component(0),
        "the class that leaks is of the first component: {growth:#?}"
    );
    assert!(growth.len() < 4, "{growth:#?}");

    assert_eq!(check("short.wbr").code, Some(3), "too few snapshots show nothing");
    // The same report with the growth of deep bytes as that of own bytes.
    folder.write("own.toml", format!("version = 1\n{}", text.replace("deep_bytes", "own_bytes")));
    let own = |report: &Value| {
        folder.write("own.json", report.to_string());
        json(&folder.run(&["check", "own.json", "--config", "own.toml", "-o", "json"]))["verdicts"].clone()
    };
    assert_eq!(own(&report)[0]["outcome"], "not_measured", "an old recording");
    let told = report.to_string().replace("\"own_bytes\":null", "\"no_bytes\":null").replace("deep_bytes", "own_bytes");
    let told: Value = serde_json::from_str(&told).expect("JSON");
    for (verdict, deep) in own(&told).as_array().expect("verdicts").iter().zip(&verdicts) {
        for key in ["outcome", "value", "error", "from_uptime_ms"] {
            assert_eq!(verdict[key], deep[key], "{verdict:#} {deep:#}");
        }
    }
    // A report from before own bytes.
    let mut deep_only = report.clone();
    let rows = deep_only["component_growth"].as_array_mut().expect("a list");
    rows.retain(|row| row["figure"] == "deep_bytes");
    for row in rows.iter_mut().map(|row| row.as_object_mut().expect("a row")) {
        row.remove("figure");
        for key in ["bytes_per_minute", "bytes_per_minute_error"] {
            let value = row.remove(key).expect("a rate");
            row.insert(format!("deep_{key}"), value);
        }
    }
    folder.write("deep.json", deep_only.to_string());
    let told = json(&check("deep.json"))["verdicts"].clone();
    for (before, now) in told.as_array().expect("verdicts").iter().zip(&verdicts) {
        assert_eq!((&before["outcome"], &before["value"]), (&now["outcome"], &now["value"]), "{before:#}");
    }
    let mut older = report.clone();
    older.as_object_mut().expect("an object").remove("component_growth");
    folder.write("older.json", older.to_string());
    let verdicts = json(&check("older.json"));
    assert_eq!(verdicts["verdicts"][0]["outcome"], "not_measured", "a report of a version that did not tell");
}

#[test]
fn a_check_without_budgets_is_refused() {
    let folder = Folder::new();
    folder.write("run.wbr", RECORDING);
    folder.write("weighbridge.toml", "version = 1\n");
    let answer = folder.run(&["check", "run.wbr", "--config", "weighbridge.toml"]);
    assert_eq!(answer.code, Some(3), "{answer}");
    assert!(answer.stderr.contains("no [[budget]]"), "{answer}");
}

#[test]
fn a_budget_of_a_component_that_is_not_defined_is_an_error_unless_the_check_is_lenient() {
    let folder = Folder::new();
    folder.write("run.wbr", made(1, 12));
    let budget = "[[budget]]\ncomponent = \"web.1\"\nfigure = \"live\"\nmax = 1\n";
    let round_trip = "[[round_trip]]\nname = \"login\"\ncomponent = \"srch\"\n";
    let components = "[components]\n\"web.0\" = [\"com.acme.web.**\"]\nsearch = [\"com.acme.search.**\"]\n";
    let both = format!("version = 1\n{budget}{round_trip}");
    folder.write("defined.toml", both.clone() + components);
    folder.write("recorded.toml", both);
    folder.write("right.toml", "version = 1\n".to_owned() + &budget.replace("web.1", "web.0"));
    let defined = [
        "defined.toml: line 3, column 13: [components] does not define `web.1`; did you mean `web.0`?",
        "defined.toml: line 8, column 13: [components] does not define `srch`; did you mean `search`?",
    ];
    let recorded = [
        "recorded.toml: line 3, column 13: the recording has no component `web.1`; did you mean `web.0`?",
        "recorded.toml: line 8, column 13: the recording has no component `srch`; did you mean `search.2`?",
    ];
    for (config, sentences) in [("defined.toml", defined), ("recorded.toml", recorded)] {
        let told = folder.run(&["check", "run.wbr", "--config", config]);
        assert_eq!((told.code, told.stdout.as_str()), (Some(3), ""), "{told}");
        assert_eq!(told.stderr, format!("weighbridge: error: {}\n", sentences[0]));
        let told = folder.run(&["check", "run.wbr", "--config", config, "--lenient"]);
        assert_eq!(told.code, Some(0), "{told}");
        assert_eq!(told.stderr, sentences.map(|one| format!("weighbridge: warning: {one}\n")).concat());
        assert!(told.stdout.ends_with("2 checks: 2 not found\n"), "{told}");
    }
    assert_eq!(folder.run(&["check", "run.wbr", "--config", "right.toml"]).code, Some(1));
    let told = folder.run(&["config", "check", "right.toml", "defined.toml"]);
    assert_eq!((told.code, told.stderr), (Some(3), format!("weighbridge: error: {}\n", defined[0])));
    assert_eq!(folder.run(&["config", "check", "recorded.toml"]).code, Some(0), "nobody knows yet");
}

#[test]
fn a_component_that_only_the_baseline_has_is_known() {
    let folder = Folder::new();
    let shape = |components| Shape { snapshots: 12, components, ..SHAPE };
    for (file, components) in [("before.wbr", 4), ("after.wbr", 2)] {
        let mut bytes = Vec::new();
        made_recording::write(&mut bytes, &shape(components)).expect("a recording");
        folder.write(file, bytes);
    }
    let gone = SHAPE.component(3);
    let budget =
        format!("version = 1\n[[budget]]\ncomponent = \"{gone}\"\nfigure = \"live\"\nmax_increase = \"5 %\"\n");
    folder.write("weighbridge.toml", budget);
    let check =
        |baseline: &str| folder.run(&["check", "after.wbr", "--config", "weighbridge.toml", "--baseline", baseline]);
    let told = check("before.wbr");
    assert!(told.code == Some(0) && told.stdout.contains("nothing of this name was constructed"), "{told}");
    let told = check("after.wbr");
    assert!(told.code == Some(3) && told.stderr.contains("the recording has no component"), "{told}");
}

#[test]
fn the_junit_report_has_a_case_for_each_budget() {
    let folder = Folder::new();
    assert_snapshot!(std::fs::read_to_string(junit(&folder)).expect("the report"));
}

#[test]
fn a_directory_with_a_cut_a_foreign_and_a_newer_file_is_reported_without_them() {
    use std::io::Write;
    let folder = Folder::new();
    let whole = made(1, 12);
    folder.write("runs/a.wbr", &whole);
    folder.write("runs/cut.wbr", &whole[..whole.len() / 2]);
    folder.write("runs/foreign.wbr", "no recording");
    let mut newer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    newer.write_all(b"{\"kind\":\"header\",\"format\":99}\n").expect("a member");
    folder.write("runs/newer.wbr", newer.finish().expect("a member"));
    let answer = folder.run(&["report", "runs", "-o", "json"]);
    assert_eq!(answer.code, Some(3), "{answer}");
    assert_eq!(json(&answer)["summary"]["jvms"], 2);
    assert_snapshot!(answer.stderr);
}
