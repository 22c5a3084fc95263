//! Verification types of locals and stack, followed through straight-line code.
//!
//! For frames that an edit adds, the engine infers types as the type checker does (JVMS §4.10.1.9): from the last frame of
//! the original, instruction by instruction.

use super::PoolEditor;
use crate::read::{
    ClassFile, CodeAttribute, Instruction, Member, StackMapFrame, StackMapFrameKind, VerificationType, access,
    descriptor::Parameters, op, tag,
};
use crate::{Error, Result};
use VerificationType::{Double, Float, Integer, Long, Null, Object, Top};

/// In the order of opcodes for each kind: `iload`, `lload`, `fload`, `dload`.
const BY_KIND: [VerificationType; 4] = [Integer, Long, Float, Double];

/// Types by slot; the second slot of a long or double is `Top`.
#[derive(Clone, Debug, Default)]
pub(super) struct TypeState {
    pub(super) locals: Vec<VerificationType>,
    pub(super) stack: Vec<VerificationType>,
}

impl TypeState {
    /// The implicit first frame of a method (JVMS §4.10.1.6).
    pub(super) fn at_entry(class: &ClassFile<'_>, method: &Member<'_>, pool: &mut PoolEditor<'_>) -> Result<Self> {
        let mut state = TypeState::default();
        if method.access_flags & access::STATIC == 0 {
            state.locals.push(match method.name()? {
                b"<init>" => VerificationType::UninitializedThis,
                _ => Object(class.this_class),
            });
        }
        for parameter in Parameters::from_descriptor(method.descriptor()?)? {
            push(&mut state.locals, of_descriptor(parameter?, pool)?);
        }
        Ok(state)
    }

    /// Applies a frame to the types of the frame before it.
    pub(super) fn apply(&mut self, frame: &StackMapFrame<'_>) -> Result<()> {
        match frame.kind {
            StackMapFrameKind::Same | StackMapFrameKind::SameLocals1StackItem | StackMapFrameKind::Append(_) => {}
            StackMapFrameKind::Chop(count) => {
                for _ in 0..count {
                    // A filler goes with the long or double before it.
                    let slots = self.locals.len();
                    let two = slots >= 2 && self.locals[slots - 2].slots() == 2;
                    self.locals.truncate(slots.saturating_sub(if two { 2 } else { 1 }));
                }
            }
            StackMapFrameKind::Full => self.locals.clear(),
        }
        self.stack.clear();
        for local in frame.locals() {
            push(&mut self.locals, local?);
        }
        for entry in frame.stack()? {
            push(&mut self.stack, entry?);
        }
        Ok(())
    }

    /// Runs one instruction.
    pub(super) fn step(
        &mut self,
        instruction: &Instruction<'_>,
        code: &CodeAttribute<'_>,
        class: &ClassFile<'_>,
        pool: &mut PoolEditor<'_>,
    ) -> Result<()> {
        let (pops, pushes) = instruction.stack_effect(&class.pool)?;
        let Some(rest) = self.stack.len().checked_sub(pops.into()) else {
            let pc = instruction.pc as usize;
            let message = format!("the instruction at pc {pc} pops more than the stack holds");
            return Err(Error::class_format(message, code.code_offset + pc));
        };
        let opcode = match instruction.opcode() {
            op::WIDE => instruction.bytes[1],
            opcode => opcode,
        };
        if let Some(order) = crate::read::shuffled(opcode) {
            let taken = self.stack.split_off(rest);
            self.stack.extend(order.iter().map(|&i| taken[i]));
            return Ok(());
        }
        if let Some((local, slots)) = instruction.stored_local() {
            if opcode != op::IINC {
                let stored = self.stack[rest];
                self.store(local, slots, stored);
            }
            self.stack.truncate(rest);
            return Ok(());
        }
        if opcode == op::INVOKESPECIAL {
            let member = class.pool.member_ref(instruction.index())?;
            if member.name == b"<init>" {
                let receiver = self.stack[rest];
                self.initialise(receiver, code, class)?;
            }
        }
        if pushes > 0 {
            let popped = self.stack.get(rest).copied();
            let pushed = self.pushed(opcode, instruction, popped, class, pool)?;
            self.stack.truncate(rest);
            push(&mut self.stack, pushed);
        } else {
            self.stack.truncate(rest);
        }
        Ok(())
    }

    fn store(&mut self, local: u16, slots: u16, stored: VerificationType) {
        let local = usize::from(local);
        let end = local + usize::from(slots);
        if self.locals.len() < end {
            self.locals.resize(end, Top);
        }
        // A long or double is gone when its second slot is overwritten.
        if local > 0 && self.locals[local - 1].slots() == 2 {
            self.locals[local - 1] = Top;
        }
        self.locals[local..end].fill(Top);
        self.locals[local] = stored;
    }

    /// After `<init>`, every copy of the receiver is an initialised object of its class.
    fn initialise(
        &mut self,
        receiver: VerificationType,
        code: &CodeAttribute<'_>,
        class: &ClassFile<'_>,
    ) -> Result<()> {
        let initialised = match receiver {
            VerificationType::UninitializedThis => Object(class.this_class),
            VerificationType::Uninitialized(pc) => {
                match code.instructions().starting_at(pc.into()).next().transpose()? {
                    Some(new) if new.opcode() == op::NEW => Object(new.index()),
                    _ => {
                        let message = format!("there is no `new` at pc {pc}");
                        return Err(Error::class_format(message, code.code_offset));
                    }
                }
            }
            _ => return Ok(()),
        };
        for entry in self.locals.iter_mut().chain(&mut self.stack) {
            if *entry == receiver {
                *entry = initialised;
            }
        }
        Ok(())
    }

    /// The type that an instruction pushes. `popped` is the deepest slot that it pops.
    fn pushed(
        &self,
        opcode: u8,
        instruction: &Instruction<'_>,
        popped: Option<VerificationType>,
        class: &ClassFile<'_>,
        pool: &mut PoolEditor<'_>,
    ) -> Result<VerificationType> {
        let index = instruction.index();
        Ok(match opcode {
            op::ACONST_NULL => Null,
            op::LDC | op::LDC_W | op::LDC2_W => {
                let object = |pool: &mut PoolEditor<'_>, name: &[u8]| pool.class(name).map(Object);
                match class.pool.tag(index)? {
                    tag::INTEGER => Integer,
                    tag::FLOAT => Float,
                    tag::LONG => Long,
                    tag::DOUBLE => Double,
                    tag::STRING => object(pool, b"java/lang/String")?,
                    tag::CLASS => object(pool, b"java/lang/Class")?,
                    tag::METHOD_HANDLE => object(pool, b"java/lang/invoke/MethodHandle")?,
                    tag::METHOD_TYPE => object(pool, b"java/lang/invoke/MethodType")?,
                    _ => of_descriptor(class.pool.member_descriptor(index)?, pool)?,
                }
            }
            op::ALOAD | op::ALOAD_0..=op::ALOAD_3 => {
                let local = instruction.local().map_or(0, usize::from);
                self.locals.get(local).copied().unwrap_or(Top)
            }
            op::ILOAD..op::ALOAD => BY_KIND[usize::from(opcode - op::ILOAD)],
            op::ILOAD_0..op::ALOAD_0 => BY_KIND[usize::from((opcode - op::ILOAD_0) / 4)],
            op::AALOAD => self.component(popped, class, pool)?,
            op::GETSTATIC | op::GETFIELD => of_descriptor(class.pool.member_descriptor(index)?, pool)?,
            op::INVOKEVIRTUAL..=op::INVOKEDYNAMIC => {
                let mut parameters = Parameters::from_descriptor(class.pool.member_descriptor(index)?)?;
                parameters.by_ref().try_for_each(|parameter| parameter.map(drop))?;
                of_descriptor(parameters.result(), pool)?
            }
            op::NEW => VerificationType::Uninitialized(instruction.pc as u16),
            op::NEWARRAY => {
                // T_BOOLEAN is 4 (JVMS table 6.5.newarray-A).
                let types = *b"ZCFDBSIJ";
                let element = types.get(usize::from(instruction.bytes[1]).wrapping_sub(4));
                Object(pool.class(&[b'[', *element.unwrap_or(&b'I')])?)
            }
            op::ANEWARRAY => {
                let element = class.pool.class_name(index)?;
                let array = match element.first() {
                    Some(b'[') => [b"[", element].concat(),
                    _ => [b"[L", element, b";"].concat(),
                };
                Object(pool.class(&array)?)
            }
            op::CHECKCAST | op::MULTIANEWARRAY => Object(index),
            _ => primitive(opcode),
        })
    }

    /// The element type of the array that `aaload` reads.
    fn component(
        &self,
        array: Option<VerificationType>,
        class: &ClassFile<'_>,
        pool: &mut PoolEditor<'_>,
    ) -> Result<VerificationType> {
        let Some(Object(array)) = array else { return Ok(Null) };
        let name = pool.class_name(array)?;
        match name.split_first() {
            Some((b'[', element)) => of_descriptor(element, pool),
            _ => {
                let message = "aaload reads from what is no array";
                Err(Error::class_format(message, class.pool.end()))
            }
        }
    }
}

/// Appends a type with its filler.
fn push(slots: &mut Vec<VerificationType>, entry: VerificationType) {
    slots.push(entry);
    if entry.slots() == 2 {
        slots.push(Top);
    }
}

fn of_descriptor(descriptor: &[u8], pool: &mut PoolEditor<'_>) -> Result<VerificationType> {
    Ok(match descriptor {
        [b'F', ..] => Float,
        [b'J', ..] => Long,
        [b'D', ..] => Double,
        [b'L', name @ .., b';'] => Object(pool.class(name)?),
        [b'[', ..] => Object(pool.class(descriptor)?),
        _ => Integer,
    })
}

/// The result of instructions that only compute.
fn primitive(opcode: u8) -> VerificationType {
    /// Results of `i2l` (0x85) to `d2f` (0x90).
    const CONVERTED: [VerificationType; 12] =
        [Long, Float, Double, Integer, Float, Double, Integer, Long, Double, Integer, Long, Float];
    match opcode {
        // lconst, fconst, dconst.
        0x09 | 0x0A => Long,
        0x0B..=0x0D => Float,
        0x0E | 0x0F => Double,
        // laload, faload, daload.
        0x2F => Long,
        0x30 => Float,
        0x31 => Double,
        // iadd to dneg repeat the four kinds, ishl to lxor alternate between int and long.
        0x60..=0x77 => BY_KIND[usize::from((opcode - 0x60) % 4)],
        0x78..=0x83 => BY_KIND[usize::from((opcode - 0x78) % 2)],
        0x85..=0x90 => CONVERTED[usize::from(opcode - 0x85)],
        _ => Integer,
    }
}
