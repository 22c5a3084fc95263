//! The objects that exist when a trace of uses begins.

use std::time::Duration;

use jvmti_bindings::prelude::*;

use super::environment::environment;
use crate::heap::{self, Bounds, Survey};
use crate::names::internal_name;
use crate::session::Session;
use crate::tags;

/// Objects that are taken at most, of all classes together.
const MOST: jni::jint = 200_000;

impl Session {
    /// A random sample of the objects of the classes that have probes of this trace, with the sites of these classes for ids;
    /// those that nobody collected yet included. The program waits while the heap is walked; `None` if the time was up.
    pub(crate) fn existing(&self, jni: &JniEnv, number: u8, time: Duration) -> Option<Survey> {
        let trace = self.traces.find_trace(number)?;
        // Tags are of an environment: those of ours are ids of classes that are measured.
        let tagging = environment(jni, |capabilities| capabilities.set_can_tag_objects(true))?;
        for class in tagging.get_loaded_classes().unwrap_or_default() {
            let Some(name) = internal_name(&tagging, class) else { continue };
            if !trace.wants(&name) {
                continue;
            }
            let loader = self.loader_of(&tagging, jni, class);
            if let Some(site) = loader.and_then(|loader| trace.sites().find_class_number(loader, &name)) {
                tags::set(&tagging, class, site);
            }
        }
        let bounds = Bounds { samples: &[], samples_of_others: MOST, samples_in_all: MOST as usize, time };
        let survey = heap::survey(&tagging, jni, &bounds);
        // SAFETY: it has no events, and nobody else knows it.
        let _ = unsafe { tagging.dispose_environment() };
        survey
    }
}
