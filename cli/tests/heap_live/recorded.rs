//! `heap components PID --record`: what a dump showed is in the recording of the program that is measured.

use std::path::Path;

use serde_json::Value;
use weighbridge_tests::{Jdk, jdks, native_agent, run};

use crate::program::{Program, heap, number, rows, weighbridge};

const RULES: &str = "version = 1\n[instrument]\ninclude = [\"com.acme.alone.**\"]\n\
                     [components]\nlists = { instances = \"java.util.ArrayList\" }\n";

fn measured(jdk: &Jdk, folder: &Path) -> Program {
    let (config, recording) = (folder.join("rules.toml"), folder.join("run.wbr"));
    std::fs::write(&config, RULES).expect("the configuration");
    let _ = std::fs::remove_file(&recording);
    let (agent, config, recording) = (native_agent().display(), config.display(), recording.display());
    Program::start(jdk, &[&format!("-agentpath:{agent}=config={config},destfile={recording}")], &[])
}

/// The components of a dump, which are in the recording from now on.
fn record(program: &Program, rules: &str) -> Vec<Value> {
    let found = heap(&["components", &program.pid, "--record", "--config", rules, "-o", "json"]);
    assert!(found.success() && found.stderr.is_empty(), "{found}");
    rows(&found.json(), "components").to_vec()
}

#[test]
fn components_of_dumps_are_in_the_recording_with_how_they_grew() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    for jdk in jdks() {
        let mut program = measured(jdk, folder.path());
        let first = record(&program, &path("rules.toml"));
        program.more();
        let last = record(&program, &path("rules.toml"));
        program.end();

        let report = run(weighbridge().args(["report", &path("run.wbr"), "-o", "json"])).json();
        let recorded = &report["heap_components"][0];
        let context = format!("Java {}: {recorded:#}", jdk.version);
        assert_eq!((number(recorded, "jvm"), number(recorded, "dumps")), (0, 2), "{context}");
        assert_eq!(number(recorded, "components_total"), last.len() as u64, "{context}");
        let uptimes = [number(recorded, "first_uptime_ms"), number(recorded, "uptime_ms")];
        assert!(0 < uptimes[0] && uptimes[0] < uptimes[1], "{context}");
        let of_first = |name: &Value| first.iter().find(|row| &row["component"] == name);
        for (row, shown) in rows(recorded, "components").iter().zip(&last) {
            for key in ["component", "depth", "instances", "semantic_bytes", "true_bytes"] {
                assert_eq!(row[key], shown[key], "{key}, {context}");
            }
            let before = of_first(&row["component"]).map_or(&Value::Null, |before| &before["semantic_bytes"]);
            assert_eq!(&row["first_semantic_bytes"], before, "{context}");
        }
        let lists = rows(recorded, "components").iter().find(|row| row["component"] == "lists").expect("lists");
        assert!(number(lists, "semantic_bytes") >= number(lists, "first_semantic_bytes") + 5_000_000, "{context}");

        let text = run(weighbridge().args(["report", &path("run.wbr")])).stdout;
        assert!(
            text.contains("Components in heap dumps\n") && text.contains("The last of 2 heap dumps, taken "),
            "{text}"
        );
    }
}

#[test]
fn only_the_recording_of_a_measured_process_can_take_them() {
    let program = Program::start(&jdks()[0], &[], &[]);
    let refused = heap(&["components", &program.pid, "--record"]);
    let pid = &program.pid;
    let expected = format!("weighbridge: error: process {pid} is not measured; `weighbridge attach {pid}` does it\n");
    assert_eq!((refused.code, refused.stderr.as_str()), (Some(3), expected.as_str()));
    program.end();
    let refused = heap(&["components", "a.hprof", "--record"]);
    assert_eq!(refused.code, Some(2), "{refused}");
    assert!(refused.stderr.contains("a.hprof: --record is for a process"), "{refused}");
}
