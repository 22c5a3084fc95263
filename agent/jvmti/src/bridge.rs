//! The classes that the probes call, in the boot loader: the bridge, that of traces, and that of every event.
//!
//! They are found without asking a loader for them: what it does not find is an exception, at which a debugger may stop.

use std::sync::OnceLock;

use jvmti_bindings::prelude::*;

use weighbridge_probes::{EVENTS, Links, TRACES, bridge_class, traces_class};
use weighbridge_runtime::{BRIDGE_TEMPLATE, EVENTS_TEMPLATE, TRACES_TEMPLATE};

use crate::java::{Java, object};
use crate::names::internal_name;

/// Each class loader delegates `java.*` to the boot loader, and each module reads that of `java.lang`.
pub(crate) const BRIDGE: &str = "java/lang/Weighbridge$77656967682e2e2e";

/// A class of the boot loader, which no JVM takes away: a global reference.
struct BootClass(jni::jclass);

// SAFETY: global references may be used by any thread (JNI specification, "Global and Local References").
unsafe impl Send for BootClass {}
// SAFETY: as above; nothing is changed through a shared reference.
unsafe impl Sync for BootClass {}

static BRIDGE_CLASS: OnceLock<BootClass> = OnceLock::new();
static TRACES_CLASS: OnceLock<BootClass> = OnceLock::new();
static EVENTS_CLASS: OnceLock<BootClass> = OnceLock::new();

/// A field and its type.
type Field = (&'static str, &'static str);

/// Of the class for traces, in the order of the runtime's receivers.
const OF_TRACES: [Field; 7] = [
    ("ENTER", "Ljava/util/function/IntToLongFunction;"),
    ("LEAVE", "Ljava/util/function/LongBinaryOperator;"),
    ("MADE", "Ljava/util/function/ObjIntConsumer;"),
    ("HITS", "[[[Z"),
    ("MISSING", "Ljava/util/function/IntConsumer;"),
    ("USED", "Ljava/util/function/ObjLongConsumer;"),
    ("OPENED", "Ljava/util/function/ToLongBiFunction;"),
];

/// Of the class for every event, in the order of the runtime's receivers. The first one is set last: with it the probes begin.
const OF_EVENTS: [Field; 6] = [
    FULL,
    ("CLASSES", "Ljava/util/function/ToIntFunction;"),
    ("CONTENTS", "Ljava/util/function/Function;"),
    ("CLOCK", "[J"),
    ("READ", "[[Z"),
    ("WRITTEN", "[[Z"),
];
const FULL: Field = ("FULL", "Ljava/util/function/ObjIntConsumer;");
/// Set before the probes are silenced: who takes what they have written and not handed on.
const LAST: Field = ("LAST", "Ljava/util/function/ObjIntConsumer;");

/// Fields and their types, in the order of the runtime's receivers. Those of work may be missing at the end.
const RECEIVERS: [Field; 9] = [
    ("LIVE", "Ljava/util/function/ObjIntConsumer;"),
    ("LIVE_OTHERS", "Ljava/util/function/ObjIntConsumer;"),
    ("COUNT", "Ljava/util/function/IntConsumer;"),
    ("COUNT_OTHERS", "Ljava/util/function/ObjIntConsumer;"),
    ("CLONES", "Ljava/util/function/Predicate;"),
    ("ENTER", "Ljava/util/function/IntToLongFunction;"),
    ("LEAVE", "Ljava/util/function/LongConsumer;"),
    CHECKPOINT,
    ("AGAIN", "Ljava/util/function/LongPredicate;"),
];
const BASE: &str = "BASE";
const CHECKPOINT: Field = ("CHECKPOINT", "Ljava/lang/Runnable;");

/// Gives the probes their receivers. Defines the bridge, unless an earlier session has: no JVM takes a class of the boot
/// loader away. Its own initialiser finds no runtime for an empty table.
pub(crate) fn link(jvmti: &Jvmti, jni: &JniEnv, receivers: jni::jobject) -> Result<(), String> {
    let java = Java(jni);
    let class = find_or_define(jvmti, &java, &BRIDGE_CLASS, BRIDGE, || {
        bridge_class(BRIDGE_TEMPLATE, BRIDGE, "", Links::Again)
    })?;
    // SAFETY: the class is live, its ids are in the probes.
    unsafe {
        let base = jni.get_static_field_id(class, BASE, "I").ok_or_else(|| java.thrown())?;
        jni.set_static_int_field(class, base, 0);
    }
    fill(&java, class, &RECEIVERS, receivers)
}

/// Gives the probes of traces their receivers, and defines the class that they call, as [`link`] does.
pub(crate) fn link_traces(jvmti: &Jvmti, jni: &JniEnv, receivers: jni::jobject) -> Result<(), String> {
    let java = Java(jni);
    let class = find_or_define(jvmti, &java, &TRACES_CLASS, TRACES, || traces_class(TRACES_TEMPLATE, TRACES))?;
    fill(&java, class, &OF_TRACES, receivers)
}

/// Defines the class that the probes of every event call; they do nothing yet.
pub(crate) fn define_events(jvmti: &Jvmti, jni: &JniEnv) -> Result<(), String> {
    let java = Java(jni);
    find_or_define(jvmti, &java, &EVENTS_CLASS, EVENTS, || traces_class(EVENTS_TEMPLATE, EVENTS)).map(drop)
}

/// Gives the probes of every event their receivers: they begin.
pub(crate) fn link_events(jni: &JniEnv, receivers: jni::jobject) -> Result<(), String> {
    let java = Java(jni);
    let class = EVENTS_CLASS.get().ok_or("the class of the probes is missing")?.0;
    // SAFETY: an array of this call, with at least one element.
    let first = unsafe {
        let first = jni.get_object_array_element(receivers, 0);
        jni.set_object_array_element(receivers, 0, std::ptr::null_mut());
        first
    };
    fill(&java, class, &OF_EVENTS, receivers)?;
    set(jni, &EVENTS_CLASS, LAST, first);
    set(jni, &EVENTS_CLASS, FULL, first);
    Ok(())
}

/// The probes of every event do nothing from now on.
pub(crate) fn silence_events(jni: &JniEnv) {
    set(jni, &EVENTS_CLASS, FULL, std::ptr::null_mut());
}

/// Hands on what they have written. They are silent.
pub(crate) fn close_events(jni: &JniEnv) {
    let Some(&BootClass(class)) = EVENTS_CLASS.get() else { return };
    // SAFETY: the class is live.
    let _ = unsafe { Java(jni).call_static(class, "close", "()V", &[]) };
}

/// Forgets all that belongs to the trace.
pub(crate) fn unlink_events(jni: &JniEnv) {
    OF_EVENTS.into_iter().chain([LAST]).for_each(|field| set(jni, &EVENTS_CLASS, field, std::ptr::null_mut()));
}

/// Tells them a class that is ready for use: the JVM has set its static fields with constant values.
pub(crate) fn tell_prepared(jni: &JniEnv, prepared: jni::jclass) {
    let Some(&BootClass(class)) = EVENTS_CLASS.get() else { return };
    // SAFETY: the class is live; an object of this call.
    let _ = unsafe { Java(jni).call_static(class, "changed", "(Ljava/lang/Object;)V", &[object(prepared)]) };
}

/// Tells them objects that existed before; the JVM holds the first ones.
pub(crate) fn tell_existing(jni: &JniEnv, objects: jni::jobjectArray, held: jni::jint) {
    let Some(&BootClass(class)) = EVENTS_CLASS.get() else { return };
    let arguments = [object(objects), jni::jvalue { i: held }];
    // SAFETY: the class is live; an array and an int.
    let _ = unsafe { Java(jni).call_static(class, "existing", "([Ljava/lang/Object;I)V", &arguments) };
}

/// Sets fields of a class to the elements of an array, of which the last ones may be missing.
fn fill(java: &Java<'_>, class: jni::jclass, fields: &[Field], receivers: jni::jobject) -> Result<(), String> {
    let jni = java.0;
    // SAFETY: the class is live; the receivers are an array of at most as many objects of these types.
    unsafe {
        let length = jni.get_array_length(receivers);
        for (index, (name, signature)) in (0..length).zip(fields) {
            let receiver = jni.get_object_array_element(receivers, index);
            let field = jni.get_static_field_id(class, name, signature).ok_or_else(|| java.thrown())?;
            jni.set_static_object_field(class, field, receiver);
        }
    }
    Ok(())
}

/// The first id that no probe in this JVM has: a class may still have probes of an earlier session.
pub(crate) fn first_id(jvmti: &Jvmti, jni: &JniEnv) -> u32 {
    let known = BRIDGE_CLASS.get().map(|class| class.0);
    let Some(class) = known.or_else(|| find(jvmti, BRIDGE)) else { return 0 };
    // SAFETY: the class is live.
    unsafe {
        match jni.get_static_field_id(class, BASE, "I") {
            Some(field) => jni.get_static_int_field(class, field).min(0).unsigned_abs(),
            None => {
                jni.exception_clear();
                0
            }
        }
    }
}

/// Keeps it for the next session, which may be that of another copy of this library: in the field that is 0 while a session is
/// on, as a negative number. Without receivers nobody reads that.
pub(crate) fn keep_first_id(jni: &JniEnv, first: u32) {
    let (Some(&BootClass(class)), Ok(first)) = (BRIDGE_CLASS.get(), jni::jint::try_from(first)) else { return };
    // SAFETY: the class is live.
    unsafe {
        match jni.get_static_field_id(class, BASE, "I") {
            Some(field) => jni.set_static_int_field(class, field, -first),
            None => jni.exception_clear(),
        }
    }
}

/// The probes do nothing from now on.
pub(crate) fn unlink(jni: &JniEnv) {
    RECEIVERS.into_iter().for_each(|field| set(jni, &BRIDGE_CLASS, field, std::ptr::null_mut()));
    OF_TRACES.into_iter().for_each(|field| set(jni, &TRACES_CLASS, field, std::ptr::null_mut()));
}

/// What checkpoints run from now on; nothing if it is null. The receiver is a `Runnable`.
pub(crate) fn set_checkpoint(jni: &JniEnv, receiver: jni::jobject) {
    set(jni, &BRIDGE_CLASS, CHECKPOINT, receiver);
}

/// Sets a field of a class that probes call, if it exists. The receiver is null or of the field's type.
fn set(jni: &JniEnv, class: &OnceLock<BootClass>, (name, signature): Field, receiver: jni::jobject) {
    let Some(&BootClass(class)) = class.get() else { return };
    // SAFETY: the class is live.
    unsafe {
        match jni.get_static_field_id(class, name, signature) {
            Some(field) => jni.set_static_object_field(class, field, receiver),
            None => jni.exception_clear(),
        }
    }
}

/// A class of the boot loader, by its internal name.
fn find(jvmti: &Jvmti, name: &str) -> Option<jni::jclass> {
    // SAFETY: null is the boot loader.
    let of_boot = unsafe { jvmti.get_classloader_classes(std::ptr::null_mut()) }.unwrap_or_default();
    of_boot.into_iter().find(|&class| internal_name(jvmti, class).is_some_and(|found| found == name.as_bytes()))
}

/// The class that probes call: an earlier session may have defined it, maybe of another copy of this library.
fn find_or_define(
    jvmti: &Jvmti,
    java: &Java<'_>,
    known: &OnceLock<BootClass>,
    name: &str,
    bytes: impl FnOnce() -> weighbridge_bytecode::Result<Vec<u8>>,
) -> Result<jni::jclass, String> {
    if let Some(class) = known.get() {
        return Ok(class.0);
    }
    let class = match find(jvmti, name) {
        Some(class) => class,
        None => {
            let null = std::ptr::null_mut();
            let bytes = bytes().map_err(|error| error.to_string())?;
            // SAFETY: null is the boot loader; the bytes are a class file of that name.
            unsafe { java.0.define_class(name, null, &bytes) }.ok_or_else(|| java.thrown())?
        }
    };
    // SAFETY: a class of this call.
    let class = BootClass(unsafe { java.0.new_global_ref(class) });
    Ok(known.get_or_init(|| class).0)
}
