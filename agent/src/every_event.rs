//! How a trace of every event begins and ends.

use std::time::Duration;

use jvmti_bindings::prelude::*;

use crate::bridge;
use crate::events::existing;
use crate::loaded::is_prepared;
use crate::pauses::Pauses;
use crate::runtime::Runtime;
use crate::select::internal_name;
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
    let receivers = runtime.events(jni, file)?.ok_or("the trace of every event cannot be written")?;
    bridge::define_events(jvmti, jni)?;
    session.events.switch(true);
    session.change_jdk(jni);
    retransform_all(jvmti);
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
