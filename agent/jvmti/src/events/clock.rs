//! The clock of the trace, and when the JVM collected.
//!
//! It lies outside of the heap, so that it can be read while the JVM collects. The probes count it up.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use jvmti_bindings::prelude::*;
use serde_json::json;

use crate::locks::lock;
use crate::say::print_message;

/// Alone in its cache line, and in that beside it, which processors fetch together.
#[repr(align(128))]
struct Clock(AtomicI64);

static CLOCK: Clock = Clock(AtomicI64::new(0));
/// The clock after each collection whose line was not taken yet.
static COLLECTIONS: Mutex<Vec<i64>> = Mutex::new(Vec::new());

const EVENTS: [jvmti::jvmtiEvent; 1] = [jvmti::JVMTI_EVENT_GARBAGE_COLLECTION_FINISH];

/// Sets it to 0, and notes collections from now on.
pub(crate) fn start(jvmti: &Jvmti) {
    take();
    CLOCK.0.store(0, Ordering::Release);
    let noted = jvmti
        .add_capabilities_with(|capabilities| capabilities.set_can_generate_garbage_collection_events(true))
        .and_then(|_| jvmti.enable_events_global(&EVENTS));
    if let Err(error) = noted {
        print_message(&format!("the trace does not show when the JVM collects: {error:?}"));
    }
}

/// Notes no collections any more.
pub(crate) fn stop(jvmti: &Jvmti) {
    let _ = jvmti.disable_events_global(&EVENTS);
}

/// A collection has ended; no thread runs Java code. Calls neither JNI nor JVMTI (JVMTI, "Garbage Collection Finish"). It takes
/// a number, so that each event is clearly before or after it.
pub(crate) fn collected() {
    let after = CLOCK.0.fetch_add(1, Ordering::AcqRel) + 1;
    // Who holds the lock runs native code, which a collection does not stop.
    lock(&COLLECTIONS).push(after);
}

/// Where it lies, for `Unsafe`.
pub(crate) fn address() -> jni::jlong {
    CLOCK.0.as_ptr() as jni::jlong
}

/// What it shows.
pub(crate) fn now() -> jni::jlong {
    CLOCK.0.load(Ordering::Acquire)
}

/// Lines for the collections since the last call.
pub(super) fn take() -> String {
    let collections = std::mem::take(&mut *lock(&COLLECTIONS));
    collections.iter().map(|clock| format!("{}\n", json!(["mark", clock, "collection"]))).collect()
}
