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
use crate::traces::{references, samples};
use crate::{bridge, every_event, exhaustion, natives};

/// The events that a session needs; without one, none is enabled.
const EVENTS: [jvmti::jvmtiEvent; 2] = [jvmti::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, jvmti::JVMTI_EVENT_CLASS_PREPARE];

/// Starts a session: links the runtime, and gives probes to the classes that are loaded already. The JVM is initialised.
/// `strict`: a wrong option is an error. Else the runtime warns of it, and does without. After an error nothing is left.
pub(crate) fn start(jvmti: &Jvmti, jni: &JniEnv, options: Options, strict: bool) -> Result<(), String> {
    if current().is_some() {
        return Err("this JVM is measured already".to_owned());
    }
    let runtime = Runtime::load(jvmti, jni, &natives::of_loader(), &natives::of_runtime())?;
    let select = Select::new(Arc::clone(&options.config));
    let session = Arc::new(Session::new(select, jvmti.raw(), detach));
    session.set_runtime(Some(runtime));
    set_current(Some(Arc::clone(&session)));
    begin(&session, runtime, jvmti, jni, &options, strict).inspect_err(|_| {
        stop(&session, jvmti, jni);
        close(&session);
    })
}

fn begin(
    session: &Session,
    runtime: Runtime,
    jvmti: &Jvmti,
    jni: &JniEnv,
    options: &Options,
    strict: bool,
) -> Result<(), String> {
    if strict && let Some(reason) = runtime.refusal(jni, &options.runtime)? {
        return Err(reason);
    }
    // Before anything is changed: it may fail.
    if options.control
        && let Some(channel) = open(options, strict)?
    {
        session.opened(channel);
    }
    let receivers = runtime.start(jni, &options.runtime, &options.config)?;
    bridge::link(jvmti, jni, receivers.ok_or("the runtime is switched off by its options")?)?;
    jvmti.enable_events_global(&EVENTS).map_err(|error| format!("no class is seen: {error:?}"))?;
    let pauses = loaded::give_probes(session, jvmti, jni);
    session.changed(pauses);
    // Nothing of a class exists that was not loaded.
    if pauses.classes > 0 {
        runtime.existing(jni, options.seed)?;
    }
    if let Some(file) = &options.events {
        every_event::begin(session, runtime, (jvmti, jni), file)?;
    }
    if session.channel().is_some() {
        runtime.serve(jni)?;
    } else if !options.traces.is_empty() {
        say("nothing is traced: traces need the control channel");
    }
    Ok(())
}

/// The channel for clients. A session of the JVM's start goes on without an address, or without any channel, unless a client
/// has to be there.
fn open(options: &Options, strict: bool) -> Result<Option<Channel>, String> {
    let open = |address| Channel::open(address, options.ends_with_client, options.traces.clone());
    let opened = match options.address.clone() {
        Ok(None) => open(None),
        asked => asked.and_then(open).or_else(|reason| {
            if strict {
                return Err(reason);
            }
            say(&format!("nobody can ask this JVM by TCP: {reason}"));
            open(None)
        }),
    };
    match opened {
        Ok(channel) => Ok(Some(channel)),
        Err(reason) if strict || options.ends_with_client => Err(reason),
        Err(reason) => {
            say(&format!("nobody can ask this JVM: {reason}"));
            Ok(None)
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

/// The JVM ends: the trace of every event is complete.
pub(crate) fn last(session: &Session, jvmti: &Jvmti, jni: &JniEnv) {
    every_event::end(session, session.runtime(), jvmti, jni, false);
}

/// The JVM ends: who follows gets the last lines.
pub(crate) fn close(session: &Session) {
    if let Some(channel) = session.channel() {
        channel.close();
    }
}

/// Ends the session: every class gets its own bytes back, and nothing of the runtime is left. `None` if somebody else does it already.
fn stop(session: &Session, jvmti: &Jvmti, jni: &JniEnv) -> Option<Pauses> {
    if !session.switch_off() {
        return None;
    }
    every_event::end(session, session.runtime(), jvmti, jni, true);
    if let Some(runtime) = session.set_runtime(None)
        && let Err(reason) = runtime.end(jni)
    {
        say(&reason);
    }
    references::end_all(jvmti);
    samples::end_all();
    bridge::unlink(jni);
    exhaustion::watch(jvmti, false);
    let pauses = loaded::take_probes(session, jvmti, jni);
    let _ = jvmti.disable_events_global(&EVENTS);
    set_current(None);
    session.classes().forget(jni);
    Some(pauses)
}
