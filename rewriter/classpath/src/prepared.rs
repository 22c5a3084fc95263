//! A command that is ready to be run.

use std::ffi::OsString;
use std::fs::File;
use std::path::Path;

use weighbridge_ending::Failure;

use crate::class_path;

/// How the program is run, and what is known of it before.
pub struct Prepared {
    /// All of java's arguments.
    pub arguments: Vec<OsString>,
    /// For the end.
    pub warnings: Vec<String>,
    /// Not only `-version` or the like, of which there is no report.
    pub runs_program: bool,
    /// What the JVM finds only while they are open.
    pub files: Vec<File>,
}

/// Arguments that load an agent with these options, which writes this recording. Commas separate the options of an agent, so a
/// path with a comma has to be a property.
pub fn load(mut agent: OsString, mut options: Vec<String>, recording: &Path) -> Result<Vec<OsString>, Failure> {
    let file = class_path::absolute(recording);
    let file = file.to_str().ok_or_else(|| {
        Failure::usage(format!("{}: a path that is not UTF-8 cannot be named to a JVM", recording.display()))
    })?;
    // The runtime's `%p` and `%t` are not meant here.
    let file = file.replace('%', "%%");
    let property = file.contains(',').then(|| OsString::from(format!("-Dweighbridge.destfile={file}")));
    if property.is_none() {
        options.push(format!("destfile={file}"));
    }
    if !options.is_empty() {
        agent.push("=");
        agent.push(options.join(","));
    }
    Ok([agent].into_iter().chain(property).collect())
}
