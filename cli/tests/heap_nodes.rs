//! Components that a program names itself are in its heap dumps, and change no sizes.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, io};

use serde_json::Value;
use weighbridge_tests::{Jdk, Output, Weighbridge, compile, java, jdks, run};

fn start(folder: &Path, jdk: &Jdk, options: &[String], arguments: &[&Path]) -> io::Result<Output> {
    Ok(run(program(folder, jdk, options)?.args(arguments)))
}

fn program(folder: &Path, jdk: &Jdk, options: &[String]) -> io::Result<Command> {
    let runtime = folder.join("runtime.jar");
    fs::write(&runtime, weighbridge_runtime::RUNTIME_JAR)?;
    let classes = folder.join("nodes");
    if !classes.exists() {
        compile("nodes", std::slice::from_ref(&runtime), folder);
    }
    let class_path = std::env::join_paths([&runtime, &classes]).map_err(io::Error::other)?;
    let mut command = java(jdk);
    command.arg(format!("-javaagent:{}", runtime.display())).args(options).arg("-cp").arg(class_path);
    command.arg(format!("-Dweighbridge.destfile={}", folder.join("r.wbr").display())).arg("com.acme.nodes.Main");
    Ok(command)
}

fn components(weighbridge: &Weighbridge, dump: &Path) -> Value {
    let output = run(weighbridge.command().args(["heap", "components"]).arg(dump).args(["-o", "json"]));
    assert!(output.success(), "{output}");
    output.json()
}

fn names(report: &Value) -> Vec<&str> {
    let rows = report["components"].as_array().expect("components");
    let mut names: Vec<&str> = rows.iter().filter_map(|row| row["component"].as_str()).collect();
    names.sort_unstable();
    names
}

fn bytes(report: &Value, name: &str, key: &str) -> u64 {
    let rows = report["components"].as_array().expect("components");
    let row = rows.iter().find(|row| row["component"] == name).unwrap_or_else(|| panic!("{name} in {report:#}"));
    row[key].as_u64().unwrap_or_else(|| panic!("{key} in {row:#}"))
}

/// An array with so many bytes.
fn array(bytes: u64) -> u64 {
    (16 + bytes).next_multiple_of(8)
}

const SESSIONS: [&str; 3] = ["web.session[10.0.0.0]", "web.session[10.0.0.1]", "web.session[10.0.0.2]"];

/// Each session with its own bytes; what they share is theirs together, by what the components hold, and nobody's by
/// what would be freed, for a static field of the program holds it.
fn assert_sessions(report: &Value, context: &str) {
    for (at, session) in SESSIONS.iter().enumerate() {
        let own = array(1_000 * (at as u64 + 1));
        for key in ["semantic_bytes", "true_bytes"] {
            let held = bytes(report, session, key);
            assert!(
                (own + 16..own + 40).contains(&held),
                "{context}, {session}: {key} {held}, not {own} and the session"
            );
        }
        assert_eq!(bytes(report, session, "instances"), 1, "{context}: {session}");
    }
    let together = array(1_000) + array(2_000) + array(3_000);
    let of_all = bytes(report, "web", "true_bytes");
    assert!((together..together + 120).contains(&of_all), "{context}: {of_all}");
}

#[test]
fn a_dump_on_request_shows_the_components_that_the_program_names() {
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    for jdk in jdks() {
        let context = format!("Java {}", jdk.version);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let dump = folder.path().join("app.hprof");
        let output = start(folder.path(), jdk, &[], &[&dump]).expect("the program");
        assert!(output.success(), "{context}: {output}");
        assert_eq!(output.stdout, "true false\n", "{context}: the second must not replace the first");
        let said = "a source of component nodes failed: java.lang.IllegalStateException: a source that fails";
        assert_eq!(output.stderr.lines().count(), 1, "{context}: {output}");
        assert!(output.stderr.contains(said), "{context}: {output}");
        let report = components(&weighbridge, &dump);
        let mut expected = vec!["plugins", "plugins[0]", "plugins[1]", "plugins[2]", "stuck", "web", "web.session"];
        expected.extend(SESSIONS);
        assert_eq!(names(&report), expected, "{context}: nothing of garbage");
        assert_sessions(&report, &context);
        assert_eq!(bytes(&report, "plugins[1]", "true_bytes"), array(5_000), "{context}");
        assert_eq!(bytes(&report, "stuck", "true_bytes"), array(100_000), "{context}: said before time was up");
        let groups = run(weighbridge.command().args(["heap", "dominators"]).arg(&dump).args([
            "--by",
            "component",
            "--depth",
            "9",
        ]));
        assert!(groups.success() && groups.stdout.contains(SESSIONS[2]), "{context}: {groups}");
    }
}

#[test]
fn a_dump_at_a_peak_shows_them_too() {
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let jdk = jdks().last().expect("a JVM");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dump = folder.path().join("peak.hprof");
    let dump_option = format!("peak_dump={}", dump.display());
    let options =
        ["peak=interval", "peak_source=usage", "peak_interval=300ms", "peak_dumps=1", "pause=1h", &dump_option];
    let options = options.map(|option| format!("-Dweighbridge.{option}"));
    let output = start(folder.path(), jdk, &options, &[]).expect("the program");
    assert!(output.success(), "{output}");
    let peak = weighbridge.report(&folder.path().join("r.wbr"))["peaks"][0].clone();
    assert_eq!(peak["dump"].as_str(), dump.to_str(), "{peak:#}");
    assert_sessions(&components(&weighbridge, &dump), "at the peak");
}

#[test]
fn a_dump_that_jcmd_writes_shows_what_was_named_and_not_what_is_only_described() {
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let has_jcmd = |jdk: &Jdk| jdk.tool("jcmd").is_file();
    let jdk = weighbridge_jdk::find().into_iter().find(has_jcmd).expect("a JDK with jcmd");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dump = folder.path().join("app.hprof");
    // The program ends when the file is there; the runtime does not write it.
    let until = [format!("-Dweighbridge.peak_dump={}", dump.display())];
    let mut program = program(folder.path(), &jdk, &until).expect("the program");
    let mut program = program.stdout(Stdio::piped()).spawn().expect("the program");
    let mut said = String::new();
    let stdout = program.stdout.take().expect("its output");
    BufReader::new(stdout).read_line(&mut said).expect("a line");
    assert_eq!(said, "waiting\n");
    let mut jcmd = Command::new(jdk.tool("jcmd"));
    let output = run(jcmd.arg(program.id().to_string()).arg("GC.heap_dump").arg(&dump));
    let ended = program.wait().expect("the program");
    assert!(output.success() && ended.success(), "{output}");
    let report = components(&weighbridge, &dump);
    let mut expected = vec!["web", "web.session"];
    expected.extend(SESSIONS);
    assert_eq!(names(&report), expected);
    assert_sessions(&report, "by jcmd");

    // Without a configuration the components that are named are compared, too.
    let compared = |after: &Path| {
        let mut command = weighbridge.command();
        let output = run(command.args(["heap", "diff"]).arg(&dump).arg(after).args(["-o", "json"]));
        assert!(output.success(), "{output}");
        output.json()["components"].clone()
    };
    assert_eq!(compared(&dump), serde_json::json!([]), "no difference");
    let with_plugins = folder.path().join("described.hprof");
    assert!(start(folder.path(), &jdk, &[], &[&with_plugins]).expect("the program").success());
    let rows = compared(&with_plugins);
    let rows = rows.as_array().expect("rows");
    let plugins = rows.iter().find(|row| row["name"] == "plugins[1]").unwrap_or_else(|| panic!("{rows:#?}"));
    assert_eq!((&plugins["change"], &plugins["bytes_after"]), (&"appeared".into(), &array(5_000).into()));
    assert!(rows.iter().all(|row| row["name"] != SESSIONS[0]), "{rows:#?}");
}
