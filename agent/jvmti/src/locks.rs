//! The agent's locks, and the rule that they keep.
//!
//! **No lock is held across a call of JNI or JVMTI.** Nearly all of these calls bring the thread from native code into the JVM
//! and back. There it waits for as long as a collection takes, and, if a debugger has suspended it, until somebody resumes it.
//! Whoever needs the lock meanwhile waits, too: the debugger's own thread needs one when it makes a global reference (`BOOKS`),
//! and then nobody resumes anything. So collect first what the JVM must be asked for; lock only for plain Rust work, which a
//! suspended thread still finishes, for it is native code; and call the JVM again afterwards. What changed between two such
//! moments is looked at again (`Loaders::number`, `references::created`).
//!
//! **Order.** A thread that holds one lock takes only locks further down:
//!
//! | Lock | Guards | Held meanwhile |
//! |---|---|---|
//! | `Weighbridge::waiting` | the options until the JVM is initialised | none |
//! | `session::CURRENT` | the session | none: it is copied out |
//! | `Traces::all` | the traces of the session | `BOOKS`, `SAMPLING` |
//! | `Tracing::sites` | the probe sites of one trace | none; a class is rewritten meanwhile, which asks the JVM for nothing |
//! | `Session::classes` | what was decided for classes | none |
//! | `Loaders` | the numbers of class loaders | none |
//! | `hooked::HOOKED`, `hooked::ENDED` | classes between the class hook and their preparation | none |
//! | `Session::runtime` | the runtime's classes | none: they are copied out |
//! | `Events::waiting`, `events::numbers::Book` | the trace of every event | none |
//! | `references::BOOKS`, `samples::SAMPLING` | what such traces have seen | none |
//! | `stop::allocating::WANTED`, `Wanted::told` | whom to stop, and what became of it | none: they are copied out |
//! | `events::clock::COLLECTIONS` | collections; also taken while the JVM collects | none |
//! | the locks of `Channel` | requests, clients | none |
//!
//! A lock whose holder has panicked is used all the same: callbacks catch panics, and what is guarded is counts and names.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
