//! The classes that are loaded already get probes, and at the end their own bytes back.

use jvmti_bindings::prelude::*;

use crate::classes::Decided;
use crate::pauses::Pauses;
use crate::session::Session;
use crate::tags;

/// JVMTI, `GetClassStatus`.
const PREPARED: jni::jint = 2;
/// A class below one that has got probes is found in the second round.
const ROUNDS: usize = 2;
/// References that one class needs: its superclasses and interfaces.
const REFERENCES: jni::jint = 64;

/// Gives probes to the classes that are loaded and prepared; others get them when they are prepared.
pub(crate) fn give_probes(session: &Session, jvmti: &Jvmti, jni: &JniEnv) -> Pauses {
    let mut pauses = Pauses::default();
    let Ok(loaded) = jvmti.get_loaded_classes() else { return pauses };
    let prepared: Vec<jni::jclass> = loaded.into_iter().filter(|&class| is_prepared(jvmti, class)).collect();
    if session.select.reads_annotations() {
        // What annotations a class has only its class file says, which the hook gets.
        let open = |&&class: &&jni::jclass| {
            let _frame = jni.push_local_frame(REFERENCES);
            session.may_be_annotated(jvmti, jni, class)
        };
        pauses.retransform(jvmti, &prepared.iter().filter(open).copied().collect::<Vec<_>>());
        prepared.iter().for_each(|&class| session.tag(jvmti, jni, class));
    }
    for _ in 0..ROUNDS {
        let wanted = |&&class: &&jni::jclass| {
            let _frame = jni.push_local_frame(REFERENCES);
            session.needs_probes(jvmti, jni, class) || session.needs_work(jvmti, jni, class)
        };
        let wanted: Vec<jni::jclass> = prepared.iter().filter(wanted).copied().collect();
        pauses.retransform(jvmti, &wanted);
        wanted.iter().for_each(|&class| session.tag(jvmti, jni, class));
    }
    pauses
}

/// Gives every class with probes its own bytes back. The session is off.
pub(crate) fn take_probes(session: &Session, jvmti: &Jvmti, jni: &JniEnv) -> Pauses {
    let mut pauses = Pauses::default();
    let Ok(loaded) = jvmti.get_loaded_classes() else { return pauses };
    // One that was loaded and never prepared has no tag.
    let has_probes = |class: &jni::jclass| {
        let _frame = jni.push_local_frame(REFERENCES);
        tags::id(jvmti, *class).is_some()
            || session.decided(jvmti, jni, *class).and_then(Decided::id).is_some()
            || session.met_work(jvmti, jni, *class)
            || session.met_traces(jvmti, jni, *class)
    };
    let changed: Vec<jni::jclass> = loaded.into_iter().filter(has_probes).collect();
    pauses.retransform(jvmti, &changed);
    changed.iter().for_each(|&class| tags::remove(jvmti, class));
    pauses
}

pub(crate) fn is_prepared(jvmti: &Jvmti, class: jni::jclass) -> bool {
    // SAFETY: a local reference of this call.
    unsafe { jvmti.get_class_status(class) }.is_ok_and(|status| status & PREPARED != 0)
}
