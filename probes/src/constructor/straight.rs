//! Constructors without branches and handlers, the common ones: one pass finds all that a probe has to know.

use super::this_flow::{InitCall, State, Step};
use crate::is_bridge_name;
use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{CodeAttribute, Instruction, Pool, op};

/// A constructor that runs from its first instruction to its last, which is its only `return`.
#[derive(Clone, Debug)]
pub(super) struct Straight {
    /// Its `super(...)` or `this(...)`.
    pub(super) call: InitCall,
    pub(super) return_pc: u32,
    /// Slots on the operand stack at the `return`; 0 for one that delegates to `this(...)`, where no one asks.
    pub(super) depth: u16,
    pub(super) overwrites_local_0: bool,
    /// It has probes already.
    pub(super) calls_bridge: bool,
}

impl Straight {
    /// Reads code; `None` for any other, or one that is damaged: the slower ways say what is wrong with it.
    pub(super) fn read(
        state: &mut State,
        code: &CodeAttribute<'_>,
        pool: &Pool<'_>,
        this_class: &[u8],
    ) -> Result<Option<Self>> {
        if code.handlers().len() > 0 {
            return Ok(None);
        }
        state.enter();
        let mut instructions = code.instructions();
        let (mut overwrites_local_0, mut calls_bridge) = (false, false);
        let mut call = None;
        let mut depth = 0u16;
        while let Some(Ok(instruction)) = instructions.next() {
            if !instruction.is_plain() {
                let is_end = instruction.opcode() == op::RETURN && instruction.end() == code.length();
                let return_pc = instruction.pc;
                let found = call.filter(|_| is_end);
                return Ok(found.map(|call| Straight { call, return_pc, depth, overwrites_local_0, calls_bridge }));
            }
            calls_bridge |= is_bridge_call(&instruction, pool)?;
            overwrites_local_0 |= matches!(instruction.stored_local(), Some((0, _)));
            match &call {
                None => {
                    if let Step::Initialised { delegates } = state.step(&instruction, code, pool, this_class)? {
                        call = Some(state.call(instruction.pc, delegates));
                        depth = state.depth();
                    }
                }
                Some(InitCall { delegates: true, .. }) => {}
                Some(_) => {
                    let (pops, pushes) = instruction.stack_effect(pool)?;
                    match depth.checked_sub(pops).and_then(|rest| rest.checked_add(pushes)) {
                        Some(after) => depth = after,
                        None => return Ok(None),
                    }
                }
            }
        }
        Ok(None)
    }
}

/// Whether an instruction calls a bridge class: whoever has such a call has probes.
pub(super) fn is_bridge_call(instruction: &Instruction<'_>, pool: &Pool<'_>) -> Result<bool> {
    Ok(instruction.opcode() == op::INVOKESTATIC && is_bridge_name(pool.member_class(instruction.index())?))
}
