//! Brings the agent into a JVM: files that only the JVM's user can open, which are gone when it is loaded.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use sha2::{Digest, Sha256};
use weighbridge_jvms::Target;
use weighbridge_library::{AGENT_LIBRARY, FILE_NAME};

use crate::exit::Failure;
use crate::private_folder::{PrivateFolder, give};

/// The agent, its configuration and its answer, in the JVM's temporary folder.
pub(super) struct Bring<'t> {
    target: &'t Target,
    library: String,
    options: String,
    /// As seen from here.
    answer: PathBuf,
    files: Vec<PathBuf>,
    folder: PrivateFolder<'t>,
}

impl<'t> Bring<'t> {
    /// Writes the files. `idle`: the agent that the JVM has mapped, by its path inside. `token`: of clients by TCP. `set`: options
    /// of the agent; with `end=client` the session ends with who follows it.
    pub(super) fn new(
        target: &'t Target,
        idle: Option<PathBuf>,
        config: &str,
        token: Option<&str>,
        set: &[String],
    ) -> Result<Bring<'t>, Failure> {
        let mut bring = Bring {
            target,
            library: String::new(),
            options: String::new(),
            answer: PathBuf::new(),
            files: Vec::new(),
            folder: PrivateFolder::make(target)?,
        };
        // Two may attach at once.
        let pid = format!("{}-{}", target.inner_pid(), std::process::id());
        // One path for one library and JVM: what it has loaded once it does not load again. Not one for all JVMs: who attaches
        // to another one removes the file.
        let digest = hex::encode(&Sha256::digest(AGENT_LIBRARY)[..8]);
        let (stem, extension) = FILE_NAME.split_once('.').unwrap_or((FILE_NAME, "so"));
        bring.library = match idle.filter(|idle| is_this_agent(target, idle)) {
            Some(idle) => idle.display().to_string(),
            None => bring.write(&format!("{stem}-{digest}-{}.{extension}", target.inner_pid()), AGENT_LIBRARY)?,
        };
        let config = bring.write(&format!("attach-{pid}.toml"), config.as_bytes())?;
        let answer_name = format!("attach-{pid}.answer");
        let answer = bring.write(&answer_name, b"")?;
        bring.answer = bring.folder.path().join(answer_name);
        bring.options = format!("config={config},answer={answer},output=stream");
        if let Some(token) = token {
            let token = bring.write(&format!("attach-{pid}.token"), token.as_bytes())?;
            bring.options += &format!(",token={token}");
        }
        for option in set {
            if option.contains(',') {
                return Err(Failure::usage(format!(
                    "--set {option}: a value with a comma belongs into the configuration"
                )));
            }
            bring.options.push(',');
            bring.options.push_str(option);
        }
        Ok(bring)
    }

    /// Makes the JVM load the agent; gives the path of the control socket inside.
    pub(super) fn load(&self, patience: Duration) -> Result<String, Failure> {
        self.target.load_agent(&self.library, &self.options, patience)?;
        let answer = fs::read_to_string(&self.answer).context("the agent's answer")?;
        // Else it is a reason.
        match answer.starts_with('/') {
            true => Ok(answer),
            false => Err(Failure::input(format!("process {}: {answer}", self.target.pid()))),
        }
    }

    /// Writes a file whole; gives its path inside.
    fn write(&mut self, name: &str, content: &[u8]) -> Result<String, Failure> {
        let file = self.folder.path().join(name);
        let unready = self.folder.path().join(format!("{name}.{}", std::process::id()));
        self.files.extend([file.clone(), unready.clone()]);
        let write = || write_private(&unready, content, self.target).and_then(|()| fs::rename(&unready, &file));
        let mut written = write();
        // Who attaches to another JVM may just have removed the empty folder.
        if written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            self.folder.make_again()?;
            written = write();
        }
        let inside = self.folder.inside(name);
        written.with_context(|| format!("{inside} cannot be written"))?;
        Ok(inside)
    }
}

/// What the JVM has loaded stays mapped without its file.
impl Drop for Bring<'_> {
    fn drop(&mut self) {
        for file in &self.files {
            let _ = fs::remove_file(file);
        }
    }
}

/// Whether a file of the JVM's has the bytes of this agent.
fn is_this_agent(target: &Target, library: &Path) -> bool {
    let file = target.root().join(library.strip_prefix("/").unwrap_or(library));
    // Its length first: it may be anything by now.
    fs::metadata(&file).is_ok_and(|about| about.is_file() && about.len() == AGENT_LIBRARY.len() as u64)
        && fs::read(&file).is_ok_and(|bytes| bytes == AGENT_LIBRARY)
}

/// Replaces what is there, so that a file of the same name is never trusted.
fn write_private(file: &Path, content: &[u8], target: &Target) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
    opened.write_all(content)?;
    opened.sync_data()?;
    give(file, target)
}
