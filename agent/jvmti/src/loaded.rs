//! The classes that are loaded already get probes, and at the end their own bytes back.

use std::thread;
use std::time::Duration;

use jvmti_bindings::prelude::*;

use crate::classes::Decided;
use crate::names;
use crate::pauses::{Pauses, granted};
use crate::session::Session;
use crate::tags;

/// JVMTI, `GetClassStatus`.
const PREPARED: jni::jint = 2;
/// A class below one that has got probes is found in the second round.
const ROUNDS: usize = 2;
/// How often it is tried to change classes back for which the JVM had no memory, and how long apart.
const ATTEMPTS_WITHOUT_MEMORY: usize = 20;
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(20);
/// References that one class needs: its superclasses and interfaces.
const REFERENCES: jni::jint = 64;

/// Gives probes to the classes that are loaded and prepared; others get them when they are prepared.
/// `is_abandoned`: nobody waits for it any more, so it ends after the batch.
pub(crate) fn give_probes(session: &Session, jvmti: &Jvmti, jni: &JniEnv, is_abandoned: &dyn Fn() -> bool) -> Pauses {
    let mut pauses = Pauses::default();
    let Ok(loaded) = jvmti.get_loaded_classes() else { return pauses };
    let prepared: Vec<jni::jclass> = loaded.into_iter().filter(|&class| is_prepared(jvmti, class)).collect();
    if session.select.reads_annotations() {
        // What annotations a class has only its class file says, which the hook gets.
        let open = |&&class: &&jni::jclass| {
            let _frame = jni.push_local_frame(REFERENCES);
            session.may_be_annotated(jvmti, jni, class)
        };
        let open: Vec<jni::jclass> = prepared.iter().filter(open).copied().collect();
        pauses.retransform(jvmti, &open, granted(), is_abandoned);
        prepared.iter().for_each(|&class| session.tag(jvmti, jni, class));
    }
    for _ in 0..ROUNDS {
        let wanted = |&&class: &&jni::jclass| {
            let _frame = jni.push_local_frame(REFERENCES);
            session.needs_probes(jvmti, jni, class) || session.needs_work(jvmti, jni, class)
        };
        let wanted: Vec<jni::jclass> = prepared.iter().filter(wanted).copied().collect();
        for &class in pauses.retransform(jvmti, &wanted, granted(), is_abandoned) {
            session.leave_out(jvmti, jni, class);
        }
        wanted.iter().for_each(|&class| session.tag(jvmti, jni, class));
    }
    // Those above them: a class of the boot loader is among the loaded ones, too.
    for &class in &prepared {
        let _frame = jni.push_local_frame(REFERENCES);
        session.classes_above(jvmti, jni, class);
    }
    let is_above = |&&class: &&jni::jclass| {
        let _frame = jni.push_local_frame(REFERENCES);
        session.is_above(jvmti, jni, class)
    };
    let above: Vec<jni::jclass> = prepared.iter().filter(is_above).copied().collect();
    for &class in pauses.retransform(jvmti, &above, granted(), is_abandoned) {
        session.miss_copies(jvmti, jni, class);
    }
    pauses
}

/// Gives every class with probes its own bytes back. The session is off. `free_memory`: makes some room in a full heap; false if
/// it can't.
pub(crate) fn take_probes(
    session: &Session,
    jvmti: &Jvmti,
    jni: &JniEnv,
    mut free_memory: impl FnMut() -> bool,
) -> Pauses {
    let mut pauses = Pauses::default();
    let Ok(loaded) = jvmti.get_loaded_classes() else { return pauses };
    // One that was loaded and never prepared has no tag.
    let has_probes = |class: &jni::jclass| {
        let _frame = jni.push_local_frame(REFERENCES);
        tags::id(jvmti, *class).is_some()
            || session.decided(jvmti, jni, *class).is_some_and(Decided::has_probes)
            || session.met_work(jvmti, jni, *class)
            || session.met_traces(jvmti, jni, *class)
    };
    let changed: Vec<jni::jclass> = loaded.into_iter().filter(has_probes).collect();
    let mut failed = pauses.retransform_all(jvmti, &changed);
    // With a full heap it is a race with the program, which takes what is free.
    for _ in 0..ATTEMPTS_WITHOUT_MEMORY {
        if failed.is_empty() {
            break;
        }
        if !free_memory() {
            thread::sleep(BETWEEN_ATTEMPTS);
        }
        failed = pauses.retransform_all(jvmti, &failed);
    }
    pauses.failed = failed.len();
    changed.iter().for_each(|&class| tags::remove(jvmti, class));
    pauses
}

pub(crate) fn is_prepared(jvmti: &Jvmti, class: jni::jclass) -> bool {
    // SAFETY: a local reference of this call.
    unsafe { jvmti.get_class_status(class) }.is_ok_and(|status| status & PREPARED != 0)
}

/// The names of the loaded classes below interfaces of these names, dotted. A heap dump tells superclasses and no interfaces.
pub(crate) fn below_interfaces(jvmti: &Jvmti, jni: &JniEnv, names: &[&str]) -> Vec<String> {
    let Ok(loaded) = jvmti.get_loaded_classes() else { return Vec::new() };
    let dotted = |class: jni::jclass| {
        let name = names::internal_name(jvmti, class)?;
        Some(String::from_utf8(name).ok()?.replace('/', "."))
    };
    // SAFETY: local references of this call.
    let is_interface = |class: jni::jclass| unsafe { jvmti.is_interface(class) }.unwrap_or(false);
    let is_named =
        |class: &jni::jclass| is_interface(*class) && dotted(*class).is_some_and(|name| names.contains(&name.as_str()));
    let interfaces: Vec<jni::jclass> = loaded.iter().copied().filter(is_named).collect();
    // SAFETY: as above.
    let is_below = |class: jni::jclass| interfaces.iter().any(|&above| unsafe { jni.is_assignable_from(class, above) });
    loaded.into_iter().filter(|&class| !is_interface(class) && is_below(class)).filter_map(dotted).collect()
}
