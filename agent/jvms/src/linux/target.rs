//! A JVM to attach to.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::sockopt::socket_peercred;
use rustix::process::{Pid, Signal, kill_process};
use weighbridge_outside::{Folder, Named, ProcessRoot, SocketName, as_user, read_start};

use super::exchange::{CommandAnswer, connect, exchange, request};
use super::process::{self, LinuxProcess, socket_name};
use super::status::ProcessState;
use super::text::one_line;
use super::trigger::{Claim, Trigger};
use super::{elf, heap_info, properties, users};
use crate::{Error, Obstacle, Safepoints};

/// The longest wait between two looks at the process.
const LONGEST_WAIT: Duration = Duration::from_millis(200);
/// The first wait for the socket. A JVM takes some milliseconds.
const FIRST_WAIT: Duration = Duration::from_millis(5);
/// When the JVM is asked to listen once more, unless half of the patience is less.
const AGAIN_AFTER: Duration = Duration::from_secs(2);
/// How long a process that closed the connection may take to end.
const END_WAIT: Duration = Duration::from_millis(500);
/// The link `/proc/self/ns/pid` of the first namespace (`PROC_PID_INIT_INO`), which sees every process.
const FIRST_NAMESPACE: &str = "pid:[4026531836]";
/// The bytes of an ELF header that are the same in 32 and 64 bits.
const ELF_HEADER: u64 = 20;

/// A JVM to attach to, found by its process id. It is no connection: each call makes one.
#[derive(Debug)]
pub struct AttachTarget {
    pid: u32,
    start: u64,
    inner_pid: u32,
    uid: u32,
    gid: u32,
    main: Option<String>,
    performance_data: Option<PathBuf>,
    root: Option<ProcessRoot>,
    folder: Arc<Folder>,
}

impl AttachTarget {
    /// Finds a JVM and checks that one can attach to it. It is only looked at: nothing is sent to it or written.
    ///
    /// # Errors
    /// [`Error::NoProcess`], [`Error::NoJvm`], [`Error::NoTemporary`], or the sentence of its [`Obstacle`].
    pub fn find(pid: u32) -> Result<AttachTarget, Error> {
        let process = LinuxProcess::from_pid(pid).ok_or(Error::NoProcess { pid })?;
        let obstacle = process.obstacle();
        // Of another user's process it cannot be known what it is.
        if !process.is_jvm() && obstacle != Some(Obstacle::OtherUser) {
            return Err(Error::NoJvm { pid, name: one_line(process::name(pid).as_bytes()) });
        }
        if let Some(obstacle) = obstacle {
            return Err(match obstacle {
                Obstacle::OtherUser => Error::OtherUser { pid, owner: users::name(process.status.uid) },
                Obstacle::OpenJ9 => Error::OpenJ9 { pid },
                Obstacle::Disabled => Error::Disabled { pid },
                Obstacle::Stopped => Error::Stopped { pid },
                Obstacle::Traced => Error::Traced { pid },
                Obstacle::NotReady => Error::NotReady { pid },
            });
        }
        let folder =
            process.temporary().map_err(|(temporary, source)| Error::NoTemporary { pid, temporary, source })?;
        Ok(AttachTarget {
            pid,
            start: process.life.start,
            inner_pid: process.inner_pid(),
            uid: process.status.uid,
            gid: process.status.gid,
            main: process.main(),
            performance_data: process.maps.and_then(|maps| maps.performance_data),
            root: process.root.ok(),
            folder: Arc::new(folder),
        })
    }

    /// The process id as seen from here.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The process id that the JVM itself sees.
    pub fn inner_pid(&self) -> u32 {
        self.inner_pid
    }

    /// The user that the JVM runs as (effective uid).
    pub fn uid(&self) -> u32 {
        self.uid
    }

    /// The group that the JVM runs as (effective gid).
    pub fn gid(&self) -> u32 {
        self.gid
    }

    /// What it runs, as in [`Jvm::main`](crate::Jvm::main).
    pub fn main(&self) -> Option<&str> {
        self.main.as_deref()
    }

    /// How often and for how long the program was stopped so far. The JVM is not asked: it writes this into a file that it
    /// shares. `None` if it shares none (`-XX:-UsePerfData`, `-XX:+PerfDisableSharedMem`).
    pub fn safepoints(&self) -> Option<Safepoints> {
        process::performance_data((self.uid, self.gid), self.root.as_ref()?, self.performance_data.as_ref()?)?
            .safepoints()
    }

    /// Bytes of its heap that are in use, garbage among them, by `GC.heap_info`; `None` if its answer cannot be read. The
    /// program is not stopped for it.
    ///
    /// # Errors
    /// Those of [`Target::command`].
    pub fn heap_in_use(&self, patience: Duration) -> Result<Option<u64>, Error> {
        Ok(heap_info::in_use(&self.command("jcmd", &["GC.heap_info"], patience)?))
    }

    /// The JVM's `/tmp` as seen from here, for messages: `/proc/PID/root/tmp`. Do not use this path as root: a container's
    /// symbolic link would lead to a folder of this system.
    pub fn temporary(&self) -> &Path {
        self.folder.path()
    }

    /// Finds a file or folder by the absolute path that it has in the JVM's file system, without opening it. A link in a
    /// container leads to nothing outside. For root this is to be called in [`act_as_user`](Target::act_as_user).
    ///
    /// # Errors
    /// The system's.
    pub fn find_inside(&self, path_inside: &Path) -> io::Result<Named> {
        match &self.root {
            Some(root) => root.find(path_inside),
            // It hides its root and shares this process's `/tmp`, so most likely all of its folders.
            None => ProcessRoot::open_here()?.find(path_inside),
        }
    }

    /// The JVM's `/tmp`, held open: it stays the same folder if the JVM ends, and is the one in the JVM's container.
    pub fn temporary_folder(&self) -> &Arc<Folder> {
        &self.folder
    }

    /// Calls a function as the JVM's user, if this process is root ([`as_user`]): for what it does in
    /// [`temporary_folder`](Target::temporary_folder).
    ///
    /// # Errors
    /// [`Error::System`] if this process may not become the user.
    pub fn act_as_user<T: Send>(&self, call: impl FnOnce() -> T + Send) -> Result<T, Error> {
        let cannot = |source| Error::System { pid: self.pid, what: "act as its user", source };
        as_user((self.uid, self.gid), call).map_err(cannot)
    }

    /// Reads the start of a file, at most `limit` bytes, by the absolute path that it has in the JVM's file system. What is no
    /// file is an error, and a link in a container leads to nothing outside.
    ///
    /// # Errors
    /// The system's, and that the JVM's root cannot be seen.
    pub fn read_file(&self, path_inside: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let root = self.root.as_ref().ok_or(io::ErrorKind::PermissionDenied)?;
        self.act_as_user(|| root.read(path_inside, limit)).map_err(io::Error::other)?
    }

    /// Loads a native agent by the absolute path that it has in the JVM's file system, and waits until its
    /// `Agent_OnAttach` returns. If the patience ends first, the agent may still get loaded.
    ///
    /// # Errors
    /// [`Error::Refused`] with the JVM's words if it cannot load the library, [`Error::Agent`] if the agent fails,
    /// [`Error::Architecture`], and those of [`Target::command`].
    pub fn load_agent(&self, path_inside: &str, options: &str, patience: Duration) -> Result<(), Error> {
        self.check_architecture(path_inside)?;
        let answer = self.request_answer("load", &[path_inside, "true", options], patience)?;
        let parsed = CommandAnswer::parse(&answer);
        match parsed.as_ref().and_then(CommandAnswer::agent_code) {
            Some(0) => Ok(()),
            Some(code) => Err(Error::Agent { pid: self.pid, library: path_inside.to_owned(), code }),
            None => Err(self.refusal_error("load", &answer)),
        }
    }

    /// The JVM's system properties.
    ///
    /// # Errors
    /// Those of [`Target::command`].
    pub fn properties(&self, patience: Duration) -> Result<BTreeMap<String, String>, Error> {
        let answer = self.request_answer("properties", &[], patience)?;
        Ok(properties::parse(self.carried_out("properties", &answer)?))
    }

    /// Sends a command of the attach protocol, such as `jcmd` with `VM.version`, and gives its output.
    ///
    /// The first command makes the JVM listen; it does so until it ends. Its socket is its own to remove.
    ///
    /// # Errors
    /// [`Error::Refused`] with the JVM's words, [`Error::NoAnswer`] when the patience ends, [`Error::Ended`],
    /// [`Error::Stopped`], and what keeps it from listening.
    ///
    /// # Panics
    /// If there are more than three arguments.
    pub fn command(&self, name: &str, arguments: &[&str], patience: Duration) -> Result<String, Error> {
        let answer = self.request_answer(name, arguments, patience)?;
        Ok(String::from_utf8_lossy(self.carried_out(name, &answer)?).into_owned())
    }

    /// The text of an answer, if the JVM carried the command out.
    fn carried_out<'a>(&self, name: &str, answer: &'a [u8]) -> Result<&'a [u8], Error> {
        match CommandAnswer::parse(answer) {
            Some(CommandAnswer { status: 0, text }) => Ok(text),
            _ => Err(self.refusal_error(name, answer)),
        }
    }

    fn refusal_error(&self, name: &str, answer: &[u8]) -> Error {
        let text = match CommandAnswer::parse(answer) {
            Some(CommandAnswer { status, text }) if text.trim_ascii().is_empty() => format!("its status is {status}"),
            Some(CommandAnswer { text, .. }) => one_line(text),
            None => one_line(answer),
        };
        Error::Refused { pid: self.pid, command: name.to_owned(), text }
    }

    /// Refuses a library for another processor, if both headers can be read. The JVM's own words would be those of the
    /// C library, or none before Java 9.
    fn check_architecture(&self, path_inside: &str) -> Result<(), Error> {
        let library = self.read_file(path_inside.as_ref(), ELF_HEADER);
        let executable = read_start(format!("/proc/{}/exe", self.pid).as_ref(), ELF_HEADER);
        let (Ok(library), Ok(executable)) = (library, executable) else { return Ok(()) };
        match (elf::machine(&library), elf::machine(&executable)) {
            (Some(built_for), Some(needed)) if built_for != needed => {
                Err(Error::Architecture { pid: self.pid, library: path_inside.to_owned(), built_for, needed })
            }
            _ => Ok(()),
        }
    }

    /// Sends a command and gives the whole answer, which is not empty.
    fn request_answer(&self, name: &str, arguments: &[&str], patience: Duration) -> Result<Vec<u8>, Error> {
        let request = request(self.pid, name, arguments)?;
        let begin = Instant::now();
        let next = || self.next_wait(begin, patience);
        self.act_as_user(|| {
            let name = socket_name(self.inner_pid);
            let path = self.folder.path().join(&name);
            let stream = loop {
                let socket = match self.find_socket(&name)? {
                    Some(socket) => socket,
                    None => {
                        self.make_it_listen(&name, begin, patience)?;
                        // It may be removed at once.
                        let Some(socket) = self.find_socket(&name)? else { continue };
                        socket
                    }
                };
                if socket.owner() != self.uid {
                    return Err(Error::Foreign { pid: self.pid, path });
                }
                match connect(&socket.path(), next)? {
                    Ok(stream) => break stream,
                    // It was removed just now, and another one may be there.
                    Err(_) if self.find_socket(&name)?.is_none() => {}
                    Err(source) => return Err(self.ended_or(Error::NotListening { pid: self.pid, path, source })),
                }
            };
            // Containers may share a `/tmp`, and their JVMs have the same process id in it. From the first namespace
            // every process has an id; from another one a hidden one has none, and this call must not be made.
            if fs::read_link("/proc/self/ns/pid").is_ok_and(|link| link.as_os_str() == FIRST_NAMESPACE)
                && socket_peercred(&stream).is_ok_and(|peer| Some(peer.pid) != self.id())
            {
                return Err(Error::Foreign { pid: self.pid, path });
            }
            let answer = exchange(stream, &request, next)?;
            if answer.is_empty() {
                return Err(self.ended_or(Error::Closed { pid: self.pid, uid: self.uid, gid: self.gid }));
            }
            Ok(answer)
        })?
    }

    fn find_socket(&self, name: &str) -> Result<Option<SocketName>, Error> {
        let cannot = |source| Error::System { pid: self.pid, what: "look at its socket", source };
        self.folder.find_socket(name).map_err(cannot)
    }

    /// Makes the JVM listen at its socket.
    fn make_it_listen(&self, socket: &str, begin: Instant, patience: Duration) -> Result<(), Error> {
        let again_after = (patience / 2).min(AGAIN_AFTER);
        let mut wait = FIRST_WAIT;
        let mut pause = || {
            thread::sleep(wait.min(self.next_wait(begin, patience)?));
            wait = (wait * 3 / 2).min(LONGEST_WAIT);
            Ok(())
        };
        let Some(_trigger) = self.claim_trigger(socket, again_after, &mut pause)? else { return Ok(()) };
        self.send_quit(begin, patience)?;
        let asked = Instant::now();
        // A JVM that starts handles the signal first, and then removes the socket as one of an earlier process. It makes a
        // new one at the next signal. More signals would print the threads of a JVM that is only slow; of two that wait for
        // it, it takes the second while it begins to listen, and prints nothing (`AL_INITIALIZING`).
        let mut again = Some(again_after);
        while self.find_socket(socket)?.is_none() {
            if again.take_if(|after| asked.elapsed() >= *after).is_some() {
                self.send_quit(begin, patience)?;
            }
            pause()?;
        }
        Ok(())
    }

    /// Takes the file that asks the JVM to listen; `None` if it listens by now.
    ///
    /// A JVM that listens already prints its threads at SIGQUIT. So only who holds the file sends the signal, and whoever
    /// else attaches meanwhile waits for the socket.
    fn claim_trigger(
        &self,
        socket: &str,
        left_after: Duration,
        pause: &mut impl FnMut() -> Result<(), Error>,
    ) -> Result<Option<Trigger<'_>>, Error> {
        let mut waiting_since: Option<Instant> = None;
        loop {
            let claim = Trigger::claim(&self.folder, self.pid, self.inner_pid, self.uid)?;
            // Looked for now: whoever had the file before removes it when the JVM listens.
            if self.find_socket(socket)?.is_some() {
                if let Claim::OfAnother(trigger) = claim {
                    trigger.leave();
                }
                return Ok(None);
            }
            match claim {
                Claim::Ours(trigger) => return Ok(Some(trigger)),
                // The tool that made the file sends the signal, unless it was killed before.
                Claim::OfAnother(trigger) => {
                    let since = waiting_since.get_or_insert_with(Instant::now);
                    if since.elapsed() >= left_after {
                        return Ok(Some(trigger));
                    }
                    trigger.leave();
                }
                Claim::Busy => {}
            }
            pause()?;
        }
    }

    /// Sends SIGQUIT to the JVM, right after a look whether it has a handler: without one the signal would end it.
    fn send_quit(&self, begin: Instant, patience: Duration) -> Result<(), Error> {
        let pid = self.pid;
        let handles = process::status(pid).is_some_and(|status| status.handles_quit);
        self.next_wait(begin, patience)?;
        let id = self.id().filter(|_| handles).ok_or(Error::NotReady { pid })?;
        kill_process(id, Signal::QUIT).map_err(|e| match e {
            rustix::io::Errno::SRCH => Error::Ended { pid },
            e => Error::System { pid, what: "send SIGQUIT", source: e.into() },
        })
    }

    fn id(&self) -> Option<Pid> {
        Pid::from_raw(i32::try_from(self.pid).ok()?)
    }

    /// How long the next wait may be. An error says that there is nothing to wait for: the process ended, another one
    /// has its id, it is stopped, or the patience is over.
    fn next_wait(&self, begin: Instant, patience: Duration) -> Result<Duration, Error> {
        let pid = self.pid;
        match process::life(pid).filter(|life| life.start == self.start).map(|life| life.state) {
            None | Some(ProcessState::Ended) => Err(Error::Ended { pid }),
            Some(ProcessState::Stopped) => Err(Error::Stopped { pid }),
            Some(ProcessState::Traced) => Err(Error::Traced { pid }),
            Some(ProcessState::Running) => match patience.saturating_sub(begin.elapsed()) {
                Duration::ZERO => Err(Error::NoAnswer { pid, patience, temporary: self.folder.path().to_owned() }),
                left => Ok(left.min(LONGEST_WAIT)),
            },
        }
    }

    /// That the process ended, if it does soon, or else another error: a process that ends closes its files first.
    fn ended_or(&self, error: Error) -> Error {
        let begin = Instant::now();
        loop {
            match self.next_wait(begin, END_WAIT) {
                Ok(_) => thread::sleep(FIRST_WAIT),
                Err(Error::NoAnswer { .. }) => return error,
                Err(e) => return e,
            }
        }
    }
}
