//! Which classes the configuration selects.

use std::sync::Arc;

use jvmti_bindings::prelude::*;

use weighbridge_bytecode::read::ClassFile;
use weighbridge_config::{Choice, Config, RUNTIME, Selector};
use weighbridge_probes::is_bridge_name;

/// The configuration's selection.
#[derive(Debug)]
pub(crate) struct Select(Selector<Arc<Config>>);

impl Select {
    pub(crate) fn new(config: Arc<Config>) -> Select {
        Select(Selector::new(config))
    }

    /// Whether a class of this name may be selected by what its class file says.
    pub(crate) fn choice(&self, name: &[u8]) -> Choice {
        match name.starts_with(RUNTIME) || is_bridge_name(name) {
            true => Choice::Excluded,
            false => self.0.by_name(name),
        }
    }

    pub(crate) fn by_annotation(&self, class: &ClassFile<'_>) -> bool {
        self.0.by_annotation()
            && class
                .annotations()
                .is_ok_and(|mut all| all.any(|one| one.is_ok_and(|one| self.0.is_wanted_annotation(one))))
    }

    /// Whether a superclass or interface of a class selects it.
    pub(crate) fn by_supertype(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) -> bool {
        if !self.0.by_supertype() {
            return false;
        }
        let mut waiting = vec![class];
        let mut met = 0;
        while let Some(class) = waiting.pop() {
            // SAFETY: references of this call, to classes that are prepared.
            let (above, interfaces) = unsafe { (jni.get_superclass(class), jvmti.get_implemented_interfaces(class)) };
            for supertype in above.into_iter().chain(interfaces.unwrap_or_default()) {
                met += 1;
                if internal_name(jvmti, supertype).is_some_and(|name| self.0.is_wanted_supertype(name.as_bytes())) {
                    return true;
                }
                // An interface may be reached on many ways.
                if met < 1000 {
                    waiting.push(supertype);
                }
            }
        }
        false
    }

    /// The component of an instrumented class.
    pub(crate) fn component(&self, name: &[u8]) -> Option<&str> {
        self.0.component(name).map(|index| self.config().components.names()[index].as_str())
    }

    /// Whether annotations select classes.
    pub(crate) fn reads_annotations(&self) -> bool {
        self.0.by_annotation()
    }

    /// What it was made of.
    pub(crate) fn config(&self) -> &Config {
        &self.0.config
    }
}

/// The internal name of a class; `None` for arrays and primitive types.
pub(crate) fn internal_name(jvmti: &Jvmti, class: jni::jclass) -> Option<String> {
    // SAFETY: the class is alive in this call.
    let (signature, _) = unsafe { jvmti.get_class_signature(class) }.ok()?;
    Some(signature.strip_prefix('L')?.strip_suffix(';')?.to_owned())
}
