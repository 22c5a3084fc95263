//! Heap dumps of this JVM, which the command line's program reads in a process of its own.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

const LOOK: Duration = Duration::from_millis(10);
/// The kernel ends the analysis before the JVM if memory runs out (proc(5), `oom_score_adj`).
const FIRST_TO_GO: &str = "1000";
/// Characters of what the program says that are repeated.
const LONGEST: usize = 300;

/// For each thread its Java id, and the bytes that it holds alone.
pub(crate) fn threads(program: &str, dump: &str, patience: Duration) -> Result<Vec<(i64, i64)>, String> {
    let row = |thread: &Value| Some((thread["java_id"].as_i64()?, thread["proprietary_bytes"].as_i64()?));
    let report = run_heap_verb(program, dump, &["threads", dump, "-o", "json"], patience)?;
    let threads = report["threads"].as_array().ok_or("the heap dump's report has no threads")?;
    Ok(threads.iter().filter_map(row).collect())
}

/// The figures of a snapshot: numbers and texts, as `weighbridge heap measured` answers them.
pub(crate) fn measured(
    program: &str,
    dump: &str,
    specification: &str,
    patience: Duration,
) -> Result<AnalyserFigures, String> {
    let answer = run_heap_verb(program, dump, &["measured", dump, "--specification", specification], patience)?;
    let numbers = answer["numbers"].as_array().ok_or("the heap dump's answer has no numbers")?;
    let numbers = numbers.iter().map(Value::as_i64).collect::<Option<Vec<i64>>>();
    let holders = answer["holders"].as_array().ok_or("the heap dump's answer has no holders")?;
    let holders = holders.iter().map(|pair| Some((pair[0].as_i64()?, pair[1].as_str()?.to_owned())));
    let figures = numbers.zip(holders.collect::<Option<Vec<_>>>());
    figures
        .map(|(numbers, holders)| AnalyserFigures { numbers, holders })
        .ok_or_else(|| "the heap dump's answer is none".to_owned())
}

/// What a snapshot tells.
pub(crate) struct AnalyserFigures {
    pub(crate) numbers: Vec<i64>,
    /// By row.
    pub(crate) holders: Vec<(i64, String)>,
}

/// Runs a verb of `weighbridge heap` that answers with JSON.
fn run_heap_verb(program: &str, dump: &str, verb: &[&str], patience: Duration) -> Result<Value, String> {
    let [report, messages] = ["json", "txt"].map(|extension| Path::new(dump).with_extension(extension));
    let answer = run(program, verb, &report, &messages, patience).and_then(|()| read(&report));
    let _ = fs::remove_file(&report);
    let _ = fs::remove_file(&messages);
    answer
}

fn run(program: &str, verb: &[&str], report: &Path, messages: &Path, patience: Duration) -> Result<(), String> {
    let begin = Instant::now();
    let mut child = Command::new(program)
        .arg("heap")
        .args(verb)
        .arg("-f")
        .arg(report)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        // A file: nobody reads a pipe meanwhile.
        .stderr(fs::File::create(messages).map_or_else(|_| Stdio::null(), Stdio::from))
        .spawn()
        .map_err(|error| format!("{program} cannot be started: {error}"))?;
    let _ = fs::write(format!("/proc/{}/oom_score_adj", child.id()), FIRST_TO_GO);
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => {
                let said = fs::read_to_string(messages).unwrap_or_default();
                let last = said.lines().next_back().unwrap_or("it does not say why");
                let last: String = last.chars().take(LONGEST).collect();
                return Err(format!("{program} could not read the heap dump ({status}): {last}"));
            }
            Ok(None) if begin.elapsed() < patience => thread::sleep(LOOK),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("{program} took more than {} s", patience.as_secs()));
            }
            Err(error) => return Err(format!("{program}: {error}")),
        }
    }
}

fn read(report: &Path) -> Result<Value, String> {
    let bytes = fs::read(report).map_err(|error| format!("no report of the heap dump: {error}"))?;
    serde_json::from_slice(&bytes).map_err(|error| format!("the heap dump's report: {error}"))
}
