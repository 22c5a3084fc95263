//! Formats of a report, opened by the tools that it is made for; what they say must be what the report says.

#[path = "cli/reported.rs"]
mod reported;

use std::fs::{self, File};
use std::io::Write;

use reported::{Reported, SHAPE, changed};
use serde_json::{Value, json};
use weighbridge_recording::Line;
use weighbridge_tests::consumers::{duckdb, openmetrics, pprof};
use weighbridge_tests::run;

#[test]
fn go_tool_pprof_says_the_figures_of_the_report() {
    let reported = Reported::new();
    let profile = reported.folder.path().join("class.pb.gz");
    reported.export("pprof", &["-f", profile.to_str().expect("UTF-8")]);
    for (sample, figure) in [
        ("alloc_objects", "allocated"),
        ("alloc_space", "allocated_bytes"),
        ("inuse_objects", "live"),
        ("inuse_space", "shallow_bytes"),
    ] {
        let top = pprof(&profile, &["-top", "-nodecount=0", "-nodefraction=0", &format!("-sample_index={sample}")]);
        let expected = reported.sum("classes", figure);
        assert!(top.contains(&format!(" of {expected}")), "{sample}: {expected} is not the total of:\n{top}");
        let class = &reported.rows("classes")[0];
        let (name, flat) = (class["class"].as_str().expect("a name"), class[figure].as_u64().expect("a figure"));
        let line =
            top.lines().find(|line| line.ends_with(&format!(" {name}"))).unwrap_or_else(|| panic!("{name}: {top}"));
        let first = line.split_whitespace().next().expect("a figure").trim_end_matches('B');
        assert_eq!(first, flat.to_string(), "{sample} of {name}: {line}");
    }
    let tags = pprof(&profile, &["-tags", "-sample_index=inuse_objects"]);
    assert!(tags.contains("age: ") && tags.contains("component: "), "{tags}");
    for (by, label, rows) in [("thread", "thread: ", "threads"), ("tag", "tag: ", "tags")] {
        let profile = reported.folder.path().join(format!("{by}.pb.gz"));
        reported.export("pprof", &["--by", by, "-f", profile.to_str().expect("UTF-8")]);
        assert!(pprof(&profile, &["-tags"]).contains(label));
        let top = pprof(&profile, &["-top", "-sample_index=inuse_objects"]);
        assert!(top.contains(&format!(" of {}", reported.sum(rows, "live"))), "{top}");
    }
}

#[test]
fn a_strict_parser_reads_the_openmetrics_and_the_classes_add_up_with_other() {
    let reported = Reported::new();
    let file = reported.folder.path().join("metrics.txt");
    reported.export("openmetrics", &["--top", "10", "-f", file.to_str().expect("UTF-8")]);
    let families = openmetrics(&file);
    let family = |name: &str| {
        let mut families = families.as_array().expect("families").iter();
        families.find(|family| family[0] == name).unwrap_or_else(|| panic!("no {name}: {families:#?}"))
    };
    assert_eq!(family("weighbridge_build_info")[3][0][1]["version"], env!("CARGO_PKG_VERSION"));
    let total = |name: &str| -> f64 {
        let samples = family(name)[3].as_array().expect("samples");
        assert_eq!(samples.len(), 11, "ten classes and `other`: {samples:#?}");
        assert_eq!(samples[10][1]["class"], "other");
        samples.iter().map(|sample| sample[2].as_f64().expect("a value")).sum()
    };
    assert_eq!(total("weighbridge_object_live") as u64, reported.sum("classes", "live"));
    assert_eq!(total("weighbridge_object_live_bytes") as u64, reported.sum("classes", "shallow_bytes"));
    assert_eq!(total("weighbridge_object_allocated") as u64, reported.sum("classes", "allocated"));
    assert_eq!(family("weighbridge_object_live_bytes")[2], "bytes");
    assert_eq!(family("weighbridge_object_allocated")[1], "counter");
    // Deep figures of several classes overlap: there is no sum of the rest.
    assert_eq!(family("weighbridge_object_deep_bytes")[3].as_array().expect("samples").len(), 10);
    assert!(fs::read_to_string(&file).expect("the file").ends_with("# EOF\n"));
}

#[test]
fn duckdb_answers_from_the_parquet_files_which_components_are_the_largest_over_all_jvms() {
    let reported = Reported::new();
    let tables = reported.folder.path().join("tables");
    let mut command = reported.weighbridge.command();
    let output = run(command.arg("export").arg(reported.folder.path()).arg("--parquet").arg(&tables));
    assert!(output.success() && output.stderr.is_empty(), "{output}");
    let top = duckdb(
        &tables,
        "select component, cast(sum(exclusive_bytes) as bigint) as bytes \
         from (select *, row_number() over (partition by recording, component order by seq desc) as age \
               from read_parquet('DIR/components/*/*.parquet', hive_partitioning = true)) \
         where age = 1 group by component order by bytes desc, component desc limit 3",
    );
    let mut expected: Vec<(u64, &str)> = reported
        .rows("components")
        .iter()
        .map(|row| (row["exclusive_bytes"].as_u64().expect("bytes"), row["component"].as_str().expect("a name")))
        .collect();
    expected.sort_by(|a, b| b.cmp(a));
    let top = top.as_array().expect("rows");
    assert_eq!(top.len(), 3);
    for (row, (bytes, name)) in top.iter().zip(&expected) {
        assert_eq!((row[0].as_str(), row[1].as_u64()), (Some(*name), Some(*bytes)), "{top:?}");
    }
    let count = duckdb(
        &tables,
        "select count(*), count(distinct recording), min(day)::text, cast(sum(live) filter (where seq = 12) as bigint), \
                epoch_ms(min(taken_at)), count(live_error), cast(sum(allocated_bytes) filter (where seq = 12) as bigint) \
         from read_parquet('DIR/classes/*/*.parquet', hive_partitioning = true)",
    );
    let rows = SHAPE.snapshots * SHAPE.classes as u64 * 2;
    let (live, bytes) = (reported.sum("classes", "live"), reported.sum("classes", "allocated_bytes"));
    let expected = json!([[rows, 2, "2026-11-20", live, 1_795_133_070_000_u64, rows, bytes]]);
    assert_eq!(count, expected);
}

#[test]
fn recordings_are_in_the_tables_once_whatever_else_stands_in_their_folder() {
    let reported = Reported::new();
    let folder = reported.folder.path();
    let tables = folder.join("tables");
    let export = |recordings: &[&str], more: &[&str]| {
        let mut command = reported.weighbridge.command();
        let recordings = recordings.iter().map(|name| folder.join(name));
        run(command.arg("export").args(recordings).arg("--parquet").arg(&tables).args(more))
    };
    let jvms = || {
        let count = duckdb(&tables, "select pid, count(*) from 'DIR/classes/*/*.parquet' group by pid order by pid");
        let rows = SHAPE.snapshots * SHAPE.classes as u64;
        let rows_of = |row: &Value| (row[1] == rows).then(|| row[0].as_u64()).flatten().expect("a pid, all its rows");
        count.as_array().expect("rows").iter().map(rows_of).collect::<Vec<_>>()
    };
    assert!(export(&["7.wbr"], &[]).success());
    let again = export(&["7.wbr"], &[]);
    assert_eq!(again.code, Some(2), "{again}");
    assert!(again.stderr.contains("--force"), "{again}");
    // Another recording joins it; a copy of it, a foreign and a newer file do not.
    fs::copy(folder.join("8.wbr"), folder.join("copy.wbr")).expect("a copy");
    fs::write(folder.join("foreign.wbr"), "PK").expect("a file");
    let newer = File::create(folder.join("newer.wbr")).expect("a file");
    let mut newer = flate2::write::GzEncoder::new(newer, flate2::Compression::fast());
    newer.write_all(b"{\"kind\":\"header\",\"format\":99}\n").expect("a line");
    newer.finish().expect("a member");
    let joined = export(&["8.wbr", "copy.wbr", "foreign.wbr", "newer.wbr"], &[]);
    assert_eq!(joined.code, Some(3), "{joined}");
    for told in ["copy.wbr: ", "foreign.wbr: not a weighbridge recording", "newer.wbr: recording format 99"] {
        assert!(joined.stderr.contains(told), "{told}: {joined}");
    }
    assert_eq!(jvms(), [1007, 1008]);
    // Replaced, also by the part of it that a cut leaves.
    let whole = fs::read(folder.join("8.wbr")).expect("the recording");
    fs::write(folder.join("8.wbr"), &whole[..whole.len() - 10]).expect("a cut recording");
    let cut = export(&["8.wbr"], &["--force"]);
    assert_eq!(cut.code, Some(3), "{cut}");
    assert!(cut.stderr.contains("8.wbr: cut at byte"), "{cut}");
    assert_eq!(jvms(), [1007, 1008]);
    // A file of both replaces the files of each, but not the other way round.
    assert!(export(&["7.wbr", "copy.wbr"], &["--force"]).success());
    assert_eq!(jvms(), [1007, 1008]);
    let part = export(&["7.wbr"], &["--force"]);
    assert_eq!(part.code, Some(2), "{part}");
    assert_eq!(jvms(), [1007, 1008]);
    let hidden = fs::read_dir(&tables)
        .expect("the folder")
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with('.')));
    assert_eq!(hidden.count(), 0, "no temporary file stays");
}

#[test]
fn classes_of_no_component_have_the_same_word_for_it_in_every_table() {
    let (folder, weighbridge) = changed(|line| match line {
        Line::Class(class) if class.id == 0 => class.component = None,
        Line::Snapshot(snapshot) => snapshot.components[0].name = "(none)".to_owned(),
        _ => {}
    });
    let report = |options: &[&str]| {
        let output = run(weighbridge.command().arg("report").arg(folder.path()).args(options));
        assert!(output.success(), "{output}");
        output.stdout
    };
    let named = |by: &str, column: usize| {
        let table = report(&["-o", "csv", "--by", by]);
        let mut reader = csv::Reader::from_reader(table.as_bytes());
        reader.records().filter(|record| &record.as_ref().expect("a record")[column] == "(none)").count()
    };
    assert_eq!((named("class", 1), named("component", 0)), (1, 1));
    assert!(report(&["-o", "openmetrics"]).contains("component=\"(none)\""));
    let profile = folder.path().join("class.pb.gz");
    report(&["-o", profile.to_str().expect("UTF-8")]);
    let tags = pprof(&profile, &["-tags", "-sample_index=alloc_objects"]);
    assert!(tags.contains("(none)"), "{tags}");
    let tables = folder.path().join("tables");
    let mut command = weighbridge.command();
    let output = run(command.arg("export").arg(folder.path().join("run.wbr")).arg("--parquet").arg(&tables));
    assert!(output.success(), "{output}");
    let query = "select count(*) filter (where component is null), count(distinct class) filter (where component = '(none)') \
                 from 'DIR/classes/*/*.parquet'";
    assert_eq!(duckdb(&tables, query), json!([[0, 1]]));
    let query = "select count(*) from 'DIR/components/*/*.parquet' where component = '(none)'";
    assert_eq!(duckdb(&tables, query), json!([[SHAPE.snapshots]]));
}
