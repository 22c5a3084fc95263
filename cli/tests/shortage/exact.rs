//! The exact measure: candidates have the bytes that the program knows, and without figures nothing is cancelled.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use weighbridge_tests::{Jdk, Talking, Weighbridge, compile, java, jdks, native_agent, run};

use crate::alone;

const BINARY: &str = env!("CARGO_BIN_EXE_weighbridge");
/// What only hangs would take longer than.
const PATIENCE: Duration = Duration::from_secs(120);
/// Bytes in the one array of each thread of `tests/java/held`.
const HELD: [(&str, u64); 3] = [("holds", 40 << 20), ("churns", 200_000), ("between", 10 << 20)];
/// More than what each thread holds beside its array, to the byte the same: its `Thread` with name, task and locals, and its
/// scope. It was 896 bytes on Java 11.
const BESIDE: u64 = 1000;

struct Held {
    folder: tempfile::TempDir,
    class_path: PathBuf,
}

impl Held {
    fn new() -> Held {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let runtime = folder.path().join("weighbridge-runtime.jar");
        fs::write(&runtime, weighbridge_runtime::RUNTIME_JAR).expect("the runtime");
        let classes = compile("held", std::slice::from_ref(&runtime), folder.path());
        let class_path = std::env::join_paths([&runtime, &classes]).expect("a class path").into();
        fs::create_dir(folder.path().join("tmp")).expect("a folder");
        Held { folder, class_path }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program under a policy that ranks by what threads hold.
    fn start(&self, jdk: &Jdk, analyser: &str, more: &str) -> Program {
        let config = self.path("weighbridge.toml");
        let text = format!(
            "version = 1\n[shortage]\ndry_run = false\n[shortage.when]\nold_generation = \"50%\"\n\
             [shortage.candidates]\nby = \"proprietary\"\nmeasure = \"exact\"\nanalyser = \"{analyser}\"\n{more}\
             [shortage.permit]\nscopes = [\"job=*\"]\n"
        );
        fs::write(&config, text).expect("the configuration");
        let (agent, recording) = (native_agent().display(), self.path(&format!("{}.wbr", jdk.major)));
        let mut command = java(jdk);
        command
            .arg(format!("-agentpath:{agent}=config={},destfile={}", config.display(), recording.display()))
            .args(["-Xmx128m", "-XX:+UseG1GC"])
            .arg(format!("-Djava.io.tmpdir={}", self.path("tmp").display()))
            .arg("-cp")
            .arg(&self.class_path)
            .arg("com.acme.held.Main");
        Program::start(&mut command, self.path("stderr"), recording)
    }

    /// Files that were written where the JVM writes its dumps.
    fn left(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("tmp")).expect("the folder");
        let ours = |path: &PathBuf| path.to_string_lossy().contains("weighbridge-dump");
        entries.map(|entry| entry.expect("an entry").path()).filter(ours).collect()
    }
}

struct Program {
    talking: Talking,
    stderr: PathBuf,
    recording: PathBuf,
}

impl Program {
    fn start(command: &mut Command, stderr: PathBuf, recording: PathBuf) -> Program {
        let talking = Talking::start(command.stderr(fs::File::create(&stderr).expect("a file")));
        let mut program = Program { talking, stderr, recording };
        assert_eq!(program.talking.line(), "ready", "{}", program.said());
        program
    }

    fn said(&self) -> String {
        fs::read_to_string(&self.stderr).expect("its standard error")
    }

    fn asked(&self, more: &[&str]) -> weighbridge_tests::Output {
        run(Weighbridge::new(BINARY).command().args(["ctl", &self.talking.pid, "shortage"]).args(more))
    }

    /// What `ctl PID shortage` tells, once something was decided.
    fn decided(&self) -> Value {
        let begin = Instant::now();
        loop {
            let state = self.asked(&["-o", "json"]).json();
            if state["decisions"].as_array().is_some_and(|decisions| !decisions.is_empty()) {
                return state;
            }
            assert!(begin.elapsed() < PATIENCE, "{state:#}\n{}", self.said());
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Ends it; what else it printed.
    fn end(mut self) -> (Vec<String>, PathBuf) {
        drop(self.talking.child.stdin.take());
        let lines = std::iter::from_fn(|| Some(self.talking.line()).filter(|line| !line.is_empty())).collect();
        self.talking.child.wait().expect("an end");
        (lines, self.recording)
    }
}

fn report(recording: &Path) -> Value {
    Weighbridge::new(BINARY).report(recording)
}

#[test]
fn the_thread_that_holds_most_is_cancelled_and_each_has_the_bytes_that_the_program_knows() {
    let _alone = alone();
    let held = Held::new();
    for jdk in jdks() {
        let program = held.start(jdk, BINARY, "");
        let state = program.decided();
        assert_eq!((&state["mode"], &state["delayed"]), (&"act".into(), &0.into()), "{state:#}");
        let decision = &state["decisions"][0];
        let context = format!("Java {}: {decision:#}\n{}", jdk.version, program.said());
        assert_eq!(decision["chosen"], "job=holds", "{context}");
        assert_eq!((&decision["ended"], &decision["resolved"]), (&true.into(), &true.into()), "{context}");
        assert!(decision["dump_ms"].as_u64() > Some(0) && decision.get("unmeasured").is_none(), "{context}");
        let candidates = decision["candidates"].as_array().expect("candidates");
        assert_eq!(candidates.len(), 3, "{context}");
        let mut besides = BTreeSet::new();
        for (name, bytes) in HELD {
            let found = candidates.iter().find(|one| one["name"] == format!("job={name}")).expect(&context);
            let beside = found["held_bytes"].as_u64().and_then(|held| held.checked_sub(bytes + 16)).expect(&context);
            assert!(beside < BESIDE, "{name} holds {beside} bytes more\n{context}");
            besides.insert(beside);
        }
        assert_eq!(besides.len(), 1, "the threads are alike but for their arrays: {besides:?}\n{context}");
        let allocated = |at: usize| candidates[at]["allocated_bytes"].as_u64().expect("bytes");
        assert!(candidates[2]["name"] == "job=churns" && allocated(2) > allocated(1) && allocated(1) > allocated(0));
        let freed = decision["freed_bytes"].as_u64().expect(&context);
        // What others allocate meanwhile makes it less.
        assert!(freed >= (39 << 20), "{context}");

        let text = program.asked(&[]);
        for part in
            ["act: cancels what the policy permits", "memory is not short", "cancelled job=holds", "worker-churns"]
        {
            assert!(text.success() && text.stdout.contains(part), "{part}: {text}");
        }
        let (lines, recording) = program.end();
        assert_eq!(lines, ["cancelled holds"], "Java {}", jdk.version);
        assert_eq!(held.left(), Vec::<PathBuf>::new(), "Java {}", jdk.version);
        assert_eq!(report(&recording)["shortages"][0]["chosen"], "job=holds");
        fs::remove_file(recording).expect("the recording");
    }
}

#[test]
fn without_an_answer_of_the_analyser_nothing_is_cancelled_and_the_decision_says_why() {
    let _alone = alone();
    let held = Held::new();
    let jdk = &jdks()[0];
    for (analyser, reason) in [
        ("/nowhere/weighbridge", "/nowhere/weighbridge is no program that this JVM may run"),
        ("/bin/false", "/bin/false could not read the heap dump (exit status: 1): it does not say why"),
        ("/bin/true", "no report of the heap dump: No such file or directory (os error 2)"),
    ] {
        // Bytes that are not known are not less than the least, either.
        let program = held.start(jdk, analyser, "least = \"0\"\n");
        let state = program.decided();
        let decision = &state["decisions"][0];
        let context = format!("{decision:#}\n{}", program.said());
        assert_eq!((&decision["action"], &decision["unmeasured"]), (&"none".into(), &reason.into()), "{context}");
        assert_eq!(decision["dump_ms"].is_u64(), analyser.starts_with("/bin"), "{context}");
        assert!(decision.get("chosen").is_none() && state["short"] == true, "{context}");
        for candidate in decision["candidates"].as_array().expect("candidates") {
            assert_eq!(candidate["refused"], "what it holds was not measured", "{context}");
            assert!(candidate.get("held_bytes").is_none(), "{context}");
        }
        let text = program.asked(&[]);
        assert!(text.stdout.contains("memory is short now") && text.stdout.contains(reason), "{text}");
        let (lines, recording) = program.end();
        assert_eq!(lines, Vec::<String>::new());
        assert_eq!(held.left(), Vec::<PathBuf>::new());
        fs::remove_file(recording).expect("the recording");
    }
}
