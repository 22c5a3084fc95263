//! Suspends the thread again and again until it is where it may throw.

use std::thread;
use std::time::{Duration, Instant};

use jvmti_bindings::prelude::*;

use super::judge::{DEEPEST, judge};
use super::order::{Order, Told, is_open};

/// Between two looks the thread runs for so long. It allocates little meanwhile, so the heap does not fill while this looks for a
/// stopping point.
const SLICE: Duration = Duration::from_micros(50);
/// The same if it waits or runs native code, where it allocates nothing.
const PAUSE: Duration = Duration::from_millis(1);

/// As [`super::stop`].
///
/// # Safety
/// References of this call.
pub(super) unsafe fn stop(jvmti: &Jvmti, jni: &JniEnv, order: &Order<'_>, open: Option<jni::jfieldID>) -> Told {
    // Another agent may have them, such as a debugger.
    let able = jvmti.add_capabilities_with(|capabilities| {
        capabilities.set_can_suspend(true);
        capabilities.set_can_signal_thread(true);
        capabilities.set_can_get_bytecodes(true);
    });
    if able.is_err() {
        return Told::Refused;
    }
    let begin = Instant::now();
    loop {
        // SAFETY: the caller's references.
        let (told, waits) = unsafe { attempt(jvmti, jni, order, open) };
        if matches!(told, Told::Stopped | Told::Ended | Told::Refused) || begin.elapsed() >= order.patience {
            return told;
        }
        thread::sleep(if waits { PAUSE } else { SLICE });
    }
}

/// Stops a thread if it may be stopped where it is now. Also tells whether it waits or runs native code.
///
/// # Safety
/// References of this call.
unsafe fn attempt(jvmti: &Jvmti, jni: &JniEnv, order: &Order<'_>, open: Option<jni::jfieldID>) -> (Told, bool) {
    let &Order { thread, work, error, fixed, .. } = order;
    // SAFETY: the caller's references; the thread is resumed whatever comes.
    unsafe {
        match jvmti.suspend_thread(thread) {
            Ok(()) => {}
            Err(jvmti::jvmtiError::THREAD_NOT_ALIVE) => return (Told::Ended, false),
            Err(_) => return (Told::Refused, false),
        }
        let frames = jvmti.get_stack_trace(thread, 0, DEEPEST).unwrap_or_default();
        let told = match if is_open(jni, work, open) { judge(jvmti, jni, fixed, &frames) } else { Told::Ended } {
            Told::Stopped => match jvmti.stop_thread(thread, error) {
                Ok(()) => Told::Stopped,
                Err(jvmti::jvmtiError::THREAD_NOT_ALIVE) => Told::Ended,
                Err(_) => Told::Refused,
            },
            not_here => not_here,
        };
        let _ = jvmti.resume_thread(thread);
        (told, frames.first().is_none_or(|top| top.location < 0))
    }
}
