//! Signals that end the process, caught so that it can tidy up first.

#[cfg(unix)]
use anyhow::Context;

use crate::exit::Failure;

#[cfg(unix)]
const ENDING: [std::ffi::c_int; 3] =
    [signal_hook::consts::SIGHUP, signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM];

/// Catches signals that would end the process without tidying up.
pub(crate) struct Signals {
    #[cfg(unix)]
    came: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

impl Signals {
    #[cfg(unix)]
    pub(crate) fn catch() -> Result<Self, Failure> {
        let came = std::sync::Arc::default();
        for signal in ENDING {
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

    /// The next signal ends the process at once, if tidying up takes too long.
    #[cfg(unix)]
    pub(crate) fn let_go(&self) -> Result<(), Failure> {
        for signal in ENDING {
            signal_hook::flag::register_conditional_default(signal, std::sync::Arc::clone(&self.came))
                .context("signals")?;
        }
        Ok(())
    }

    #[cfg(not(unix))]
    pub(crate) fn let_go(&self) -> Result<(), Failure> {
        Ok(())
    }
}
