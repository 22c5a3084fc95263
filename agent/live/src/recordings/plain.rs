//! Finds out whether a process can ever write a recording: it must be a JVM with the runtime.

use std::fs;
use std::io::BufReader;
use std::path::Path;
use std::time::Duration;

use weighbridge_outside::{PROC_LIMIT, open_file, read_start};

use super::start::{Start, start_ticks};

/// A younger process may still be the shell that starts the JVM, or a JVM that has not opened its jars.
const YOUNG: Duration = Duration::from_secs(3);

/// A longer file is taken for data.
const LONGEST_JAR: u64 = 1 << 30;

/// A class of the runtime, in the runtime's jar or in a rewritten one.
const RUNTIME: &str = "io/weighbridge/runtime/Agent.class";

/// Why the process will write no recording; `None` if it may, or if that is not known.
pub(super) fn never_writes(pid: u32, folder: &Path) -> Option<&'static str> {
    if age(pid)? < YOUNG {
        return None;
    }
    let maps = read_start(&folder.join("maps"), PROC_LIMIT).ok()?;
    if !holds(&maps, "/libjvm.so") {
        return Some("is no JVM");
    }
    // The JVM opens a runtime that is only on the class path when it loads the first rewritten class.
    let words = |file| read_start(&folder.join(file), PROC_LIMIT).unwrap_or_default();
    let arguments = holds(&words("cmdline"), "weighbridge");
    let variables = words("environ");
    let mut variables = variables.split(|byte| *byte == 0);
    let options = variables.any(|variable| is_of_java(variable) && holds(variable, "weighbridge"));
    if arguments || options || fs::read_dir(folder.join("fd")).ok()?.flatten().any(|entry| has_runtime(&entry.path())) {
        return None;
    }
    Some(
        "is a JVM without Weighbridge: no jar that it has open holds the runtime. \
         Measure it with `weighbridge attach`, start the program with `weighbridge run`, or rewrite it first with \
         `weighbridge instrument`",
    )
}

/// Whether the JVM takes options or a class path from a variable.
fn is_of_java(variable: &[u8]) -> bool {
    ["CLASSPATH=", "JAVA_TOOL_OPTIONS=", "JDK_JAVA_OPTIONS="].iter().any(|name| variable.starts_with(name.as_bytes()))
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Whether an open file is an archive with the runtime in it.
fn has_runtime(descriptor: &Path) -> bool {
    let Ok(file) = open_file(descriptor) else { return false };
    // The end of an archive is searched for in all of it.
    if file.metadata().is_ok_and(|metadata| metadata.len() > LONGEST_JAR) {
        return false;
    }
    zip::ZipArchive::new(BufReader::new(file)).is_ok_and(|archive| archive.index_for_name(RUNTIME).is_some())
}

#[cfg(unix)]
fn age(pid: u32) -> Option<Duration> {
    let Start::At(ticks) = start_ticks(pid) else { return None };
    let uptime: f64 = fs::read_to_string("/proc/uptime").ok()?.split(' ').next()?.parse().ok()?;
    let started = ticks as f64 / rustix::param::clock_ticks_per_second() as f64;
    Duration::try_from_secs_f64(uptime - started).ok()
}

#[cfg(not(unix))]
fn age(_: u32) -> Option<Duration> {
    None
}
