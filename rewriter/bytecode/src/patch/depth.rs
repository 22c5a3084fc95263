//! Operand-stack depths by abstract execution over the control-flow graph.

use crate::read::{CodeAttribute, Instruction, Pool};
use crate::{Error, Result};

const UNKNOWN: u16 = u16::MAX;

/// The depth before each reachable instruction.
#[derive(Debug, Default)]
pub(super) struct Depths {
    /// By pc.
    before: Vec<u16>,
    pending: Vec<u32>,
}

impl Depths {
    /// Follows every path from the start and from every handler, each instruction once.
    ///
    /// Correct only for code without `jsr`: the depth in a subroutine depends on its caller.
    ///
    /// # Errors
    /// `ClassFormat` when an instruction pops more than there is, or control leaves the code.
    pub(super) fn simulate(&mut self, code: &CodeAttribute<'_>, pool: &Pool<'_>) -> Result<()> {
        self.before.clear();
        self.before.resize(code.code.len(), UNKNOWN);
        self.pending.clear();
        self.reach(0, 0);
        for handler in code.handlers() {
            self.reach(u32::from(handler.handler_pc), 1);
        }
        while let Some(pc) = self.pending.pop() {
            self.follow(pc, code, pool)?;
        }
        Ok(())
    }

    /// Executes from an instruction of known depth until control ends or reaches another one of known depth.
    fn follow(&mut self, pc: u32, code: &CodeAttribute<'_>, pool: &Pool<'_>) -> Result<()> {
        let mut depth = self.before[pc as usize];
        for instruction in code.instructions().starting_at(pc) {
            let instruction = instruction?;
            let known = &mut self.before[instruction.pc as usize];
            if *known != UNKNOWN && instruction.pc != pc {
                return Ok(());
            }
            *known = depth;
            depth = depth_after(depth, &instruction, code, pool)?;
            if instruction.branches() {
                for operand in instruction.branch_operands(code.length()) {
                    self.reach(operand?.target, depth);
                }
            }
            if instruction.ends_flow() {
                return Ok(());
            }
        }
        Err(runs_off(code))
    }

    fn reach(&mut self, pc: u32, depth: u16) {
        if let Some(before) = self.before.get_mut(pc as usize)
            && *before == UNKNOWN
        {
            *before = depth;
            self.pending.push(pc);
        }
    }

    /// The depth before an instruction, in slots; `None` if it is unreachable.
    pub(super) fn depth_before(&self, pc: u32) -> Option<u16> {
        self.before.get(pc as usize).copied().filter(|&depth| depth != UNKNOWN)
    }
}

#[cold]
fn runs_off(code: &CodeAttribute<'_>) -> Error {
    let end = code.code_offset + code.code.len();
    Error::class_format("control runs off the end of the code", end)
}

/// The depth after an instruction.
pub(super) fn depth_after(
    depth: u16,
    instruction: &Instruction<'_>,
    code: &CodeAttribute<'_>,
    pool: &Pool<'_>,
) -> Result<u16> {
    let (pops, pushes) = instruction.stack_effect(pool)?;
    let pc = instruction.pc;
    match depth.checked_sub(pops) {
        // `max_stack` is at most 65,535 slots.
        Some(rest) if rest < u16::MAX - pushes => Ok(rest + pushes),
        _ => {
            let message = format!("the instruction at pc {pc} pops {pops} of {depth} stack slots");
            Err(Error::class_format(message, code.code_offset + pc as usize))
        }
    }
}
