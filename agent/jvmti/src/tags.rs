//! The tags of class objects: the id of their probes plus one. A heap walk gives them with each instance.

use jvmti_bindings::prelude::*;

/// The id of a class's probes.
pub(crate) fn id(jvmti: &Jvmti, class: jni::jclass) -> Option<u32> {
    // SAFETY: callers have a live reference.
    let tag = unsafe { jvmti.get_tag(class) }.unwrap_or(0);
    u32::try_from(tag - 1).ok()
}

/// The class has probes with this id.
pub(crate) fn set(jvmti: &Jvmti, class: jni::jclass, id: u32) {
    // SAFETY: callers have a live reference.
    let _ = unsafe { jvmti.set_tag(class, jni::jlong::from(id) + 1) };
}

/// The class has no probes any more.
pub(crate) fn remove(jvmti: &Jvmti, class: jni::jclass) {
    // SAFETY: callers have a live reference.
    let _ = unsafe { jvmti.set_tag(class, 0) };
}
