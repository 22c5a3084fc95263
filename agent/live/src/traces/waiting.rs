//! Waits for the end of traces.

use std::thread;
use std::time::{Duration, Instant};

use weighbridge_ending::Failure;
use weighbridge_ending::signals::Signals;

use crate::recordings::lives;

/// Between two looks whether it is time to end.
const LOOK: Duration = Duration::from_millis(50);

/// Waits until it is time, or somebody asks for the end, or `goes_on` says so.
pub fn wait(
    pid: u32,
    duration: Duration,
    signals: &Signals,
    mut goes_on: impl FnMut() -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let end = Instant::now() + duration;
    while Instant::now() < end && !signals.came() {
        if lives(pid) == Some(false) {
            return Err(Failure::input(format!("process {pid} has ended before its trace")));
        }
        if !goes_on()? {
            break;
        }
        thread::sleep(LOOK.min(end.saturating_duration_since(Instant::now())));
    }
    // Whoever asks a second time does not wait.
    signals.let_go()
}
