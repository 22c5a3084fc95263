//! The native methods of the runtime's class `NativeAgent` and of its loader.

use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use jvmti_bindings::prelude::*;

use weighbridge_runtime::RUNTIME_CLASSES;

use crate::classes::Home;
use crate::session;

/// Those of the runtime's class `NativeAgent`.
pub(crate) fn of_runtime() -> [jni::JNINativeMethod; 3] {
    [
        method(c"takeClasses", c"()[Ljava/lang/Object;", take_classes as *mut c_void),
        method(c"wantsIds", c"()Z", wants_ids as *mut c_void),
        method(c"giveIds", c"(II)V", give_ids as *mut c_void),
    ]
}

/// That of `RuntimeLoader`.
pub(crate) fn of_loader() -> [jni::JNINativeMethod; 1] {
    [method(c"bytes", c"(Ljava/lang/String;)[B", bytes as *mut c_void)]
}

fn method(name: &CStr, signature: &CStr, function: *mut c_void) -> jni::JNINativeMethod {
    jni::JNINativeMethod { name: name.as_ptr().cast_mut(), signature: signature.as_ptr().cast_mut(), fnPtr: function }
}

/// Runs a native method; a panic must not reach the JVM.
fn guarded<T>(otherwise: T, run: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(otherwise)
}

unsafe extern "system" fn bytes(env: *mut jni::JNIEnv, _: jni::jclass, name: jni::jstring) -> jni::jobject {
    let bytes = guarded(None, || {
        // SAFETY: the JVM calls with the environment of this thread, and a string or null.
        unsafe {
            let jni = JniEnv::from_raw(env);
            let name = if name.is_null() { None } else { jni.get_string_lossy(name) }?;
            let index = RUNTIME_CLASSES.binary_search_by(|(known, _)| (*known).cmp(&name)).ok()?;
            let (_, bytes) = RUNTIME_CLASSES[index];
            let array = jni.new_byte_array(bytes.len() as jni::jsize)?;
            let signed: Vec<jni::jbyte> = bytes.iter().map(|&byte| byte as jni::jbyte).collect();
            jni.set_byte_array_region(array, 0, signed.len() as jni::jsize, &signed);
            Some(array)
        }
    });
    bytes.unwrap_or(std::ptr::null_mut())
}

unsafe extern "system" fn take_classes(env: *mut jni::JNIEnv, _: jni::jclass) -> jni::jobject {
    let taken = guarded(None, || {
        // SAFETY: the JVM calls with the environment of this thread.
        let jni = unsafe { JniEnv::from_raw(env) };
        let (table, home) = session::current()?.take_classes(&jni)?;
        let (length, loader) = match home {
            Home::Boot => (2, std::ptr::null_mut()),
            Home::Loader(loader) => (2, loader),
            Home::Gone => (1, std::ptr::null_mut()),
        };
        // SAFETY: references of this call. After an exception (no memory) null goes back, and Java throws it.
        unsafe {
            let object = jni.find_class("java/lang/Object")?;
            let taken = jni.new_object_array(length, object, std::ptr::null_mut())?;
            jni.set_object_array_element(taken, 0, jni.new_string(&table)?);
            if length == 2 {
                jni.set_object_array_element(taken, 1, loader);
            }
            Some(taken)
        }
    });
    taken.unwrap_or(std::ptr::null_mut())
}

unsafe extern "system" fn wants_ids(_: *mut jni::JNIEnv, _: jni::jclass) -> jni::jboolean {
    let wants = guarded(false, || session::current().is_some_and(|session| session.wants_ids()));
    if wants { jni::JNI_TRUE } else { jni::JNI_FALSE }
}

unsafe extern "system" fn give_ids(_: *mut jni::JNIEnv, _: jni::jclass, first: jni::jint, count: jni::jint) {
    guarded((), || {
        if let (Some(session), Ok(first), Ok(count)) = (session::current(), u32::try_from(first), u32::try_from(count))
        {
            session.give_ids(first..first.saturating_add(count));
        }
    });
}
