//! The events that are done, for work of more than a second, on a terminal only.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget};
use weighbridge_reporter::units::count_with_noun;

/// Work that ends sooner shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// A line on standard error that counts events. It clears itself when it is dropped.
pub(super) struct Counter {
    line: ProgressBar,
    started: Instant,
}

impl Counter {
    /// A line that is not shown yet.
    pub(super) fn new() -> Self {
        let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Counter { line, started: Instant::now() }
    }

    /// So many events are done.
    pub(super) fn show_count(&self, events: u64) {
        if self.started.elapsed() > PATIENCE {
            if self.line.is_hidden() {
                // Draws nothing unless standard error is a terminal.
                self.line.set_draw_target(ProgressDrawTarget::stderr());
                self.line.set_style(indicatif::ProgressStyle::default_spinner());
            }
            self.line.set_message(count_with_noun(events, "event", "events"));
            self.line.tick();
        }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}
