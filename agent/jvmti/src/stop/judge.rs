//! Whether a thread may throw an error where it is.
//!
//! Runs no Java code and allocates nothing in the heap: whatever lock the thread holds, nobody here waits for it.

use jvmti_bindings::prelude::*;

use weighbridge_config::PatternSet;
use weighbridge_probes::stoppable::{is_allocation_or_loop, is_in_cleanup};

use super::order::Told;
use crate::names::{internal_name, method_name};

/// A deeper stack is not looked at, and the thread not stopped.
pub(super) const DEEPEST: jni::jint = 1024;

/// Classes of the JDK that call back code of the program and hold no lock meanwhile, or free it as after any exception.
/// Prefixes of internal names.
const CALLERS: [&str; 26] = [
    "com/sun/net/httpserver/",
    "io/weighbridge/Weighbridge",
    "java/lang/Iterable",
    "java/lang/Thread",
    "java/lang/VirtualThread",
    "java/lang/invoke/",
    "java/lang/reflect/",
    "java/security/AccessController",
    "java/util/ArrayList",
    "java/util/Arrays$ArrayList",
    "java/util/HashMap",
    "java/util/ImmutableCollections",
    "java/util/Iterator",
    "java/util/Optional",
    "java/util/Spliterator",
    "java/util/TimerThread",
    "java/util/concurrent/CompletableFuture",
    "java/util/concurrent/Executors",
    "java/util/concurrent/ForkJoin",
    "java/util/concurrent/FutureTask",
    "java/util/concurrent/ScheduledThreadPool",
    "java/util/concurrent/Thread",
    "java/util/stream/",
    "jdk/internal/reflect/",
    "jdk/internal/vm/",
    "sun/net/httpserver/",
];
const JDK: [&str; 6] = ["java/", "javax/", "jdk/", "sun/", "com/sun/", "io/weighbridge/"];

/// Whether a thread may throw where it is: `Stopped` if so.
///
/// # Safety
/// The frames of a thread that is suspended, or the current one's.
pub(super) unsafe fn judge(
    jvmti: &Jvmti,
    jni: &JniEnv,
    fixed: Option<&PatternSet>,
    frames: &[jvmti::jvmtiFrameInfo],
) -> Told {
    let Some(top) = frames.first().filter(|_| frames.len() < DEEPEST as usize) else { return Told::NoStoppingPoint };
    let mut called_by_system_code = false;
    let mut of_program = Vec::new();
    for (depth, frame) in frames.iter().enumerate() {
        let _local = jni.push_local_frame(4);
        // SAFETY: methods of live frames stay valid.
        let (class, name) = unsafe { (class_of(jvmti, frame.method), method_name(jvmti, frame.method)) };
        let (Some(class), Some(name)) = (class, name) else { return Told::Refused };
        if name == b"<clinit>" {
            return Told::ClassInitializer;
        }
        let is_jdk = JDK.iter().any(|prefix| class.starts_with(prefix.as_bytes()));
        if depth == 0 && (is_jdk || fixed.is_some_and(|fixed| fixed.matches(&class))) {
            return Told::SystemCode;
        }
        called_by_system_code |= is_jdk && !CALLERS.iter().any(|prefix| class.starts_with(prefix.as_bytes()));
        if !is_jdk {
            of_program.push(frame);
        }
    }
    // SAFETY: the caller's frames.
    let is_no_stopping_point = |frame| unsafe { is_no_stopping_point(jvmti, frame, std::ptr::eq(frame, top)) };
    match () {
        () if called_by_system_code => Told::CalledBySystemCode,
        () if of_program.into_iter().any(is_no_stopping_point) => Told::NoStoppingPoint,
        () => Told::Stopped,
    }
}

unsafe fn class_of(jvmti: &Jvmti, method: jni::jmethodID) -> Option<Vec<u8>> {
    // SAFETY: the caller's method.
    unsafe { jvmti.get_method_declaring_class(method) }.ok().and_then(|class| internal_name(jvmti, class))
}

/// Whether code of the program is in a `finally` block, or not at an instruction where it may throw. At the top of the stack that is
/// an allocation or a loop, below any call.
///
/// # Safety
/// A live frame.
unsafe fn is_no_stopping_point(jvmti: &Jvmti, frame: &jvmti::jvmtiFrameInfo, is_top: bool) -> bool {
    let Ok(pc) = u32::try_from(frame.location) else { return is_top };
    // SAFETY: the caller's frame; a native method has no location.
    let Ok(code) = (unsafe { jvmti.get_bytecodes(frame.method) }) else { return true };
    is_top && !is_allocation_or_loop(&code, pc) || is_in_cleanup(&code, pc)
}
