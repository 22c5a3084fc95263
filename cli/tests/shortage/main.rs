//! Control on memory shortage: what is cancelled, what is not, and that the program is as after any exception.

use std::sync::{Mutex, MutexGuard, PoisonError};

mod admission;
mod exact;
mod filter;
mod hoards;
mod live;
mod recorded;
mod rescue;
mod retrying;
mod stopping;
mod threads;
mod without_agent;

/// A server, its collector and its visitors need the machine for themselves: one such test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}
