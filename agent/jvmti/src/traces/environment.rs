//! Environments of JVMTI beside that of the session: tags, capabilities and events of their own.

use jvmti_bindings::prelude::*;

/// A new one with capabilities; nobody else knows it.
pub(crate) fn environment(jni: &JniEnv, wanted: impl FnOnce(&mut jvmti::jvmtiCapabilities)) -> Option<Jvmti> {
    let vm = jni.get_java_vm().ok()?;
    // SAFETY: the virtual machine of this thread.
    let environment = unsafe { Jvmti::from_java_vm_raw(vm) }.ok()?;
    if environment.add_capabilities_with(wanted).is_ok() {
        return Some(environment);
    }
    // SAFETY: nobody else knows it.
    let _ = unsafe { environment.dispose_environment() };
    None
}
