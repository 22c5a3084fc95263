//! Fields that HotSpot adds to classes of the JDK (`javaClasses.hpp`, the lists `..._INJECTED_FIELDS`). No dump
//! describes them.

use crate::class::{ClassIndex, Classes};

/// The most bytes that are injected into an instance.
pub(super) const MOST: u64 = 24;

/// Classes that have such fields. Their number changes from release to release; only distances show it.
const CHANGING: [&str; 7] = [
    "java.lang.InternalError",
    "java.lang.StackFrameInfo",
    "java.lang.Thread",
    "java.lang.invoke.MemberName",
    "java.lang.invoke.MethodHandleNatives$CallSiteContext",
    "java.lang.invoke.ResolvedMethodName",
    "jdk.internal.reflect.ConstantPool",
];

/// Classes with a single injected pointer in every release, 8 to 25 (`loader_data`, `module_entry`).
const POINTER: [&str; 2] = ["java.lang.ClassLoader", "java.lang.Module"];

/// Whether a class itself has one injected pointer in every release.
pub(super) fn pointer(name: &str) -> bool {
    POINTER.contains(&name)
}

/// Since JDK 24 a call site has two injected fields (`CALLSITE_INJECTED_FIELDS`): the dependencies of compiled code (a
/// pointer) and the time of their last cleanup (8 bytes). Before, it had a field `context`.
const CALL_SITE: &str = "java.lang.invoke.CallSite";

/// Bytes that are known to be injected into a class's instances.
pub(super) fn bytes(classes: &Classes, class: ClassIndex, pointer_bytes: u32) -> u32 {
    let own = |class: ClassIndex| {
        let described = classes.get(class);
        match described.name.as_str() {
            name if pointer(name) => pointer_bytes,
            CALL_SITE if described.fields.len() == 1 => pointer_bytes + 8,
            _ => 0,
        }
    };
    classes.ancestry(class).map(own).sum()
}

/// Whether a class has injected fields of unknown size: neither the release nor a `calibrated` superclass gives it.
pub(super) fn unknown(classes: &Classes, class: ClassIndex, calibrated: impl Fn(ClassIndex) -> bool) -> bool {
    let changing = |class: ClassIndex| CHANGING.contains(&classes.get(class).name.as_str());
    let mut above = classes.ancestry(class).skip(1).take_while(|above| !calibrated(*above));
    changing(class) || above.any(changing)
}
