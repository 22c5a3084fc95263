//! Methods that `[shortage]` names get probes of work, whether their class registers its objects or not.

use std::cell::RefCell;

use jvmti_bindings::prelude::*;

use weighbridge_bytecode::read::{ClassFile, PoolOffsets};
use weighbridge_probes::table::dotted;
use weighbridge_probes::work::{WorkProbe, Works};
use weighbridge_probes::{Outcome, SkipReason};

use crate::bridge::BRIDGE;
use crate::names::{internal_name, method_name};
use crate::select::refusal_reason;
use crate::session::Session;

thread_local! {
    static ENGINE: RefCell<(Works, PoolOffsets)> = RefCell::default();
}

impl Session {
    /// The bytes of a class with probes of work; `own` are those without. `None` if no method of it is named, or none can have
    /// them. Runs no Java code.
    pub(crate) fn load_work(
        &self,
        jvmti: &Jvmti,
        jni: &JniEnv,
        event: &ClassFileLoadHookEvent<'_>,
        name: &[u8],
        own: &[u8],
    ) -> Option<Vec<u8>> {
        if !self.select.may_have_work(name) {
            return None;
        }
        let (bytes, reasons) = ENGINE.with_borrow_mut(|(engine, memory)| {
            let outcome = ClassFile::read(own, memory).and_then(|class| {
                let probe = WorkProbe { bridge: BRIDGE, roles: |method: &[u8]| self.select.roles(name, method) };
                engine.rewrite(&class, &probe)
            });
            let (bytes, reason) = match outcome {
                Ok(Outcome::Rewritten(rewritten)) => (Some(rewritten.bytes), None),
                Ok(Outcome::Skipped(SkipReason::NoSite)) => (None, None),
                Ok(Outcome::Skipped(reason)) => (None, Some(reason.to_string())),
                Err(error) => (None, Some(error.to_string())),
            };
            let reasons: Vec<String> = match reason {
                Some(reason) => vec![reason],
                None => refused_methods(engine, name),
            };
            (bytes, reasons)
        });
        if bytes.is_none() && reasons.is_empty() {
            return None;
        }
        let loader = self.number_loader(jvmti, jni, event.loader());
        let mut classes = self.classes();
        if classes.meet_work(loader, name) {
            reasons.into_iter().for_each(|reason| classes.skip(dotted(name), reason));
        }
        drop(classes);
        if bytes.is_some() && event.loader().is_null() {
            self.change_jdk(jni);
        }
        bytes
    }

    /// Whether a prepared class must be retransformed, because a method is named and has no probes of work.
    pub(crate) fn needs_work(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) -> bool {
        if !self.select.has_work() || !self.is_on() {
            return false;
        }
        let Some(name) = internal_name(jvmti, class) else { return false };
        let name = name.as_slice();
        if !self.select.may_have_work(name)
            || refusal_reason(name).is_some()
            || !self.names_a_method(jvmti, class, name)
            || self.met_work_of(jvmti, jni, class, name)
        {
            return false;
        }
        // SAFETY: the class is alive in this call.
        if unsafe { jvmti.is_modifiable_class(class) }.unwrap_or(false) {
            return true;
        }
        if let Some(loader) = self.loader_of(jvmti, jni, class) {
            self.refuse_hidden(loader, name);
        }
        false
    }

    /// Whether a class has probes of work, or was refused them.
    pub(crate) fn met_work(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) -> bool {
        self.select.has_work()
            && internal_name(jvmti, class).is_some_and(|name| self.met_work_of(jvmti, jni, class, &name))
    }

    fn met_work_of(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass, name: &[u8]) -> bool {
        self.select.may_have_work(name)
            && self.loader_of(jvmti, jni, class).is_some_and(|loader| self.classes().has_met_work(loader, name))
    }

    /// Whether the configuration names a method that a prepared class declares.
    fn names_a_method(&self, jvmti: &Jvmti, class: jni::jclass, name: &[u8]) -> bool {
        // SAFETY: the class is alive in this call, and its methods with it.
        let methods = unsafe { jvmti.get_class_methods(class) }.unwrap_or_default();
        methods.into_iter().any(|method| {
            // SAFETY: as above.
            let named = unsafe { method_name(jvmti, method) };
            named.is_some_and(|method| !self.select.roles(name, &method).is_empty())
        })
    }
}

/// A sentence for each method that does not get all that the configuration asks for.
fn refused_methods(engine: &Works, class: &[u8]) -> Vec<String> {
    engine.memory().refused.iter().map(|refusal| format!("method {}.{refusal}", dotted(class))).collect()
}
