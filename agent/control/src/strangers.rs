//! Connections that have not shown the token: bounded apart from the clients.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use tokio::time::sleep;

/// So many are waited for at once. Each has a file descriptor of the program.
const MOST: usize = 64;

/// So long each of them has in any case, however many come. Who knows the token sends it with the first packet.
const AT_LEAST: Duration = Duration::from_millis(100);

/// The tasks that wait for a token, the oldest first.
#[derive(Default)]
pub(crate) struct Strangers(Mutex<VecDeque<(Instant, JoinHandle<()>)>>);

impl Strangers {
    /// Makes room for one more. If there is none, the oldest is closed: were the newest refused, those who say nothing would
    /// keep out who knows the token.
    pub(crate) async fn make_room(&self) {
        loop {
            let wait = {
                let mut waiting = self.lock();
                waiting.retain(|(_, task)| !task.is_finished());
                let Some((came, oldest)) = waiting.front().filter(|_| waiting.len() >= MOST) else { return };
                let wait = AT_LEAST.saturating_sub(came.elapsed());
                if wait.is_zero() {
                    oldest.abort();
                    waiting.pop_front();
                    return;
                }
                wait
            };
            sleep(wait).await;
        }
    }

    /// Adds one that came just now.
    pub(crate) fn enter(&self, task: JoinHandle<()>) {
        self.lock().push_back((Instant::now(), task));
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(Instant, JoinHandle<()>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
