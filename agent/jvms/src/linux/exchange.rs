//! One command and its answer over the socket. Each needs a connection of its own.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect as connect_to, socket_with};

use crate::Error;

/// The longest name of a command, in bytes (`AttachOperation::name_length_max`).
const NAME_LIMIT: usize = 16;
/// The longest argument, in bytes (`AttachOperation::arg_length_max`). Newer versions take more.
const ARGUMENT_LIMIT: usize = 1024;
/// How many arguments there are, always (`AttachOperation::arg_count_max`).
const ARGUMENTS: usize = 3;
/// The longest answer that is read, in bytes. Properties take some KiB.
const ANSWER_LIMIT: usize = 16 << 20;

/// The bytes of a command: protocol version 1, the name, three arguments, each with a zero byte.
///
/// Since 24 there is a version 2; version 1 works in all.
pub(super) fn request(pid: u32, name: &str, arguments: &[&str]) -> Result<Vec<u8>, Error> {
    let mut request = b"1\0".to_vec();
    let mut add = |text: &str, what: &dyn Fn() -> String, limit| {
        if text.len() > limit || text.contains('\0') {
            return Err(Error::Argument { pid, what: what(), limit });
        }
        request.extend(text.bytes().chain([0]));
        Ok(())
    };
    add(name, &|| format!("the command `{}`", super::text::one_line(name.as_bytes())), NAME_LIMIT)?;
    assert!(arguments.len() <= ARGUMENTS, "the protocol has three arguments");
    for index in 0..ARGUMENTS {
        let argument = arguments.get(index).copied().unwrap_or_default();
        let what = || format!("argument {} of `{name}`, of {} bytes,", index + 1, argument.len());
        add(argument, &what, ARGUMENT_LIMIT)?;
    }
    Ok(request)
}

/// Connects to a socket. `next` says how long the next wait may be, or why there is none.
pub(super) fn connect(
    path: &Path,
    next: impl Fn() -> Result<Duration, Error>,
) -> Result<io::Result<UnixStream>, Error> {
    loop {
        let wait = next()?;
        let connected = || {
            let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
            set_socket_timeout(&socket, Timeout::Send, Some(wait))?;
            connect_to(&socket, &SocketAddrUnix::new(path)?)?;
            Ok(UnixStream::from(socket))
        };
        match connected() {
            // The JVM serves one connection after the other, and its queue is full.
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
            other => return Ok(other.map_err(io::Error::from)),
        }
    }
}

/// Sends a command and reads the answer to its end. An empty one says that the JVM closed the connection, or ended.
pub(super) fn exchange(
    mut stream: UnixStream,
    request: &[u8],
    next: impl Fn() -> Result<Duration, Error>,
) -> Result<Vec<u8>, Error> {
    let mut answer = Vec::new();
    let mut buffer = [0; 8192];
    // A JVM that does not like who asks closes the connection before it reads. A request fits into any socket's buffer.
    if stream.write_all(request).is_err() {
        return Ok(answer);
    }
    while answer.len() < ANSWER_LIMIT {
        let wait = next()?;
        match stream.set_read_timeout(Some(wait)).and_then(|()| stream.read(&mut buffer)) {
            Ok(0) => break,
            Ok(count) => answer.extend(&buffer[..count]),
            Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            // Reset: the other side closed without reading.
            Err(_) => break,
        }
    }
    Ok(answer)
}

/// An answer: a line with the status, then text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommandAnswer<'a> {
    /// 0 if the JVM carried the command out.
    pub(super) status: i32,
    /// What the command printed.
    pub(super) text: &'a [u8],
}

impl<'a> CommandAnswer<'a> {
    /// Parts an answer; `None` if it does not begin with a status.
    pub(super) fn parse(bytes: &'a [u8]) -> Option<Self> {
        let end = bytes.iter().position(|&byte| byte == b'\n')?;
        let status = str::from_utf8(&bytes[..end]).ok()?.trim().parse().ok()?;
        Some(CommandAnswer { status, text: &bytes[end + 1..] })
    }

    /// What `Agent_OnAttach` returned, in an answer to `load`; `None` if it was not called.
    ///
    /// The text is `0` up to Java 8, `return code: 0` since 9 (JDK-8165736).
    pub(super) fn agent_code(&self) -> Option<i32> {
        let text = str::from_utf8(self.text).ok()?.trim();
        (self.status == 0).then_some(text.strip_prefix("return code:").unwrap_or(text).trim().parse().ok()?)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::{Read, Write};
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::thread;
    use std::time::Duration;

    use super::{ANSWER_LIMIT, CommandAnswer, connect, exchange, request};
    use crate::Error;

    fn patient() -> Result<Duration, Error> {
        Ok(Duration::from_secs(60))
    }

    fn over(waits: u32) -> impl Fn() -> Result<Duration, Error> {
        let left = Cell::new(waits);
        move || {
            let now = left.get().checked_sub(1).ok_or(Error::Ended { pid: 7 })?;
            left.set(now);
            Ok(Duration::from_millis(1))
        }
    }

    #[test]
    fn a_request_has_three_arguments() {
        assert_eq!(request(7, "load", &["/a.so", "true"]).unwrap(), b"1\0load\0/a.so\0true\0\0");
        assert_eq!(request(7, "properties", &[]).unwrap(), b"1\0properties\0\0\0\0");
    }

    #[test]
    fn what_the_protocol_cannot_carry_is_named() {
        let error = |name: &str, argument: &str| request(7, name, &["", argument]).unwrap_err().to_string();
        let limits = |what, limit| {
            format!(
                "{what} cannot be sent to process 7: HotSpot takes at most {limit} bytes, without a zero byte; \
                 use a shorter one"
            )
        };
        assert_eq!(error("load", &"x".repeat(1025)), limits("argument 2 of `load`, of 1025 bytes,", 1024));
        assert_eq!(error("load", "a\0b"), limits("argument 2 of `load`, of 3 bytes,", 1024));
        assert_eq!(error("a_very_long_command", ""), limits("the command `a_very_long_command`", 16));
        assert!(request(7, "load", &[&"x".repeat(1024)]).is_ok());
    }

    #[test]
    fn an_answer_in_pieces_is_joined() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let jvm = thread::spawn(move || {
            let mut got = [0; 6];
            theirs.read_exact(&mut got).unwrap();
            theirs.write_all(b"0\n").unwrap();
            theirs.write_all(&vec![b'x'; 100_000]).unwrap();
            got
        });
        let answer = exchange(ours, b"1\0jcmd", patient).unwrap();
        assert_eq!(&jvm.join().unwrap(), b"1\0jcmd");
        assert_eq!(CommandAnswer::parse(&answer).unwrap().text.len(), 100_000);
    }

    #[test]
    fn an_answer_without_end_is_cut() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let jvm = thread::spawn(move || while theirs.write_all(&[b'x'; 65536]).is_ok() {});
        assert!(exchange(ours, b"1\0", patient).unwrap().len() < ANSWER_LIMIT + 8192);
        jvm.join().unwrap();
    }

    #[test]
    fn a_closed_connection_is_an_empty_answer() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        drop(theirs);
        assert!(exchange(ours, b"1\0", patient).unwrap().is_empty());
    }

    #[test]
    fn a_silent_jvm_is_left_when_the_patience_ends() {
        let (ours, _theirs) = UnixStream::pair().unwrap();
        assert!(matches!(exchange(ours, b"1\0", over(3)), Err(Error::Ended { pid: 7 })));
    }

    #[test]
    fn a_full_queue_is_left_when_the_patience_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _listener = UnixListener::bind(&path).unwrap();
        // The queue's length is the system's, so connections are made until one has to wait.
        let mut waiting = Vec::new();
        let full = loop {
            match connect(&path, over(2)) {
                Ok(stream) if waiting.len() < 100_000 => waiting.push(stream.unwrap()),
                other => break other,
            }
        };
        assert!(matches!(full, Err(Error::Ended { pid: 7 })), "{}", waiting.len());
    }

    #[test]
    fn the_code_of_an_agent_has_two_forms() {
        let code = |bytes: &[u8]| CommandAnswer::parse(bytes).and_then(|answer| answer.agent_code());
        assert_eq!(code(b"0\n0\n"), Some(0));
        assert_eq!(code(b"0\nreturn code: 0\n"), Some(0));
        assert_eq!(code(b"0\nreturn code: -1\n"), Some(-1));
        assert_eq!(code(b"0\n102"), Some(102));
        assert_eq!(code(b"0\na.so was not loaded.\n"), None);
        assert_eq!(code(b"-1\n0\n"), None);
        assert_eq!(CommandAnswer::parse(b"bad"), None);
        assert_eq!(CommandAnswer::parse(b"bad\n"), None);
    }
}
