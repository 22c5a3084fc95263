//! `--entries`: scopes that begin where frameworks call the program, on the frameworks themselves.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde_json::Value;
use weighbridge_tests::{Output, Talking, Weighbridge, attachable, compile, java, jdks_from, libraries, run};

const LIBRARIES: [&str; 7] = [
    "org.apache.tomcat.embed:tomcat-embed-core:10.1.34",
    "org.springframework:spring-web:6.2.1",
    "org.springframework.kafka:spring-kafka:3.3.1",
    "com.h2database:h2:2.3.232",
    "org.hsqldb:hsqldb:2.7.4",
    "org.xerial:sqlite-jdbc:3.50.3.0",
    "org.slf4j:slf4j-nop:2.0.16",
];
const WORK: [&str; 2] = ["--class", "com.acme.entered.Main$Work"];

fn trace(program: &Talking, verb: &str, arguments: &[&str]) -> Output {
    let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
    let output = run(weighbridge.command().args(["trace", verb, &program.pid]).args(arguments));
    assert!(output.success(), "{arguments:?}: {output}");
    output
}

fn found<'a>(run: &'a Value, what: &str, key: &str) -> &'a [Value] {
    let traces = run["traces"].as_array().expect("traces");
    let trace = traces.iter().find(|trace| trace["what"] == what).unwrap_or_else(|| panic!("no {what}: {run:#}"));
    trace[key].as_array().unwrap_or_else(|| panic!("no {key}: {trace:#}"))
}

#[test]
fn the_work_of_one_user_is_found_in_the_threads_that_do_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let jars = libraries(&LIBRARIES);
    let classes = compile("entered", &jars, folder.path());
    let class_path = std::env::join_paths(std::iter::once(&classes).chain(&jars)).expect("a class path");
    let own = folder.path().join("own.toml");
    fs::write(
        &own,
        "[[entry]]\nmethods = [\"com.acme.entered.Main$Page.doGet\"]\nargument = 0\nscopes.who = \"{getRemoteUser}\"\n",
    )
    .expect("the entries");
    for jdk in jdks_from(17) {
        let mut command = java(jdk);
        let mut program =
            Talking::start(command.args(attachable(jdk)).arg("-cp").arg(&class_path).arg("com.acme.entered.Main"));
        assert_eq!(program.line(), "ready");
        let mut tell = |line: &str| assert_eq!(program.tell(line), "done", "{line}");
        tell("serve 5");
        let program = &mut program;

        // One user's, on the threads of two pools, too; and an entry of one's own.
        let servlet = ["--entries", "servlet", "--entries", "executors"];
        trace(
            program,
            "start",
            &[&["methods", "--name", "anna", "--scope", "user=anna"], &WORK[..], &servlet[..]].concat(),
        );
        let own = ["--entries", own.to_str().expect("UTF-8")];
        trace(program, "start", &[&["methods", "--name", "bob", "--scope", "who=bob"], &WORK[..], &own[..]].concat());
        assert_eq!(program.tell("serve 50"), "done");
        let calls = |name: &str| -> BTreeMap<String, u64> {
            let run = trace(program, "show", &[name, "-o", "json"]).json();
            let rows = found(&run, "methods", "methods").iter();
            rows.map(|row| (row["method"].as_str().unwrap().to_owned(), row["calls"].as_u64().unwrap())).collect()
        };
        let expected = |rows: &[(&str, u64)]| rows.iter().map(|(name, calls)| ((*name).to_owned(), *calls)).collect();
        assert_eq!(calls("anna"), expected(&[("done", 30), ("queued", 30), ("later", 30)]), "Java {}", jdk.major);
        // The other run's tasks carry these scopes, too.
        assert_eq!(calls("bob"), expected(&[("done", 10), ("queued", 10), ("later", 10)]), "Java {}", jdk.major);
        trace(program, "stop", &["anna"]);
        trace(program, "stop", &["bob"]);

        // Everybody's, with what each takes.
        let all = ["servlet", "session", "spring", "kafka", "jdbc"].map(|name| ["--entries", name]).concat();
        trace(program, "start", &[&["scopes", "--name", "all"], &all[..]].concat());
        for line in ["serve 50", "handle 10", "listen 7", "h2 3", "hsqldb 4", "sqlite 5"] {
            assert_eq!(program.tell(line), "done", "{line}");
        }
        let shown = trace(program, "show", &["all", "-o", "json"]).json();
        let rows = found(&shown, "scopes", "scopes").iter();
        let calls: BTreeMap<String, [u64; 2]> = rows
            .map(|row| {
                let scopes: Vec<&str> = row["scopes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
                assert!(row["total_ns"].as_u64() > Some(0) && row["longest_ns"].as_u64() <= row["total_ns"].as_u64());
                assert!(row["allocated_bytes"].as_u64() > Some(0), "{row}");
                (scopes.join(", "), [row["calls"].as_u64().unwrap(), row["thrown"].as_u64().unwrap()])
            })
            .collect();
        let of = |user: &str, session: &str| {
            format!("application=/shop, request=GET /orders, session={session}, user={user}")
        };
        let expected: BTreeMap<String, [u64; 2]> = [
            (of("anna", "984e40fc"), [30, 0]),
            (of("bob", "81e1f336"), [10, 0]),
            (of("mallory", "eb857d41"), [10, 10]),
            ("component=Controller.orders".to_owned(), [10, 0]),
            ("request=topic bills".to_owned(), [7, 0]),
            ("sql=values (?)".to_owned(), [12, 0]),
        ]
        .into();
        assert_eq!(calls, expected, "Java {}", jdk.major);
        let text = trace(program, "stop", &["all"]);
        assert!(text.stdout.contains("Entries by the scopes that they open"), "{text}");
        // Nothing stays open on the threads of the pools.
        trace(program, "start", &[&["methods", "--name", "after", "--scope", "user=anna"], &WORK[..]].concat());
        assert_eq!(program.tell("serve 5"), "done");
        let after = trace(program, "stop", &["after", "-o", "json"]).json();
        assert_eq!(found(&after, "methods", "methods"), [] as [Value; 0], "Java {}", jdk.major);
        let mut detach: Command = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge")).command();
        let detached = run(detach.args(["detach", &program.pid]));
        assert!(detached.success(), "{detached}");
    }
}
