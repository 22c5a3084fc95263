//! Own bytes of a wired program against a heap dump of the same moment.

use std::fs;
use std::path::Path;

use serde_json::Value;
use weighbridge_tests::{Weighbridge, compile, jars, java, jdks_from, run};

/// As many as `tests/java/tomcat` has visitors.
const SESSIONS: u64 = 300;

const CONFIG: &str = r#"version = 1
[instrument]
include = ["Site*", "org.apache.**"]
[measure]
at = ["request"]
budget = { references = 200000 }
[components]
session = ["org.apache.catalina.session.StandardSession*"]
shop = ["Site*"]
tomcat = ["org.apache.**"]
"#;

/// A web server: its manager reaches all sessions, and each session reaches the whole server.
#[test]
fn own_bytes_of_sessions_in_a_web_server_are_what_a_dump_of_that_moment_has_under_them() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let libraries = jars(&["tomcat-embed-core", "tomcat-annotations-api"]);
    let quiet = compile("moment", &[], folder.path());
    let site = compile("tomcat", &[libraries.clone(), vec![quiet.clone()]].concat(), folder.path());
    let site_jar = at("site.jar");
    weighbridge_jdk::pack_jar(&site, &[], &site_jar);
    let config = at("weighbridge.toml");
    fs::write(&config, CONFIG).expect("the configuration");
    let inputs: Vec<&Path> = libraries.iter().chain([&site_jar]).map(|jar| jar.as_path()).collect();
    weighbridge.instrument(&inputs, &config, &at("weighed"));
    let weighed = inputs.iter().map(|jar| at("weighed").join(jar.file_name().expect("a jar")));
    let class_path = std::env::join_paths(weighed.chain([quiet])).expect("a class path");
    for jdk in jdks_from(11) {
        let (recording, dump) = (at(&format!("{}.wbr", jdk.major)), at(&format!("{}.hprof", jdk.major)));
        let agent = format!("{}=destfile={}", at("weighed/weighbridge-runtime.jar").display(), recording.display());
        let mut command = java(jdk);
        command.arg(format!("-javaagent:{agent}")).arg("-cp").arg(&class_path).arg("Site").arg(&dump);
        let output = run(&mut command);
        assert!(output.success() && output.stdout.contains(&format!("{SESSIONS} sessions")), "{output}");
        let report = weighbridge.report(&recording);
        let mut heap = weighbridge.command();
        heap.args(["heap", "components"]).arg(&dump).arg("--config").arg(&config).args(["--as-recorded", "-o", "json"]);
        let output = run(&mut heap);
        assert!(output.success(), "{output}");
        compare(&report, &serde_json::from_str(&output.stdout).expect("JSON"), &jdk.version);
    }
}

fn compare(report: &Value, dump: &Value, java: &str) {
    let row = |table: &Value, key: &str, name: &str| {
        let rows = table.as_array().unwrap_or_else(|| panic!("{java}: {table:#}"));
        rows.iter().find(|row| row[key] == name).cloned().unwrap_or_else(|| panic!("{java}: no {name} in {table:#}"))
    };
    let session = row(&report["classes"], "class", "org.apache.catalina.session.StandardSession");
    assert_eq!((&session["live"], &session["exact"]), (&SESSIONS.into(), &true.into()), "{java}");
    let held = |name: &str| {
        let recorded = row(&report["components"], "component", name);
        let own = recorded["own_bytes"].as_f64().expect("own bytes");
        let semantic = row(&dump["components"], "component", name)["semantic_bytes"].as_f64().expect("bytes");
        println!("Java {java}, {name}: own {own}, semantic {semantic}, deep {}", recorded["deep_bytes"]);
        (own, semantic, recorded)
    };
    for name in ["session", "shop", "tomcat"] {
        let (own, semantic, recorded) = held(name);
        assert!((own / semantic - 1.0).abs() <= 0.05, "{java}, {name}: own {own}, semantic {semantic}");
        let deep = recorded["deep_bytes"].as_f64().expect("deep bytes");
        assert!(deep > 1.2 * own, "{java}, {name}: reach is not ownership: {recorded:#}");
    }
    let order: Vec<&Value> =
        report["components"].as_array().expect("rows").iter().map(|row| &row["component"]).collect();
    assert_eq!(order[0], "shop", "{java}: the largest own bytes come first: {order:?}");
}
