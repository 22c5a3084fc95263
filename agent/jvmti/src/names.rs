//! The names that the JVM gives, in the one form that is used everywhere: modified UTF-8, as in class files and the class hook.
//! (A character above U+FFFF has six bytes there and four in UTF-8; half of one is no text at all.)

use std::ffi::{CStr, c_char};

use jvmti_bindings::prelude::*;

/// The internal name of a class; `None` for arrays and primitive types.
pub(crate) fn internal_name(jvmti: &Jvmti, class: jni::jclass) -> Option<Vec<u8>> {
    let signature = class_signature(jvmti, class)?;
    Some(signature.strip_prefix(b"L")?.strip_suffix(b";")?.to_owned())
}

/// `Lcom/acme/Shop;`, `[J`.
pub(crate) fn class_signature(jvmti: &Jvmti, class: jni::jclass) -> Option<Vec<u8>> {
    let env = jvmti.raw();
    let mut signature: *mut c_char = std::ptr::null_mut();
    // SAFETY: the environment is never disposed of before its last use; the class is alive in this call; no generic signature
    // is asked for.
    unsafe {
        let get = (*(*env).functions).GetClassSignature?;
        let done = get(env, class, &mut signature, std::ptr::null_mut());
        (done == jvmti::jvmtiError::NONE).then(|| take_text(jvmti, signature))?
    }
}

/// The name of a method.
///
/// # Safety
/// A method of a class that is alive in this call.
pub(crate) unsafe fn method_name(jvmti: &Jvmti, method: jni::jmethodID) -> Option<Vec<u8>> {
    let env = jvmti.raw();
    let mut name: *mut c_char = std::ptr::null_mut();
    let null = std::ptr::null_mut();
    // SAFETY: as above; neither descriptor nor generic signature is asked for.
    unsafe {
        let get = (*(*env).functions).GetMethodName?;
        let done = get(env, method, &mut name, null, null);
        (done == jvmti::jvmtiError::NONE).then(|| take_text(jvmti, name))?
    }
}

/// The bytes of a text that the JVM has allocated, which is freed.
///
/// # Safety
/// Null, or a text that the JVM has given to this environment.
unsafe fn take_text(jvmti: &Jvmti, text: *mut c_char) -> Option<Vec<u8>> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller's text, which ends with a zero: modified UTF-8 has none within (JVMS §4.4.7).
    unsafe {
        let bytes = CStr::from_ptr(text).to_bytes().to_owned();
        let _ = jvmti.deallocate_raw(text.cast());
        Some(bytes)
    }
}
