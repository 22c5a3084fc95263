//! Where the probes of a method are.

use weighbridge_bytecode::Result;
use weighbridge_bytecode::patch::{OldPc, Position};
use weighbridge_bytecode::read::{
    ClassFile, CodeAttribute, CpIndex, Instruction, Member, VerificationType, access, descriptor::Parameters, op, tag,
};

use super::call::EventProbeCall;
use super::flow::{Flow, FlowState, HeldValue, is_reference, widened};
use super::natives::{self, Native};
use super::numbers::Numbers;
use crate::kind::MethodSites;
use crate::method::{after_super, parameters};

/// What was found in one method.
#[derive(Debug, Default)]
pub(super) struct EventSites {
    pub(super) sites: Vec<(OldPc, Position, EventProbeCall)>,
    pub(super) guards: Vec<(std::ops::Range<OldPc>, EventProbeCall)>,
    has_frame: bool,
}

impl EventSites {
    /// At most so many bytes of code.
    pub(super) fn bytes(&self) -> u32 {
        let calls = self.sites.iter().map(|site| site.2).chain(self.guards.iter().map(|guard| guard.1));
        calls.map(EventProbeCall::bytes).sum()
    }

    pub(super) fn into_sites(self, sites: &mut MethodSites<'_, EventProbeCall>) {
        if self.has_frame {
            sites.add_locals(&[VerificationType::Integer]);
        }
        self.sites.into_iter().for_each(|(at, position, call)| sites.add(at, position, call));
        self.guards.into_iter().for_each(|(covered, call)| sites.guard(covered, call));
        sites.sort();
    }

    fn add(&mut self, at: u32, position: Position, call: EventProbeCall) {
        self.sites.push((OldPc(at), position, call));
    }

    /// Whether there is more to tell than reads and writes of primitive values.
    fn decides_lives(&self) -> bool {
        let harmless = |call: &EventProbeCall| {
            matches!(
                call,
                EventProbeCall::Read { .. }
                    | EventProbeCall::Seen { .. }
                    | EventProbeCall::Wrote { .. }
                    | EventProbeCall::Written { .. }
                    | EventProbeCall::Used
                    | EventProbeCall::UsedBelow
                    | EventProbeCall::Constant
            )
        };
        !self.sites.iter().all(|(_, _, call)| harmless(call))
    }
}

/// A method that is searched.
struct Search<'s, 'a, N> {
    numbers: &'s N,
    class: &'s ClassFile<'a>,
    code: &'s CodeAttribute<'a>,
    method: u32,
    lines: Vec<(u32, u16)>,
    is_initialiser: bool,
    /// The local variable with the depth of the frame; those after it are free.
    depth: u16,
    /// Fields of `this` that are set before `super(...)`.
    set_before: Vec<CpIndex>,
    calls: bool,
    found: EventSites,
}

/// Finds the probes of a method; `None` if its code cannot be followed.
pub(super) fn find<N: Numbers>(
    numbers: &N,
    class: &ClassFile<'_>,
    method: &Member<'_>,
    code: &CodeAttribute<'_>,
) -> Result<Option<EventSites>> {
    let Some(flow) = Flow::from_method(class, method, code)? else { return Ok(None) };
    let mut lines = Vec::new();
    code.lines(&mut lines)?;
    lines.sort_unstable();
    let first_line = lines.iter().map(|&(_, line)| line).min().unwrap_or(0);
    let is_constructor = method.is_constructor()?;
    let is_root = class.super_name()?.is_none();
    let mut search = Search {
        numbers,
        class,
        code,
        method: numbers.method(class, method, first_line)?,
        lines,
        is_initialiser: method.name()? == b"<clinit>",
        depth: code.max_locals,
        set_before: Vec::new(),
        calls: false,
        found: EventSites::default(),
    };
    if is_root && is_constructor {
        for instruction in code.instructions() {
            let instruction = instruction?;
            if instruction.opcode() == op::RETURN {
                search.found.add(instruction.pc, Position::Before, EventProbeCall::Made);
            }
        }
        return Ok(Some(search.found));
    }
    if natives::before_constructor(class.name()?, method.name()?) {
        return Ok(Some(search.found));
    }
    flow.visit(class, code, |instruction, state| search.instruction(instruction, state))?;
    if search.calls || search.found.decides_lives() {
        search.frame(method, is_constructor, &flow)?;
    }
    Ok(Some(search.found))
}

impl<N: Numbers> Search<'_, '_, N> {
    /// The method tells its entry, its parameters and its end.
    fn frame(&mut self, method: &Member<'_>, is_constructor: bool, flow: &Flow) -> Result<()> {
        let depth = self.depth;
        let inner = std::mem::take(&mut self.found);
        self.found.has_frame = true;
        self.found.add(0, Position::Entry, EventProbeCall::Enter { method: self.method, depth });
        let has_this = method.access_flags & access::STATIC == 0 && !is_constructor;
        let this = has_this.then_some(0);
        for slot in this.into_iter().chain(parameters(method)?.into_iter().flatten()) {
            self.found.add(0, Position::Entry, EventProbeCall::Argument { slot });
        }
        let mut handlers: Vec<u32> = self.code.handlers().map(|handler| handler.handler_pc.into()).collect();
        handlers.sort_unstable();
        handlers.dedup();
        for pc in handlers.into_iter().filter(|&pc| flow.reaches(pc)) {
            self.found.add(pc, Position::Before, EventProbeCall::Caught { depth });
        }
        self.found.sites.extend(inner.sites);
        let ends_thread = self.ends_thread(method)?;
        let sets_field = natives::sets_field(self.class.name()?, method.name()?, method.descriptor()?);
        for instruction in self.code.instructions() {
            let instruction = instruction?;
            let call = match instruction.opcode() {
                op::ARETURN => EventProbeCall::ExitWith { depth },
                op::IRETURN..=op::RETURN => EventProbeCall::Exit { depth },
                _ => continue,
            };
            if sets_field {
                self.found.add(instruction.pc, Position::Before, EventProbeCall::Changed { local: 1 });
            }
            self.found.add(instruction.pc, Position::Before, call);
            if ends_thread {
                self.found.add(instruction.pc, Position::Before, EventProbeCall::Ended);
            }
        }
        let from = match is_constructor {
            true => after_super(self.class, method, self.code)?,
            false => Some(0),
        };
        if let Some(from) = from.filter(|&from| from < self.code.length()) {
            self.found.guards.push((OldPc(from)..OldPc(self.code.length()), EventProbeCall::Raise { depth }));
        }
        Ok(())
    }

    /// The last method of a thread: what the JVM calls, or what the body of a virtual thread is.
    fn ends_thread(&self, method: &Member<'_>) -> Result<bool> {
        Ok(matches!(
            (self.class.name()?, method.name()?, method.descriptor()?),
            (b"java/lang/Thread", b"exit", b"()V") | (b"java/lang/VirtualThread", b"run", b"(Ljava/lang/Runnable;)V")
        ))
    }

    fn line(&self, pc: u32) -> u16 {
        let after = self.lines.partition_point(|&(start, _)| start <= pc);
        after.checked_sub(1).map_or(0, |at| self.lines[at].1)
    }

    fn site(&self, pc: u32, made: &[u8]) -> u32 {
        self.numbers.site(self.method, self.line(pc), made)
    }

    fn instruction(&mut self, instruction: &Instruction<'_>, state: &FlowState) -> Result<()> {
        let pc = instruction.pc;
        let is_complete = |below| state.top(below) == HeldValue::Reference;
        let mut before = |call| self.found.sites.push((OldPc(pc), Position::Before, call));
        match widened(instruction) {
            op::ASTORE | op::ASTORE_0..=op::ASTORE_3 if is_complete(0) => {
                before(EventProbeCall::Local { slot: instruction.local().unwrap_or(0) });
            }
            op::ISTORE..op::ASTORE | op::ISTORE_0..op::ASTORE_0 => {
                let (first, slots) = instruction.stored_local().unwrap_or((0, 0));
                let held = |slot: &u16| matches!(state.local(*slot), HeldValue::Reference | HeldValue::Either);
                (first..first.saturating_add(slots))
                    .filter(held)
                    .for_each(|slot| before(EventProbeCall::Clear { slot }));
            }
            op::IALOAD..=op::SALOAD if is_complete(1) => before(EventProbeCall::UsedBelow),
            op::ARRAYLENGTH if is_complete(0) => before(EventProbeCall::Used),
            op::AASTORE if is_complete(0) && is_complete(2) => {
                before(EventProbeCall::Element { spare: self.depth + 1 })
            }
            op::LDC | op::LDC_W if self.is_constant_object(instruction)? => {
                self.found.add(pc, Position::After, EventProbeCall::Constant);
            }
            op::GETFIELD | op::PUTFIELD | op::GETSTATIC | op::PUTSTATIC => self.field(instruction, state)?,
            op::NEWARRAY | op::ANEWARRAY | op::MULTIANEWARRAY => self.array(instruction)?,
            op::INVOKEVIRTUAL..=op::INVOKEDYNAMIC => self.invoke(instruction, state)?,
            _ => {}
        }
        Ok(())
    }

    fn is_constant_object(&self, instruction: &Instruction<'_>) -> Result<bool> {
        Ok(match self.class.pool.tag(instruction.index())? {
            tag::INTEGER | tag::FLOAT => false,
            tag::DYNAMIC => is_reference(self.class.pool.member_descriptor(instruction.index())?),
            _ => true,
        })
    }

    fn field(&mut self, instruction: &Instruction<'_>, state: &FlowState) -> Result<()> {
        let member = self.class.pool.member_ref(instruction.index())?;
        let field = self.numbers.field(member.class, member.name);
        let is_wide = matches!(member.descriptor, b"J" | b"D");
        let holds = is_reference(member.descriptor);
        let (value, object) = (state.top(0), state.top(1));
        let call = match instruction.opcode() {
            op::GETFIELD if value == HeldValue::Reference => EventProbeCall::Read { field },
            op::GETFIELD | op::GETSTATIC => EventProbeCall::Seen { field },
            op::PUTFIELD if holds && object == HeldValue::This => {
                if !self.set_before.contains(&instruction.index()) {
                    self.set_before.push(instruction.index());
                }
                return Ok(());
            }
            op::PUTFIELD if holds && object == HeldValue::Reference && value == HeldValue::Reference => {
                EventProbeCall::Put { field }
            }
            op::PUTFIELD if !holds && !is_wide && object == HeldValue::Reference => EventProbeCall::Wrote { field },
            op::PUTSTATIC if holds && value == HeldValue::Reference => {
                let is_own = self.is_initialiser && member.class == self.class.name()?;
                EventProbeCall::PutStatic { field, member: (!is_own).then_some(instruction.index()) }
            }
            _ => EventProbeCall::Written { field },
        };
        self.found.add(instruction.pc, Position::Before, call);
        Ok(())
    }

    fn array(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let name = |index| self.class.pool.utf8_operand(index, tag::CLASS);
        let call = match instruction.opcode() {
            op::NEWARRAY => {
                // T_BOOLEAN is 4 (JVMS table 6.5.newarray-A).
                let element = b"ZCFDBSIJ".get(usize::from(instruction.bytes[1]).wrapping_sub(4)).unwrap_or(&b'I');
                EventProbeCall::Array { site: self.site(instruction.pc, &[b'[', *element]) }
            }
            op::ANEWARRAY => {
                let element = name(instruction.index())?;
                let made = match element {
                    [b'[', ..] => [b"[", element].concat(),
                    _ => [b"[L", element, b";"].concat(),
                };
                EventProbeCall::Array { site: self.site(instruction.pc, &made) }
            }
            _ => EventProbeCall::Arrays { site: self.site(instruction.pc, name(instruction.index())?) },
        };
        self.found.add(instruction.pc, Position::After, call);
        Ok(())
    }

    fn invoke(&mut self, instruction: &Instruction<'_>, state: &FlowState) -> Result<()> {
        self.calls = true;
        let (pc, opcode) = (instruction.pc, instruction.opcode());
        if opcode == op::INVOKEDYNAMIC {
            let mut parameters = Parameters::from_descriptor(self.class.pool.member_descriptor(instruction.index())?)?;
            parameters.by_ref().try_for_each(|parameter| parameter.map(drop))?;
            if let [b'L', made @ .., b';'] = parameters.result() {
                let site = self.site(pc, made);
                self.found.add(pc, Position::Before, EventProbeCall::Link { site });
                self.found.add(pc, Position::After, EventProbeCall::Linked { site });
            }
            return Ok(());
        }
        let member = self.class.pool.member_ref(instruction.index())?;
        if opcode == op::INVOKESPECIAL && member.name == b"<init>" {
            let (pops, _) = instruction.stack_effect(&self.class.pool)?;
            match state.top(usize::from(pops).saturating_sub(1)) {
                HeldValue::New(_) => {
                    let site = self.site(pc, member.class);
                    self.found.add(pc, Position::Before, EventProbeCall::Site { site });
                }
                HeldValue::This => self.after_super_call(pc, state)?,
                _ => {}
            }
            return Ok(());
        }
        let spare = self.depth + 1;
        let Some(native) = natives::classify_call(&member) else { return Ok(()) };
        match native {
            Native::Copy => self.found.add(pc, Position::Before, EventProbeCall::Copy { spare }),
            Native::Element => self.found.add(pc, Position::Before, EventProbeCall::Element { spare }),
            Native::Restore => {
                self.found.add(pc, Position::Before, EventProbeCall::KeepOne { spare });
                self.found.add(pc, Position::After, EventProbeCall::Changed { local: spare });
            }
            Native::Put => self.found.add(pc, Position::Before, EventProbeCall::PutAt { spare }),
            Native::Make => {
                let site = self.site(pc, member.class);
                self.found.add(pc, Position::After, EventProbeCall::Cloned { site });
            }
            Native::Swap | Native::Exchange => {
                self.found.add(pc, Position::Before, EventProbeCall::Keep { spare });
                let after = if native == Native::Swap {
                    EventProbeCall::Swapped { spare }
                } else {
                    EventProbeCall::Exchanged { spare }
                };
                self.found.add(pc, Position::After, after);
            }
        }
        Ok(())
    }

    /// `super(...)` or `this(...)` is about to return: then `this` can be told, and what its fields got before.
    fn after_super_call(&mut self, pc: u32, state: &FlowState) -> Result<()> {
        let Some(this) = state.locals.iter().position(|held| *held == HeldValue::This) else { return Ok(()) };
        let this = this as u16;
        self.found.add(pc, Position::After, EventProbeCall::Argument { slot: this });
        for member in std::mem::take(&mut self.set_before) {
            let named = self.class.pool.member_ref(member)?;
            let field = self.numbers.field(named.class, named.name);
            self.found.add(pc, Position::After, EventProbeCall::PutOwn { field, this, member });
        }
        Ok(())
    }
}
