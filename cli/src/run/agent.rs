//! The native agent for a command: the class path stays as it is.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use weighbridge_classpath::{CommandLine, Prepared, absolute, expand, load};
use weighbridge_ending::Failure;
use weighbridge_library::{AGENT_LIBRARY, FILE_NAME};
use weighbridge_live::reader;

/// For a trace of every event: hash codes in the order in which objects are made, which number the objects; none of the
/// JDK's archived objects, which bring hash codes of another kind; and no copies of arrays that compiled code makes without
/// running the JDK's method. All HotSpot JVMs from 11 on have these options.
const FOR_EVENTS: [&str; 5] = [
    "-Xshare:off",
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:hashCode=3",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:DisableIntrinsic=_copyOf,_copyOfRange",
];

/// The command's arguments behind one that loads the agent; `events`: the file for a trace of every event.
pub(super) fn prepare(
    command: &[OsString],
    config: &str,
    temporary: &Path,
    recording: &Path,
    events: Option<&Path>,
) -> Result<Prepared, Failure> {
    let mut files = Vec::new();
    let mut bring = |name, content: &[u8]| {
        let (path, file) = bring(temporary, name, content)?;
        files.extend(file);
        Ok::<_, Failure>(path)
    };
    let mut agent = OsString::from("-agentpath:");
    agent.push(bring(FILE_NAME, AGENT_LIBRARY)?);
    let mut options = vec![format!("config={}", bring("weighbridge.toml", config.as_bytes())?)];
    options.extend(reader::option());
    if let Some(file) = events {
        options.push(format!("events={}", nameable(file)?));
    }
    let mut arguments = load(agent, options, recording)?;
    if events.is_some() {
        arguments.extend(FOR_EVENTS.map(OsString::from));
    }
    arguments.extend_from_slice(command);
    // What the launcher cannot read either, it says itself.
    let runs_program = expand(command).map_or(true, |command| CommandLine::new(command).has_main);
    Ok(Prepared { arguments, warnings: Vec::new(), runs_program, files })
}

/// The path of a file as a word in the options of an agent.
fn nameable(file: &Path) -> Result<String, Failure> {
    let path = absolute(file);
    match path.to_str().filter(|path| !path.contains(',')) {
        Some(path) => Ok(path.to_owned()),
        None => Err(Failure::usage(format!(
            "{}: a path with a comma, or one that is not UTF-8, cannot be named to a JVM",
            file.display()
        ))),
    }
}

/// Puts a file where the JVM finds it as long as this process lives: some programs start further JVMs with the options of their
/// own. Nothing is left then, however this process ends. The path has no byte with a meaning in the options of an agent.
fn bring(temporary: &Path, name: &str, content: &[u8]) -> Result<(String, Option<File>), Failure> {
    if let Ok((path, file)) = in_memory(name, content) {
        return Ok((path, Some(file)));
    }
    let path = temporary.join(name);
    write_private(&path, content).with_context(|| format!("{}: cannot be written", path.display()))?;
    match path.to_str().filter(|path| !path.contains([',', '='])) {
        Some(path) => Ok((path.to_owned(), None)),
        None => Err(Failure::input(format!(
            "{}: the options of an agent cannot name a path with `,` or `=`, or one that is not UTF-8; set TMPDIR to another folder",
            temporary.display()
        ))),
    }
}

/// A file in memory that this user alone can open, by this process, and that nobody can change.
#[cfg(target_os = "linux")]
fn in_memory(name: &str, content: &[u8]) -> io::Result<(String, File)> {
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    use std::os::fd::AsRawFd;
    // With the slash its name among the mapped files of the JVM is that of a library.
    let mut file = File::from(memfd_create(format!("/{name}"), MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?);
    file.write_all(content)?;
    fcntl_add_seals(&file, SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE)?;
    let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
    File::open(&path)?;
    Ok((path, file))
}

#[cfg(not(target_os = "linux"))]
fn in_memory(_: &str, _: &[u8]) -> io::Result<(String, File)> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A new file in a folder that this user alone can open.
fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    File::create_new(path)?.write_all(content)
}
