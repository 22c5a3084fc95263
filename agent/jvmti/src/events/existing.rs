//! The objects that exist when the trace begins, and what the JVM holds of them.

use std::ffi::c_void;

use jvmti_bindings::prelude::*;

use crate::bridge;
use crate::names::internal_name;
use crate::select::is_ours;
use crate::traces::environment::environment;

/// Tags: the JVM holds it by what is no field and no element, or only other objects do.
const HELD: jni::jlong = 1;
const REACHED: jni::jlong = 2;
/// The tag of our own class objects: they and what only they lead to is not the program's.
const OURS: jni::jlong = 3;
/// The tag of threads that run our own code: what their frames hold is held no longer when they return.
const THREAD: jni::jlong = 4;

/// Kinds of references that the trace sees as contents.
const CONTENTS: [jvmti::jvmtiHeapReferenceKind; 3] = [
    jvmti::JVMTI_HEAP_REFERENCE_FIELD,
    jvmti::JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT,
    jvmti::JVMTI_HEAP_REFERENCE_STATIC_FIELD,
];

/// Tells the class of the probes all objects that can be reached.
pub(crate) fn take_in(jni: &JniEnv) -> Result<(), String> {
    // Tags are of an environment: those of the session's are ids of classes.
    let tagging = environment(jni, |capabilities| capabilities.set_can_tag_objects(true))
        .ok_or("objects that exist already cannot be found")?;
    for class in tagging.get_loaded_classes().unwrap_or_default() {
        if internal_name(&tagging, class).is_some_and(|name| is_ours(&name)) {
            // SAFETY: a local reference of this call.
            let _ = unsafe { tagging.set_tag(class, OURS) };
        }
    }
    for thread in threads_of_ours(&tagging) {
        // SAFETY: a local reference of this call.
        let _ = unsafe { tagging.set_tag(thread, THREAD) };
    }
    let callbacks = jvmti::jvmtiHeapCallbacks {
        heap_reference_callback: Some(visit_reference),
        ..jvmti::jvmtiHeapCallbacks::default()
    };
    let null = std::ptr::null_mut();
    // SAFETY: null is no filter and the roots; the callback needs no data.
    let followed = unsafe { tagging.follow_references(0, null, null, &callbacks, std::ptr::null()) };
    let result = followed.map_err(|error| format!("objects that exist already cannot be found: {error:?}"));
    let mut objects = Vec::new();
    let mut held = 0;
    for tags in [[HELD, THREAD].as_slice(), &[REACHED]] {
        if let Ok((found, _)) = tagging.get_objects_with_tags(tags) {
            objects.extend(found);
        }
        if tags.contains(&HELD) {
            held = objects.len();
        }
    }
    // SAFETY: it has no events, and nobody else knows it.
    let _ = unsafe { tagging.dispose_environment() };
    // SAFETY: local references of this call.
    let array = unsafe {
        let class = jni.find_class("java/lang/Object").ok_or("java.lang.Object is missing")?;
        let array = jni.new_object_array(objects.len() as jni::jsize, class, null).ok_or("there is no memory")?;
        for (index, &object) in objects.iter().enumerate() {
            jni.set_object_array_element(array, index as jni::jsize, object);
            jni.delete_local_ref(object);
        }
        array
    };
    bridge::tell_existing(jni, array, held as jni::jint);
    result
}

/// This thread, and those of the runtime.
fn threads_of_ours(tagging: &Jvmti) -> Vec<jni::jthread> {
    // SAFETY: the JVM has just given the threads.
    let name = |thread: &jni::jthread| unsafe { tagging.get_thread_info(*thread) }.ok().and_then(|info| info.name);
    let mut ours = tagging.get_all_threads().unwrap_or_default();
    ours.retain(|thread| name(thread).is_some_and(|name| name.starts_with("weighbridge")));
    ours.extend(tagging.get_current_thread());
    ours
}

unsafe extern "system" fn visit_reference(
    kind: jvmti::jvmtiHeapReferenceKind,
    info: *const jvmti::jvmtiHeapReferenceInfo,
    class_tag: jni::jlong,
    _: jni::jlong,
    _: jni::jlong,
    tag: *mut jni::jlong,
    referrer_tag: *mut jni::jlong,
    _: jni::jint,
    _: *mut c_void,
) -> jni::jint {
    // SAFETY: the JVM gives valid tags for the time of the callback, or null for the referrer if it is a root.
    unsafe {
        if class_tag == OURS || *tag == OURS || !referrer_tag.is_null() && *referrer_tag == OURS {
            return 0;
        }
        let by_us = match kind {
            jvmti::JVMTI_HEAP_REFERENCE_JNI_LOCAL => (*info).jni_local.thread_tag == THREAD,
            jvmti::JVMTI_HEAP_REFERENCE_STACK_LOCAL => (*info).stack_local.thread_tag == THREAD,
            _ => false,
        };
        if *tag == THREAD || by_us {
            // Held already, or not for long.
        } else if !CONTENTS.contains(&kind) {
            *tag = HELD;
        } else if *tag == 0 {
            *tag = REACHED;
        }
    }
    jvmti::JVMTI_VISIT_OBJECTS
}
