//! Notices that the heap is exhausted: a thread is about to get an `OutOfMemoryError` (JVMTI, "Resource Exhausted").

use std::sync::atomic::{AtomicBool, Ordering};

use jvmti_bindings::prelude::*;

use crate::say::print_message;

/// JVMTI, "Resource Exhausted": the event's flag for the Java heap.
const JAVA_HEAP: jni::jint = 0x2;

static EXHAUSTED: AtomicBool = AtomicBool::new(false);

/// Enables the event, or disables it.
pub(crate) fn watch(jvmti: &Jvmti, on: bool) {
    let events = [jvmti::JVMTI_EVENT_RESOURCE_EXHAUSTED];
    if !on {
        let _ = jvmti.disable_events_global(&events);
        return;
    }
    let watched = jvmti
        .add_capabilities_with(|capabilities| capabilities.set_can_generate_resource_exhaustion_heap_events(true))
        .and_then(|_| jvmti.enable_events_global(&events));
    if let Err(error) = watched {
        print_message(&format!("an exhausted heap is not noticed: {error:?}"));
    }
}

/// The event, in the thread whose allocation has failed. Runs no Java code.
pub(crate) fn record_exhaustion(flags: jni::jint) {
    if flags & JAVA_HEAP != 0 {
        EXHAUSTED.store(true, Ordering::Release);
    }
}

/// Whether the event came since the last call.
pub(crate) fn take() -> bool {
    EXHAUSTED.swap(false, Ordering::AcqRel)
}
