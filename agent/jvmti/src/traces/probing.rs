//! The classes that are loaded get the probes of a trace when it begins, and their own bytes back when it ends.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jvmti_bindings::prelude::*;

use super::runs::Tracing;
use crate::loaded::is_prepared;
use crate::names::internal_name;
use crate::pauses::Pauses;
use crate::session::Session;

impl Session {
    /// Puts the probes of traces into the classes that are loaded, or takes them away. To put them there may stop the program for
    /// `granted` at once; to take them away is done in any case.
    pub(crate) fn probe_traces(
        &self,
        jvmti: &Jvmti,
        jni: &JniEnv,
        numbers: &[u8],
        granted: Option<Duration>,
    ) -> Pauses {
        let on = granted.is_some();
        let traces: Vec<_> = numbers.iter().filter_map(|&number| self.traces.find_trace(number)).collect();
        traces.iter().for_each(|trace| trace.on.store(on, Ordering::Release));
        let mut pauses = Pauses::default();
        let Ok(loaded) = jvmti.get_loaded_classes() else { return pauses };
        let wanted = |class: &jni::jclass| {
            if !is_prepared(jvmti, *class) {
                return false;
            }
            let Some(name) = internal_name(jvmti, *class) else { return false };
            let name = name.as_slice();
            // SAFETY: a local reference of this call.
            traces.iter().any(|trace| trace.wants(name))
                && unsafe { jvmti.is_modifiable_class(*class) }.unwrap_or(false)
                && (on || self.has_sites(jvmti, jni, *class, name, &traces))
        };
        let wanted: Vec<jni::jclass> = loaded.into_iter().filter(wanted).collect();
        match granted {
            Some(granted) => drop(pauses.retransform(jvmti, &wanted, granted, &|| false)),
            None => drop(pauses.retransform_all(jvmti, &wanted)),
        }
        pauses
    }

    fn has_sites(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass, name: &[u8], traces: &[Arc<Tracing>]) -> bool {
        let Some(loader) = self.loader_of(jvmti, jni, class) else { return false };
        traces.iter().any(|trace| trace.sites().has_met(loader, name))
    }

    /// Whether a prepared class was loaded before a trace began that wants it.
    pub(crate) fn needs_traces(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) -> bool {
        let traces = self.traces.all();
        if traces.is_empty() || !self.is_on() {
            return false;
        }
        let Some(name) = internal_name(jvmti, class) else { return false };
        let name = name.as_slice();
        let waiting: Vec<_> = traces.into_iter().filter(|trace| trace.is_on() && trace.wants(name)).collect();
        // SAFETY: the class is alive in this call.
        if waiting.is_empty() || !unsafe { jvmti.is_modifiable_class(class) }.unwrap_or(false) {
            return false;
        }
        let Some(loader) = self.loader_of(jvmti, jni, class) else { return false };
        waiting.iter().any(|trace| !trace.sites().has_met(loader, name))
    }

    /// Whether a class has, or had, probes of a trace.
    pub(crate) fn met_traces(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) -> bool {
        let traces = self.traces.all();
        if traces.is_empty() {
            return false;
        }
        let Some(name) = internal_name(jvmti, class) else { return false };
        traces.iter().any(|trace| trace.wants(&name)) && self.has_sites(jvmti, jni, class, &name, &traces)
    }
}
