//! The objects that exist when a trace of uses begins.

use jvmti_bindings::prelude::*;

use super::environment::environment;
use crate::heap;
use crate::select::internal_name;
use crate::session::Session;

/// Objects that are taken at most, of all classes together.
const MOST: jni::jlong = 200_000;

impl Session {
    /// Local references to the objects of the classes that have probes of this trace, with their places; those that nobody
    /// collected yet included. The program waits while the heap is walked.
    pub(crate) fn existing(&self, jni: &JniEnv, number: u8) -> (Vec<jni::jobject>, Vec<jni::jint>) {
        let none = (Vec::new(), Vec::new());
        let Some(trace) = self.traces.of(number) else { return none };
        // Tags are of an environment: those of ours are ids of classes that are measured.
        let Some(tagging) = environment(jni, |capabilities| capabilities.set_can_tag_objects(true)) else {
            return none;
        };
        for class in tagging.get_loaded_classes().unwrap_or_default() {
            let Some(name) = internal_name(&tagging, class) else { continue };
            if !trace.wants(name.as_bytes()) {
                continue;
            }
            let loader = self.loader_of(&tagging, jni, class);
            if let Some(place) = loader.and_then(|loader| trace.places().of(loader, name.as_bytes())) {
                // SAFETY: a local reference of this call.
                let _ = unsafe { tagging.set_tag(class, jni::jlong::from(place) + 1) };
            }
        }
        let counts = heap::count(&tagging);
        let all: jni::jlong = counts.iter().sum();
        let wanted: Vec<jni::jlong> = match all <= MOST {
            true => counts.clone(),
            false => counts.iter().map(|count| count.saturating_mul(MOST) / all).collect(),
        };
        let taken = heap::take(&tagging, &wanted, &counts);
        // SAFETY: it has no events, and nobody else knows it.
        let _ = unsafe { tagging.dispose_environment() };
        taken
    }
}
