//! Fields that HotSpot adds to classes of the JDK and that no dump describes (`javaClasses.hpp`, the lists
//! `..._INJECTED_FIELDS`).

use crate::class::{ClassIndex, Classes};

/// Bytes in a class's instances at the most.
pub(super) const MOST: u64 = 24;

/// Classes that have such fields, and so have their subclasses.
pub(super) const INTO: [&str; 9] = [
    "java.lang.ClassLoader",
    "java.lang.InternalError",
    "java.lang.Module",
    "java.lang.StackFrameInfo",
    "java.lang.Thread",
    "java.lang.invoke.MemberName",
    "java.lang.invoke.MethodHandleNatives$CallSiteContext",
    "java.lang.invoke.ResolvedMethodName",
    "jdk.internal.reflect.ConstantPool",
];

/// Of these the ones with a single pointer in every release, 8 to 25 (`loader_data`, `module_entry`). The others'
/// fields change from release to release and show in distances only.
const POINTER: [&str; 2] = ["java.lang.ClassLoader", "java.lang.Module"];

/// Whether a class itself has one injected pointer, in every release.
pub(super) fn pointer(name: &str) -> bool {
    POINTER.contains(&name)
}

/// Bytes that every release injects into a class's instances, where a pointer has so many.
pub(super) fn bytes(classes: &Classes, class: ClassIndex, pointer_bytes: u32) -> u32 {
    match classes.ancestry(class).any(|class| pointer(&classes.get(class).name)) {
        true => pointer_bytes,
        false => 0,
    }
}
