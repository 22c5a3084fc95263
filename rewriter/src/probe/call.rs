//! The injected call: `bridge.live(this, Own.class, id)`, `bridge.count(this.getClass(), Own.class, id)`, or
//! `bridge.copied(copy, id)`.

use super::placement::Holder;
use super::{ConstructorProbe, Track};
use crate::classfile::{ClassFile, CpIndex, op};
use crate::patch::{PoolEditor, Sequence};
use crate::{Error, ErrorKind, Result};

/// The first class-file version whose `ldc` takes a Class (JVMS §4.4.1, table 4.4-C).
const LDC_CLASS: u16 = 49;

/// The constants of one class's probes.
struct Call {
    track: Track,
    id: i32,
    own_class: Option<CpIndex>,
    get_class: Option<CpIndex>,
    bridge_method: CpIndex,
}

impl Call {
    /// Adds the constants that the call needs.
    fn new(class: &ClassFile<'_>, probe: &ConstructorProbe<'_>, pool: &mut PoolEditor<'_>) -> Result<Self> {
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
            bridge_method: pool.own_method_ref(&bridge, name, descriptor)?,
        })
    }

    /// Writes the code that registers the object in a local variable.
    fn constructed(&self, this_local: u16, pool: &mut PoolEditor<'_>, sequence: &mut Sequence) -> Result<()> {
        sequence.load_reference(this_local);
        if let (Track::Count, Some(get_class)) = (self.track, self.get_class) {
            sequence.invoke(op::INVOKEVIRTUAL, get_class, 1, 1);
        }
        match self.own_class {
            Some(own_class) => sequence.constant(own_class),
            None => sequence.null(),
        };
        sequence.int(self.id, pool)?.invoke(op::INVOKESTATIC, self.bridge_method, 3, 0);
        Ok(())
    }
}

/// Writes the code that registers the copy on top of the stack, and leaves it there.
fn copied(probe: &ConstructorProbe<'_>, pool: &mut PoolEditor<'_>, sequence: &mut Sequence) -> Result<()> {
    let bridge = crate::classfile::mutf8::encode(probe.bridge);
    let method = pool.own_method_ref(&bridge, b"copied", b"(Ljava/lang/Object;I)V")?;
    sequence.raw(&[op::DUP], 0, 1).int(probe.id as i32, pool)?.invoke(op::INVOKESTATIC, method, 2, 0);
    Ok(())
}

/// Memory for the code of one class's probes after the other's.
#[derive(Debug, Default)]
pub(super) struct CallMemory(Vec<(Holder, Sequence)>);

/// The calls of one class, whose constants are added when the first of their kind is needed.
pub(super) struct Calls<'p> {
    class: &'p ClassFile<'p>,
    probe: &'p ConstructorProbe<'p>,
    constructed: Option<Call>,
    /// By what they register; a class has one or two. Those behind `used` are of an earlier class.
    sequences: &'p mut Vec<(Holder, Sequence)>,
    used: usize,
}

impl<'p> Calls<'p> {
    pub(super) fn of(class: &'p ClassFile<'p>, probe: &'p ConstructorProbe<'p>, memory: &'p mut CallMemory) -> Self {
        Calls { class, probe, constructed: None, sequences: &mut memory.0, used: 0 }
    }

    /// Makes the code that registers an object, unless it is made.
    pub(super) fn prepare(&mut self, object: Holder, pool: &mut PoolEditor<'_>) -> Result<()> {
        if self.find(object).is_some() {
            return Ok(());
        }
        if self.used == self.sequences.len() {
            self.sequences.push((object, Sequence::new()));
        }
        let (holder, sequence) = &mut self.sequences[self.used];
        *holder = object;
        sequence.clear();
        match object {
            Holder::Top => copied(self.probe, pool, sequence)?,
            Holder::Local(local) => {
                let call = match &mut self.constructed {
                    Some(call) => call,
                    none => none.insert(Call::new(self.class, self.probe, pool)?),
                };
                call.constructed(local, pool, sequence)?;
            }
        }
        self.used += 1;
        Ok(())
    }

    /// The code that registers an object, as it was prepared.
    pub(super) fn prepared(&self, object: Holder) -> Result<&Sequence> {
        self.find(object).ok_or_else(|| Error::new(ErrorKind::Internal, "a probe has no code"))
    }

    fn find(&self, object: Holder) -> Option<&Sequence> {
        self.sequences[..self.used].iter().find(|(holder, _)| *holder == object).map(|(_, sequence)| sequence)
    }
}
