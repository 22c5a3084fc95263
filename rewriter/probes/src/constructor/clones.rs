//! `clone()`: the common way to make an object without running a constructor.
//!
//! Whether a call of `clone()` makes the copy, or a class with probes does that at a call of its own, is known only when it
//! has run. So all calls are told, and the runtime decides (docs/probe-contract.md, "Copies").

use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, CpIndex, access, op, tag};

use super::call::can_load_class;
use super::probe::Clones;
use super::site::{ConstructorProbeCall, ObjectOperand, Placement};

const NAME: &[u8] = b"clone";
/// The descriptor of `Object.clone`. A class that narrows the type of the result has a method with this one, too, which its
/// compiler adds.
const OVERRIDING: &[u8] = b"()Ljava/lang/Object;";
const OBJECT: &[u8] = b"java/lang/Object";

/// The constants of a class that name a method `clone` without parameters whose result is an object.
#[derive(Debug, Default)]
pub(super) struct CloneMethods {
    /// For `super.clone()`.
    of_superclasses: Vec<CpIndex>,
    /// For `x.clone()`.
    of_objects: Vec<CpIndex>,
}

impl CloneMethods {
    /// Finds those that `wanted` asks for.
    pub(super) fn find(&mut self, class: &ClassFile<'_>, wanted: Clones) -> Result<()> {
        self.of_superclasses.clear();
        self.of_objects.clear();
        let own = class.name()?;
        for index in class.pool.indices() {
            let kind = class.pool.tag(index)?;
            if !matches!(kind, tag::METHODREF | tag::INTERFACE_METHODREF) {
                continue;
            }
            let method = class.pool.member_ref(index)?;
            if method.name != NAME || !method.descriptor.starts_with(b"()L") {
                continue;
            }
            let above = kind == tag::METHODREF
                && match wanted {
                    Clones::OfJdkBySuper => method.class.starts_with(b"java/") && method.descriptor == OVERRIDING,
                    Clones::All if can_load_class(class) => method.class != own,
                    // The call cannot say where the search for the method begins: only this one is certain.
                    Clones::All => method.class == OBJECT,
                };
            if above {
                self.of_superclasses.push(index);
            }
            // Arrays are no objects of the program's classes.
            if wanted == Clones::All && !method.class.starts_with(b"[") {
                self.of_objects.push(index);
            }
        }
        Ok(())
    }

    pub(super) fn are_none(&self) -> bool {
        self.of_superclasses.is_empty() && self.of_objects.is_empty()
    }

    /// The sites in a method.
    pub(super) fn sites(&self, code: &CodeAttribute<'_>, mut add: impl FnMut(u32, ConstructorProbeCall)) -> Result<()> {
        if self.are_none() {
            return Ok(());
        }
        for instruction in code.instructions() {
            let instruction = instruction?;
            match instruction.opcode() {
                op::INVOKESPECIAL if self.of_superclasses.contains(&instruction.index()) => {
                    add(
                        instruction.pc,
                        ConstructorProbeCall { object: ObjectOperand::Top, placement: Placement::AfterClone },
                    );
                }
                op::INVOKEVIRTUAL | op::INVOKEINTERFACE if self.of_objects.contains(&instruction.index()) => {
                    let object = ObjectOperand::Local(code.max_locals);
                    add(instruction.pc, ConstructorProbeCall { object, placement: Placement::BeforeClone });
                    add(instruction.pc, ConstructorProbeCall { object, placement: Placement::AfterClone });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Whether a class has a `clone()` with code, which overrides that of its superclass.
///
/// # Errors
/// `ClassFormat` for a damaged class.
pub fn declares_clone(class: &ClassFile<'_>) -> Result<bool> {
    for method in class.methods()? {
        let method = method?;
        let is_clone = method.name()? == NAME && method.descriptor()? == OVERRIDING;
        if is_clone && method.access_flags & access::ABSTRACT == 0 {
            return Ok(true);
        }
    }
    Ok(false)
}
