//! Visitors of a web server: so many requests a second over connections that stay open.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const VISITORS: u32 = 8;
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection that stays open.
struct Connection(BufReader<TcpStream>);

impl Connection {
    fn open(port: u16) -> io::Result<Connection> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Connection(BufReader::new(stream)))
    }

    /// The status and the text of a page, and whether the connection stays open.
    fn get(&mut self, page: &str) -> io::Result<(u16, String, bool)> {
        write!(self.0.get_mut(), "GET {page} HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
        let cut = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let mut line = String::new();
        self.0.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(cut)?;
        let (mut length, mut chunked, mut stays) = (0, false, true);
        loop {
            line.clear();
            self.0.read_line(&mut line)?;
            let header = line.trim_end().to_ascii_lowercase();
            match header.split_once(": ") {
                Some(("content-length", value)) => length = value.parse().map_err(|_| cut())?,
                Some(("transfer-encoding", "chunked")) => chunked = true,
                Some(("connection", "close")) => stays = false,
                _ if header.is_empty() => break,
                _ => {}
            }
        }
        let mut text = Vec::new();
        if !chunked {
            self.0.by_ref().take(length).read_to_end(&mut text)?;
        }
        while chunked {
            line.clear();
            self.0.read_line(&mut line)?;
            let size = u64::from_str_radix(line.trim_end(), 16).map_err(|_| cut())?;
            self.0.by_ref().take(size).read_to_end(&mut text)?;
            line.clear();
            self.0.read_line(&mut line)?;
            chunked = size > 0;
        }
        Ok((status, String::from_utf8_lossy(&text).into_owned(), stays))
    }
}

/// The status of one page, on a connection of its own; `None` if the server breaks it.
pub fn status(port: u16, page: &str) -> Option<u16> {
    Connection::open(port).ok()?.get(page).ok().map(|(status, ..)| status)
}

/// What the visitors of a page have met.
#[derive(Debug, Default)]
pub struct Met {
    /// Right pages.
    pub pages: u32,
    /// What else came, or why nothing did.
    pub failures: Vec<String>,
    /// The longest time that a page took.
    pub slowest: Duration,
}

/// Visitors that come until they are told to leave.
pub struct Visitors {
    over: Arc<AtomicBool>,
    visitors: Vec<JoinHandle<Met>>,
}

impl Visitors {
    /// So many requests of a page a second, together. A page is right if it ends with a text.
    pub fn come(port: u16, page: &'static str, ends_with: &'static str, per_second: u32) -> Visitors {
        let over = Arc::new(AtomicBool::new(false));
        let pause = Duration::from_secs(1) * VISITORS / per_second;
        let visitor = |number: u32| {
            let over = Arc::clone(&over);
            thread::spawn(move || {
                thread::sleep(pause * number / VISITORS);
                let (mut met, mut connection) = (Met::default(), None);
                let mut next = Instant::now();
                while !over.load(Ordering::Relaxed) {
                    next += pause;
                    thread::sleep(next.saturating_duration_since(Instant::now()));
                    let begin = Instant::now();
                    let answer = match connection.take() {
                        Some(open) => Ok(open),
                        None => Connection::open(port),
                    }
                    .and_then(|mut open| open.get(page).map(|answer| (open, answer)));
                    met.slowest = met.slowest.max(begin.elapsed());
                    match answer {
                        Ok((open, (200, text, stays))) if text.ends_with(ends_with) => {
                            met.pages += 1;
                            connection = Some(open).filter(|_| stays);
                        }
                        Ok((_, (status, ..))) => met.failures.push(format!("status {status}")),
                        Err(error) => met.failures.push(error.to_string()),
                    }
                }
                met
            })
        };
        Visitors { visitors: (0..VISITORS).map(visitor).collect(), over }
    }

    /// What all of them have met.
    pub fn leave(self) -> Met {
        self.over.store(true, Ordering::Relaxed);
        self.visitors.into_iter().fold(Met::default(), |mut all, visitor| {
            let met = visitor.join().expect("a visitor");
            all.pages += met.pages;
            all.failures.extend(met.failures);
            all.slowest = all.slowest.max(met.slowest);
            all
        })
    }
}
