//! What is to be stopped, and what became of it.

use std::time::Duration;

use jvmti_bindings::prelude::*;

use weighbridge_config::PatternSet;

/// What became of it: an index of `STOP_OUTCOMES` of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Told {
    Stopped = 0,
    Ended = 1,
    ClassInitializer = 2,
    SystemCode = 3,
    CalledBySystemCode = 4,
    NoStoppingPoint = 5,
    Refused = 6,
}

/// What is to be stopped, and how. References of the native call that asks for it.
pub(crate) struct Order<'a> {
    pub(crate) thread: jni::jobject,
    /// Null, or an object whose field `open` says whether what is to end has not ended.
    pub(crate) work: jni::jobject,
    pub(crate) error: jni::jobject,
    /// Classes of system code.
    pub(crate) fixed: Option<&'a PatternSet>,
    pub(crate) patience: Duration,
}

/// Whether what is to end has not ended.
///
/// # Safety
/// An object of the field's class, unless there is no field.
pub(super) unsafe fn is_open(jni: &JniEnv, work: jni::jobject, open: Option<jni::jfieldID>) -> bool {
    // SAFETY: the caller's object.
    open.is_none_or(|open| unsafe { jni.get_boolean_field(work, open) })
}
