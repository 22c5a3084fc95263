//! Which stack slots and local variables hold references, and which of these are objects that no constructor has completed: inserted
//! code must not touch them (JVMS §4.10.2.4).

use std::collections::{BTreeMap, BTreeSet};

use weighbridge_bytecode::read::{
    ClassFile, CodeAttribute, Instruction, Member, access, descriptor, op, shuffled, tag,
};
use weighbridge_bytecode::{Error, Result};

use crate::method::parameters;

/// How many slots of states may be copied for one method; real code needs some ten thousand.
const BUDGET: usize = 1 << 22;

/// What a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeldValue {
    /// No reference.
    Other,
    /// A reference to an object that is complete, or null.
    Reference,
    /// A reference on some paths, something else on others: nobody can read it.
    Either,
    /// The uninitialised `this`.
    This,
    /// The object of the `new` at this pc, before its constructor has returned.
    New(u32),
    /// What must not be touched, on some path.
    Unsound,
}

use HeldValue::{Either, New, Other, Reference, This, Unsound};

impl HeldValue {
    fn meet(self, other: HeldValue) -> HeldValue {
        match (self, other) {
            (a, b) if a == b => a,
            (Other | Reference | Either, Other | Reference | Either) => Either,
            _ => Unsound,
        }
    }
}

/// What is held before an instruction.
#[derive(Clone, Debug, Default)]
pub(super) struct FlowState {
    pub(super) stack: Vec<HeldValue>,
    pub(super) locals: Vec<HeldValue>,
}

impl FlowState {
    /// A slot counted from the top, 0 is the top.
    pub(super) fn top(&self, below: usize) -> HeldValue {
        self.stack.len().checked_sub(below + 1).map_or(Unsound, |at| self.stack[at])
    }

    pub(super) fn local(&self, local: u16) -> HeldValue {
        self.locals.get(usize::from(local)).copied().unwrap_or(Other)
    }

    fn at_entry(method: &Member<'_>, max_locals: u16) -> Result<FlowState> {
        let mut locals = vec![Other; usize::from(max_locals)];
        let first = match (method.access_flags & access::STATIC == 0, method.is_constructor()?) {
            (true, true) => This,
            (true, false) => Reference,
            (false, _) => Other,
        };
        if let Some(this) = locals.first_mut() {
            *this = first;
        }
        for local in parameters(method)?.into_iter().flatten() {
            if let Some(held) = locals.get_mut(usize::from(local)) {
                *held = Reference;
            }
        }
        Ok(FlowState { stack: Vec::new(), locals })
    }

    /// Keeps what holds in both states; true if that is another than before.
    fn meet(&mut self, other: &FlowState) -> bool {
        let mut changed = false;
        let slots = self.stack.iter_mut().zip(&other.stack).chain(self.locals.iter_mut().zip(&other.locals));
        for (known, other) in slots {
            let met = known.meet(*other);
            changed |= met != *known;
            *known = met;
        }
        changed
    }

    fn slots(&self) -> usize {
        self.stack.len() + self.locals.len()
    }

    /// Runs one instruction.
    fn step(&mut self, instruction: &Instruction<'_>, class: &ClassFile<'_>, code: &CodeAttribute<'_>) -> Result<()> {
        let (pops, pushes) = instruction.stack_effect(&class.pool)?;
        let Some(rest) = self.stack.len().checked_sub(pops.into()) else {
            let pc = instruction.pc as usize;
            let message = format!("the instruction at pc {pc} pops {pops} of {} stack slots", self.stack.len());
            return Err(Error::class_format(message, code.code_offset + pc));
        };
        let opcode = widened(instruction);
        if let Some(order) = shuffled(opcode) {
            let taken = self.stack.split_off(rest);
            self.stack.extend(order.iter().map(|&at| taken[at]));
            return Ok(());
        }
        if let Some((local, slots)) = instruction.stored_local() {
            if opcode != op::IINC {
                let stored = self.stack[rest];
                let (from, to) = (usize::from(local), usize::from(local) + usize::from(slots));
                if let Some(locals) = self.locals.get_mut(from..to) {
                    locals.fill(Other);
                    locals[0] = stored;
                }
            }
            self.stack.truncate(rest);
            return Ok(());
        }
        if opcode == op::INVOKESPECIAL && class.pool.member_ref(instruction.index())?.name == b"<init>" {
            self.initialise(self.stack[rest]);
        }
        let pushed = match opcode {
            op::ALOAD | op::ALOAD_0..=op::ALOAD_3 => instruction.local().map_or(Unsound, |local| self.local(local)),
            op::NEW => New(instruction.pc),
            _ if pushes == 1 && pushes_reference(instruction, class)? => Reference,
            _ => Other,
        };
        self.stack.truncate(rest);
        self.stack.resize(rest + usize::from(pushes), pushed);
        Ok(())
    }

    /// Every copy of an object is complete.
    fn initialise(&mut self, object: HeldValue) {
        if matches!(object, This | New(_)) {
            let copies = self.stack.iter_mut().chain(&mut self.locals).filter(|held| **held == object);
            copies.for_each(|held| *held = Reference);
        }
    }
}

/// The opcode, for `wide` that of the widened instruction.
pub(super) fn widened(instruction: &Instruction<'_>) -> u8 {
    match instruction.opcode() {
        op::WIDE => instruction.bytes[1],
        opcode => opcode,
    }
}

/// Whether the one slot that an instruction pushes is a reference.
fn pushes_reference(instruction: &Instruction<'_>, class: &ClassFile<'_>) -> Result<bool> {
    Ok(match instruction.opcode() {
        op::ACONST_NULL | op::AALOAD | op::NEWARRAY..=op::ANEWARRAY | op::MULTIANEWARRAY | op::CHECKCAST => true,
        op::LDC | op::LDC_W => match class.pool.tag(instruction.index())? {
            tag::INTEGER | tag::FLOAT => false,
            tag::DYNAMIC => is_reference(class.pool.member_descriptor(instruction.index())?),
            _ => true,
        },
        op::GETSTATIC | op::GETFIELD => is_reference(class.pool.member_descriptor(instruction.index())?),
        op::INVOKEVIRTUAL..=op::INVOKEDYNAMIC => {
            let mut parameters =
                descriptor::Parameters::from_descriptor(class.pool.member_descriptor(instruction.index())?)?;
            parameters.by_ref().try_for_each(|parameter| parameter.map(drop))?;
            is_reference(parameters.result())
        }
        _ => false,
    })
}

/// Whether a field or result of this type is a reference.
pub(super) fn is_reference(descriptor: &[u8]) -> bool {
    matches!(descriptor, [b'L' | b'[', ..])
}

/// What is held before the instructions of a method.
pub(super) struct Flow {
    /// At the entry, at targets of jumps, and at handlers.
    states: BTreeMap<u32, FlowState>,
}

impl Flow {
    /// Follows all paths of a method until nothing changes; `None` if they are too many, or have subroutines.
    pub(super) fn from_method(
        class: &ClassFile<'_>,
        method: &Member<'_>,
        code: &CodeAttribute<'_>,
    ) -> Result<Option<Flow>> {
        let mut paths = Paths { states: BTreeMap::new(), pending: BTreeSet::new(), work: 0 };
        paths.reach(0, &FlowState::at_entry(method, code.max_locals)?);
        let handlers: Vec<_> = code.handlers().collect();
        while let Some(pc) = paths.pending.pop_first() {
            let Some(mut state) = paths.states.get(&pc).cloned() else { continue };
            let mut changed_locals = true;
            for instruction in code.instructions().starting_at(pc) {
                let instruction = instruction?;
                if instruction.is_subroutine() || paths.work > BUDGET {
                    return Ok(None);
                }
                if instruction.pc != pc && paths.states.contains_key(&instruction.pc) {
                    paths.reach(instruction.pc, &state);
                    break;
                }
                for handler in &handlers {
                    let covered = u32::from(handler.start_pc)..u32::from(handler.end_pc);
                    if covered.contains(&instruction.pc) && (changed_locals || covered.start == instruction.pc) {
                        let caught = FlowState { stack: vec![Reference], locals: state.locals.clone() };
                        paths.reach(handler.handler_pc.into(), &caught);
                    }
                }
                changed_locals = instruction.stored_local().is_some() || instruction.opcode() == op::INVOKESPECIAL;
                paths.work += 1;
                state.step(&instruction, class, code)?;
                for operand in instruction.branch_operands(code.length()) {
                    paths.reach(operand?.target, &state);
                }
                if instruction.ends_flow() {
                    break;
                }
            }
        }
        Ok(Some(Flow { states: paths.states }))
    }

    /// Whether control can come to a target of a jump or a handler.
    pub(super) fn reaches(&self, pc: u32) -> bool {
        self.states.contains_key(&pc)
    }

    /// Calls for each instruction that can be reached, in the order of the code.
    pub(super) fn visit<'a>(
        &self,
        class: &ClassFile<'_>,
        code: &CodeAttribute<'a>,
        mut met: impl FnMut(&Instruction<'a>, &FlowState) -> Result<()>,
    ) -> Result<()> {
        let mut state: Option<FlowState> = None;
        for instruction in code.instructions() {
            let instruction = instruction?;
            if let Some(known) = self.states.get(&instruction.pc) {
                state = Some(known.clone());
            }
            let Some(here) = &mut state else { continue };
            met(&instruction, here)?;
            here.step(&instruction, class, code)?;
            if instruction.ends_flow() {
                state = None;
            }
        }
        Ok(())
    }
}

struct Paths {
    states: BTreeMap<u32, FlowState>,
    pending: BTreeSet<u32>,
    work: usize,
}

impl Paths {
    fn reach(&mut self, pc: u32, state: &FlowState) {
        self.work += 1 + state.slots();
        let changed = match self.states.get_mut(&pc) {
            Some(known) => known.meet(state),
            None => {
                self.states.insert(pc, state.clone());
                true
            }
        };
        if changed {
            self.pending.insert(pc);
        }
    }
}
