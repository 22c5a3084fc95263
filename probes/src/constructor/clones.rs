//! `super.clone()`: the common way to make an object without running a constructor.

use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, CpIndex, tag};

/// The constants of a class that name `Object.clone` or the `clone` of another superclass of the JDK (`BitSet`,
/// `HashMap`), which calls `Object.clone` in code that is never rewritten.
///
/// The `clone` of a superclass outside the JDK registers the copy itself if that superclass is instrumented, so a
/// call of it gets no probe.
pub(super) fn jdk_clones(class: &ClassFile<'_>) -> Result<Vec<CpIndex>> {
    let mut found = Vec::new();
    for index in class.pool.indices() {
        if class.pool.tag(index)? != tag::METHODREF {
            continue;
        }
        let method = class.pool.member_ref(index)?;
        let is_clone = method.name == b"clone" && method.descriptor == b"()Ljava/lang/Object;";
        if is_clone && method.class.starts_with(b"java/") {
            found.push(index);
        }
    }
    Ok(found)
}
