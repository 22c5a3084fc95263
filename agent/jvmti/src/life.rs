//! How a session starts and ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jvmti_bindings::prelude::*;
use serde_json::json;
use weighbridge_control::Ticket;

use crate::channel::Channel;
use crate::events::clock;
use crate::loaded;
use crate::options::AgentOptions;
use crate::pauses::Pauses;
use crate::runtime::Runtime;
use crate::say::print_message;
use crate::select::Select;
use crate::session::{Session, current, set_current};
use crate::traces::{references, samples};
use crate::{bridge, copies, every_event, exhaustion, hooked, natives};

/// The events that a session needs; without one, none is enabled, unless a class is left for the last one (`hooked`).
const EVENTS: [jvmti::jvmtiEvent; 2] = [jvmti::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, jvmti::JVMTI_EVENT_CLASS_PREPARE];
/// From before a client can ask, so that its end is told.
const DEATH: [jvmti::jvmtiEvent; 1] = [jvmti::JVMTI_EVENT_VM_DEATH];

/// Starts a session: links the runtime, and gives probes to the classes that are loaded already. The JVM is initialised.
/// `strict`: a wrong option is an error. Else the runtime warns of it, and does without. After an error nothing is left.
pub(crate) fn start(jvmti: &Jvmti, jni: &JniEnv, options: AgentOptions, strict: bool) -> Result<(), String> {
    if current().is_some() {
        return Err("this JVM is measured already".to_owned());
    }
    let begun = Instant::now();
    let runtime = Runtime::load(jvmti, jni, &natives::of_loader(), &natives::of_runtime())?;
    let select = Select::new(Arc::clone(&options.config));
    let session = Arc::new(Session::new(select, jvmti.raw(), detach));
    session.set_runtime(Some(runtime));
    set_current(Some(Arc::clone(&session)));
    begin(&session, runtime, jvmti, jni, &options, strict).inspect_err(|_| {
        stop(&session, jvmti, jni, None);
        close(&session);
    })?;
    session.started(begun.elapsed());
    Ok(())
}

fn begin(
    session: &Session,
    runtime: Runtime,
    jvmti: &Jvmti,
    jni: &JniEnv,
    options: &AgentOptions,
    strict: bool,
) -> Result<(), String> {
    session.set_first_id(bridge::first_id(jvmti, jni));
    if !runtime.set_first_id(jni, session.first_id()) {
        return Err("the runtime on the class path is of another version than the agent".to_owned());
    }
    if strict && let Some(reason) = runtime.refusal(jni, &options.runtime)? {
        return Err(reason);
    }
    jvmti.enable_events_global(&DEATH).map_err(|error| format!("the JVM's end is not seen: {error:?}"))?;
    // Before anything is changed: it may fail.
    if options.control
        && let Some(channel) = open(options, strict)?
    {
        channel.answer_late(|state| current().map(|session| session.describe(state)).is_some());
        session.opened(channel);
    }
    let goes_on = || match options.is_abandoned() {
        true => Err("nobody waits for it any more".to_owned()),
        false => Ok(()),
    };
    goes_on()?;
    copies::find_cloneable(jni);
    let receivers = runtime.start(jni, &options.runtime, &options.config)?;
    bridge::link(jvmti, jni, receivers.ok_or("the runtime is switched off by its options")?)?;
    jvmti.enable_events_global(&EVENTS).map_err(|error| format!("no class is seen: {error:?}"))?;
    let pauses = loaded::give_probes(session, jvmti, jni, &|| options.is_abandoned());
    session.changed(pauses);
    goes_on()?;
    if pauses.left_out > 0 {
        runtime.classes_left_out(jni, &pauses)?;
    }
    // Nothing of a class exists that was not loaded.
    if pauses.classes > 0 {
        runtime.existing(jni, options.seed)?;
    }
    goes_on()?;
    if let Some(file) = &options.events {
        every_event::begin(session, runtime, (jvmti, jni), file)?;
    }
    if session.channel().is_some() {
        runtime.serve(jni)?;
    } else if !options.traces.is_empty() {
        print_message("nothing is traced: traces need the control channel");
    }
    Ok(())
}

/// The channel for clients. A session of the JVM's start goes on without an address, or without any channel, unless a client
/// has to be there.
fn open(options: &AgentOptions, strict: bool) -> Result<Option<Channel>, String> {
    let open = |address| Channel::open(address, options.ends_with_client, options.traces.clone());
    let opened = match options.address.clone() {
        Ok(None) => open(None),
        asked => asked.and_then(open).or_else(|reason| {
            if strict {
                return Err(reason);
            }
            print_message(&format!("nobody can ask this JVM by TCP: {reason}"));
            open(None)
        }),
    };
    match opened {
        Ok(channel) => Ok(Some(channel)),
        Err(reason) if strict || options.ends_with_client => Err(reason),
        Err(reason) => {
            print_message(&format!("nobody can ask this JVM: {reason}"));
            Ok(None)
        }
    }
}

/// A client asks for the end, or has gone.
fn detach(session: &Session, jni: &JniEnv, ticket: Option<Ticket>, pause: Option<Duration>) {
    let start = Instant::now();
    let answer = match stop(session, &session.jvmti(), jni, pause) {
        Some(pauses) => Ok(json!({
            "classes": pauses.classes, "ms": start.elapsed().as_millis() as u64, "not_changed_back": pauses.failed,
        })),
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
/// `pause`: what the last measurement is granted, if that is not what all are.
fn stop(session: &Session, jvmti: &Jvmti, jni: &JniEnv, pause: Option<Duration>) -> Option<Pauses> {
    if !session.switch_off() {
        return None;
    }
    every_event::end(session, session.runtime(), jvmti, jni, true);
    let runtime = session.set_runtime(None);
    if let Some(Err(reason)) = runtime.map(|runtime| runtime.end(jni, pause)) {
        print_message(&reason);
    }
    references::end_all(jvmti);
    samples::end_all();
    bridge::unlink(jni);
    exhaustion::watch(jvmti, false);
    clock::stop(jvmti);
    let pauses = loaded::take_probes(session, jvmti, jni, || runtime.is_some_and(|runtime| runtime.free_memory(jni)));
    if let Some(runtime) = runtime {
        runtime.release(jni);
    }
    bridge::keep_first_id(jni, session.next_first_id());
    let are_left = hooked::end_session(jvmti);
    let ended = if are_left { &EVENTS[..1] } else { &EVENTS[..] };
    let _ = jvmti.disable_events_global(ended);
    set_current(None);
    // Last: until now a client could still be told that the JVM ends.
    let _ = jvmti.disable_events_global(&DEATH);
    session.forget_classes(jni);
    Some(pauses)
}
