//! Tells an open page what has changed: server-sent events. A page that is slow misses some, and gets the last.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::channel::{Channel, Sender};
use hyper::body::Bytes;
use tokio::task::spawn_local;
use tokio::time::{Instant, sleep, timeout};

use super::answer::{self, Sent};
use super::holds::Console;
use crate::listening::TimedResponse;

/// A stream ends after this time, and the browser opens the next one: none stays for ever.
const LASTS: Duration = Duration::from_secs(300);
/// A page that takes nothing for so long is given up.
const STALLED: Duration = Duration::from_secs(30);
/// Between two events: no page draws faster.
const PAUSE: Duration = Duration::from_millis(250);
/// So often there is something, whatever happens: a page that is gone is found.
const ALIVE: Duration = Duration::from_secs(15);
/// Events that wait for a page.
const WAITING: usize = 2;

/// The list of what is shown, now and after each change.
pub(super) fn open_stream(console: Arc<Console>) -> TimedResponse<Sent> {
    let (to, channel) = Channel::new(WAITING);
    spawn_local(send_events(console, to));
    answer::events(channel, LASTS + STALLED)
}

async fn send_events(console: Arc<Console>, mut to: Sender<Bytes>) {
    let end = Instant::now() + LASTS;
    let mut changes = console.sources.changes();
    while Instant::now() < end {
        changes.mark_unchanged();
        let event = Bytes::from(format!("data: {}\n\n", console.sources.in_json()));
        match timeout(STALLED, to.send_data(event)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => return,
        }
        sleep(PAUSE).await;
        let _ = timeout(ALIVE, changes.changed()).await;
    }
}
