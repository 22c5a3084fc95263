//! A native method of a Java class, as JNI takes it.

use std::ffi::{CString, c_void};

use jvmti_bindings::prelude::*;

/// A native method for `RegisterNatives`.
pub(crate) struct Native {
    name: CString,
    descriptor: CString,
    function: *mut c_void,
}

impl Native {
    pub(crate) fn new(name: &str, descriptor: &str, function: *mut c_void) -> Option<Self> {
        Some(Native { name: CString::new(name).ok()?, descriptor: CString::new(descriptor).ok()?, function })
    }

    pub(crate) fn as_jni(&self) -> jni::JNINativeMethod {
        let (name, signature) = (self.name.as_ptr().cast_mut(), self.descriptor.as_ptr().cast_mut());
        jni::JNINativeMethod { name, signature, fnPtr: self.function }
    }
}
