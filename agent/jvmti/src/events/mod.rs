//! The trace of every event (docs/event-trace.md): all classes get its probes, those of the JDK too, and the runtime writes what
//! they tell.

pub(crate) mod clock;
pub(crate) mod existing;
mod numbers;

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, PoolOffsets};
use weighbridge_probes::events::{EventProbe, Events as Engine};
use weighbridge_probes::{EVENTS, Outcome, SkipReason};

use numbers::Book;

use crate::locks::lock;

thread_local! {
    static ENGINE: RefCell<(Engine, PoolOffsets)> = RefCell::default();
}

/// Whether a class has none: what the probes themselves run, where one thread becomes another, and the JDK's own method
/// handles, which elsewhere are hidden classes and handle objects before their constructors run.
fn is_without(name: &[u8]) -> bool {
    name == b"jdk/internal/misc/Unsafe"
        || name.starts_with(b"jdk/internal/vm/")
        || name.starts_with(b"java/lang/invoke/") && name.ends_with(b"$Holder")
}

/// The trace of a session.
#[derive(Debug, Default)]
pub(crate) struct EventTracing {
    on: AtomicBool,
    book: Book,
    /// Internal names of classes that were loaded when it began, but not prepared.
    waiting: Mutex<HashSet<Vec<u8>>>,
}

impl EventTracing {
    /// Whether classes get its probes.
    pub(crate) fn is_on(&self) -> bool {
        self.on.load(Ordering::Acquire)
    }

    /// Classes get its probes from now on, or their own bytes; whether it was so before.
    pub(crate) fn switch(&self, on: bool) -> bool {
        self.on.swap(on, Ordering::AcqRel)
    }

    /// These classes get their probes when they are prepared.
    pub(crate) fn wait_for(&self, names: Vec<Vec<u8>>) {
        self.waiting().extend(names);
    }

    /// Whether a class of this name waits for its probes; it waits no longer.
    pub(crate) fn waits_for(&self, name: &[u8]) -> bool {
        self.waiting().remove(name)
    }

    fn waiting(&self) -> MutexGuard<'_, HashSet<Vec<u8>>> {
        lock(&self.waiting)
    }

    /// Lines of names and collections that were not taken yet.
    pub(crate) fn take_names(&self) -> Option<String> {
        let lines = self.book.take() + &clock::take();
        (!lines.is_empty()).then_some(lines)
    }

    /// The bytes of a class with the probes; `None` if it stays as it is. Runs no Java code.
    pub(crate) fn load(&self, name: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
        if !self.is_on() || is_without(name) {
            return None;
        }
        let rewritten = ENGINE.with_borrow_mut(|(engine, memory)| -> Result<_> {
            let class = ClassFile::read(bytes, memory)?;
            engine.rewrite(&class, &EventProbe { bridge: EVENTS, numbers: &self.book })
        });
        match rewritten {
            Ok(Outcome::Rewritten(new)) => Some(new.bytes),
            Ok(Outcome::Skipped(SkipReason::NoSite | SkipReason::Module)) => None,
            Ok(Outcome::Skipped(reason)) => {
                self.book.skipped(name, &reason.to_string());
                None
            }
            Err(error) => {
                self.book.skipped(name, &error.to_string());
                None
            }
        }
    }
}
