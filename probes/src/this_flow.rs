//! Which values are the uninitialised `this`, followed from the start of a constructor to `super(...)`.
//!
//! JVMS §4.10.2.4 calls the value `uninitializedThis`; JEP 513 allows any code before the call. The state is one
//! bit per stack entry and the list of local variables that hold the value. A path ends at its `<init>` call on it.

use crate::SkipReason;
use std::collections::{BTreeMap, BTreeSet};
use weighbridge_bytecode::read::{CodeAttribute, Instruction, Pool, descriptor, mutf8, op, shuffled};
use weighbridge_bytecode::{Error, Result};

/// Entries of states that may be copied in all for one constructor; real code stays below a few hundred.
const BUDGET: usize = 1 << 22;

/// A call of `<init>` on the uninitialised `this`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InitCall {
    pub(crate) pc: u32,
    /// Whether it is `this(...)`, not `super(...)`.
    pub(crate) delegates: bool,
    /// A local variable that holds `this` at the call on every path; 0 if that is one.
    pub(crate) this_local: Option<u16>,
}

/// What a constructor's code says about its `this`.
#[derive(Debug, Default)]
pub(crate) struct ThisFlow {
    /// In order of their pcs; empty when no path calls one.
    pub(crate) calls: Vec<InitCall>,
    pub(crate) state: State,
}

/// Which values are the uninitialised `this`, before one instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    stack: Vec<bool>,
    /// Local variables that hold the uninitialised `this`, ascending.
    locals: Vec<u16>,
}

/// How an instruction went.
pub(crate) enum Step {
    Next,
    /// It was the `<init>` call; whether of the class itself.
    Initialised {
        delegates: bool,
    },
}

impl ThisFlow {
    /// Finds the calls; `Ok(Some(..))` says why that is not possible.
    pub(crate) fn follow(
        &mut self,
        code: &CodeAttribute<'_>,
        pool: &Pool<'_>,
        this_class: &[u8],
    ) -> Result<Option<SkipReason>> {
        self.calls.clear();
        self.follow_graph(code, pool, this_class)
    }

    /// Any control flow: states merge at branch targets and handlers until nothing changes.
    fn follow_graph(
        &mut self,
        code: &CodeAttribute<'_>,
        pool: &Pool<'_>,
        this_class: &[u8],
    ) -> Result<Option<SkipReason>> {
        let mut graph = Graph { states: BTreeMap::new(), pending: BTreeSet::new(), work: 0 };
        let mut calls: BTreeMap<u32, (bool, State)> = BTreeMap::new();
        self.state.enter();
        graph.reach(0, &self.state);
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
                    let constructor = String::new();
                    return Ok(Some(SkipReason::SubroutineBeforeSuper { constructor }));
                }
                for handler in code.handlers() {
                    let covered = u32::from(handler.start_pc)..u32::from(handler.end_pc);
                    if covered.contains(&instruction.pc) {
                        let locals = state.locals.clone();
                        let caught = State { stack: vec![false], locals };
                        graph.reach(handler.handler_pc.into(), &caught);
                    }
                }
                graph.work += 1 + state.stack.len();
                if graph.work > BUDGET {
                    return Ok(Some(SkipReason::TooComplex { constructor: String::new() }));
                }
                if let Step::Initialised { delegates } = state.step(&instruction, code, pool, this_class)? {
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
        self.calls.extend(calls.into_iter().map(|(pc, (delegates, state))| state.call(pc, delegates)));
        Ok(None)
    }
}

/// States at the branch targets and handlers.
struct Graph {
    states: BTreeMap<u32, State>,
    pending: BTreeSet<u32>,
    work: usize,
}

impl Graph {
    fn reach(&mut self, pc: u32, state: &State) {
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

impl State {
    /// The state at the method's entry: local 0 is the uninitialised `this`.
    pub(crate) fn enter(&mut self) {
        self.stack.clear();
        self.locals.clear();
        self.locals.push(0);
    }

    pub(crate) fn call(&self, pc: u32, delegates: bool) -> InitCall {
        InitCall { pc, delegates, this_local: self.locals.first().copied() }
    }

    /// Keeps what both states know; true when that is less than before.
    fn meet(&mut self, other: &State) -> bool {
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

    /// Runs one instruction.
    pub(crate) fn step(
        &mut self,
        instruction: &Instruction<'_>,
        code: &CodeAttribute<'_>,
        pool: &Pool<'_>,
        this_class: &[u8],
    ) -> Result<Step> {
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
                    return Ok(Step::Initialised { delegates: member.class == this_class });
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
        Ok(Step::Next)
    }
}

impl SkipReason {
    /// Names the constructor in a reason that concerns one.
    pub(crate) fn of_constructor(mut self, descriptor: &[u8]) -> Self {
        if let Self::SubroutineBeforeSuper { constructor }
        | Self::ThisNotKept { constructor }
        | Self::TooComplex { constructor } = &mut self
        {
            *constructor = mutf8::decode(descriptor).into_owned();
        }
        self
    }
}
