//! One client on the server's thread: a task that reads its requests and a task that writes what it gets.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, BufWriter, ReadHalf, WriteHalf,
    split,
};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use crate::protocol::{Body, Reply, Request, VERSION, hello};
use crate::state::{OutgoingItem, Shared, Wake, WriterStep};
use crate::strangers::Strangers;
use crate::token;

/// What a TCP client must know, and how often one did not.
pub(crate) struct Secret {
    token: String,
    failures: AtomicU32,
    strangers: Strangers,
}

/// The pause after the first wrong token. It doubles with each further one up to 64 times.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const DOUBLED_AT_MOST: u32 = 6;

impl Secret {
    pub(crate) fn new(token: String) -> Self {
        Secret { token, failures: AtomicU32::new(0), strangers: Strangers::default() }
    }
}

/// Ends what belongs to a client when its task ends, also if that is aborted.
struct Leave {
    number: u64,
    shared: Arc<Shared>,
    reader: Option<AbortHandle>,
}

impl Drop for Leave {
    fn drop(&mut self) {
        if let Some(reader) = &self.reader {
            reader.abort();
        }
        self.shared.leave(self.number);
    }
}

/// Serves a client who need not show a token, or closes it with an error if there are too many.
pub(crate) async fn admit<S>(shared: &Arc<Shared>, stream: S)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (from, mut to) = split(stream);
    if let Err(why) = check_room(shared, 0) {
        return refuse(&mut to, &why).await;
    }
    begin_to_serve(shared, BufReader::new(from), to);
}

/// Waits for the token in a task of its own, and then serves the client; `kept` of all clients are for others.
///
/// A client counts only after the token: whoever does not know it keeps nobody out.
pub(crate) async fn receive<S>(shared: &Arc<Shared>, stream: S, secret: &Arc<Secret>, kept: usize)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    secret.strangers.make_room().await;
    let (shared, known) = (shared.clone(), secret.clone());
    let task = tokio::spawn(async move {
        let (from, mut to) = split(stream);
        let mut from = BufReader::new(from);
        let checked = check(&known, &shared, &mut from).await;
        match checked.and_then(|id| check_room(&shared, kept).map(|()| id)) {
            Ok(id) => {
                // From the check of the room to here nothing waits, so no two clients are the last one that is let in.
                let number = begin_to_serve(&shared, from, to);
                shared.greet(number, Reply { id, body: Body::Ok(serde_json::json!({"v": VERSION})) });
            }
            Err(why) => refuse(&mut to, &why).await,
        }
    });
    secret.strangers.enter(task);
}

/// Whether there is room for one more client; `kept` of them are for others.
fn check_room(shared: &Shared, kept: usize) -> Result<(), String> {
    let most = shared.limits.clients.saturating_sub(kept);
    match shared.clients() < most {
        true => Ok(()),
        false => Err(format!("{most} clients are connected, no more are served")),
    }
}

/// Counts a client and gives it a task of its own.
fn begin_to_serve<S>(shared: &Arc<Shared>, from: BufReader<ReadHalf<S>>, to: WriteHalf<S>) -> u64
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let number = shared.number();
    let wake = Wake::default();
    let task = tokio::spawn(serve(shared.clone(), number, from, to, wake.clone()));
    shared.enter(number, wake, task.abort_handle());
    number
}

/// Writes an error to a client that is not served.
pub(crate) async fn refuse(stream: &mut (impl AsyncWrite + Unpin), why: &str) {
    let line = Reply { id: None, body: Body::Error(why.to_owned()) }.to_line() + "\n";
    // A new connection has room for a line. If it does not, the client is closed without.
    let _ = timeout(Duration::from_secs(1), stream.write_all(line.as_bytes())).await;
}

async fn serve<S>(shared: Arc<Shared>, number: u64, from: BufReader<ReadHalf<S>>, to: WriteHalf<S>, wake: Wake)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut leave = Leave { number, shared: shared.clone(), reader: None };
    let reading = tokio::spawn(read(shared.clone(), number, from, wake.clone()));
    leave.reader = Some(reading.abort_handle());
    write(&shared, number, to, &wake).await;
}

/// Waits for the token; gives the id of the line that showed it. The error is what the client is told.
async fn check(
    secret: &Secret,
    shared: &Shared,
    from: &mut (impl AsyncBufReadExt + Unpin),
) -> Result<Option<u64>, String> {
    let Ok(line) = timeout(shared.limits.hello, read_line(from, shared.limits.line)).await else {
        return Err(format!("no token within {:?}", shared.limits.hello));
    };
    let sent = match line {
        ClientLine::Whole(line) => hello(&line),
        ClientLine::TooLong | ClientLine::End => Err(Reply::error(None, "no token")),
    };
    let (id, token) = sent.map_err(|reply| match reply.body {
        Body::Error(text) => text,
        _ => String::new(),
    })?;
    if !token::equal(&token, &secret.token) {
        let failures = secret.failures.fetch_add(1, Ordering::Relaxed);
        sleep(FIRST_PAUSE * (1 << failures.min(DOUBLED_AT_MOST))).await;
        return Err("the token is wrong".to_owned());
    }
    secret.failures.store(0, Ordering::Relaxed);
    Ok(id)
}

async fn read(shared: Arc<Shared>, number: u64, mut from: impl AsyncBufReadExt + Unpin, wake: Wake) {
    loop {
        match shared.may_read(number) {
            None => return,
            Some(true) => {}
            Some(false) => {
                wake.reader.notified().await;
                continue;
            }
        }
        match read_line(&mut from, shared.limits.line).await {
            ClientLine::Whole(line) => shared.take(number, line.len(), Request::parse(&line)),
            ClientLine::TooLong => {
                let text = format!("a line is longer than {} bytes; the connection is closed", shared.limits.line);
                shared.take(number, 0, Err(Reply::error(None, &text)));
                return shared.end_reading(number);
            }
            ClientLine::End => return shared.end_reading(number),
        }
    }
}

enum ClientLine {
    Whole(Vec<u8>),
    TooLong,
    /// The client sends nothing more, or is gone.
    End,
}

/// Reads a line without its end. What comes before the end of the stream is a line, too.
async fn read_line(from: &mut (impl AsyncBufReadExt + Unpin), most: usize) -> ClientLine {
    let mut line = Vec::new();
    match from.take(most as u64 + 1).read_until(b'\n', &mut line).await {
        Err(_) => ClientLine::End,
        Ok(_) if line.last() == Some(&b'\n') => {
            line.pop();
            ClientLine::Whole(line)
        }
        Ok(_) if line.is_empty() => ClientLine::End,
        Ok(_) if line.len() > most => ClientLine::TooLong,
        Ok(_) => ClientLine::Whole(line),
    }
}

async fn write(shared: &Shared, number: u64, to: impl AsyncWrite + Unpin, wake: &Wake) {
    // Joins the parts of a short line to one write, and passes a long one by: subscribers share its text.
    let mut to = BufWriter::new(to);
    loop {
        let item = match shared.step(number) {
            WriterStep::Write(item) => item,
            WriterStep::Wait => {
                wake.writer.notified().await;
                continue;
            }
            WriterStep::End => return,
        };
        let written = timeout(shared.limits.stall, write_item(&mut to, &item)).await;
        if !matches!(written, Ok(Ok(()))) {
            return;
        }
        shared.mark_written(number, &item);
    }
}

async fn write_item(to: &mut (impl AsyncWrite + Unpin), item: &OutgoingItem) -> std::io::Result<()> {
    match item {
        OutgoingItem::Reply(text) | OutgoingItem::End(text) => {
            to.write_all(text.as_bytes()).await?;
        }
        OutgoingItem::Line(id, text) => {
            to.write_all(format!("{{\"v\":{VERSION},\"id\":{id},\"line\":").as_bytes()).await?;
            to.write_all(text.as_bytes()).await?;
            to.write_all(b"}").await?;
        }
    }
    to.write_all(b"\n").await?;
    to.flush().await
}
