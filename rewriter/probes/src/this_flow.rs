//! Follows the uninitialised `this` from the start of a constructor to `super(...)`.
//!
//! JVMS §4.10.2.4 calls the value `uninitializedThis`; JEP 513 allows any code before the call. The state is one
//! flag per stack slot and the list of local variables that hold the value. A path ends when it calls `<init>` on it.

use crate::SkipReason;
use std::collections::{BTreeMap, BTreeSet};
use weighbridge_bytecode::read::{
    ClassFile, CodeAttribute, Instruction, Member, Pool, descriptor, mutf8, op, shuffled,
};
use weighbridge_bytecode::{Error, Result};

/// How many slots of states may be copied for one constructor; real code needs a few hundred.
const BUDGET: usize = 1 << 22;

/// A call of `<init>` on the uninitialised `this`.
pub(crate) struct InitCall {
    pub(crate) pc: u32,
    /// Whether it is `this(...)`, not `super(...)`.
    pub(crate) delegates: bool,
    /// The first local variable that holds `this` at the call on every path.
    pub(crate) this_local: Option<u16>,
}

/// Which values are the uninitialised `this`, before one instruction.
#[derive(Clone)]
struct ThisFlowState {
    stack: Vec<bool>,
    /// Local variables that hold the uninitialised `this`, ascending.
    locals: Vec<u16>,
}

/// Finds the `<init>` calls of a constructor on its `this`, in order of their pcs, or the reason why that is not possible.
///
/// States merge at branch targets and handlers until nothing changes.
pub(crate) fn init_calls(
    class: &ClassFile<'_>,
    constructor: &Member<'_>,
    code: &CodeAttribute<'_>,
) -> Result<std::result::Result<Vec<InitCall>, SkipReason>> {
    let (pool, this_class) = (&class.pool, class.name()?);
    let descriptor = || constructor.descriptor().map(|descriptor| mutf8::decode(descriptor).into_owned());
    let mut graph = Graph { states: BTreeMap::new(), pending: BTreeSet::new(), work: 0 };
    let mut calls: BTreeMap<u32, (bool, ThisFlowState)> = BTreeMap::new();
    graph.reach(0, &ThisFlowState { stack: Vec::new(), locals: vec![0] });
    while let Some(pc) = graph.pending.pop_first() {
        let Some(state) = graph.states.get(&pc) else { continue };
        let mut state = state.clone();
        for instruction in code.instructions().starting_at(pc) {
            let instruction = instruction?;
            if instruction.pc != pc && graph.states.contains_key(&instruction.pc) {
                graph.reach(instruction.pc, &state);
                break;
            }
            if instruction.is_subroutine() {
                return Ok(Err(SkipReason::SubroutineBeforeSuper { constructor: descriptor()? }));
            }
            for handler in code.handlers() {
                let covered = u32::from(handler.start_pc)..u32::from(handler.end_pc);
                if covered.contains(&instruction.pc) {
                    let caught = ThisFlowState { stack: vec![false], locals: state.locals.clone() };
                    graph.reach(handler.handler_pc.into(), &caught);
                }
            }
            graph.work += 1 + state.stack.len();
            if graph.work > BUDGET {
                return Ok(Err(SkipReason::TooComplex { constructor: descriptor()? }));
            }
            if let Some(delegates) = state.step(&instruction, code, pool, this_class)? {
                let merged = calls.entry(instruction.pc).or_insert_with(|| (delegates, state.clone()));
                merged.1.meet(&state);
                break;
            }
            if instruction.branches() {
                for operand in instruction.branch_operands(code.length()) {
                    graph.reach(operand?.target, &state);
                }
            }
            if instruction.ends_flow() {
                break;
            }
        }
    }
    let call = |(pc, (delegates, state)): (u32, (bool, ThisFlowState))| InitCall {
        pc,
        delegates,
        this_local: state.locals.first().copied(),
    };
    Ok(Ok(calls.into_iter().map(call).collect()))
}

/// States at the branch targets and handlers.
struct Graph {
    states: BTreeMap<u32, ThisFlowState>,
    pending: BTreeSet<u32>,
    work: usize,
}

impl Graph {
    fn reach(&mut self, pc: u32, state: &ThisFlowState) {
        let changed = match self.states.get_mut(&pc) {
            Some(known) => known.meet(state),
            None => {
                self.work += 1 + state.stack.len() + state.locals.len();
                self.states.insert(pc, state.clone());
                true
            }
        };
        if changed {
            self.pending.insert(pc);
        }
    }
}

impl ThisFlowState {
    /// Keeps what holds in both states; true if that is less than before.
    fn meet(&mut self, other: &ThisFlowState) -> bool {
        let mut changed = false;
        for (known, other) in self.stack.iter_mut().zip(&other.stack) {
            changed |= *known && !other;
            *known &= other;
        }
        let before = self.locals.len();
        self.locals.retain(|local| other.locals.binary_search(local).is_ok());
        changed || self.locals.len() < before
    }

    fn holds(&self, local: u16) -> bool {
        self.locals.binary_search(&local).is_ok()
    }

    fn assign(&mut self, local: u16, slots: u16, is_this: bool) {
        self.locals.retain(|&l| l < local || l >= local.saturating_add(slots));
        if is_this && let Err(index) = self.locals.binary_search(&local) {
            self.locals.insert(index, local);
        }
    }

    /// Runs one instruction. If it is the `<init>` call: true for `this(...)`, false for `super(...)`.
    fn step(
        &mut self,
        instruction: &Instruction<'_>,
        code: &CodeAttribute<'_>,
        pool: &Pool<'_>,
        this_class: &[u8],
    ) -> Result<Option<bool>> {
        let depth = self.stack.len();
        let underflow = || {
            let pc = instruction.pc as usize;
            let message = format!("the instruction at pc {pc} pops more than the stack holds");
            Error::class_format(message, code.code_offset + pc)
        };
        let opcode = match instruction.opcode() {
            op::WIDE => instruction.bytes[1],
            opcode => opcode,
        };
        match opcode {
            op::ALOAD | op::ALOAD_0..=op::ALOAD_3 => {
                let is_this = instruction.local().is_some_and(|local| self.holds(local));
                self.stack.push(is_this);
            }
            op::DUP..=op::SWAP => {
                let (pops, _) = instruction.stack_effect(pool)?;
                let taken = usize::from(pops);
                let base = depth.checked_sub(taken).ok_or_else(underflow)?;
                let mut top = [false; 4];
                top[..taken].copy_from_slice(&self.stack[base..]);
                self.stack.truncate(base);
                let order = shuffled(opcode).unwrap_or_default();
                self.stack.extend(order.iter().map(|&i| top[i]));
            }
            op::INVOKESPECIAL => {
                let member = pool.member_ref(instruction.index())?;
                let (parameters, result) = descriptor::method_slots(member.descriptor)?;
                let receiver = depth.checked_sub(usize::from(parameters) + 1).ok_or_else(underflow)?;
                let is_this = self.stack[receiver];
                self.stack.truncate(receiver);
                if is_this && member.name == b"<init>" {
                    return Ok(Some(member.class == this_class));
                }
                self.stack.resize(receiver + usize::from(result), false);
            }
            _ => {
                let (pops, pushes) = instruction.stack_effect(pool)?;
                let rest = depth.checked_sub(pops.into()).ok_or_else(underflow)?;
                if let Some((local, slots)) = instruction.stored_local() {
                    let is_this = opcode != op::IINC && self.stack[rest];
                    self.assign(local, slots, is_this);
                }
                self.stack.truncate(rest);
                self.stack.resize(rest + usize::from(pushes), false);
            }
        }
        Ok(None)
    }
}
