//! The sample `rescue` on a real server: with a policy it survives what kills it without, and its visitors do not notice.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use weighbridge_tests::visitors::{Met, Visitors, status};
use weighbridge_tests::{Jdk, jars, java, jdk, native_agent, root, run};

use crate::alone;
use crate::recorded::decisions;

const PER_SECOND: u32 = 200;
const PAGE: &str = "/page?customer=anna";
/// More rows than any heap has room for.
const REPORT: &str = "/report?rows=1000000000";
const TIMES: usize = 3;

/// The compiled sample, and the configuration that goes with it.
struct Sample {
    folder: tempfile::TempDir,
    class_path: PathBuf,
    config: String,
}

impl Sample {
    fn new() -> Sample {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let tomcat = jars(&["tomcat-embed-core", "tomcat-annotations-api"]);
        let libraries = std::env::join_paths(&tomcat).expect("a class path").into_string().expect("UTF-8");
        let sample = root().join("samples/rescue");
        let classes = folder.path().join("classes");
        weighbridge_jdk::to_build_with().compile(&[&sample], &classes, &["-cp", &libraries]);
        let class_path = std::env::join_paths(std::iter::once(&classes).chain(&tomcat)).expect("a class path").into();
        let config = fs::read_to_string(sample.join("weighbridge.toml")).expect("the configuration");
        Sample { folder, class_path, config }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn start(&self, jdk: &Jdk, heap: &str, options: &[String]) -> Server {
        let mut command = java(jdk);
        command.arg(heap).args(options).arg("-cp").arg(&self.class_path).arg("com.acme.rescue.Server");
        Server::start(&mut command, &self.path("stderr"))
    }

    /// The server with the agent and this configuration.
    fn with_policy(&self, jdk: &Jdk, heap: &str, config: &str, recording: &Path) -> Server {
        fs::write(self.path("weighbridge.toml"), config).expect("the configuration");
        let (agent, config) = (native_agent().display(), self.path("weighbridge.toml"));
        let options = format!("-agentpath:{agent}=config={},destfile={}", config.display(), recording.display());
        self.start(jdk, heap, &[options])
    }
}

/// A server that prints its port.
pub struct Server {
    child: Child,
    pub port: u16,
    stderr: PathBuf,
}

impl Server {
    pub fn start(command: &mut Command, stderr: &Path) -> Server {
        let errors = fs::File::create(stderr).expect("a file");
        let mut child = command.stdout(Stdio::piped()).stderr(errors).spawn().expect("java starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let port = line.trim_end().strip_prefix("port ").and_then(|port| port.parse().ok());
        let port = port.unwrap_or_else(|| panic!("{line}{}", fs::read_to_string(stderr).unwrap_or_default()));
        Server { child, port, stderr: stderr.to_owned() }
    }

    /// Asks for reports, one after another, while visitors come.
    fn under_load(&self, reports: usize) -> (Vec<Option<u16>>, Met) {
        let visitors = Visitors::come(self.port, PAGE, "anna\n", PER_SECOND);
        thread::sleep(Duration::from_secs(2));
        let report = |_| {
            let answer = status(self.port, REPORT);
            thread::sleep(Duration::from_millis(300));
            answer
        };
        let answers = (0..reports).map(report).collect();
        (answers, visitors.leave())
    }

    /// Ends it in order.
    pub fn end(mut self) -> String {
        let pid = self.child.id().to_string();
        assert!(run(Command::new("kill").arg(&pid)).success());
        self.child.wait().expect("an end");
        fs::read_to_string(&self.stderr).expect("its standard error")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn survives(sample: &Sample, jdk: &Jdk, config: &str, action: &str) {
    let recording = sample.path(&format!("{action}-{}.wbr", jdk.major));
    let server = sample.with_policy(jdk, "-Xmx256m", config, &recording);
    let (answers, met) = server.under_load(TIMES);
    let said = server.end();
    eprintln!(
        "Java {}, {action}: {} pages, {} failed, slowest {:?}",
        jdk.major,
        met.pages,
        met.failures.len(),
        met.slowest
    );
    assert_eq!(met.failures, Vec::<String>::new(), "{said}");
    assert!(met.pages > 300, "{met:?}");
    assert_eq!(answers, [Some(500); TIMES], "every report ends with an error\n{said}");
    let decisions = decisions(&recording);
    let cancelled: Vec<&Value> = decisions.iter().filter(|decision| decision["ended"] == true).collect();
    assert_eq!(cancelled.len(), TIMES, "{decisions:#?}");
    for decision in cancelled {
        assert_eq!(decision["chosen"], "method=com.acme.rescue.Report.render", "{decision:#}");
        assert_eq!(decision["action"], action, "{decision:#}");
        assert_eq!(decision["resolved"], true, "memory is back: {decision:#}");
        let (freed, predicted) = (decision["freed_bytes"].as_u64(), decision["predicted_bytes"].as_u64());
        assert!(freed > Some(100 << 20) && freed <= predicted.map(|bytes| bytes + (32 << 20)), "{decision:#}");
    }
    assert!(!said.contains("OutOfMemoryError"), "{said}");
}

#[test]
fn a_report_that_fills_the_heap_is_ended_at_its_checkpoints_and_no_visitor_notices() {
    let _alone = alone();
    let sample = Sample::new();
    survives(&sample, jdk(17), &sample.config, "cooperative");
}

#[test]
fn a_report_without_checkpoints_is_stopped_by_force_and_no_visitor_notices() {
    let _alone = alone();
    let sample = Sample::new();
    let checkpoints = "checkpoints = [\"com.acme.rescue.Report.render\"]";
    let forced = sample.config.replace(checkpoints, "").replace("[shortage.cancel]", "[shortage.cancel]\nforce = true");
    assert!(!forced.contains(checkpoints) && forced.contains("force = true"), "{forced}");
    survives(&sample, jdk(25), &forced, "forced");
}

#[test]
fn without_a_policy_visitors_get_errors_and_a_dry_run_changes_nothing() {
    let _alone = alone();
    let sample = Sample::new();
    let jdk = jdk(25);
    // A JVM with a nearly full heap collects again and again before it gives up: for as long as its heap is large.
    let heap = "-Xmx96m";
    let server = sample.start(jdk, heap, &[]);
    let (answers, met) = server.under_load(2);
    drop(server);
    eprintln!(
        "no policy: {} pages, {} failed, slowest {:?}, reports {answers:?}",
        met.pages,
        met.failures.len(),
        met.slowest
    );
    // Whoever allocates next gets the error: a page, or the report's own connection, which then ends with no answer.
    assert!(!met.failures.is_empty() || answers.contains(&None), "{answers:?} {met:?}");

    let recording = sample.path("dry.wbr");
    let dry = sample.config.replace("dry_run = false", "dry_run = true");
    let server = sample.with_policy(jdk, heap, &dry, &recording);
    let (answers, _) = server.under_load(1);
    let said = server.end();
    assert!(!said.contains("Cancelled"), "{said}");
    assert!(answers[0].is_none_or(|status| status == 500), "{answers:?}");
    let decisions = decisions(&recording);
    assert!(!decisions.is_empty(), "{said}");
    for decision in decisions {
        assert!(decision["dry_run"] == true && decision.get("freed_bytes").is_none(), "{decision:#}");
        assert!(decision["action"] == "would_cancel" || decision["action"] == "none", "{decision:#}");
    }
}
