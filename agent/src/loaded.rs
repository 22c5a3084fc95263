//! Retransforms the classes that are loaded already, in batches: all threads of the program wait while one is done.

use std::time::{Duration, Instant};

use jvmti_bindings::prelude::*;

use crate::classes::Decided;
use crate::session::Session;
use crate::tags;

/// What the size of a batch aims at.
const PAUSE: Duration = Duration::from_millis(15);
const FIRST_BATCH: usize = 16;
const LARGEST_BATCH: usize = 512;
/// JVMTI, `GetClassStatus`.
const PREPARED: jni::jint = 2;
/// A class below one that has got probes is found in the second round.
const ROUNDS: usize = 2;
/// References that one class needs: its superclasses and interfaces.
const REFERENCES: jni::jint = 64;

/// What retransforming took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pauses {
    pub(crate) classes: usize,
    pub(crate) total: Duration,
    /// Of one batch. The program waits for a part of it.
    pub(crate) longest: Duration,
}

/// Gives probes to the classes that are loaded and prepared; others get them when they are prepared.
pub(crate) fn give_probes(session: &Session, jvmti: &Jvmti, jni: &JniEnv) -> Pauses {
    let mut pauses = Pauses::default();
    let Ok(loaded) = jvmti.get_loaded_classes() else { return pauses };
    let prepared: Vec<jni::jclass> = loaded.into_iter().filter(|&class| is_prepared(jvmti, class)).collect();
    if session.select.reads_annotations() {
        // What annotations a class has only its class file says, which the hook gets.
        let open = |&&class: &&jni::jclass| session.may_be_annotated(jvmti, class);
        pauses.retransform(jvmti, &prepared.iter().filter(open).copied().collect::<Vec<_>>());
        prepared.iter().for_each(|&class| session.tag(jvmti, jni, class));
    }
    for _ in 0..ROUNDS {
        let wanted = |&&class: &&jni::jclass| {
            let _frame = jni.push_local_frame(REFERENCES);
            session.needs_probes(jvmti, jni, class)
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
        tags::id(jvmti, *class).is_some() || session.decided(jvmti, jni, *class).and_then(Decided::id).is_some()
    };
    let changed: Vec<jni::jclass> = loaded.into_iter().filter(has_probes).collect();
    pauses.retransform(jvmti, &changed);
    changed.iter().for_each(|&class| tags::remove(jvmti, class));
    pauses
}

fn is_prepared(jvmti: &Jvmti, class: jni::jclass) -> bool {
    // SAFETY: a local reference of this call.
    unsafe { jvmti.get_class_status(class) }.is_ok_and(|status| status & PREPARED != 0)
}

impl Pauses {
    fn retransform(&mut self, jvmti: &Jvmti, mut classes: &[jni::jclass]) {
        let mut size = FIRST_BATCH;
        while !classes.is_empty() {
            let (batch, rest) = classes.split_at(size.min(classes.len()));
            classes = rest;
            let took = self.batch(jvmti, batch);
            // Half of the way at a time: a batch of large classes must not make the next one tiny.
            let fitting = batch.len() as f64 * PAUSE.as_secs_f64() / took.as_secs_f64().max(1e-6);
            size = ((size as f64 + fitting) / 2.0).clamp(1.0, LARGEST_BATCH as f64) as usize;
        }
    }

    fn batch(&mut self, jvmti: &Jvmti, batch: &[jni::jclass]) -> Duration {
        let start = Instant::now();
        // SAFETY: local references of this call to classes.
        let done = unsafe { jvmti.retransform_classes(batch) };
        let took = start.elapsed();
        self.total += took;
        self.longest = self.longest.max(took);
        match done {
            Ok(()) => self.classes += batch.len(),
            // A class that the JVM refuses stays as it was; the others must not stay with it.
            Err(_) if batch.len() > 1 => {
                for class in batch.chunks(1) {
                    self.batch(jvmti, class);
                }
            }
            Err(_) => {}
        }
        took
    }
}
