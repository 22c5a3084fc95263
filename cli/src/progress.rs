//! A progress bar for work of more than a second, on a terminal only.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use weighbridge_reporter::printable;
use weighbridge_rewriter::instrument::Progress;

/// Work that ends sooner shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar of bytes on standard error. It clears itself when it is dropped.
pub(crate) struct Bar {
    bar: ProgressBar,
    started: Instant,
    shown: AtomicBool,
}

impl Bar {
    /// A bar that is not shown yet.
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let template = "{bar:30} {bytes}/{total_bytes} {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Bar { bar, started: Instant::now(), shown: AtomicBool::new(false) }
    }

    fn show_when_due(&self) {
        if self.started.elapsed() > PATIENCE && !self.shown.swap(true, Ordering::Relaxed) {
            // Draws nothing unless standard error is a terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Progress for Bar {
    fn start(&self, total_bytes: u64) {
        self.bar.set_length(total_bytes);
    }

    fn advance(&self, bytes: u64) {
        self.show_when_due();
        self.bar.inc(bytes);
    }

    fn start_file(&self, location: &str) {
        self.show_when_due();
        self.bar.set_message(printable(location));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
