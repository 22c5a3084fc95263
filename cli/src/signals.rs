//! Signals that end the process, caught so that it can tidy up first.

#[cfg(unix)]
use anyhow::Context;

use crate::exit::Failure;

/// Catches signals that would end the process without tidying up.
pub(crate) struct Signals {
    #[cfg(unix)]
    came: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

impl Signals {
    #[cfg(unix)]
    pub(crate) fn catch() -> Result<Self, Failure> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let came = std::sync::Arc::default();
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            signal_hook::flag::register(signal, std::sync::Arc::clone(&came)).context("signals")?;
        }
        Ok(Signals { came })
    }

    #[cfg(not(unix))]
    pub(crate) fn catch() -> Result<Self, Failure> {
        Ok(Signals {})
    }

    #[cfg(unix)]
    pub(crate) fn came(&self) -> bool {
        self.came.load(std::sync::atomic::Ordering::Relaxed)
    }

    #[cfg(not(unix))]
    pub(crate) fn came(&self) -> bool {
        false
    }
}
