//! How a session starts and ends.

use std::sync::Arc;

use jvmti_bindings::prelude::*;

use crate::loaded::{self, Pauses};
use crate::options::Options;
use crate::runtime::Runtime;
use crate::say::say;
use crate::select::Select;
use crate::session::{Session, current, set_current};
use crate::{bridge, natives};

/// The events that a session needs; without one, none is enabled.
const EVENTS: [jvmti::jvmtiEvent; 2] = [jvmti::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, jvmti::JVMTI_EVENT_CLASS_PREPARE];

/// Starts a session: links the runtime, and gives probes to the classes that are loaded already. The JVM is initialised.
pub(crate) fn start(jvmti: &Jvmti, jni: &JniEnv, options: Options) -> Result<Pauses, String> {
    if current().is_some() {
        return Err("this JVM is measured already".to_owned());
    }
    let runtime = Runtime::load(jvmti, jni, &natives::of_loader(), &natives::of_runtime())?;
    let session = Arc::new(Session::new(Select::new(Arc::clone(&options.config))));
    set_current(Some(Arc::clone(&session)));
    let started = runtime.start(jni, &options.runtime, &options.config).and_then(|receivers| {
        let receivers = receivers.ok_or("the runtime is switched off by its options")?;
        bridge::link(jni, receivers)
    });
    *session.runtime() = Some(runtime);
    let started = started
        .and_then(|()| jvmti.enable_events_global(&EVENTS).map_err(|error| format!("no class is seen: {error:?}")));
    match started {
        Ok(()) => Ok(loaded::give_probes(&session, jvmti, jni)),
        Err(reason) => {
            stop(&session, jvmti, jni);
            Err(reason)
        }
    }
}

/// Ends the session, if there is one: every class gets its own bytes back, and nothing of the runtime is left.
pub(crate) fn end(jvmti: &Jvmti, jni: &JniEnv) -> Option<Pauses> {
    current().map(|session| stop(&session, jvmti, jni))
}

fn stop(session: &Session, jvmti: &Jvmti, jni: &JniEnv) -> Pauses {
    session.switch_off();
    let pauses = loaded::take_probes(session, jvmti, jni);
    let _ = jvmti.disable_events_global(&EVENTS);
    if let Some(runtime) = session.runtime().take()
        && let Err(reason) = runtime.end(jni)
    {
        say(&reason);
    }
    bridge::unlink(jni);
    set_current(None);
    session.classes().forget(jni);
    pauses
}
