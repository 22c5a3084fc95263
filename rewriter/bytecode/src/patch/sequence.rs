//! The code to insert, with the stack depth that it needs.

use super::PoolEditor;
use crate::read::{CpIndex, op};
use crate::{BytecodeErrorKind, Error, Result};

/// Code that leaves the operand stack unchanged, or the code of a handler.
///
/// It can be inserted at any number of sites. It never pops values of the program, except those that it borrows
/// ([`Sequence::borrow`]). It may jump forward inside itself ([`Sequence::jump`], [`Sequence::land`]). A handler may also jump to
/// the method's first instruction ([`Sequence::restart`]).
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    pub(super) bytes: Vec<u8>,
    /// The depth that it needs above the program's stack, in slots.
    pub(super) stack: u16,
    /// Targets of its jumps, ascending; each needs a stack map frame.
    pub(super) landings: Vec<u16>,
    /// Local variables up to the highest one that it stores: the method needs as many.
    pub(super) locals: u16,
    depth: u16,
    /// Slots of the program that it may pop, and has to push again.
    borrowed: u16,
    /// The depth at jumps and landings: 1 in a handler, for the exception, else 0.
    at_jumps: u16,
    /// True if it ends by throwing.
    pub(super) is_handler: bool,
    /// Where the `goto_w` to the method's first instruction is.
    pub(super) restart: Option<u16>,
}

/// A jump whose target is not known yet.
#[derive(Debug)]
#[must_use = "the jump has to land"]
pub struct Jump {
    at: usize,
}

impl Sequence {
    /// An empty sequence.
    pub fn new() -> Self {
        // Most sequences are shorter.
        Sequence { bytes: Vec::with_capacity(16), ..Sequence::default() }
    }

    /// Empties it and keeps its memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.landings.clear();
        (self.stack, self.depth, self.at_jumps, self.is_handler, self.restart) = (0, 0, 0, false, None);
        (self.locals, self.borrowed) = (0, 0);
    }

    /// Only at the start: the sequence may pop so many slots of the program. At its end equal values must be there again;
    /// nobody checks this but the tests. It must not jump.
    pub fn borrow(&mut self, slots: u16) -> &mut Self {
        self.poison_unless(self.bytes.is_empty());
        (self.depth, self.borrowed) = (slots, slots);
        self
    }

    /// Starts the code of a handler. The exception is on the stack; [`Sequence::rethrow`] must end it.
    pub fn start_handler(&mut self) -> &mut Self {
        self.clear();
        (self.stack, self.depth, self.at_jumps) = (1, 1, 1);
        self
    }

    /// `athrow`, the end of a handler's code.
    pub fn rethrow(&mut self) -> &mut Self {
        self.is_handler = true;
        self.raw(&[op::ATHROW], 1, 0)
    }

    /// Only in a handler, without the exception: `goto_w` to the method's first instruction, after the code at the entry.
    /// The sequence goes on where a jump lands.
    ///
    /// All covered instructions must keep the parameters ([`super::keeps_parameters`]).
    pub fn restart(&mut self) -> &mut Self {
        self.poison_unless(self.depth == 0 && self.at_jumps == 1 && self.restart.is_none());
        self.restart = Some(self.bytes.len() as u16);
        self.raw(&[op::GOTO_W, 0, 0, 0, 0], 0, self.at_jumps)
    }

    /// Jumps forward: `goto`, or an `if` that pops this many slots. The sequence must have nothing on the stack then, a
    /// handler its exception alone.
    pub fn jump(&mut self, opcode: u8, pops: u16) -> Jump {
        self.raw(&[opcode, 0, 0], pops, 0);
        self.poison_unless(self.depth == self.at_jumps);
        Jump { at: self.bytes.len() - 3 }
    }

    /// The target of a jump. On the stack must be the same as at the jump. The types of what it stored since the jump are
    /// unknown.
    pub fn land(&mut self, jump: Jump) -> &mut Self {
        let target = self.bytes.len();
        let offset = i16::try_from(target - jump.at);
        self.poison_unless(self.depth == self.at_jumps && offset.is_ok());
        let bytes = offset.unwrap_or_default().to_be_bytes();
        self.bytes[jump.at + 1..jump.at + 3].copy_from_slice(&bytes);
        if self.landings.last().is_none_or(|&last| usize::from(last) < target) {
            self.landings.push(target as u16);
        }
        self
    }

    fn poison_unless(&mut self, sound: bool) {
        if !sound {
            self.depth = u16::MAX;
        }
    }

    /// The assembled bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The depth that it needs above the program's stack, in slots.
    pub fn stack(&self) -> u16 {
        self.stack
    }

    /// Whether the operand stack is again as deep as at the start.
    pub fn is_balanced(&self) -> bool {
        self.depth == self.borrowed
    }

    /// Appends instructions with their stack effect; no branch, and no store below the method's `max_locals`.
    ///
    /// Code that pops values of the program makes the insertion fail with `Internal`.
    pub fn raw(&mut self, bytes: &[u8], pops: u16, pushes: u16) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        // After an underflow the depth stays 65,535, so the sequence can never be balanced again.
        self.depth = match self.depth.checked_sub(pops) {
            Some(depth) if self.depth != u16::MAX => depth.saturating_add(pushes),
            _ => u16::MAX,
        };
        self.stack = self.stack.max(self.depth.saturating_sub(self.borrowed));
        self
    }

    /// `aload`, shortest form.
    pub fn load_reference(&mut self, local: u16) -> &mut Self {
        self.local([op::ALOAD_0, op::ALOAD], local, 0, 1)
    }

    fn local(&mut self, [first, any]: [u8; 2], local: u16, pops: u16, pushes: u16) -> &mut Self {
        match local {
            0..=3 => self.raw(&[first + local as u8], pops, pushes),
            4..=255 => self.raw(&[any, local as u8], pops, pushes),
            _ => {
                let [high, low] = local.to_be_bytes();
                self.raw(&[op::WIDE, any, high, low], pops, pushes)
            }
        }
    }

    /// `lload`, shortest form.
    pub fn load_long(&mut self, local: u16) -> &mut Self {
        self.local([op::LLOAD_0, op::LLOAD], local, 0, 2)
    }

    /// `iload`, shortest form.
    pub fn load_int(&mut self, local: u16) -> &mut Self {
        self.local([op::ILOAD_0, op::ILOAD], local, 0, 1)
    }

    /// `lstore`, shortest form, into a local variable that the method does not have.
    pub fn store_long(&mut self, local: u16) -> &mut Self {
        self.locals = self.locals.max(local.saturating_add(2));
        self.local([op::LSTORE_0, op::LSTORE], local, 2, 0)
    }

    /// `istore`, shortest form, into a local variable that the method does not have.
    pub fn store_int(&mut self, local: u16) -> &mut Self {
        self.locals = self.locals.max(local.saturating_add(1));
        self.local([op::ISTORE_0, op::ISTORE], local, 1, 0)
    }

    /// `astore`, shortest form, into a local variable that the method does not have. What keeps no value from one sequence to
    /// another where control flow meets need not be an added local variable ([`super::MethodEdit::locals`]).
    pub fn store_reference(&mut self, local: u16) -> &mut Self {
        self.locals = self.locals.max(local.saturating_add(1));
        self.local([op::ASTORE_0, op::ASTORE], local, 1, 0)
    }

    /// `aconst_null`.
    pub fn null(&mut self) -> &mut Self {
        self.raw(&[op::ACONST_NULL], 0, 1)
    }

    /// `ldc` or `ldc_w` of a one-slot constant.
    pub fn constant(&mut self, index: CpIndex) -> &mut Self {
        match index.0.to_be_bytes() {
            [0, low] => self.raw(&[op::LDC, low], 0, 1),
            [high, low] => self.raw(&[op::LDC_W, high, low], 0, 1),
        }
    }

    /// The shortest instruction that pushes an `int`; a value beyond 16 bits becomes an Integer constant.
    pub fn int(&mut self, value: i32, pool: &mut PoolEditor<'_>) -> Result<&mut Self> {
        Ok(match (value, i8::try_from(value), i16::try_from(value)) {
            (-1..=5, ..) => self.raw(&[(i32::from(op::ICONST_0) + value) as u8], 0, 1),
            (_, Ok(byte), _) => self.raw(&[op::BIPUSH, byte as u8], 0, 1),
            (_, _, Ok(short)) => {
                let [high, low] = short.to_be_bytes();
                self.raw(&[op::SIPUSH, high, low], 0, 1)
            }
            _ => {
                let index = pool.integer(value)?;
                self.constant(index)
            }
        })
    }

    /// An `invokestatic`, `invokevirtual` or `invokespecial`; `pops` includes the receiver.
    pub fn invoke(&mut self, opcode: u8, method: CpIndex, pops: u16, pushes: u16) -> &mut Self {
        let [high, low] = method.0.to_be_bytes();
        self.raw(&[opcode, high, low], pops, pushes)
    }

    /// An error unless the sequence leaves the stack unchanged.
    pub(super) fn check(&self) -> Result<()> {
        match self.is_balanced() {
            true => Ok(()),
            false => Err(Error::new(BytecodeErrorKind::Internal, "an inserted sequence changes the stack")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_knows_the_depth_it_reaches() {
        let mut sequence = Sequence::new();
        sequence.load_reference(0).constant(CpIndex(300)).raw(&[op::POP, op::POP], 2, 0);
        assert_eq!((sequence.stack(), sequence.is_balanced()), (2, true));
        assert_eq!(sequence.bytes(), [op::ALOAD_0, op::LDC_W, 1, 44, op::POP, op::POP]);
    }

    #[test]
    fn a_sequence_that_pops_values_of_the_program_is_refused() {
        let mut sequence = Sequence::new();
        sequence.raw(&[op::POP], 1, 0).null();
        assert_eq!(sequence.check().unwrap_err().to_string(), "an inserted sequence changes the stack");
    }

    #[test]
    fn values_that_are_borrowed_must_be_there_again() {
        let mut sequence = Sequence::new();
        sequence.borrow(2).store_int(7).store_reference(300).null().raw(&[op::POP], 1, 0);
        assert!(sequence.check().is_err(), "two values are missing");
        sequence.load_reference(300).load_int(7).null().raw(&[op::POP], 1, 0);
        sequence.check().unwrap();
        assert_eq!((sequence.stack(), sequence.locals), (1, 301));
        let mut sequence = Sequence::new();
        sequence.borrow(1).raw(&[op::POP, op::POP], 2, 0).null().null();
        assert!(sequence.check().is_err(), "it pops more than it borrowed");
    }

    #[test]
    fn a_jump_lands_only_where_the_sequence_has_nothing_on_the_stack() {
        let mut sequence = Sequence::new();
        sequence.raw(&[op::ICONST_0], 0, 1);
        let jump = sequence.jump(op::IFEQ, 1);
        sequence.null().raw(&[op::POP], 1, 0).land(jump).null().raw(&[op::POP], 1, 0);
        sequence.check().unwrap();
        assert_eq!(sequence.bytes()[1..4], [op::IFEQ, 0, 5]);
        assert_eq!(sequence.landings, [6]);
        let mut sequence = Sequence::new();
        sequence.null().raw(&[op::ICONST_0], 0, 1);
        let jump = sequence.jump(op::IFEQ, 1);
        sequence.land(jump).raw(&[op::POP], 1, 0);
        assert!(sequence.check().is_err(), "a value is on the stack where it lands");
    }

    #[test]
    fn only_a_handler_without_its_exception_restarts_the_method() {
        let mut sequence = Sequence::new();
        sequence.start_handler().raw(&[op::ICONST_0], 0, 1);
        let over = sequence.jump(op::IFEQ, 1);
        sequence.raw(&[op::POP], 1, 0).restart().land(over).rethrow();
        sequence.check().unwrap();
        assert_eq!((sequence.restart, &sequence.landings[..]), (Some(5), &[10][..]));
        sequence.start_handler().restart().rethrow();
        assert!(sequence.check().is_err(), "the exception is still on the stack");
        sequence.clear();
        sequence.restart();
        assert!(sequence.check().is_err(), "it is no handler");
    }

    #[test]
    fn locals_above_255_are_loaded_by_the_wide_form() {
        let bytes = |local| Sequence::new().load_reference(local).bytes().to_vec();
        assert_eq!(bytes(3), [op::ALOAD_3]);
        assert_eq!(bytes(255), [op::ALOAD, 255]);
        assert_eq!(bytes(256), [op::WIDE, op::ALOAD, 1, 0]);
    }

    #[test]
    fn a_long_is_stored_and_loaded_in_the_shortest_form() {
        let bytes = |local| Sequence::new().raw(&[0x09], 0, 2).store_long(local).load_long(local).bytes()[1..].to_vec();
        assert_eq!(bytes(2), [op::LSTORE_0 + 2, op::LLOAD_0 + 2]);
        assert_eq!(bytes(4), [op::LSTORE, 4, op::LLOAD, 4]);
        assert_eq!(bytes(256), [op::WIDE, op::LSTORE, 1, 0, op::WIDE, op::LLOAD, 1, 0]);
    }
}
