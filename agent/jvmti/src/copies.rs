//! Copies that `clone()` makes in code that is not selected: superclasses of a class with probes get probes at their own calls
//! of `clone()`, so that a copy is counted where it is made, whoever asks for it.
//!
//! Not beside rewritten jars: the runtime that they share decides by what it knows of those, and a class above theirs may get
//! such probes at any time.

use std::sync::OnceLock;

use jvmti_bindings::prelude::*;

use weighbridge_contract::{ROLE_CLONES, ROLE_PROBES};

use crate::classes::Decided;
use crate::names::internal_name;
use crate::select::refusal_reason;
use crate::session::Session;
use crate::tags;

/// `ACC_ABSTRACT` (JVMS, table 4.6-A).
const ABSTRACT: jni::jint = 0x0400;

/// A class of the boot loader, which no JVM takes away: a global reference.
struct Cloneable(jni::jclass);

// SAFETY: global references may be used by any thread (JNI specification, "Global and Local References").
unsafe impl Send for Cloneable {}
// SAFETY: as above; nothing is changed through a shared reference.
unsafe impl Sync for Cloneable {}

static CLONEABLE: OnceLock<Cloneable> = OnceLock::new();

/// Finds the interface without which nothing is copied. While a class is prepared, nobody should be asked for it.
pub(crate) fn find_cloneable(jni: &JniEnv) {
    CLONEABLE.get_or_init(|| {
        let class = jni.find_class("java/lang/Cloneable").unwrap_or(std::ptr::null_mut());
        // SAFETY: a class of this call, or null, of which there is no reference.
        Cloneable(unsafe { jni.new_global_ref(class) })
    });
}

impl Session {
    /// Decides that the superclasses of a prepared class get probes for the copies that they make of its objects. Gives those
    /// that have to be retransformed.
    pub(crate) fn classes_above(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) -> Vec<jni::jclass> {
        let mut changed = Vec::new();
        let Some(id) = tags::id(jvmti, class).filter(|_| self.is_alone() && is_cloneable(jni, class)) else {
            return changed;
        };
        // SAFETY: references of this call.
        let superclass = |class| unsafe { jni.get_superclass(class) };
        let mut above = superclass(class);
        // Without `Object`, whose method is native.
        while let Some((class, next)) = above.and_then(|class| Some((class, superclass(class)?))) {
            if tags::id(jvmti, class).is_none() && self.needs_copy_probes(jvmti, jni, class, id) {
                changed.push(class);
            }
            above = Some(next);
        }
        changed
    }

    fn needs_copy_probes(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass, id: u32) -> bool {
        let Some(name) = internal_name(jvmti, class).filter(|name| refusal_reason(name).is_none()) else {
            return false;
        };
        let Some(loader) = self.loader_of(jvmti, jni, class) else { return false };
        let is_open = match self.classes().find_decision(loader, &name) {
            None | Some(Decided::Without) => true,
            Some(_) => false,
        };
        // SAFETY: the class is alive in this call.
        let is_modifiable = || unsafe { jvmti.is_modifiable_class(class) }.unwrap_or(false);
        let needs = is_open && makes_copies(jvmti, class) && is_modifiable();
        if needs {
            self.classes().decide(loader, &name, Decided::Above(id));
        }
        needs
    }

    /// Whether it was decided that a class gets probes for copies alone.
    pub(crate) fn is_above(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) -> bool {
        matches!(self.decided(jvmti, jni, class), Some(Decided::Above(_)))
    }

    /// A class is prepared, and has probes or not: classes above it may make copies of its objects.
    pub(crate) fn see_copies(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) {
        let above = self.classes_above(jvmti, jni, class);
        if above.is_empty() {
            return;
        }
        // SAFETY: references of this call.
        if unsafe { jvmti.retransform_classes(&above) }.is_err() {
            above.iter().for_each(|&class| self.miss_copies(jvmti, jni, class));
        } else if !self.is_on() {
            // The session has ended meanwhile: its end may have come before the probes.
            // SAFETY: as above.
            let _ = unsafe { jvmti.retransform_classes(&above) };
        }
    }

    /// A class stays as it was: the copies that it makes are not counted, and the runtime says so.
    pub(crate) fn miss_copies(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) {
        if let (Some(name), Some(loader)) = (internal_name(jvmti, class), self.loader_of(jvmti, jni, class)) {
            self.classes().decide(loader, &name, Decided::Refused);
        }
    }

    /// What the runtime asks for a class that it does not know.
    pub(crate) fn role_in_clones(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) -> jni::jint {
        let (Some(name), Some(loader)) = (internal_name(jvmti, class), self.loader_of(jvmti, jni, class)) else {
            return 0;
        };
        let (known, overrides) = {
            let classes = self.classes();
            (classes.find_decision(loader, &name), classes.overrides_clone(loader, &name))
        };
        match known {
            Some(known) if known.has_probes() => ROLE_PROBES | if overrides { ROLE_CLONES } else { 0 },
            _ if !self.is_alone() => 0,
            // Whether it has probes already or not: it has them before an object that matters is copied.
            _ if overrides_clone(jvmti, class) => ROLE_CLONES,
            _ if makes_copies(jvmti, class) => 0,
            _ => ROLE_PROBES,
        }
    }

    /// Whether the runtime serves no rewritten jars.
    fn is_alone(&self) -> bool {
        self.runtime().is_some_and(|runtime| runtime.is_alone)
    }
}

fn is_cloneable(jni: &JniEnv, class: jni::jclass) -> bool {
    let interface = CLONEABLE.get().map_or(std::ptr::null_mut(), |found| found.0);
    // SAFETY: both classes are alive in this call.
    !interface.is_null() && unsafe { jni.is_assignable_from(class, interface) }
}

/// Whether methods of a class may copy objects of classes below it. In the JDK only `clone()` does.
fn makes_copies(jvmti: &Jvmti, class: jni::jclass) -> bool {
    // SAFETY: the class is alive in this call.
    let is_of_boot = unsafe { jvmti.get_class_loader(class) }.is_ok_and(|loader| loader.is_null());
    !is_of_boot || overrides_clone(jvmti, class)
}

fn overrides_clone(jvmti: &Jvmti, class: jni::jclass) -> bool {
    // SAFETY: the class is alive in this call, and its methods with it.
    unsafe {
        jvmti.get_class_methods(class).unwrap_or_default().into_iter().any(|method| {
            let is_clone = jvmti
                .get_method_name(method)
                .is_ok_and(|(name, descriptor, _)| name == "clone" && descriptor == "()Ljava/lang/Object;");
            is_clone && jvmti.get_method_modifiers(method).is_ok_and(|modifiers| modifiers & ABSTRACT == 0)
        })
    }
}
