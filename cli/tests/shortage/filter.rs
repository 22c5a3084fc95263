//! The jar `weighbridge-admission`: its own tests, by its build tool, and its filter on a real server.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use weighbridge_tests::{Jdk, compile, jars, java, jdks, native_agent, root, run};

use crate::alone;
use crate::recorded::decisions;
use crate::rescue::Server;

const PATIENCE: Duration = Duration::from_secs(120);

const CONFIG: &str = r#"
version = 1
[shortage]
dry_run = false
checkpoints = ["com.acme.admitted.Server$Report.render"]
when.old_generation = "60%"
permit.scopes = ["request=/report", "request=/started"]
cancel.per_minute = 60
admit.wait = "200ms"
"#;

/// Runs the tests of the jar; gives the jar.
fn admission_jar() -> PathBuf {
    let output =
        run(Command::new("mvn").args(["-B", "verify", "-f"]).arg(root().join("runtime-java/admission/pom.xml")));
    assert!(output.success(), "{output}");
    let summary =
        output.stdout.lines().rev().find(|line| line.contains("Tests run:")).unwrap_or_else(|| panic!("{output}"));
    assert!(!summary.contains("Tests run: 0,"), "no Java test ran: {summary}");
    root().join("target/maven/admission/weighbridge-admission.jar")
}

/// The head and the text of an answer.
fn get(port: u16, page: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
    write!(stream, "GET {page} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("a request");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

fn status(port: u16, page: &str) -> String {
    get(port, page).split(' ').nth(1).unwrap_or_default().to_owned()
}

/// Asks for a page until it is answered so.
fn until(port: u16, page: &str, expected: &str) {
    let begin = Instant::now();
    while status(port, page) != expected {
        assert!(begin.elapsed() < PATIENCE, "{page} is never answered with {expected}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn is_refused(answer: &str) {
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(answer.contains("\r\nRetry-After: 7\r\n"), "{answer}");
    assert!(!answer.contains("the first rows") && !answer.contains("X-Begun"), "{answer}");
}

fn command(jdk: &Jdk, class_path: &[PathBuf]) -> Command {
    let mut command = java(jdk);
    let class_path = std::env::join_paths(class_path).expect("a class path");
    command.args(["-Xmx128m", "-XX:+UseG1GC", "-cp"]).arg(class_path);
    command
}

fn refuses(jdk: &Jdk, class_path: &[PathBuf], folder: &Path) {
    let (config, recording) = (folder.join("weighbridge.toml"), folder.join(format!("{}.wbr", jdk.major)));
    fs::write(&config, CONFIG).expect("the configuration");
    let (agent, to) = (native_agent().display(), recording.display());
    let mut command = command(jdk, class_path);
    command.arg(format!("-agentpath:{agent}=config={},destfile={to}", config.display()));
    let server = Server::start(command.arg("com.acme.admitted.Server"), &folder.join("stderr"));
    let port = server.port;
    for _ in 0..10 {
        assert_eq!(status(port, "/page"), "200");
    }
    is_refused(&get(port, "/report"));
    let begun = get(port, "/started");
    assert!(begun.starts_with("HTTP/1.1 200 ") && begun.contains("the first rows"), "it was committed: {begun}");

    assert_eq!(status(port, "/hold?mib=85"), "200");
    until(port, "/other", "503");
    is_refused(&get(port, "/other"));
    assert_eq!(status(port, "/page"), "200", "it is known to need little");
    assert_eq!(status(port, "/free"), "200");
    until(port, "/other", "200");
    let said = server.end();
    let cancelled: Vec<_> = decisions(&recording).into_iter().filter(|decision| decision["ended"] == true).collect();
    let names: Vec<&str> = cancelled.iter().filter_map(|decision| decision["chosen"].as_str()).collect();
    assert_eq!(names, ["request=/report", "request=/started"], "{said}");
}

#[test]
fn a_request_that_is_refused_or_cancelled_is_answered_with_503_and_without_the_runtime_all_go_through() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let runtime = folder.path().join("weighbridge-runtime.jar");
    fs::write(&runtime, weighbridge_runtime::RUNTIME_JAR).expect("the runtime");
    let mut class_path = jars(&["tomcat-embed-core", "tomcat-annotations-api"]);
    class_path.push(admission_jar());
    class_path.push(compile("admitted", &class_path, folder.path()));
    let server =
        Server::start(command(&jdks()[0], &class_path).arg("com.acme.admitted.Server"), &folder.path().join("stderr"));
    assert_eq!(status(server.port, "/page"), "200", "without the runtime");
    drop(server);
    class_path.insert(0, runtime);
    for jdk in jdks() {
        refuses(jdk, &class_path, folder.path());
    }
}
