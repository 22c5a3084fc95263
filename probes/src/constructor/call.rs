//! The injected calls: `bridge.live(this, id)`, `bridge.countOwn(this.getClass(), Own.class, id)` and their like,
//! `bridge.copied(copy, id)`, and those of claims, `bridge.claim(id)` and `bridge.claimed(id)`.

use super::placement::Holder;
use super::{ConstructorProbe, Objects, Track};
use weighbridge_bytecode::patch::{PoolEditor, Sequence};
use weighbridge_bytecode::read::{ClassFile, CpIndex, access, op};
use weighbridge_bytecode::{Error, ErrorKind, Result};

/// The first class-file version whose `ldc` takes a Class (JVMS §4.4.1, table 4.4-C).
const LDC_CLASS: u16 = 49;

/// True if the constructors of a class cannot tell its own objects from those of subclasses, as a class that can have
/// some and is too old to name a class: docs/probe-contract.md, `blind`.
pub fn is_blind(class: &ClassFile<'_>) -> bool {
    class.major_version < LDC_CLASS && class.access_flags & access::FINAL == 0
}

/// A kind of code that the methods of a class get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Registers the object, unless this local variable says that it is claimed.
    Register(Holder, Option<u16>),
    /// Claims the object from the superclass that [`super::Claims::from`] names.
    Claim,
    /// Puts into this local variable whether a subclass has claimed the object.
    Heed(u16),
}

/// The constants of one class's probes.
struct Call {
    id: i32,
    /// What comes before the id; nothing is asked of a final class, whose objects are its own.
    question: Option<Question>,
    /// Pushes the object first; otherwise its class, if that is asked for.
    object: bool,
    bridge_method: CpIndex,
}

/// Is the object one of the class itself?
struct Question {
    get_class: Option<CpIndex>,
    /// None where no class can be named: the runtime compares then.
    own_class: Option<CpIndex>,
}

impl Call {
    /// Adds the constants that the call needs; `heeds` if it tells whether the object is claimed.
    fn new(
        class: &ClassFile<'_>,
        probe: &ConstructorProbe<'_>,
        heeds: bool,
        pool: &mut PoolEditor<'_>,
    ) -> Result<Self> {
        let bridge = weighbridge_bytecode::read::mutf8::encode(probe.bridge);
        let is_final = class.access_flags & access::FINAL != 0;
        let blind = is_blind(class);
        let (name, descriptor): (&[u8], &[u8]) = match (probe.track, probe.objects) {
            (Track::Live, _) if is_final => (b"live", b"(Ljava/lang/Object;I)V"),
            (Track::Count, _) if is_final => (b"count", b"(I)V"),
            (Track::Live, Objects::Own) if !blind => (b"liveOwn", b"(Ljava/lang/Object;Ljava/lang/Class;I)V"),
            (Track::Count, Objects::Own) if !blind => (b"countOwn", b"(Ljava/lang/Class;Ljava/lang/Class;I)V"),
            (Track::Live, _) if heeds => (b"liveUnclaimed", b"(Ljava/lang/Object;Ljava/lang/Class;IZ)V"),
            (Track::Count, _) if heeds => (b"countUnclaimed", b"(Ljava/lang/Class;Ljava/lang/Class;IZ)V"),
            (Track::Live, _) => (b"liveAll", b"(Ljava/lang/Object;Ljava/lang/Class;I)V"),
            (Track::Count, _) => (b"countAll", b"(Ljava/lang/Class;Ljava/lang/Class;I)V"),
        };
        let object = probe.track == Track::Live;
        let question = match is_final {
            true => None,
            false => Some(Question {
                get_class: match object {
                    true => None,
                    false => Some(pool.method_ref(b"java/lang/Object", b"getClass", b"()Ljava/lang/Class;")?),
                },
                own_class: (!blind).then_some(class.this_class),
            }),
        };
        let bridge_method = pool.own_method_ref(&bridge, name, descriptor)?;
        Ok(Call { id: probe.id as i32, question, object, bridge_method })
    }

    /// Writes the code that registers the object in a local variable; another one says whether it is claimed.
    fn constructed(
        &self,
        this_local: u16,
        claimed: Option<u16>,
        pool: &mut PoolEditor<'_>,
        sequence: &mut Sequence,
    ) -> Result<()> {
        let mut arguments = 1;
        if self.object || self.question.is_some() {
            sequence.load_reference(this_local);
            arguments += 1;
        }
        if let Some(question) = &self.question {
            if let Some(get_class) = question.get_class {
                sequence.invoke(op::INVOKEVIRTUAL, get_class, 1, 1);
            }
            match question.own_class {
                Some(own_class) => sequence.constant(own_class),
                None => sequence.null(),
            };
            arguments += 1;
        }
        sequence.int(self.id, pool)?;
        if let Some(claimed) = claimed {
            sequence.load_int(claimed);
            arguments += 1;
        }
        sequence.invoke(op::INVOKESTATIC, self.bridge_method, arguments, 0);
        Ok(())
    }
}

/// Writes the code that claims the object, which is not initialised yet, from the class with this id.
fn claim(probe: &ConstructorProbe<'_>, from: u32, pool: &mut PoolEditor<'_>, sequence: &mut Sequence) -> Result<()> {
    let bridge = weighbridge_bytecode::read::mutf8::encode(probe.bridge);
    let method = pool.own_method_ref(&bridge, b"claim", b"(I)V")?;
    sequence.int(from as i32, pool)?.invoke(op::INVOKESTATIC, method, 1, 0);
    Ok(())
}

/// Writes the code that asks whether the object is claimed from this class, and keeps the answer.
fn heed(probe: &ConstructorProbe<'_>, local: u16, pool: &mut PoolEditor<'_>, sequence: &mut Sequence) -> Result<()> {
    let bridge = weighbridge_bytecode::read::mutf8::encode(probe.bridge);
    let method = pool.own_method_ref(&bridge, b"claimed", b"(I)Z")?;
    sequence.int(probe.id as i32, pool)?.invoke(op::INVOKESTATIC, method, 1, 1).store_int(local).reserve_locals(1);
    Ok(())
}

/// Writes the code that registers the copy on top of the stack, and leaves it there.
fn copied(probe: &ConstructorProbe<'_>, pool: &mut PoolEditor<'_>, sequence: &mut Sequence) -> Result<()> {
    let bridge = weighbridge_bytecode::read::mutf8::encode(probe.bridge);
    let method = pool.own_method_ref(&bridge, b"copied", b"(Ljava/lang/Object;I)V")?;
    sequence.raw(&[op::DUP], 0, 1).int(probe.id as i32, pool)?.invoke(op::INVOKESTATIC, method, 2, 0);
    Ok(())
}

/// Memory for the code of one class's probes after the other's.
#[derive(Debug, Default)]
pub(super) struct CallMemory(Vec<(Piece, Sequence)>);

/// The calls of one class, whose constants are added when the first of their kind is needed.
pub(super) struct Calls<'p> {
    class: &'p ClassFile<'p>,
    probe: &'p ConstructorProbe<'p>,
    /// Without and with what says whether the object is claimed.
    constructed: [Option<Call>; 2],
    /// A class has a few. Those behind `used` are of an earlier class.
    sequences: &'p mut Vec<(Piece, Sequence)>,
    used: usize,
}

impl<'p> Calls<'p> {
    pub(super) fn of(class: &'p ClassFile<'p>, probe: &'p ConstructorProbe<'p>, memory: &'p mut CallMemory) -> Self {
        Calls { class, probe, constructed: [None, None], sequences: &mut memory.0, used: 0 }
    }

    /// Makes the code of a piece, unless it is made.
    pub(super) fn prepare(&mut self, piece: Piece, pool: &mut PoolEditor<'_>) -> Result<()> {
        if self.find(piece).is_some() {
            return Ok(());
        }
        if self.used == self.sequences.len() {
            self.sequences.push((piece, Sequence::new()));
        }
        let (known, sequence) = &mut self.sequences[self.used];
        *known = piece;
        sequence.clear();
        match piece {
            Piece::Register(Holder::Top, _) => copied(self.probe, pool, sequence)?,
            Piece::Register(Holder::Local(local), claimed) => {
                let heeds = claimed.is_some();
                let call = match &mut self.constructed[usize::from(heeds)] {
                    Some(call) => call,
                    none => none.insert(Call::new(self.class, self.probe, heeds, pool)?),
                };
                call.constructed(local, claimed, pool, sequence)?;
            }
            Piece::Claim => {
                let from = self.probe.claims.from.ok_or_else(no_code)?;
                claim(self.probe, from, pool, sequence)?;
            }
            Piece::Heed(local) => heed(self.probe, local, pool, sequence)?,
        }
        self.used += 1;
        Ok(())
    }

    /// The code of a piece, as it was prepared.
    pub(super) fn prepared(&self, piece: Piece) -> Result<&Sequence> {
        self.find(piece).ok_or_else(no_code)
    }

    fn find(&self, piece: Piece) -> Option<&Sequence> {
        self.sequences[..self.used].iter().find(|(known, _)| *known == piece).map(|(_, sequence)| sequence)
    }
}

#[cold]
fn no_code() -> Error {
    Error::new(ErrorKind::Internal, "a probe has no code")
}
