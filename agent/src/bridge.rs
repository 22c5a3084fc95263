//! The bridge: the one class that the probes call, in the boot loader.

use jvmti_bindings::prelude::*;

use weighbridge_probes::{Links, bridge_class};
use weighbridge_runtime::BRIDGE_TEMPLATE;

use crate::java::Java;

/// Each class loader delegates `java.*` to the boot loader, and each module reads that of `java.lang`.
pub(crate) const BRIDGE: &str = "java/lang/Weighbridge$77656967682e2e2e";

const RECEIVERS: [(&str, &str); 4] = [
    ("LIVE", "Ljava/util/function/ObjIntConsumer;"),
    ("LIVE_OTHERS", "Ljava/util/function/ObjIntConsumer;"),
    ("COUNT", "Ljava/util/function/IntConsumer;"),
    ("COUNT_OTHERS", "Ljava/util/function/ObjIntConsumer;"),
];

/// Gives the probes their receivers. Defines the bridge, unless an earlier session has: no JVM takes a class of the boot
/// loader away. Its own initialiser finds no runtime for an empty table.
pub(crate) fn link(jni: &JniEnv, receivers: jni::jobject) -> Result<(), String> {
    let java = Java(jni);
    let class = match jni.find_class(BRIDGE) {
        Some(class) => class,
        None => {
            java.thrown();
            define(&java)?
        }
    };
    // SAFETY: the class is live, its ids are in the probes; the receivers are an array of four objects of these types.
    unsafe {
        let base = jni.get_static_field_id(class, "BASE", "I").ok_or_else(|| java.thrown())?;
        jni.set_static_int_field(class, base, 0);
        for (index, (name, signature)) in RECEIVERS.iter().enumerate() {
            let receiver = jni.get_object_array_element(receivers, index as jni::jsize);
            let field = jni.get_static_field_id(class, name, signature).ok_or_else(|| java.thrown())?;
            jni.set_static_object_field(class, field, receiver);
        }
    }
    Ok(())
}

/// The probes do nothing from now on.
pub(crate) fn unlink(jni: &JniEnv) {
    let Some(class) = jni.find_class(BRIDGE) else {
        jni.exception_clear();
        return;
    };
    for (name, signature) in RECEIVERS {
        // SAFETY: the class is live, and null fits every reference field.
        unsafe {
            match jni.get_static_field_id(class, name, signature) {
                Some(field) => jni.set_static_object_field(class, field, std::ptr::null_mut()),
                None => jni.exception_clear(),
            }
        }
    }
}

fn define(java: &Java<'_>) -> Result<jni::jclass, String> {
    let bytes = bridge_class(BRIDGE_TEMPLATE, BRIDGE, "", Links::Again).map_err(|error| error.to_string())?;
    // SAFETY: null is the boot loader; the bytes are a class file of that name.
    unsafe { java.0.define_class(BRIDGE, std::ptr::null_mut(), &bytes) }.ok_or_else(|| java.thrown())
}
