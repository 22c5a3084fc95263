//! The injected calls, such as `bridge.live(this, id)`, `bridge.countOwn(this.getClass(), Own.class, id)` and
//! `bridge.copied(copy, id)`.

use super::probe::{ConstructorProbe, Objects, Track};
use crate::contract::{COPIED, COUNT, COUNT_ALL, COUNT_OWN, LIVE, LIVE_ALL, LIVE_OWN};
use weighbridge_bytecode::Result;
use weighbridge_bytecode::patch::{PoolEditor, Sequence};
use weighbridge_bytecode::read::{ClassFile, access, op};

/// The first class-file version whose `ldc` takes a Class (JVMS §4.4.1, table 4.4-C).
const LDC_CLASS: u16 = 49;

/// True if the constructors of a class cannot tell its own objects from those of subclasses: it can have subclasses, and
/// its version is too old for an `ldc` of a class (docs/probe-contract.md, `blind`).
pub fn is_blind(class: &ClassFile<'_>) -> bool {
    class.major_version < LDC_CLASS && class.access_flags & access::FINAL == 0
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

/// Writes the code that registers the copy on top of the stack, and leaves it there.
pub(super) fn copied(probe: &ConstructorProbe<'_>, pool: &mut PoolEditor<'_>, sequence: &mut Sequence) -> Result<()> {
    let method = COPIED.constant(probe.bridge, pool)?;
    sequence.raw(&[op::DUP], 0, 1).int(probe.id as i32, pool)?.invoke(op::INVOKESTATIC, method, 2, 0);
    Ok(())
}
