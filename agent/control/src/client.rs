//! The side of the control channel that asks.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
#[cfg(unix)]
use weighbridge_outside::Folder;

use crate::error::{Error, Result};
use crate::protocol::{Body, Command, Reply, Request, hello_line};

/// The longest line that is read, in bytes: a recording has lines of 16 MiB at most, the coverage of a large program more.
const LONGEST_LINE: usize = 64 << 20;

/// A connection to an agent. One request at a time; blocking, with a limit of time.
#[derive(Debug)]
pub struct Client {
    stream: Stream,
    /// What was read and belongs to later lines.
    read: Vec<u8>,
    last_id: u64,
}

#[derive(Debug)]
enum Stream {
    #[cfg(unix)]
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Client {
    /// Connects to the socket of an agent of this user, or as root. See [`list_agent_sockets`](crate::list_agent_sockets) for those of JVMs.
    ///
    /// # Errors
    /// As of [`AgentSocket::connect`](crate::AgentSocket::connect).
    #[cfg(unix)]
    pub fn connect(path: &Path) -> Result<Client> {
        use std::os::unix::fs::MetadataExt;
        let (Some(parent), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
            return Err(Error::NoAgent(path.to_owned()));
        };
        let user = std::fs::symlink_metadata(path).map(|about| about.uid());
        match (Folder::open(parent), user) {
            (Ok(folder), Ok(user)) => Client::connect_in(&folder, name, user),
            (Err(error), _) | (_, Err(error)) if error.kind() == ErrorKind::NotFound => {
                Err(Error::NoAgent(path.to_owned()))
            }
            (Err(error), _) | (_, Err(error)) => Err(Error::io_at_path(path)(error)),
        }
    }

    /// Connects to a socket of the user in a folder.
    #[cfg(unix)]
    pub(crate) fn connect_in(folder: &Folder, name: &str, user: u32) -> Result<Client> {
        let path = folder.path().join(name);
        let Some(socket) = folder.find_socket(name).map_err(Error::io_at_path(&path))? else {
            return Err(Error::NoAgent(path));
        };
        if socket.owner() != user {
            let why = format!("it belongs to the user {}, not to {user}", socket.owner());
            return Err(Error::Unsafe { path, why });
        }
        match crate::sockets::connect(&socket) {
            Ok(stream) => Ok(Client::from_stream(Stream::Unix(stream))),
            Err(error) => Err(match error.kind() {
                ErrorKind::NotFound | ErrorKind::ConnectionRefused => Error::NoAgent(path),
                ErrorKind::WouldBlock => Error::Late,
                _ => Error::io_at_path(&path)(error),
            }),
        }
    }

    /// There are no agents' sockets on this system.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(unix))]
    pub fn connect(_: &Path) -> Result<Client> {
        Err(Error::Unsupported)
    }

    /// Connects to an agent that listens at an address, and shows it the token.
    ///
    /// # Errors
    /// As of [`ask`](Client::ask), and the system's reason if it cannot connect.
    pub fn connect_tcp(address: SocketAddr, token: &str, wait: Duration) -> Result<Client> {
        let stream = TcpStream::connect_timeout(&address, wait).map_err(Error::io("no connection"))?;
        let mut client = Client::from_stream(Stream::Tcp(stream));
        let until = Instant::now().checked_add(wait);
        client.send(&hello_line(token), until)?;
        match client.reply(until)?.body {
            Body::Ok(_) => Ok(client),
            Body::Error(text) => Err(Error::Refused(text)),
            Body::Line(_) | Body::End(_) => Err(Error::Protocol("lines before the token was shown".to_owned())),
        }
    }

    fn from_stream(stream: Stream) -> Client {
        Client { stream, read: Vec::new(), last_id: 0 }
    }

    /// Asks, and waits for the reply at most so long. A reply that comes later is ignored.
    ///
    /// # Errors
    /// [`Error::Refused`] with the agent's sentence, [`Error::Late`], [`Error::Closed`], [`Error::Protocol`].
    pub fn request_reply(&mut self, command: &Command, wait: Duration) -> Result<Value> {
        let until = Instant::now().checked_add(wait);
        self.last_id += 1;
        let sent = self.send(&Request { id: self.last_id, command: command.clone() }.to_line(), until);
        // Whoever closed the connection may have said why.
        if !matches!(sent, Ok(()) | Err(Error::Closed)) {
            sent?;
        }
        loop {
            let reply = self.reply(until)?;
            match reply.body {
                Body::Ok(value) if reply.id == Some(self.last_id) => return Ok(value),
                Body::Error(text) if reply.id.is_none() || reply.id == Some(self.last_id) => {
                    return Err(Error::Refused(text));
                }
                _ => {}
            }
        }
    }

    /// Asks for the lines of the recording. `wait` is for the agent's consent, not for the lines.
    ///
    /// # Errors
    /// As of [`ask`](Client::ask).
    pub fn subscribe(self, wait: Duration) -> Result<Lines> {
        self.lines(false, wait)
    }

    /// The same for the client that attached: the session ends with it, if it was begun so.
    ///
    /// # Errors
    /// As of [`ask`](Client::ask).
    pub fn subscribe_attached(self, wait: Duration) -> Result<Lines> {
        self.lines(true, wait)
    }

    fn lines(mut self, attached: bool, wait: Duration) -> Result<Lines> {
        self.request_reply(&Command::Subscribe { attached }, wait)?;
        Ok(Lines { client: self, end: None })
    }

    fn send(&mut self, line: &str, until: Option<Instant>) -> Result<()> {
        let stream = &mut self.stream;
        stream.limit(until)?;
        stream.write_all(format!("{line}\n").as_bytes()).map_err(|error| failed("asking the agent", error))
    }

    /// The next line of the agent. Without a limit of time it waits as long as the agent is there.
    fn reply(&mut self, until: Option<Instant>) -> Result<Reply> {
        let mut searched = 0;
        let end = loop {
            if let Some(end) = self.read[searched..].iter().position(|byte| *byte == b'\n') {
                break searched + end;
            }
            searched = self.read.len();
            if searched > LONGEST_LINE {
                return Err(Error::Protocol(format!("a line is longer than {LONGEST_LINE} bytes")));
            }
            self.stream.limit(until)?;
            let mut chunk = [0; 16 << 10];
            match self.stream.read(&mut chunk) {
                Ok(0) => return Err(Error::Closed),
                Ok(count) => self.read.extend_from_slice(&chunk[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(failed("the agent's answer", error)),
            }
        };
        let line: Vec<u8> = self.read.drain(..=end).collect();
        let text = std::str::from_utf8(&line).map_err(|error| Error::Protocol(error.to_string()))?;
        Reply::parse(text).map_err(Error::Protocol)
    }
}

/// The lines of a recording, as they are written; each a JSON object. Waits for the next line as long as the agent is
/// there.
///
/// Ends when the agent ends the subscription ([`end`](Lines::end) says why). An agent that drops a slow reader, or whose
/// process ends, is an error, the last item.
#[derive(Debug)]
pub struct Lines {
    client: Client,
    end: Option<String>,
}

impl Lines {
    /// Why the subscription ended, once it has: the agent's sentence, or empty after an error.
    pub fn end(&self) -> Option<&str> {
        self.end.as_deref()
    }
}

impl Iterator for Lines {
    type Item = Result<String>;

    fn next(&mut self) -> Option<Result<String>> {
        while self.end.is_none() {
            match self.client.reply(None) {
                Ok(Reply { body: Body::Line(line), .. }) => return Some(Ok(line)),
                Ok(Reply { body: Body::End(why), .. }) => self.end = Some(why),
                Ok(Reply { body: Body::Ok(_), .. }) => {}
                Ok(Reply { body: Body::Error(text), .. }) => {
                    self.end = Some(String::new());
                    return Some(Err(Error::Refused(text)));
                }
                Err(error) => {
                    self.end = Some(String::new());
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

fn failed(what: &str, error: std::io::Error) -> Error {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => Error::Late,
        ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted => Error::Closed,
        _ => Error::io(what)(error),
    }
}

impl Stream {
    /// Limits the next call to what is left until then.
    fn limit(&self, until: Option<Instant>) -> Result<()> {
        let rest = until.map(|until| until.saturating_duration_since(Instant::now()));
        if rest == Some(Duration::ZERO) {
            return Err(Error::Late);
        }
        match self {
            #[cfg(unix)]
            Stream::Unix(stream) => stream.set_read_timeout(rest).and_then(|()| stream.set_write_timeout(rest)),
            Stream::Tcp(stream) => stream.set_read_timeout(rest).and_then(|()| stream.set_write_timeout(rest)),
        }
        .map_err(Error::io("the connection to the agent"))
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        match self {
            #[cfg(unix)]
            Stream::Unix(stream) => stream.read(into),
            Stream::Tcp(stream) => stream.read(into),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            #[cfg(unix)]
            Stream::Unix(stream) => stream.write(bytes),
            Stream::Tcp(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
