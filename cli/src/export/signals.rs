//! The signals that end a long-running export.

use crate::exit::Failure;

/// Calls `act` on SIGINT or SIGTERM, instead of ending the process.
#[cfg(unix)]
pub(super) fn on_end(act: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    use anyhow::Context;
    use signal_hook::consts::{SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]).context("signals")?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            act();
        }
    });
    Ok(())
}

/// Does nothing: the signal ends the process, and no file is half written.
#[cfg(not(unix))]
pub(super) fn on_end(_: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    Ok(())
}
