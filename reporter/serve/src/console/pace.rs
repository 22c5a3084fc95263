//! How often a page may ask something of a JVM: the program that is measured comes first.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use super::answer::Refusal;

/// The least time between two costly requests.
const LEAST: Duration = Duration::from_secs(1);
/// After a costly request the JVM is left alone for so many times its duration: they take at most a tenth of the time.
const REST: u32 = 9;

/// One gate for each JVM.
#[derive(Default)]
pub(super) struct Pace {
    gates: Mutex<BTreeMap<u32, Arc<Mutex<Gate>>>>,
}

#[derive(Default)]
struct Gate {
    /// When the next costly request may begin.
    free_at: Option<Instant>,
}

impl Pace {
    /// Does what costs the program something, unless it is too soon, or something else is being done.
    pub(super) fn costly<T, E: Into<Refusal>>(
        &self,
        pid: u32,
        act: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, Refusal> {
        let gate = self.gate(pid);
        let mut gate = free(pid, &gate)?;
        let begin = Instant::now();
        if let Some(wait) = gate.free_at.and_then(|free| free.checked_duration_since(begin)) {
            return Err(Refusal::too_soon(format!(
                "process {pid} is left alone for {} s more, so that requests take at most a tenth of its time",
                wait.as_millis().div_ceil(1_000)
            )));
        }
        let done = act();
        let took = begin.elapsed();
        gate.free_at = Some(begin + took + LEAST.max(took * REST));
        done.map_err(Into::into)
    }

    /// Looks, unless something else is being done.
    pub(super) fn if_free<T, E: Into<Refusal>>(
        &self,
        pid: u32,
        act: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, Refusal> {
        let gate = self.gate(pid);
        let _turn = free(pid, &gate)?;
        act().map_err(Into::into)
    }

    /// Ends something, or shows what was asked for: waits for its turn.
    pub(super) fn in_turn<T, E: Into<Refusal>>(
        &self,
        pid: u32,
        act: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, Refusal> {
        let gate = self.gate(pid);
        let _turn = locked(&gate);
        act().map_err(Into::into)
    }

    fn gate(&self, pid: u32) -> Arc<Mutex<Gate>> {
        Arc::clone(locked(&self.gates).entry(pid).or_default())
    }
}

/// The gate, unless somebody is in it.
fn free(pid: u32, gate: &Mutex<Gate>) -> Result<MutexGuard<'_, Gate>, Refusal> {
    match gate.try_lock() {
        Ok(gate) => Ok(gate),
        Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => Err(Refusal::too_soon(format!("process {pid} is busy with another request"))),
    }
}

/// A lock whose holder may have panicked: what it holds is whole at any time.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(pace: &Pace, pid: u32) -> Result<(), u16> {
        pace.costly(pid, || Ok::<(), Refusal>(())).map_err(|refusal| refusal.status().as_u16())
    }

    #[test]
    fn a_second_costly_request_to_the_same_jvm_is_refused_for_a_while_and_others_are_not() {
        let pace = Pace::default();
        assert_eq!(done(&pace, 1), Ok(()));
        assert_eq!(done(&pace, 1), Err(429));
        assert_eq!(done(&pace, 2), Ok(()));
        assert!(pace.in_turn(1, || Ok::<(), Refusal>(())).is_ok(), "what ends something is not refused");
    }

    #[test]
    fn a_costly_request_is_refused_while_another_one_is_under_way() {
        let pace = Pace::default();
        let inner = pace.costly(1, || Ok::<_, Refusal>(done(&pace, 1)));
        assert_eq!(inner.ok(), Some(Err(429)));
    }
}
