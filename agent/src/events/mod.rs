//! The trace of every event (docs/event-trace.md): all classes get its probes, those of the JDK too, and the runtime writes what
//! they tell.

mod existing;
mod numbers;

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jvmti_bindings::prelude::*;

use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, PoolOffsets};
use weighbridge_probes::events::{EventProbe, Events as Engine};
use weighbridge_probes::{EVENTS, Outcome, SkipReason};

use crate::bridge;
use crate::loaded::is_prepared;
use crate::pauses::Pauses;
use crate::runtime::Runtime;
use crate::select::internal_name;
use crate::session::Session;
use numbers::Book;

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

/// Threads that are inside a probe when it becomes silent have left it after this time.
const LAST_PROBE: Duration = Duration::from_millis(50);

/// The trace of a session.
#[derive(Debug, Default)]
pub(crate) struct Events {
    on: AtomicBool,
    book: Book,
}

impl Events {
    /// Whether classes get its probes.
    pub(crate) fn is_on(&self) -> bool {
        self.on.load(Ordering::Acquire)
    }

    /// Lines of names that were not taken yet.
    pub(crate) fn take_names(&self) -> Option<String> {
        self.book.take()
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

/// Begins the trace: all classes that are loaded get the probes, then all objects are taken in.
pub(crate) fn begin(
    session: &Session,
    runtime: Runtime,
    (jvmti, jni): (&Jvmti, &JniEnv),
    file: &str,
) -> std::result::Result<(), String> {
    let receivers = runtime.events(jni, file)?.ok_or("the trace of every event cannot be written")?;
    bridge::define_events(jvmti, jni)?;
    session.events.on.store(true, Ordering::Release);
    session.change_jdk(jni);
    retransform_all(jvmti);
    bridge::link_events(jni, receivers)?;
    existing::take_in(jni)
}

/// Ends it; the probes do nothing any more. Classes get their own bytes back if the JVM goes on.
pub(crate) fn end(session: &Session, runtime: Option<Runtime>, jvmti: &Jvmti, jni: &JniEnv, goes_on: bool) {
    if !session.events.on.swap(false, Ordering::AcqRel) {
        return;
    }
    bridge::silence_events(jni);
    std::thread::sleep(LAST_PROBE);
    bridge::close_events(jni);
    if let Some(runtime) = runtime {
        runtime.end_events(jni);
    }
    bridge::unlink_events(jni);
    if goes_on {
        retransform_all(jvmti);
    }
}

fn retransform_all(jvmti: &Jvmti) -> Pauses {
    let mut pauses = Pauses::default();
    let Ok(loaded) = jvmti.get_loaded_classes() else { return pauses };
    let changeable = |class: &jni::jclass| {
        is_prepared(jvmti, *class)
            && internal_name(jvmti, *class).is_some()
            // SAFETY: a local reference of this call.
            && unsafe { jvmti.is_modifiable_class(*class) }.unwrap_or(false)
    };
    let classes: Vec<jni::jclass> = loaded.into_iter().filter(changeable).collect();
    pauses.retransform(jvmti, &classes);
    pauses
}
