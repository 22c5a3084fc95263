//! Instructions of a `code` array: boundaries, branch targets, stack effects.

use super::opcode::{LENGTHS, VARIABLE, fixed_effect, kind, op};
use super::pool::{CpIndex, Pool};
use super::{descriptor, opcode};
use crate::{Error, Result};

/// One instruction: its pc and its bytes, operands included.
#[derive(Clone, Copy, Debug)]
pub struct Instruction<'a> {
    /// Index of the opcode in the `code` array.
    pub pc: u32,
    /// Opcode, padding and operands.
    pub bytes: &'a [u8],
}

/// One branch operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchOperand {
    /// Index, in the `code` array, of the operand's first byte.
    pub at: u32,
    /// Whether the operand has four bytes, not two.
    pub wide: bool,
    /// The pc of the branch target.
    pub target: u32,
}

/// The instructions of a `code` array, in order.
///
/// Ends after its first error; the errors' offsets are absolute.
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    code: &'a [u8],
    /// Absolute offset of the code array.
    base: usize,
    pc: usize,
}

impl<'a> Instructions<'a> {
    /// Starts at pc 0 of a code array at the absolute offset `base`.
    pub fn new(code: &'a [u8], base: usize) -> Self {
        Instructions { code, base, pc: 0 }
    }

    /// Starts at the pc of an instruction.
    pub fn starting_at(mut self, pc: u32) -> Self {
        self.pc = pc as usize;
        self
    }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Instruction<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let pc = self.pc;
        let &opcode = self.code.get(pc)?;
        let length = match LENGTHS[usize::from(opcode)] {
            length @ 1.. => usize::from(length),
            VARIABLE => match variable_length(self.code, pc) {
                Some(length) => length,
                None => {
                    self.pc = self.code.len();
                    return Some(Err(self.malformed(pc, opcode)));
                }
            },
        };
        match self.code.get(pc..pc + length) {
            Some(bytes) => {
                self.pc = pc + length;
                Some(Ok(Instruction { pc: pc as u32, bytes }))
            }
            None => {
                self.pc = self.code.len();
                Some(Err(self.malformed(pc, opcode)))
            }
        }
    }
}

impl Instructions<'_> {
    #[cold]
    fn malformed(&self, pc: usize, opcode: u8) -> Error {
        let message = match opcode::mnemonic(opcode) {
            Some(name) => format!("the {name} at pc {pc} does not end within the code"),
            None => format!("unknown opcode {opcode:#04x} at pc {pc}"),
        };
        Error::class_format(message, self.base + pc)
    }
}

/// Length of a switch or `wide`; `None` when its operands are cut off or invalid.
fn variable_length(code: &[u8], pc: usize) -> Option<usize> {
    let i4 = |at: usize| -> Option<i64> {
        let bytes = code.get(at..at + 4)?;
        Some(i64::from(i32::from_be_bytes(bytes.try_into().ok()?)))
    };
    let operands = pc + switch_operands(pc as u32);
    let length = match code[pc] {
        op::TABLESWITCH => {
            let entries = i4(operands + 8)? - i4(operands + 4)? + 1;
            (operands - pc) as i64 + 12 + if entries > 0 { 4 * entries } else { return None }
        }
        op::LOOKUPSWITCH => {
            let pairs = i4(operands + 4)?;
            (operands - pc) as i64 + 8 + if pairs >= 0 { 8 * pairs } else { return None }
        }
        op::WIDE => match *code.get(pc + 1)? {
            op::IINC => 6,
            op::ILOAD..=op::ALOAD | op::ISTORE..=op::ASTORE | op::RET => 4,
            _ => return None,
        },
        _ => return None,
    };
    usize::try_from(length).ok()
}

impl<'a> Instruction<'a> {
    /// The opcode; `wide` for a widened instruction.
    #[inline]
    pub fn opcode(&self) -> u8 {
        self.bytes[0]
    }

    /// The pc after this instruction.
    #[inline]
    pub fn end(&self) -> u32 {
        self.pc + self.bytes.len() as u32
    }

    /// The two-byte operand that follows the opcode; only for instructions that have one.
    #[inline]
    pub fn index(&self) -> CpIndex {
        match self.bytes {
            [_, high, low, ..] => CpIndex(u16::from_be_bytes([*high, *low])),
            [_, low] => CpIndex(u16::from(*low)),
            _ => CpIndex(0),
        }
    }

    /// The local variable that a load, store, `iinc` or `ret` (also widened or with the index in the opcode) names.
    pub fn local(&self) -> Option<u16> {
        let opcode = self.opcode();
        match opcode {
            op::ILOAD..=op::ALOAD | op::ISTORE..=op::ASTORE | op::IINC | op::RET => {
                self.bytes.get(1).map(|&b| u16::from(b))
            }
            op::ILOAD_0..=op::ALOAD_3 => Some(u16::from((opcode - op::ILOAD_0) & 3)),
            op::ISTORE_0..=op::ASTORE_3 => Some(u16::from((opcode - op::ISTORE_0) & 3)),
            op::WIDE => match self.bytes {
                [_, _, high, low, ..] => Some(u16::from_be_bytes([*high, *low])),
                _ => None,
            },
            _ => None,
        }
    }

    /// The first local variable that the instruction writes, and how many it writes.
    #[inline]
    pub fn stored_local(&self) -> Option<(u16, u16)> {
        if !self.is_any(kind::STORES) {
            return None;
        }
        // The five store kinds are i, l, f, d, a: the odd ones take two slots.
        let two_slots = |kind: u8| if kind == 1 || kind == 3 { 2 } else { 1 };
        let slots = match self.opcode() {
            opcode @ op::ISTORE..=op::ASTORE => two_slots(opcode - op::ISTORE),
            opcode @ op::ISTORE_0..=op::ASTORE_3 => two_slots((opcode - op::ISTORE_0) / 4),
            op::WIDE => match self.bytes[1] {
                opcode @ op::ISTORE..=op::ASTORE => two_slots(opcode - op::ISTORE),
                op::IINC => 1,
                _ => return None,
            },
            op::IINC => 1,
            _ => return None,
        };
        Some((self.local()?, slots))
    }

    /// Whether control never continues at the next instruction.
    #[inline]
    pub fn ends_flow(&self) -> bool {
        self.is_any(kind::ENDS_FLOW) && (self.opcode() != op::WIDE || self.bytes[1] == op::RET)
    }

    /// Whether this is a jump to a subroutine or a return from one: `jsr`, `jsr_w`, `ret` or `wide ret`.
    #[inline]
    pub fn is_subroutine(&self) -> bool {
        self.is_any(kind::SUBROUTINE) && (self.opcode() != op::WIDE || self.bytes[1] == op::RET)
    }

    /// Whether it is no jump, switch, return, `athrow`, `wide` or instruction of subroutines.
    #[inline]
    pub fn is_plain(&self) -> bool {
        !self.is_any(kind::BRANCHES | kind::ENDS_FLOW | kind::SUBROUTINE)
    }

    #[inline]
    fn is_any(&self, kinds: u8) -> bool {
        kind::KINDS[usize::from(self.opcode())] & kinds != 0
    }

    /// Whether the instruction has branch operands.
    #[inline]
    pub fn branches(&self) -> bool {
        self.is_any(kind::BRANCHES)
    }

    /// The branch operands: one of `if`, `goto` and `jsr`; the default, then all entries of a switch.
    ///
    /// A target outside `0..code_length` is an error.
    pub fn branch_operands(&self, code_length: u32) -> impl Iterator<Item = Result<BranchOperand>> + use<'a> {
        let Instruction { pc, bytes } = *self;
        // First operand, step between operands, number of operands, bytes of one.
        let (first, step, count, wide) = match bytes[0] {
            op::IFEQ..=op::JSR | op::IFNULL | op::IFNONNULL => (1, 0, 1, false),
            op::GOTO_W | op::JSR_W => (1, 0, 1, true),
            op::TABLESWITCH => {
                let default = switch_operands(pc);
                (default, 4, (bytes.len() - default - 12) / 4 + 1, true)
            }
            op::LOOKUPSWITCH => {
                let default = switch_operands(pc);
                (default, 8, (bytes.len() - default - 8) / 8 + 1, true)
            }
            _ => (0, 0, 0, false),
        };
        // Between the default and the first offset, a tableswitch has low and high, a lookupswitch npairs and a match.
        let gap = if bytes[0] == op::TABLESWITCH { 8 } else { 4 };
        (0..count).map(move |i| {
            let at = first + step * i + if i > 0 { gap } else { 0 };
            let offset = match (wide, &bytes[at..]) {
                (true, [a, b, c, d, ..]) => i64::from(i32::from_be_bytes([*a, *b, *c, *d])),
                (false, [a, b, ..]) => i64::from(i16::from_be_bytes([*a, *b])),
                _ => 0,
            };
            match u32::try_from(i64::from(pc) + offset) {
                Ok(target) if target < code_length => Ok(BranchOperand { at: pc + at as u32, wide, target }),
                _ => Err(outside(pc, i64::from(pc) + offset)),
            }
        })
    }

    /// Stack slots that the instruction pops and pushes.
    ///
    /// # Errors
    /// `ClassFormat` for an operand that names a wrong constant.
    #[inline]
    pub fn stack_effect(&self, pool: &Pool<'_>) -> Result<(u16, u16)> {
        let opcode = self.opcode();
        match fixed_effect(opcode) {
            Some(effect) => Ok(effect),
            None => self.described_effect(opcode, pool),
        }
    }

    fn described_effect(&self, opcode: u8, pool: &Pool<'_>) -> Result<(u16, u16)> {
        if opcode == op::WIDE {
            return Ok(fixed_effect(self.bytes[1]).unwrap_or((0, 0)));
        }
        if opcode == op::MULTIANEWARRAY {
            return Ok((u16::from(self.bytes[3]), 1));
        }
        let descriptor = pool.member_descriptor(self.index())?;
        Ok(match opcode {
            op::GETSTATIC => (0, descriptor::slots(descriptor)),
            op::PUTSTATIC => (descriptor::slots(descriptor), 0),
            op::GETFIELD => (1, descriptor::slots(descriptor)),
            op::PUTFIELD => (1 + descriptor::slots(descriptor), 0),
            _ => {
                let (parameters, result) = descriptor::method_slots(descriptor)?;
                let receiver = !matches!(opcode, op::INVOKESTATIC | op::INVOKEDYNAMIC);
                (parameters.saturating_add(receiver.into()), result)
            }
        })
    }
}

/// For `dup` to `swap`: the popped slots (0 is the deepest) in the order in which they are pushed.
pub fn shuffled(opcode: u8) -> Option<&'static [usize]> {
    Some(match opcode {
        op::DUP => &[0, 0],
        op::DUP_X1 => &[1, 0, 1],
        op::DUP_X2 => &[2, 0, 1, 2],
        op::DUP2 => &[0, 1, 0, 1],
        op::DUP2_X1 => &[1, 2, 0, 1, 2],
        op::DUP2_X2 => &[2, 3, 0, 1, 2, 3],
        op::SWAP => &[1, 0],
        _ => return None,
    })
}

/// Bytes of opcode and padding before the operands of a switch at `pc`.
pub(crate) fn switch_operands(pc: u32) -> usize {
    4 - (pc as usize & 3)
}

#[cold]
fn outside(pc: u32, target: i64) -> Error {
    Error::new(
        crate::BytecodeErrorKind::ClassFormat,
        format!("the branch at pc {pc} leads to {target}, outside the code"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(code: &[u8]) -> Result<Vec<usize>> {
        Instructions::new(code, 100).map(|i| i.map(|i| i.bytes.len())).collect()
    }

    fn switch(opcode: u8, words: &[i32]) -> Vec<u8> {
        let mut code = vec![op::NOP, opcode, 0, 0];
        code.extend(words.iter().flat_map(|w| w.to_be_bytes()));
        code
    }

    #[test]
    fn the_length_of_switches_and_wide_depends_on_their_operands() {
        let table = switch(op::TABLESWITCH, &[0, 5, 7, 1, 1, 1]);
        assert_eq!(lengths(&table).unwrap(), [1, 27]);
        let lookup = switch(op::LOOKUPSWITCH, &[0, 2, 1, -1, 9, 2]);
        assert_eq!(lengths(&lookup).unwrap(), [1, 27]);
        let wide = [op::WIDE, op::IINC, 0, 1, 0, 1, op::WIDE, op::ALOAD, 1, 0];
        assert_eq!(lengths(&wide).unwrap(), [6, 4]);
    }

    #[test]
    fn a_switch_of_invalid_length_is_an_error_with_its_absolute_offset() {
        for absurd in [
            switch(op::TABLESWITCH, &[0, i32::MIN, i32::MAX]),
            switch(op::TABLESWITCH, &[0, 3, 2]),
            switch(op::LOOKUPSWITCH, &[0, -1]),
            switch(op::LOOKUPSWITCH, &[0, i32::MAX]),
            switch(op::LOOKUPSWITCH, &[0]),
        ] {
            let name = opcode::mnemonic(absurd[1]).unwrap();
            assert_eq!(
                lengths(&absurd).unwrap_err().to_string(),
                format!("the {name} at pc 1 does not end within the code (at offset 101)")
            );
        }
        assert!(lengths(&[op::WIDE, op::NOP, 0, 0]).is_err());
        assert_eq!(lengths(&[0xCA]).unwrap_err().to_string(), "unknown opcode 0xca at pc 0 (at offset 100)");
    }

    #[test]
    fn branch_operands_have_their_offset_and_target() {
        let code = switch(op::LOOKUPSWITCH, &[-1, 2, 1, 0, 9, 2]);
        let switch = Instructions::new(&code, 0).nth(1).unwrap().unwrap();
        let operands: Vec<_> = switch.branch_operands(28).map(|o| o.map(|o| (o.at, o.target)).unwrap()).collect();
        assert_eq!(operands, [(4, 0), (16, 1), (24, 3)]);
        let jump = Instruction { pc: 3, bytes: &[op::GOTO, 0xFF, 0xFC] };
        assert_eq!(
            jump.branch_operands(9).next().unwrap().unwrap_err().to_string(),
            "the branch at pc 3 leads to -1, outside the code"
        );
    }

    #[test]
    fn a_store_has_its_first_local_variable_and_how_many_it_writes() {
        let of = |bytes: &[u8]| Instruction { pc: 0, bytes }.stored_local();
        assert_eq!(of(&[op::ASTORE_0]), Some((0, 1)));
        assert_eq!(of(&[op::LSTORE_0]), Some((0, 2)));
        assert_eq!(of(&[op::DSTORE_0 + 2]), Some((2, 2)));
        assert_eq!(of(&[op::WIDE, op::LSTORE, 1, 2]), Some((258, 2)));
        assert_eq!(of(&[op::ISTORE, 7]), Some((7, 1)));
        assert_eq!(of(&[op::ALOAD_0]), None);
    }
}
