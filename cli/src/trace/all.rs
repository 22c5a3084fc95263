//! The same traces in several JVMs at once, each by a child of this command.

use std::ffi::OsString;
use std::process::{Child, Command, Stdio};

use anyhow::Context;
use serde_json::{Value, json};
use weighbridge_config::Pattern;
use weighbridge_ending::signals::Signals;
use weighbridge_ending::{Failure, messages, output};
use weighbridge_jvms::Jvm;
use weighbridge_reporter::json::pretty;
use weighbridge_reporter::printable;

use crate::exit::{DONE, INPUT, Outcome};
use crate::output_options::HeapFormat;

/// Version of the JSON keys, raised if the meaning of a key changes.
const FORMAT: u32 = 1;

/// One process, or several.
#[derive(Clone)]
pub(super) enum Which {
    Pid(u32),
    All { given: String, pattern: Option<Pattern> },
}

impl std::str::FromStr for Which {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = || Which::All { given: text.to_owned(), pattern: None };
        match text.strip_prefix("all") {
            Some("") => Ok(all()),
            Some(rest) if rest.starts_with(':') => {
                let pattern = Pattern::parse(&rest[1..]).map_err(|error| error.to_string())?;
                Ok(Which::All { given: text.to_owned(), pattern: Some(pattern) })
            }
            _ => text.parse().map(Which::Pid).map_err(|_| "neither a process id nor `all`".to_owned()),
        }
    }
}

/// Runs this command again for each process; `given` is the argument that stands for them.
pub(super) fn execute(given: &str, pattern: Option<&Pattern>, format: HeapFormat) -> Outcome {
    if !matches!(format, HeapFormat::Text | HeapFormat::Json) {
        return Err(Failure::usage("of all JVMs there is text or json on standard output, at the end"));
    }
    // Ctrl-C reaches the children, too, which show what they have.
    let _signals = Signals::catch()?;
    let mut chosen = weighbridge_jvms::list()?;
    chosen.retain(|jvm| jvm.obstacle.is_none() && pattern.is_none_or(|pattern| matches(pattern, jvm)));
    if chosen.is_empty() {
        return Err(Failure::input("no JVM that one can attach to matches; `weighbridge jvms` lists them"));
    }
    let children: Vec<(Jvm, Child)> =
        chosen.into_iter().map(|jvm| begin(given, jvm.pid).map(|child| (jvm, child))).collect::<Result<_, _>>()?;
    let mut all_done = true;
    let mut rows = Vec::new();
    for (jvm, child) in children {
        let output = child.wait_with_output().context("a trace")?;
        let done = output.status.success();
        all_done &= done;
        let main = jvm.main.as_deref().map_or_else(String::new, printable);
        if !output.stderr.is_empty() {
            for line in String::from_utf8_lossy(&output.stderr).lines() {
                messages::print_message("note", &format!("process {}: {line}", jvm.pid));
            }
        }
        match format {
            HeapFormat::Json => {
                let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
                rows.push(json!({ "pid": jvm.pid, "main": jvm.main, "done": done, "result": result }));
            }
            _ => output::to_stdout(|out| {
                writeln!(out, "process {}, {main}\n", jvm.pid)?;
                out.write_all(&output.stdout)?;
                writeln!(out)
            })?,
        }
    }
    if format == HeapFormat::Json {
        output::to_stdout(|mut out| pretty(&json!({ "format": FORMAT, "jvms": rows }), &mut out))?;
    }
    Ok(if all_done { DONE } else { INPUT })
}

/// By the main class, or the file name of the jar.
fn matches(pattern: &Pattern, jvm: &Jvm) -> bool {
    let main = jvm.main.as_deref().unwrap_or_default();
    let name = main.rsplit('/').next().unwrap_or_default();
    pattern.matches_class(name.trim_end_matches(".jar"))
}

fn begin(given: &str, pid: u32) -> Result<Child, Failure> {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(all) = arguments.iter_mut().find(|argument| *argument == given) {
        *all = pid.to_string().into();
    }
    let mut command = Command::new(std::env::current_exe().context("this program")?);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command.spawn().context("this program")?)
}
