//! Makes a thread throw an error, only where that does no more harm than an `OutOfMemoryError` would.
//!
//! `judge` says where that is. From JDK 21 on the error is thrown where a suspended thread is, so a thread is suspended until it
//! is there (`suspended`). Before, a compiled loop goes on for some time before it throws (HotSpot,
//! `handle_polling_page_exception`); there the thread stops itself when it allocates (`allocating`).

mod allocating;
mod judge;
mod order;
mod suspended;

use jvmti_bindings::prelude::*;

pub(crate) use allocating::allocated;
pub(crate) use order::{Order, Told};

/// JVMTI, "Get Version Number": the major version is in these bits.
const MAJOR: jni::jint = 0x0FFF_0000;
const MAJOR_SHIFT: u32 = 16;
/// The first that throws where the thread is.
const EXACT_SINCE: jni::jint = 21;

/// Stops a thread as soon as it is where it may be stopped, or says why it never was.
///
/// # Safety
/// The references of the order are of this call.
pub(crate) unsafe fn stop(jvmti: &Jvmti, jni: &JniEnv, order: &Order<'_>) -> Told {
    let mut open = None;
    if !order.work.is_null() {
        // SAFETY: the caller's reference.
        open = unsafe { jni.get_field_id(jni.get_object_class(order.work), "open", "Z") };
        if open.is_none() {
            jni.exception_clear();
            return Told::Refused;
        }
    }
    let version = jvmti.get_version_number().unwrap_or(0);
    // SAFETY: the caller's references.
    unsafe {
        match (version & MAJOR) >> MAJOR_SHIFT >= EXACT_SINCE {
            true => suspended::stop(jvmti, jni, order, open),
            false => allocating::stop(jvmti, jni, order, open),
        }
    }
}
