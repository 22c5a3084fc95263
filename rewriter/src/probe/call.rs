//! The injected call: `bridge.live(this, Own.class, id)` or `bridge.count(this.getClass(), Own.class, id)`.

use super::placement::Holder;
use super::{ConstructorProbe, Track};
use crate::Result;
use crate::classfile::{ClassFile, CpIndex, op};
use crate::patch::{PoolEditor, Sequence};

/// The first class-file version whose `ldc` takes a Class (JVMS §4.4.1, table 4.4-C).
const LDC_CLASS: u16 = 49;

/// The constants of one class's probes.
pub(super) struct Call {
    track: Track,
    id: i32,
    own_class: Option<CpIndex>,
    get_class: Option<CpIndex>,
    bridge_method: CpIndex,
}

impl Call {
    /// Adds the constants that the call needs.
    pub(super) fn new(class: &ClassFile<'_>, probe: &ConstructorProbe<'_>, pool: &mut PoolEditor<'_>) -> Result<Self> {
        let bridge = crate::classfile::mutf8::encode(probe.bridge);
        let (name, descriptor, get_class): (&[u8], &[u8], _) = match probe.track {
            Track::Live => (b"live", b"(Ljava/lang/Object;Ljava/lang/Class;I)V", None),
            Track::Count => {
                let get_class = pool.method_ref(b"java/lang/Object", b"getClass", b"()Ljava/lang/Class;")?;
                (b"count", b"(Ljava/lang/Class;Ljava/lang/Class;I)V", Some(get_class))
            }
        };
        Ok(Call {
            track: probe.track,
            id: probe.id as i32,
            own_class: (class.major_version >= LDC_CLASS).then_some(class.this_class),
            get_class,
            bridge_method: pool.method_ref(&bridge, name, descriptor)?,
        })
    }

    /// The code that registers an object.
    pub(super) fn sequence(&self, object: Holder, pool: &mut PoolEditor<'_>) -> Result<Sequence> {
        let mut sequence = Sequence::new();
        match object {
            Holder::Local(local) => sequence.load_reference(local),
            Holder::Top => sequence.raw(&[op::DUP], 0, 1),
        };
        if let (Track::Count, Some(get_class)) = (self.track, self.get_class) {
            sequence.invoke(op::INVOKEVIRTUAL, get_class, 1, 1);
        }
        match self.own_class {
            Some(own_class) => sequence.constant(own_class),
            None => sequence.null(),
        };
        sequence.int(self.id, pool)?.invoke(op::INVOKESTATIC, self.bridge_method, 3, 0);
        Ok(sequence)
    }
}
