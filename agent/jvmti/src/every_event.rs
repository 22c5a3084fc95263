//! How a trace of every event begins and ends.

use std::time::Duration;

use jvmti_bindings::prelude::*;

use crate::bridge;
use crate::events::{clock, existing};
use crate::loaded::is_prepared;
use crate::names::internal_name;
use crate::pauses::Pauses;
use crate::runtime::Runtime;
use crate::session::Session;

/// Threads that are inside a probe when it becomes silent have left it after this time.
const LAST_PROBE: Duration = Duration::from_millis(50);

/// Begins the trace: all classes that are loaded get the probes, then all objects are taken in.
pub(crate) fn begin(
    session: &Session,
    runtime: Runtime,
    (jvmti, jni): (&Jvmti, &JniEnv),
    file: &str,
) -> std::result::Result<(), String> {
    clock::start(jvmti);
    let receivers = runtime.events(jni, file)?.ok_or("the trace of every event cannot be written")?;
    bridge::define_events(jvmti, jni)?;
    session.events.switch(true);
    session.change_jdk(jni);
    let unprepared = retransform_all(jvmti);
    session.events.wait_for(unprepared);
    bridge::link_events(jni, receivers)?;
    existing::take_in(jni)
}

/// Ends it; the probes do nothing any more. Classes get their own bytes back if the JVM goes on.
pub(crate) fn end(session: &Session, runtime: Option<Runtime>, jvmti: &Jvmti, jni: &JniEnv, goes_on: bool) {
    if !session.events.switch(false) {
        return;
    }
    bridge::silence_events(jni);
    std::thread::sleep(LAST_PROBE);
    bridge::close_events(jni);
    clock::stop(jvmti);
    if let Some(runtime) = runtime {
        runtime.end_events(jni);
    }
    bridge::unlink_events(jni);
    if goes_on {
        retransform_all(jvmti);
    }
}

/// A class is ready for use. One that was loaded before the trace gets its probes now; of any the JVM has set the static fields
/// with constant values.
pub(crate) fn prepared(session: &Session, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) {
    if !session.events.is_on() {
        return;
    }
    if internal_name(jvmti, class).is_some_and(|name| session.events.waits_for(&name)) {
        // SAFETY: the JVM gave the class for this call. A class that it refuses stays as it was.
        let _ = unsafe { jvmti.retransform_classes(&[class]) };
    }
    bridge::tell_prepared(jni, class);
}

/// Transforms the classes that can be; gives the names of those that the JVM has not prepared.
fn retransform_all(jvmti: &Jvmti) -> Vec<Vec<u8>> {
    let mut unprepared = Vec::new();
    let Ok(loaded) = jvmti.get_loaded_classes() else { return unprepared };
    let changeable = |class: &jni::jclass| {
        let Some(name) = internal_name(jvmti, *class) else { return false };
        if !is_prepared(jvmti, *class) {
            unprepared.push(name);
            return false;
        }
        // SAFETY: a local reference of this call.
        unsafe { jvmti.is_modifiable_class(*class) }.unwrap_or(false)
    };
    let classes: Vec<jni::jclass> = loaded.into_iter().filter(changeable).collect();
    Pauses::default().retransform_all(jvmti, &classes);
    unprepared
}
