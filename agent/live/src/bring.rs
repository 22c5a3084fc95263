//! Brings the agent into a JVM: files that only the JVM's user can open, which are gone when it is loaded.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use weighbridge_control::{AgentSocket, AttachAnswer};
use weighbridge_ending::{Failure, messages};
use weighbridge_jvms::AttachTarget;
use weighbridge_library::{AGENT_LIBRARY, FILE_NAME};

use crate::private_folder::PrivateFolder;
use crate::reader;

/// After so long people are told what is waited for.
const SILENCE: Duration = Duration::from_secs(15);
/// Between two looks whether it is given up.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// The agent, its configuration and its answer, in the JVM's temporary folder.
pub(crate) struct Bring<'t> {
    target: &'t AttachTarget,
    library: String,
    options: String,
    /// The name of the file with the answer.
    answer: String,
    files: Vec<String>,
    folder: PrivateFolder<'t>,
    /// The answer's file, locked: without the lock, or without the file, the agent gives up and undoes what it has done.
    waiting: Option<File>,
}

impl<'t> Bring<'t> {
    /// Writes the files. `idle`: the agent that the JVM has mapped, by its path inside. `token`: of clients by TCP. `set`: options
    /// of the agent; with `end=client` the session ends with who follows it.
    pub(crate) fn new(
        target: &'t AttachTarget,
        idle: Option<PathBuf>,
        config: &str,
        token: Option<&str>,
        set: &[String],
    ) -> Result<Bring<'t>, Failure> {
        let mut bring = Bring {
            target,
            library: String::new(),
            options: String::new(),
            answer: format!("attach-{}-{}.answer", target.inner_pid(), std::process::id()),
            files: Vec::new(),
            folder: PrivateFolder::make(target)?,
            waiting: None,
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
        let answer = bring.write(&bring.answer.clone(), b"")?;
        bring.waiting = Some(bring.folder.lock(&bring.answer)?);
        bring.options = format!("config={config},answer={answer},output=stream");
        if let Some(token) = token {
            let token = bring.write(&format!("attach-{pid}.token"), token.as_bytes())?;
            bring.options += &format!(",token={token}");
        }
        bring.options.extend(reader::option_for(target).map(|option| format!(",{option}")));
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

    /// Makes the JVM load the agent; gives its control socket. Given up, the agent goes after what it is just doing.
    pub(crate) fn load(
        &self,
        patience: Duration,
        is_given_up: &(dyn Fn() -> bool + Sync),
    ) -> Result<AgentSocket, Failure> {
        let (done, loads) = mpsc::channel::<()>();
        thread::scope(|scope| {
            scope.spawn(|| self.watch_over(loads, is_given_up));
            let loaded = self.target.load_agent(&self.library, &self.options, patience);
            drop(done);
            loaded
        })?;
        if is_given_up() {
            let pid = self.target.pid();
            return Err(Failure::input(format!(
                "process {pid}: given up before it was measured; the agent has gone again"
            )));
        }
        let pid = self.target.pid();
        let answer = self.folder.read(&self.answer, AttachAnswer::LIMIT)?;
        let no_agent = |why: &str| Failure::input(format!("process {pid}: {why}"));
        match AttachAnswer::parse(&answer) {
            Some(AttachAnswer::Ok { socket: Some(socket) }) => {
                let temporary = self.target.temporary_folder();
                AgentSocket::parse(&socket.to_string_lossy(), temporary, self.target.uid())
                    .ok_or_else(|| no_agent(&format!("its agent names no control socket: {}", socket.display())))
            }
            Some(AttachAnswer::Ok { socket: None }) => Err(no_agent("its agent has no control socket")),
            Some(AttachAnswer::Error(reason)) => Err(no_agent(&reason)),
            None => Err(no_agent("its agent has not said whether it measures")),
        }
    }

    /// While the JVM loads the agent: says so if that takes long, and lets the agent know when it is given up.
    fn watch_over(&self, loads: Receiver<()>, is_given_up: &dyn Fn() -> bool) {
        let (begin, mut is_told) = (Instant::now(), false);
        while loads.recv_timeout(BETWEEN_LOOKS) == Err(RecvTimeoutError::Timeout) {
            if is_given_up() {
                let _ = self.waiting.as_ref().map(File::unlock);
                return;
            }
            if !is_told && begin.elapsed() > SILENCE {
                is_told = true;
                let pid = self.target.pid();
                messages::print_message(
                    "note",
                    &format!("process {pid} still loads the agent and changes its classes; Ctrl-C undoes it"),
                );
            }
        }
    }

    /// Writes a file whole; gives its path inside.
    fn write(&mut self, name: &str, content: &[u8]) -> Result<String, Failure> {
        self.files.push(name.to_owned());
        self.folder.write(name, content)?;
        Ok(self.folder.inside(name))
    }
}

/// What the JVM has loaded stays mapped without its file.
impl Drop for Bring<'_> {
    fn drop(&mut self) {
        drop(self.waiting.take());
        self.folder.remove_files(&self.files);
    }
}

/// Whether a file of the JVM's has the bytes of this agent.
fn is_this_agent(target: &AttachTarget, library: &Path) -> bool {
    // A byte more than it may have: the file may be anything by now.
    target.read_file(library, AGENT_LIBRARY.len() as u64 + 1).is_ok_and(|bytes| bytes == AGENT_LIBRARY)
}
