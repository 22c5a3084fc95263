//! Methods report when they are entered and when they end, by a return or by an exception.
//!
//! `enter(id)` returns a number, such as a time. An added local variable keeps it for `exit(id, number)` and
//! `raise(id, number)`. An exception that the method catches itself does not end it.

use weighbridge_bytecode::Result;
use weighbridge_bytecode::patch::{Need, OldPc, PoolEditor, Position, Sequence};
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, Member, VerificationType, access, op};

use crate::Engine;
use crate::contract::{ARGUMENT, ENTER, EXIT, RAISE};
use crate::kind::{self, MethodSites, ProbeStrategy};
use crate::skip::SkipReason;
use crate::this_flow::init_calls;

/// The probes of one class's methods; `wanted` says by its name whether a method has them.
#[derive(Clone, Copy, Debug)]
pub struct MethodProbe<'a, W> {
    /// Internal name of the bridge class.
    pub bridge: &'a str,
    /// The id of the first method; the ordinal of each method is added to it.
    pub first_id: u32,
    /// Which methods.
    pub wanted: W,
    /// Whether they tell their arguments before their entry: the first [`MOST_ARGUMENTS`] that are objects.
    pub arguments: bool,
}

/// Arguments that a method tells.
pub const MOST_ARGUMENTS: usize = 4;

/// What is done at a site of a method; the local variable `local` keeps the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are the same in all")]
pub enum MethodProbeCall {
    /// The method has this argument, in the local variable.
    Argument { id: u32, local: u16 },
    /// The method is entered.
    Enter { id: u32, local: u16 },
    /// It returns.
    Exit { id: u32, local: u16 },
    /// It ends by an exception.
    Raise { id: u32, local: u16 },
}

/// Puts method probes into classes.
pub type Methods = Engine<MethodProbeCall, ()>;

impl<W: Fn(&[u8]) -> bool> ProbeStrategy for MethodProbe<'_, W> {
    type Call = MethodProbeCall;
    type Memory = ();

    /// `ldc_w; sipush; iadd; wide lload; invokestatic; athrow`, with an exception on the stack.
    const NEED: Need = Need { bytes: 15, stack: 4, locals: 2, constants: 24 };

    fn may_have_sites(&self, method: &Member<'_>, (): &()) -> Result<bool> {
        Ok((self.wanted)(method.name()?))
    }

    fn method(
        &self,
        class: &ClassFile<'_>,
        method: &Member<'_>,
        code: &CodeAttribute<'_>,
        (): &mut (),
        sites: &mut MethodSites<'_, MethodProbeCall>,
    ) -> Result<Option<SkipReason>> {
        let id = self.first_id + u32::from(method.index);
        if self.arguments {
            let objects = parameters(method)?.into_iter().flatten().take(MOST_ARGUMENTS);
            objects.for_each(|local| sites.add(OldPc(0), Position::Entry, MethodProbeCall::Argument { id, local }));
        }
        from_entry_to_end(class, method, code, id, sites, |call| call)?;
        Ok(None)
    }

    fn number(&self, call: MethodProbeCall) -> u32 {
        kind::base(self.first_id, call.id())
    }

    fn assemble(
        &self,
        call: MethodProbeCall,
        _: &ClassFile<'_>,
        pool: &mut PoolEditor<'_>,
        sequence: &mut Sequence,
    ) -> Result<()> {
        call.assemble(self.bridge, self.first_id, pool, sequence)
    }
}

/// The local variable of each parameter at the entry of a method, if it is an object.
pub(crate) fn parameters(method: &Member<'_>) -> Result<Vec<Option<u16>>> {
    let mut slot = u16::from(method.access_flags & access::STATIC == 0);
    let mut slots = Vec::new();
    let mut types = method.descriptor()?.split(|&byte| byte == b')').next().unwrap_or_default().iter().skip(1);
    while let Some(&first) = types.next() {
        let mut kind = first;
        while kind == b'[' {
            kind = *types.next().unwrap_or(&b'I');
        }
        if kind == b'L' {
            types.by_ref().find(|&&byte| byte == b';');
        }
        let is_object = kind == b'L' || first == b'[';
        slots.push(is_object.then_some(slot));
        slot += if !is_object && matches!(kind, b'J' | b'D') { 2 } else { 1 };
    }
    Ok(slots)
}

impl MethodProbeCall {
    /// What its code passes.
    pub(crate) fn id(self) -> u32 {
        match self {
            MethodProbeCall::Argument { id, .. }
            | MethodProbeCall::Enter { id, .. }
            | MethodProbeCall::Exit { id, .. }
            | MethodProbeCall::Raise { id, .. } => id,
        }
    }

    /// Writes its code; `first` is the least id of the class.
    pub(crate) fn assemble(
        self,
        bridge: &str,
        first: u32,
        pool: &mut PoolEditor<'_>,
        sequence: &mut Sequence,
    ) -> Result<()> {
        match self {
            MethodProbeCall::Argument { id, local } => {
                let method = ARGUMENT.constant(bridge, pool)?;
                kind::push(first, id, pool, sequence.load_reference(local))?.invoke(op::INVOKESTATIC, method, 2, 0);
            }
            MethodProbeCall::Enter { id, local } => {
                let method = ENTER.constant(bridge, pool)?;
                kind::push(first, id, pool, sequence)?.invoke(op::INVOKESTATIC, method, 1, 2).store_long(local);
            }
            MethodProbeCall::Exit { id, local } => {
                let method = EXIT.constant(bridge, pool)?;
                kind::push(first, id, pool, sequence)?.load_long(local).invoke(op::INVOKESTATIC, method, 3, 0);
            }
            MethodProbeCall::Raise { id, local } => {
                let method = RAISE.constant(bridge, pool)?;
                kind::push(first, id, pool, sequence.start_handler())?.load_long(local);
                sequence.invoke(op::INVOKESTATIC, method, 3, 0).rethrow();
            }
        }
        Ok(())
    }
}

/// Adds the sites that report a method's entry and its end; a kind wraps them in its own calls.
pub(crate) fn from_entry_to_end<C>(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    code: &CodeAttribute<'_>,
    id: u32,
    sites: &mut MethodSites<'_, C>,
    call: impl Fn(MethodProbeCall) -> C,
) -> Result<()> {
    let local = code.max_locals;
    sites.add_locals(&[VerificationType::Long]);
    sites.add(OldPc(0), Position::Entry, call(MethodProbeCall::Enter { id, local }));
    for instruction in code.instructions() {
        let instruction = instruction?;
        if let op::IRETURN..=op::RETURN = instruction.opcode() {
            sites.add(OldPc(instruction.pc), Position::Before, call(MethodProbeCall::Exit { id, local }));
        }
    }
    let from = match method.is_constructor()? {
        true => after_super(class, method, code)?,
        false => Some(0),
    };
    if let Some(from) = from.filter(|&from| from < code.length()) {
        sites.guard(OldPc(from)..OldPc(code.length()), call(MethodProbeCall::Raise { id, local }));
    }
    Ok(())
}

/// The pc after `super(...)` or `this(...)`, if `this` is initialised in all code from there and in none before. Other
/// constructors get no handler: one that covers code with an uninitialised `this` cannot rethrow (JVMS §4.10.1.4).
pub(crate) fn after_super(
    class: &ClassFile<'_>,
    constructor: &Member<'_>,
    code: &CodeAttribute<'_>,
) -> Result<Option<u32>> {
    let calls = init_calls(class, constructor, code)?.unwrap_or_default();
    let [call] = calls.as_slice() else { return Ok(None) };
    let mut from = None;
    for instruction in code.instructions() {
        let instruction = instruction?;
        if instruction.pc == call.pc {
            from = Some(instruction.end());
        }
        let is_before = instruction.pc <= call.pc;
        for operand in instruction.branch_operands(code.length()) {
            if (operand?.target <= call.pc) != is_before {
                return Ok(None);
            }
        }
    }
    let crosses = code
        .handlers()
        .any(|handler| (u32::from(handler.start_pc) <= call.pc) != (u32::from(handler.handler_pc) <= call.pc));
    Ok(from.filter(|_| !crosses))
}
