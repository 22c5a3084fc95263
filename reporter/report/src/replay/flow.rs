//! Births and deaths in the order of the events.

use weighbridge_replay::{Error, Life, Origin, Replayed};

/// What an event changed.
pub(super) struct EventStep<'a> {
    /// Its number, from 0.
    pub(super) event: u64,
    pub(super) born: &'a [Life],
    pub(super) died: &'a [Life],
    pub(super) after: After,
}

/// The figures after an event.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct After {
    /// Bytes allocated so far.
    pub(super) allocated: u64,
    /// Bytes that live.
    pub(super) live: u64,
    /// Those of them that were allocated in the trace.
    pub(super) live_allocated: u64,
    /// Bytes that the event brought: allocated, or of an object that existed and is named for the first time.
    pub(super) appeared: u64,
}

impl After {
    /// The part of the allocated bytes that lives; `None` before anything was allocated.
    pub(super) fn utilization(&self) -> Option<f64> {
        (self.allocated > 0).then(|| self.live_allocated as f64 / self.allocated as f64)
    }
}

/// Gives each event that changed something, in order. No life is in memory longer than its event.
pub(super) fn steps(replayed: &Replayed, mut take: impl FnMut(&EventStep<'_>)) -> Result<(), Error> {
    let (mut births, mut deaths) = (replayed.births()?, replayed.deaths()?);
    let (mut birth, mut death) = (births.next().transpose()?, deaths.next().transpose()?);
    let (mut born, mut died): (Vec<Life>, Vec<Life>) = (Vec::new(), Vec::new());
    let mut after = After::default();
    loop {
        let next_death = death.and_then(|life| life.died);
        let Some(event) = [birth.map(|life| life.born), next_death].into_iter().flatten().min() else { return Ok(()) };
        born.clear();
        died.clear();
        while let Some(life) = birth.filter(|life| life.born <= event) {
            born.push(life);
            birth = births.next().transpose()?;
        }
        while let Some(life) = death.filter(|life| life.died.is_none_or(|died| died <= event)) {
            died.push(life);
            death = deaths.next().transpose()?;
        }
        after.appeared = 0;
        for life in &born {
            after.allocated = after.allocated.max(life.allocated);
            after.appeared = after.appeared.saturating_add(life.bytes);
            after.live = after.live.saturating_add(life.bytes);
            after.live_allocated = after.live_allocated.saturating_add(allocated(life));
        }
        for life in &died {
            after.live = after.live.saturating_sub(life.bytes);
            after.live_allocated = after.live_allocated.saturating_sub(allocated(life));
        }
        take(&EventStep { event, born: &born, died: &died, after });
    }
}

/// The bytes that were allocated for it in the trace.
fn allocated(life: &Life) -> u64 {
    if life.origin == Origin::Existed { 0 } else { life.bytes }
}
