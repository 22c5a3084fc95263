//! The thread stops itself when it allocates where it may throw (JVMTI, "Sampled Object Allocation").

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use jvmti_bindings::prelude::*;

use weighbridge_config::PatternSet;

use super::judge::{DEEPEST, judge};
use super::order::{Order, Told, is_open};
use crate::locks::lock;

const EVENT: jvmti::jvmtiEvent = jvmti::JVMTI_EVENT_SAMPLED_OBJECT_ALLOC;
/// Bytes between two looks; other threads leave their fast path as often meanwhile, and are not looked at.
const INTERVAL: jni::jint = 256;
/// That of a JVM (JVMTI, "Set Heap Sampling Interval").
const DEFAULT_INTERVAL: jni::jint = 512 * 1024;
const LOOK: Duration = Duration::from_millis(1);

/// What the event looks for. Global references, which live until the order is taken back.
struct StopTarget {
    thread: jni::jobject,
    work: jni::jobject,
    open: Option<jni::jfieldID>,
    error: jni::jobject,
    fixed: PatternSet,
    /// What was told last; `Stopped` at the end.
    told: Mutex<Told>,
}

// SAFETY: global references may be used by any thread (JNI specification, "Global and Local References").
unsafe impl Send for StopTarget {}
// SAFETY: as above; what is changed is behind a lock.
unsafe impl Sync for StopTarget {}

static WANTED: Mutex<Option<Arc<StopTarget>>> = Mutex::new(None);

/// As [`super::stop`].
///
/// # Safety
/// References of this call.
pub(super) unsafe fn stop(jvmti: &Jvmti, jni: &JniEnv, order: &Order<'_>, open: Option<jni::jfieldID>) -> Told {
    // Another agent may have them, such as a profiler of allocations.
    let able = jvmti.add_capabilities_with(|capabilities| {
        capabilities.set_can_generate_sampled_object_alloc_events(true);
        capabilities.set_can_signal_thread(true);
        capabilities.set_can_get_bytecodes(true);
    });
    if able.is_err() {
        return Told::Refused;
    }
    // SAFETY: the caller's references. The global ones are deleted when no event can use them any more.
    unsafe {
        let work = if order.work.is_null() { order.work } else { jni.new_global_ref(order.work) };
        let (thread, error) = (jni.new_global_ref(order.thread), jni.new_global_ref(order.error));
        let fixed = order.fixed.cloned().unwrap_or_default();
        let wanted = Arc::new(StopTarget { thread, work, open, error, fixed, told: Mutex::new(Told::NoStoppingPoint) });
        want(Some(Arc::clone(&wanted)));
        // Java 11 has the event only for all threads.
        let enabled = jvmti
            .set_heap_sampling_interval(INTERVAL)
            .and_then(|()| jvmti.enable_event(EVENT, thread).or_else(|_| jvmti.enable_events_global(&[EVENT])));
        let told = match enabled {
            Ok(()) => wait(jni, order, &wanted),
            Err(jvmti::jvmtiError::THREAD_NOT_ALIVE) => Told::Ended,
            Err(_) => Told::Refused,
        };
        let _ = jvmti.disable_event(EVENT, thread);
        let _ = jvmti.disable_events_global(&[EVENT]);
        let _ = jvmti.set_heap_sampling_interval(DEFAULT_INTERVAL);
        want(None);
        // An event that has begun ends soon.
        while Arc::strong_count(&wanted) > 1 {
            thread::sleep(LOOK);
        }
        let told = match told {
            Told::Stopped | Told::Refused => told,
            _ => match *lock(&wanted.told) {
                Told::Stopped => Told::Stopped,
                last if told == Told::NoStoppingPoint => last,
                _ => told,
            },
        };
        if !work.is_null() {
            jni.delete_global_ref(work);
        }
        jni.delete_global_ref(thread);
        jni.delete_global_ref(error);
        told
    }
}

fn want(wanted: Option<Arc<StopTarget>>) {
    *lock(&WANTED) = wanted;
}

/// Waits until the thread has stopped itself; `NoStoppingPoint` if the patience ends before.
///
/// # Safety
/// References of this call.
unsafe fn wait(jni: &JniEnv, order: &Order<'_>, wanted: &StopTarget) -> Told {
    let begin = Instant::now();
    loop {
        if *lock(&wanted.told) == Told::Stopped {
            return Told::Stopped;
        }
        // SAFETY: the caller's references.
        if unsafe { !is_open(jni, order.work, wanted.open) } {
            return Told::Ended;
        }
        if begin.elapsed() >= order.patience {
            return Told::NoStoppingPoint;
        }
        thread::sleep(LOOK);
    }
}

/// The event, in the thread that allocates. Runs no Java code.
pub(crate) fn allocated(jvmti: &Jvmti, jni: &JniEnv, thread: jni::jthread) {
    let Some(wanted) = lock(&WANTED).clone() else { return };
    // SAFETY: a global reference that lives as long as `wanted`, and the current thread.
    if unsafe { !jni.is_same_object(thread, wanted.thread) } {
        return;
    }
    // Only events of this thread change it, which come one after another.
    if *lock(&wanted.told) == Told::Stopped {
        return;
    }
    // SAFETY: global references that live as long as `wanted`, and the current thread.
    let told = unsafe {
        if !is_open(jni, wanted.work, wanted.open) {
            return;
        }
        let frames = jvmti.get_stack_trace(thread, 0, DEEPEST).unwrap_or_default();
        match judge(jvmti, jni, Some(&wanted.fixed), &frames) {
            Told::Stopped if jvmti.stop_thread(thread, wanted.error).is_ok() => {
                // Before JDK 14 the JVM stops it in an operation of its own thread, some time later. Operations come one after
                // another, and this is one that is waited for.
                let _ = jvmti.get_all_stack_traces(1);
                Told::Stopped
            }
            Told::Stopped => Told::Refused,
            not_here => not_here,
        }
    };
    *lock(&wanted.told) = told;
}
