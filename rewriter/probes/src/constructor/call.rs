//! The injected calls, such as `bridge.live(this, id)`, `bridge.countOwn(this.getClass(), Own.class, id)` and
//! `bridge.cloned(copy, original, id)`.

use super::probe::{Clones, ConstructorProbe, Objects, Track};
use crate::contract::{CLONED, CLONED_BY_SUPER, COPIED, COUNT, COUNT_ALL, COUNT_OWN, LIVE, LIVE_ALL, LIVE_OWN};
use weighbridge_bytecode::Result;
use weighbridge_bytecode::patch::{PoolEditor, Sequence};
use weighbridge_bytecode::read::{ClassFile, access, op};

/// The first class-file version whose `ldc` takes a Class (JVMS §4.4.1, table 4.4-C).
const LDC_CLASS: u16 = 49;

/// True if the constructors of a class cannot tell its own objects from those of subclasses: it can have subclasses, and
/// its version is too old for an `ldc` of a class (docs/probe-contract.md, `blind`).
pub fn is_blind(class: &ClassFile<'_>) -> bool {
    !can_load_class(class) && class.access_flags & access::FINAL == 0
}

pub(super) fn can_load_class(class: &ClassFile<'_>) -> bool {
    class.major_version >= LDC_CLASS
}

/// Writes the code that registers the object in a local variable.
pub(super) fn constructed(
    probe: &ConstructorProbe<'_>,
    this_local: u16,
    class: &ClassFile<'_>,
    pool: &mut PoolEditor<'_>,
    sequence: &mut Sequence,
) -> Result<()> {
    let is_final = class.access_flags & access::FINAL != 0;
    let blind = is_blind(class);
    let method = match (probe.track, probe.objects) {
        (Track::Live, _) if is_final => LIVE,
        (Track::Count, _) if is_final => COUNT,
        (Track::Live, Objects::Own) if !blind => LIVE_OWN,
        (Track::Count, Objects::Own) if !blind => COUNT_OWN,
        (Track::Live, _) => LIVE_ALL,
        (Track::Count, _) => COUNT_ALL,
    };
    let passes_object = probe.track == Track::Live;
    let mut arguments = 1;
    if passes_object || !is_final {
        sequence.load_reference(this_local);
        arguments += 1;
    }
    // All objects of a final class are its own; the code of others passes the class.
    if !is_final {
        if !passes_object {
            let get_class = pool.method_ref(b"java/lang/Object", b"getClass", b"()Ljava/lang/Class;")?;
            sequence.invoke(op::INVOKEVIRTUAL, get_class, 1, 1);
        }
        match blind {
            // The `ldc` of a class is not possible; the runtime compares.
            true => sequence.null(),
            false => sequence.constant(class.this_class),
        };
        arguments += 1;
    }
    let method = method.constant(probe.bridge, pool)?;
    sequence.int(probe.id as i32, pool)?.invoke(op::INVOKESTATIC, method, arguments, 0);
    Ok(())
}

/// Writes the code that tells the result of `super.clone()`, which is on top of the stack, and leaves it there.
pub(super) fn cloned_by_super(
    probe: &ConstructorProbe<'_>,
    class: &ClassFile<'_>,
    pool: &mut PoolEditor<'_>,
    sequence: &mut Sequence,
) -> Result<()> {
    sequence.raw(&[op::DUP], 0, 1);
    let (method, arguments) = match probe.clones {
        Clones::OfJdkBySuper => (COPIED, 2),
        Clones::All => {
            match can_load_class(class) {
                true => sequence.constant(class.this_class),
                false => sequence.null(),
            };
            (CLONED_BY_SUPER, 3)
        }
    };
    let method = method.constant(probe.bridge, pool)?;
    sequence.int(probe.id as i32, pool)?.invoke(op::INVOKESTATIC, method, arguments, 0);
    Ok(())
}

/// Writes the code that keeps the object on top of the stack, of which `clone()` is called next, in a local variable.
pub(super) fn before_clone(local: u16, sequence: &mut Sequence) {
    sequence.raw(&[op::DUP], 0, 1).store_reference(local);
}

/// Writes the code that tells the result of `clone()`, which is on top of the stack, and leaves it there. The local variable
/// is emptied, so that it keeps nothing alive.
pub(super) fn cloned(
    probe: &ConstructorProbe<'_>,
    original: u16,
    pool: &mut PoolEditor<'_>,
    sequence: &mut Sequence,
) -> Result<()> {
    let method = CLONED.constant(probe.bridge, pool)?;
    sequence.raw(&[op::DUP], 0, 1).load_reference(original);
    sequence.int(probe.id as i32, pool)?.invoke(op::INVOKESTATIC, method, 3, 0);
    sequence.null().store_reference(original);
    Ok(())
}
