//! `super.clone()`: the one common way to make an object of a class without running its constructors.

use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, CpIndex, op, tag};

/// The constants of a class that name `Object.clone`, or the `clone` of another superclass that the JDK brings
/// (`BitSet`, `HashMap`): those call `Object.clone` in code that is never rewritten.
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

/// Reports the pcs of the calls `super.clone()` of those methods: they return a new object, never null.
pub(super) fn calls(code: &CodeAttribute<'_>, clones: &[CpIndex], mut found: impl FnMut(u32)) -> Result<()> {
    for instruction in code.instructions() {
        let instruction = instruction?;
        if instruction.opcode() == op::INVOKESPECIAL && clones.contains(&instruction.index()) {
            found(instruction.pc);
        }
    }
    Ok(())
}
