//! Signals that end the process, caught so that it can tidy up first.

#[cfg(unix)]
use anyhow::Context;

use crate::Failure;

#[cfg(unix)]
const ENDING: [std::ffi::c_int; 3] =
    [signal_hook::consts::SIGHUP, signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM];

/// Calls `act` on SIGINT or SIGTERM, instead of ending the process: for verbs that run until then.
#[cfg(unix)]
pub fn on_end(act: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM])
        .context("signals")?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            act();
        }
    });
    Ok(())
}

/// Does nothing: the signal ends the process, and no file is half written.
#[cfg(not(unix))]
pub fn on_end(_: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    Ok(())
}

/// Catches signals that would end the process without tidying up.
pub struct Signals {
    #[cfg(unix)]
    came: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

impl Signals {
    /// Begins to catch them.
    #[cfg(unix)]
    pub fn catch() -> Result<Self, Failure> {
        let came = std::sync::Arc::default();
        for signal in ENDING {
            signal_hook::flag::register(signal, std::sync::Arc::clone(&came)).context("signals")?;
        }
        Ok(Signals { came })
    }

    /// Begins to catch them: this system has none.
    #[cfg(not(unix))]
    pub fn catch() -> Result<Self, Failure> {
        Ok(Signals {})
    }

    /// Whether one has come.
    #[cfg(unix)]
    pub fn came(&self) -> bool {
        self.came.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// None comes.
    #[cfg(not(unix))]
    pub fn came(&self) -> bool {
        false
    }

    /// The next signal ends the process at once, if tidying up takes too long.
    #[cfg(unix)]
    pub fn let_go(&self) -> Result<(), Failure> {
        for signal in ENDING {
            signal_hook::flag::register_conditional_default(signal, std::sync::Arc::clone(&self.came))
                .context("signals")?;
        }
        Ok(())
    }

    /// Does nothing: none was caught.
    #[cfg(not(unix))]
    pub fn let_go(&self) -> Result<(), Failure> {
        Ok(())
    }
}

type Acts = Vec<Box<dyn FnOnce() + Send>>;

/// What has to be done before the process ends, also by a signal.
#[derive(Clone, Default)]
pub struct BeforeTheEnd(std::sync::Arc<std::sync::Mutex<Acts>>);

impl BeforeTheEnd {
    /// From now on a signal does what was added, then ends the process: with the code, or else as the signal does.
    #[cfg(unix)]
    pub fn at_signals(code: Option<u8>) -> Result<Self, Failure> {
        let before = BeforeTheEnd::default();
        let mut signals = signal_hook::iterator::Signals::new(ENDING).context("signals")?;
        let held = before.clone();
        std::thread::spawn(move || {
            for signal in signals.forever() {
                // Held until the end: nothing new is begun meanwhile.
                let mut acts = held.lock();
                acts.drain(..).for_each(|act| act());
                match code {
                    Some(code) => std::process::exit(code.into()),
                    None => drop(signal_hook::low_level::emulate_default_handler(signal)),
                }
            }
        });
        Ok(before)
    }

    /// Nothing but this program itself does what is added.
    #[cfg(not(unix))]
    pub fn at_signals(_: Option<u8>) -> Result<Self, Failure> {
        Ok(BeforeTheEnd::default())
    }

    /// Begins something, and adds what has to be done about it. No signal ends the process between the two.
    pub fn begin<T>(&self, act: impl FnOnce() + Send + 'static, begin: impl FnOnce() -> T) -> T {
        let mut acts = self.lock();
        acts.push(Box::new(act));
        begin()
    }

    /// Does it now.
    pub fn act(&self) {
        self.lock().drain(..).for_each(|act| act());
    }

    /// Does it now, and lets nothing new begin: whoever tries waits until the process ends.
    pub fn act_for_good(&self) {
        let mut acts = self.lock();
        acts.drain(..).for_each(|act| act());
        std::mem::forget(acts);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Acts> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
