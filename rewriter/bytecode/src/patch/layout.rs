//! The new pc of each old pc of a method.
//!
//! At an old pc `p` the new code has, in this order:
//!
//! ```text
//!   ... instruction before p | code inserted after it | code inserted before p | instruction at p ...
//!                                                     ^ limit(p)               ^ instruction(p)
//! ```
//!
//! Code inserted at the method's entry is before `limit(0)`.
//! Branches, handlers, frames and the bounds of all tables use `limit(p)`. References to the instruction itself
//! (`Uninitialized`, type annotations of expressions) use `instruction(p)`.

use super::{NewPc, OldPc};
use crate::read::{MAX_CODE_LENGTH, op, switch_operands};
use crate::{BytecodeErrorKind, Error, Result};

/// Inserted code, a jump or a switch at a pc.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) pc: u32,
    pub(super) what: What,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    /// Code inserted at the entry or after an instruction: a branch to the pc does not run it.
    Outside { insertion: u32, length: u32 },
    /// Code inserted before the instruction at the pc.
    Before { insertion: u32, length: u32 },
    /// `if`, `goto`, `jsr` and their wide forms.
    Jump { opcode: u8, target: u32, widened: bool },
    /// `tableswitch` or `lookupswitch`.
    Switch { length: u32 },
}

/// Bytes that a jump gains when it is widened.
fn growth_of(opcode: u8) -> i64 {
    match opcode {
        // goto_w and jsr_w.
        op::GOTO | op::JSR => 2,
        // The inverted if over a goto_w.
        _ => 5,
    }
}

#[derive(Clone, Copy, Debug)]
struct LayoutStep {
    pc: u32,
    limit: u32,
    instruction: u32,
    /// New minus old for every pc after this one, up to the next step.
    shift: i32,
}

/// The map from old to new pcs: one step per pc where the distance changes.
#[derive(Debug)]
pub(super) struct Layout {
    /// The longest 16-bit offset; smaller in tests.
    pub(super) reach: i16,
    steps: Vec<LayoutStep>,
    new_length: u32,
}

impl Default for Layout {
    fn default() -> Self {
        Layout { reach: i16::MAX, steps: Vec::new(), new_length: 0 }
    }
}

impl Layout {
    /// Lays the code out, widening jumps (in `events`) until every offset fits.
    ///
    /// A widened jump stays wide, so this ends after at most one round per jump. `tail` bytes follow the code.
    ///
    /// # Errors
    /// `Limit` when the code grows beyond 65,535 bytes.
    pub(super) fn lay_out_and_widen(&mut self, events: &mut [Event], old_length: u32, tail: u32) -> Result<()> {
        loop {
            self.lay_out(events, old_length)?;
            if !self.widen(events) {
                break;
            }
        }
        match self.new_length as usize + tail as usize {
            0..=MAX_CODE_LENGTH => Ok(()),
            length => {
                let message = format!("the code would have {length} bytes; a method may have {MAX_CODE_LENGTH}");
                Err(Error::new(BytecodeErrorKind::Limit, message))
            }
        }
    }

    fn lay_out(&mut self, events: &[Event], old_length: u32) -> Result<()> {
        self.steps.clear();
        let mut shift = 0i64;
        let mut events = events.iter().peekable();
        while let Some(&&Event { pc, .. }) = events.peek() {
            let (mut outside, mut before, mut growth) = (0i64, 0i64, 0i64);
            while let Some(event) = events.next_if(|event| event.pc == pc) {
                match event.what {
                    What::Outside { length, .. } => outside += i64::from(length),
                    What::Before { length, .. } => before += i64::from(length),
                    What::Jump { opcode, widened: true, .. } => growth = growth_of(opcode),
                    What::Jump { .. } => {}
                    What::Switch { .. } => {
                        let new_pc = (i64::from(pc) + shift + outside + before) as u32;
                        growth = switch_operands(new_pc) as i64 - switch_operands(pc) as i64;
                    }
                }
            }
            if (outside, before, growth) == (0, 0, 0) {
                continue;
            }
            let limit = i64::from(pc) + shift + outside;
            let instruction = limit + before;
            shift = instruction - i64::from(pc) + growth;
            if shift > i64::from(i32::MAX / 2) {
                return Err(Error::new(BytecodeErrorKind::Limit, "the inserted code has over a gigabyte"));
            }
            self.steps.push(LayoutStep {
                pc,
                limit: limit as u32,
                instruction: instruction as u32,
                shift: shift as i32,
            });
        }
        self.new_length = (i64::from(old_length) + shift) as u32;
        Ok(())
    }

    /// Widens the jumps whose offsets do not fit in 16 bits; false if there are none.
    fn widen(&self, events: &mut [Event]) -> bool {
        if self.new_length <= self.reach as u32 {
            return false;
        }
        let mut found = false;
        for Event { pc, what } in events {
            let What::Jump { opcode, target, widened } = what else { continue };
            if *widened || matches!(*opcode, op::GOTO_W | op::JSR_W) {
                continue;
            }
            let offset = self.offset(OldPc(*pc), OldPc(*target));
            // -32,768 would fit, too, but is not worth a special case.
            if offset.unsigned_abs() > self.reach as u32 {
                *widened = true;
                found = true;
            }
        }
        found
    }

    /// The offset of a branch from the instruction at `from` to `to`.
    pub(super) fn offset(&self, from: OldPc, to: OldPc) -> i32 {
        self.limit(to).0 as i32 - self.instruction(from).0 as i32
    }

    /// Where a branch to the pc goes.
    #[inline]
    pub(super) fn limit(&self, pc: OldPc) -> NewPc {
        self.find(pc, |step| step.limit)
    }

    /// Where the instruction at the pc is.
    #[inline]
    pub(super) fn instruction(&self, pc: OldPc) -> NewPc {
        self.find(pc, |step| step.instruction)
    }

    #[inline]
    fn find(&self, OldPc(pc): OldPc, at_step: impl Fn(&LayoutStep) -> u32) -> NewPc {
        let after = self.steps.partition_point(|step| step.pc <= pc);
        match after.checked_sub(1).map(|i| &self.steps[i]) {
            None => NewPc(pc),
            Some(step) if step.pc == pc => NewPc(at_step(step)),
            Some(step) => NewPc(pc.wrapping_add_signed(step.shift)),
        }
    }

    /// `code_length` of the new code.
    pub(super) fn new_length(&self) -> u32 {
        self.new_length
    }
}

/// Appends a `u2`; pcs of laid-out code are at most 65,535.
pub(super) fn append_u2(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&(value as u16).to_be_bytes());
}

/// Writes the length of the attribute whose `attribute_length` is at an offset and whose end is that of `out`.
pub(super) fn set_length(out: &mut [u8], at: usize) -> Result<()> {
    let Ok(length) = u32::try_from(out.len() - at - 4) else {
        return Err(Error::new(BytecodeErrorKind::Limit, "the Code attribute has 4 GiB or more"));
    };
    out[at..at + 4].copy_from_slice(&length.to_be_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(events: &mut [Event], old_length: u32) -> Layout {
        let mut layout = Layout::default();
        layout.lay_out_and_widen(events, old_length, 0).unwrap();
        layout
    }

    #[test]
    fn a_branch_to_a_pc_runs_only_the_code_before_its_instruction() {
        let layout = laid_out(
            &mut [
                Event { pc: 0, what: What::Outside { insertion: 0, length: 10 } },
                Event { pc: 4, what: What::Outside { insertion: 1, length: 3 } },
                Event { pc: 4, what: What::Before { insertion: 2, length: 5 } },
            ],
            9,
        );
        let new_pcs = |pc| (layout.limit(OldPc(pc)).0, layout.instruction(OldPc(pc)).0);
        assert_eq!(new_pcs(0), (10, 10));
        assert_eq!(new_pcs(3), (13, 13));
        assert_eq!(new_pcs(4), (17, 22));
        assert_eq!(new_pcs(9), (27, 27));
        assert_eq!(layout.new_length(), 27);
    }

    #[test]
    fn the_padding_of_a_switch_depends_on_its_pc() {
        let switch = |pc| Event { pc, what: What::Switch { length: 20 } };
        let insert = Event { pc: 0, what: What::Before { insertion: 0, length: 1 } };
        // At pc 2 a switch has one byte of padding; at 3 none.
        assert_eq!(laid_out(&mut [insert, switch(2)], 30).new_length(), 30);
        // At pc 3 it has none; at 4 three.
        assert_eq!(laid_out(&mut [insert, switch(3)], 30).new_length(), 34);
    }

    #[test]
    fn widening_one_jump_may_require_widening_another() {
        let jump = |pc, opcode, target| Event { pc, what: What::Jump { opcode, target, widened: false } };
        let insert = Event { pc: 50, what: What::Before { insertion: 0, length: 3 } };
        let mut events = [jump(0, op::GOTO, 32_764), jump(10, op::IFEQ, 32_776), insert];
        // 0 -> 32,764 reaches with the three bytes alone; with the five of the widened if it does not.
        let layout = laid_out(&mut events, 40_000);
        assert_eq!(layout.new_length(), 40_000 + 3 + 5 + 2);
        assert!(matches!(events[0].what, What::Jump { widened: true, .. }));
        assert_eq!(layout.limit(OldPc(32_764)).0, 32_764 + 10);
    }

    #[test]
    fn code_beyond_65535_bytes_is_refused() {
        let mut events = [Event { pc: 1, what: What::Before { insertion: 0, length: 2 } }];
        let mut layout = Layout::default();
        layout.lay_out_and_widen(&mut events, 65_533, 0).unwrap();
        let error = layout.lay_out_and_widen(&mut events, 65_533, 1).unwrap_err();
        assert_eq!(error.kind(), BytecodeErrorKind::Limit);
        assert_eq!(error.to_string(), "the code would have 65536 bytes; a method may have 65535");
    }
}
