//! How a session starts and ends.

use std::sync::Arc;
use std::time::Instant;

use jvmti_bindings::prelude::*;
use serde_json::json;
use weighbridge_control::Ticket;

use crate::channel::Channel;
use crate::loaded;
use crate::options::Options;
use crate::pauses::Pauses;
use crate::runtime::Runtime;
use crate::say::say;
use crate::select::Select;
use crate::session::{Session, current, set_current};
use crate::{bridge, natives};

/// The events that a session needs; without one, none is enabled.
const EVENTS: [jvmti::jvmtiEvent; 2] = [jvmti::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, jvmti::JVMTI_EVENT_CLASS_PREPARE];

/// Starts a session: links the runtime, and gives probes to the classes that are loaded already. The JVM is initialised.
/// `strict`: a wrong option is an error. Else the runtime warns of it, and does without.
pub(crate) fn start(jvmti: &Jvmti, jni: &JniEnv, options: Options, strict: bool) -> Result<Pauses, String> {
    if current().is_some() {
        return Err("this JVM is measured already".to_owned());
    }
    let runtime = Runtime::load(jvmti, jni, &natives::of_loader(), &natives::of_runtime())?;
    let env = jvmti.raw();
    let session = Arc::new(Session::new(Select::new(Arc::clone(&options.config)), env, detach));
    set_current(Some(Arc::clone(&session)));
    let refusal = if strict { runtime.refusal(jni, &options.runtime) } else { Ok(None) };
    let started = refusal.and_then(|refusal| match refusal {
        Some(reason) => Err(reason),
        None => runtime.start(jni, &options.runtime, &options.config),
    });
    let started = started.and_then(|receivers| {
        let receivers = receivers.ok_or("the runtime is switched off by its options")?;
        bridge::link(jni, receivers)
    });
    session.set_runtime(Some(runtime));
    let started = started
        .and_then(|()| jvmti.enable_events_global(&EVENTS).map_err(|error| format!("no class is seen: {error:?}")));
    match started {
        Ok(()) => {
            let pauses = loaded::give_probes(&session, jvmti, jni);
            session.changed(pauses);
            if options.seed
                && pauses.classes > 0
                && let Some(runtime) = session.runtime()
            {
                runtime.adopt(jni)?;
            }
            if options.control {
                open_channel(&session, jni, options.ends_with_client)?;
            }
            Ok(pauses)
        }
        Err(reason) => {
            stop(&session, jvmti, jni);
            Err(reason)
        }
    }
}

/// Without a channel the session goes on, unless a client has to be there.
fn open_channel(session: &Session, jni: &JniEnv, needed: bool) -> Result<(), String> {
    match Channel::open(needed) {
        Ok(channel) => {
            session.opened(channel);
            if let Some(runtime) = session.runtime() {
                runtime.serve(jni)?;
            }
            Ok(())
        }
        Err(reason) if needed => {
            stop(session, &session.jvmti(), jni);
            Err(reason)
        }
        Err(reason) => {
            say(&format!("nobody can ask this JVM: {reason}"));
            Ok(())
        }
    }
}

/// A client asks for the end, or has gone.
fn detach(session: &Session, jni: &JniEnv, ticket: Option<Ticket>) {
    let start = Instant::now();
    let answer = match stop(session, &session.jvmti(), jni) {
        Some(pauses) => Ok(json!({ "classes": pauses.classes, "ms": start.elapsed().as_millis() as u64 })),
        None => Err("the agent goes already".to_owned()),
    };
    if let (Some(ticket), Some(channel)) = (ticket, session.channel()) {
        channel.reply(ticket, answer);
    }
    close(session);
}

/// The JVM ends: who follows gets the last lines.
pub(crate) fn close(session: &Session) {
    if let Some(channel) = session.channel() {
        channel.close();
    }
}

/// Ends the session, if there is one: every class gets its own bytes back, and nothing of the runtime is left.
pub(crate) fn end(jvmti: &Jvmti, jni: &JniEnv) -> Option<Pauses> {
    let session = current()?;
    let pauses = stop(&session, jvmti, jni);
    close(&session);
    pauses
}

/// `None` if somebody else does it already.
fn stop(session: &Session, jvmti: &Jvmti, jni: &JniEnv) -> Option<Pauses> {
    if !session.switch_off() {
        return None;
    }
    if let Some(runtime) = session.set_runtime(None)
        && let Err(reason) = runtime.end(jni)
    {
        say(&reason);
    }
    bridge::unlink(jni);
    let pauses = loaded::take_probes(session, jvmti, jni);
    let _ = jvmti.disable_events_global(&EVENTS);
    set_current(None);
    session.classes().forget(jni);
    Some(pauses)
}
