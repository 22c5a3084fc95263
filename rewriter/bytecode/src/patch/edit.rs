//! The code of one method with insertions: lists what moves, lays it out, and writes it.

use super::depth::{self, Depths};
use super::layout::{Event, Layout, What};
use super::{Insertion, MethodEdit, NewPc, OldPc, Position};
use crate::read::{CodeAttribute, Instruction, Pool, op, switch_operands};
use crate::{BytecodeErrorKind, Error, Result};

/// The method that is edited. Its memory is reused for the next one.
#[derive(Debug, Default)]
pub(super) struct CodeEdit {
    /// Inserted code, jumps and switches in code order.
    pub(super) events: Vec<Event>,
    pub(super) layout: Layout,
    /// Where the code of each insertion starts, then the code of each handler.
    pub(super) starts: Vec<NewPc>,
    /// Bytes of the code of all handlers, which follows the method's code.
    tail: u32,
    pub(super) max_stack: u16,
    pub(super) max_locals: u16,
    order: Vec<u32>,
    depths: Depths,
}

impl CodeEdit {
    /// Lists what the changes move, and lays the code out.
    pub(super) fn plan(&mut self, code: &CodeAttribute<'_>, changes: &MethodEdit<'_>, pool: &Pool<'_>) -> Result<()> {
        let insertions = changes.insertions;
        changes.sequences().try_for_each(|sequence| sequence.check())?;
        if insertions.iter().any(|i| i.sequence.is_handler) || changes.catches.iter().any(|c| !c.sequence.is_handler) {
            return Err(Error::new(BytecodeErrorKind::Internal, "only a handler ends by throwing"));
        }
        self.order.clear();
        self.order.extend(0..insertions.len() as u32);
        self.order.sort_by_key(|&i| (insertions[i as usize].at, insertions[i as usize].position));
        let has_subroutines = self.collect(code, insertions)?;
        self.tail = changes.catches.iter().map(|catch| catch.sequence.bytes.len() as u32).sum();
        self.layout.lay_out_and_widen(&mut self.events, code.length(), self.tail)?;
        self.max_locals = more_locals(code, changes)?;
        let handlers = changes.catches.iter().map(|catch| catch.sequence.stack).max().unwrap_or(0);
        self.max_stack = self.deepest(code, insertions, pool, has_subroutines)?.max(handlers);
        Ok(())
    }

    /// `code_length` of the new code, handlers included.
    pub(super) fn new_length(&self) -> u32 {
        self.layout.new_length() + self.tail
    }

    /// Lists insertions, jumps and switches in code order; true if there are subroutines.
    fn collect(&mut self, code: &CodeAttribute<'_>, insertions: &[Insertion<'_>]) -> Result<bool> {
        self.events.clear();
        let mut has_subroutines = false;
        let mut order = self.order.iter().peekable();
        for instruction in code.instructions() {
            let instruction = instruction?;
            let pc = instruction.pc;
            // Nearly every instruction stays as it is.
            if instruction.is_plain() && order.peek().is_none_or(|&&i| insertions[i as usize].at.0 != pc) {
                continue;
            }
            let mut next_here = |position: Position| {
                order.next_if(|&&i| {
                    let insertion = &insertions[i as usize];
                    let is_possible = position != Position::Entry || pc == 0;
                    is_possible && insertion.at.0 == pc && insertion.position == position
                })
            };
            let length = |i: u32| insertions[i as usize].sequence.bytes.len() as u32;
            while let Some(&insertion) = next_here(Position::Entry) {
                let what = What::Outside { insertion, length: length(insertion) };
                self.events.push(Event { pc, what });
            }
            while let Some(&insertion) = next_here(Position::Before) {
                let what = What::Before { insertion, length: length(insertion) };
                self.events.push(Event { pc, what });
            }
            if instruction.branches() {
                self.events.push(Event { pc, what: moving(&instruction, code)? });
            }
            has_subroutines |= instruction.is_subroutine();
            while let Some(&insertion) = next_here(Position::After) {
                if instruction.ends_flow() {
                    return Err(bad_insertion_point(pc, "control never comes after that instruction"));
                }
                let what = What::Outside { insertion, length: length(insertion) };
                self.events.push(Event { pc: instruction.end(), what });
            }
        }
        match order.next() {
            None => Ok(has_subroutines),
            Some(&i) => {
                let Insertion { at, position, .. } = insertions[i as usize];
                Err(match (position, at) {
                    (Position::Entry, OldPc(1..)) => bad_insertion_point(at.0, "the entry is pc 0"),
                    _ => bad_insertion_point(at.0, "no instruction starts there"),
                })
            }
        }
    }

    /// `max_stack` with the insertions: each needs its own depth on top of the depth at its pc.
    fn deepest(
        &mut self,
        code: &CodeAttribute<'_>,
        insertions: &[Insertion<'_>],
        pool: &Pool<'_>,
        has_subroutines: bool,
    ) -> Result<u16> {
        let needs_none = |i: &Insertion<'_>| i.sequence.stack == 0;
        let at_entry = |i: &Insertion<'_>| i.position == Position::Entry;
        if !has_subroutines && !insertions.iter().all(|i| needs_none(i) || at_entry(i)) {
            self.depths.simulate(code, pool)?;
        }
        let mut deepest = code.max_stack;
        for insertion in insertions.iter().filter(|i| !needs_none(i)) {
            let pc = insertion.at.0;
            let before = match insertion.position {
                Position::Entry => Some(0),
                // The depth inside subroutines is not simulated; `max_stack` bounds it.
                _ if has_subroutines => None,
                _ => self.depths.depth_before(pc),
            };
            let depth = match (before, insertion.position) {
                // Unreachable code has no depth, but the verifier may still check it.
                (None, _) => code.max_stack,
                (Some(depth), Position::Entry | Position::Before) => depth,
                (Some(depth), Position::After) => match code.instructions().starting_at(pc).next().transpose()? {
                    Some(instruction) => depth::depth_after(depth, &instruction, code, pool)?,
                    None => depth,
                },
            };
            deepest = deepest.max(depth.checked_add(insertion.sequence.stack).ok_or_else(stack_limit)?);
        }
        Ok(deepest)
    }

    /// Whether an `if` became an inverted `if` over a `goto_w`.
    pub(super) fn has_widened_if(&self) -> bool {
        self.events.iter().any(is_widened_if)
    }

    /// Where the `if` at a pc falls through, if it is widened.
    pub(super) fn widened_if(&self, pc: OldPc) -> Option<NewPc> {
        let first = self.events.partition_point(|event| event.pc < pc.0);
        let mut here = self.events[first..].iter().take_while(|event| event.pc == pc.0);
        here.any(is_widened_if).then(|| NewPc(self.layout.instruction(pc).0 + 8))
    }

    /// Writes the code array.
    pub(super) fn write(
        &mut self,
        code: &CodeAttribute<'_>,
        changes: &MethodEdit<'_>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let insertions = changes.insertions;
        let base = out.len();
        let bytes = code.code;
        let mut copied = 0;
        self.starts.clear();
        self.starts.resize(insertions.len(), NewPc(0));
        for &Event { pc, what } in &self.events {
            let at = pc as usize;
            out.extend_from_slice(&bytes[copied..at]);
            copied = at;
            match what {
                What::Outside { insertion, .. } | What::Before { insertion, .. } => {
                    self.starts[insertion as usize] = NewPc((out.len() - base) as u32);
                    out.extend_from_slice(&insertions[insertion as usize].sequence.bytes);
                }
                What::Jump { opcode, target, widened } => {
                    let offset = self.layout.offset(OldPc(pc), OldPc(target));
                    copied += write_jump(opcode, offset, widened, out)?;
                }
                What::Switch { length } => {
                    let switch = Instruction { pc, bytes: &bytes[at..at + length as usize] };
                    self.write_switch(&switch, code.length(), out)?;
                    copied += length as usize;
                }
            }
        }
        out.extend_from_slice(&bytes[copied..]);
        for catch in changes.catches {
            let start = out.len();
            self.starts.push(NewPc((start - base) as u32));
            out.extend_from_slice(&catch.sequence.bytes);
            if let Some(restart) = catch.sequence.restart {
                let at = start + usize::from(restart);
                let offset = self.layout.limit(OldPc(0)).0 as i32 - (at - base) as i32;
                out[at + 1..at + 5].copy_from_slice(&offset.to_be_bytes());
            }
        }
        match (out.len() - base) as u32 == self.new_length() {
            true => Ok(()),
            false => Err(Error::new(BytecodeErrorKind::Internal, "the code has not the planned length")),
        }
    }

    /// Writes a switch at its new alignment.
    fn write_switch(&self, switch: &Instruction<'_>, code_length: u32, out: &mut Vec<u8>) -> Result<()> {
        let operands = switch_operands(switch.pc);
        let new_pc = self.layout.instruction(OldPc(switch.pc)).0;
        let new_operands = switch_operands(new_pc);
        let start = out.len();
        out.push(switch.opcode());
        out.resize(start + new_operands, 0);
        out.extend_from_slice(&switch.bytes[operands..]);
        for operand in switch.branch_operands(code_length) {
            let operand = operand?;
            let offset = self.layout.offset(OldPc(switch.pc), OldPc(operand.target));
            let at = start + new_operands + (operand.at - switch.pc) as usize - operands;
            out[at..at + 4].copy_from_slice(&offset.to_be_bytes());
        }
        Ok(())
    }
}

fn is_widened_if(event: &Event) -> bool {
    matches!(event.what, What::Jump { opcode, widened: true, .. } if !matches!(opcode, op::GOTO | op::JSR))
}

/// The event of an instruction that branches.
fn moving(instruction: &Instruction<'_>, code: &CodeAttribute<'_>) -> Result<What> {
    let opcode = instruction.opcode();
    if matches!(opcode, op::TABLESWITCH | op::LOOKUPSWITCH) {
        return Ok(What::Switch { length: instruction.bytes.len() as u32 });
    }
    match instruction.branch_operands(code.length()).next().transpose()? {
        Some(operand) => Ok(What::Jump { opcode, target: operand.target, widened: false }),
        None => Err(Error::new(BytecodeErrorKind::Internal, "a branch without operand")),
    }
}

/// Writes a jump and returns its length in the original.
fn write_jump(opcode: u8, offset: i32, widened: bool, out: &mut Vec<u8>) -> Result<usize> {
    if matches!(opcode, op::GOTO_W | op::JSR_W) {
        out.push(opcode);
        out.extend_from_slice(&offset.to_be_bytes());
        return Ok(5);
    }
    match (widened, opcode) {
        (false, _) => {
            let Ok(offset) = i16::try_from(offset) else {
                return Err(Error::new(BytecodeErrorKind::Internal, "a jump was laid out too short"));
            };
            out.push(opcode);
            out.extend_from_slice(&offset.to_be_bytes());
        }
        (true, op::GOTO | op::JSR) => {
            out.push(if opcode == op::GOTO { op::GOTO_W } else { op::JSR_W });
            out.extend_from_slice(&offset.to_be_bytes());
        }
        (true, _) => {
            out.extend([inverted(opcode), 0, 8, op::GOTO_W]);
            // The offset counts from the if, and the goto_w is three bytes after it.
            out.extend_from_slice(&(offset - 3).to_be_bytes());
        }
    }
    Ok(3)
}

/// The `if` of the opposite condition. Opposites have neighbouring opcodes.
fn inverted(opcode: u8) -> u8 {
    match opcode {
        op::IFNULL | op::IFNONNULL => opcode ^ 1,
        _ => ((opcode + 1) ^ 1) - 1,
    }
}

fn more_locals(code: &CodeAttribute<'_>, changes: &MethodEdit<'_>) -> Result<u16> {
    let added: u16 = changes.locals.iter().map(|local| local.slots()).sum();
    let stored = changes.sequences().map(|sequence| sequence.locals).max().unwrap_or(0);
    let locals = code.max_locals.checked_add(added).map(|locals| locals.max(stored));
    locals.ok_or_else(|| Error::new(BytecodeErrorKind::Limit, "max_locals would exceed 65535"))
}

#[cold]
fn stack_limit() -> Error {
    Error::new(BytecodeErrorKind::Limit, "max_stack would exceed 65535")
}

#[cold]
fn bad_insertion_point(pc: u32, why: &str) -> Error {
    Error::new(BytecodeErrorKind::Internal, format!("nothing can be inserted at pc {pc}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::mnemonic;

    #[test]
    fn every_condition_has_its_opposite() {
        let pairs: Vec<_> = (op::IFEQ..=op::IF_ACMPNE)
            .chain([op::IFNULL, op::IFNONNULL])
            .map(|opcode| (mnemonic(opcode).unwrap(), mnemonic(inverted(opcode)).unwrap()))
            .collect();
        for expected in [
            ("ifeq", "ifne"),
            ("iflt", "ifge"),
            ("ifle", "ifgt"),
            ("if_icmpge", "if_icmplt"),
            ("if_acmpne", "if_acmpeq"),
            ("ifnull", "ifnonnull"),
        ] {
            assert!(pairs.contains(&expected), "{expected:?} is not in {pairs:?}");
        }
        assert!(pairs.iter().all(|&(a, b)| pairs.contains(&(b, a))));
    }
}
