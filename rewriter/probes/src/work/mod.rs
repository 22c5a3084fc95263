//! Methods whose calls are pieces of work: the runtime knows which are running, may refuse one, end one at a checkpoint,
//! and let one run again that is out of memory (docs/probe-contract.md, "Work").
//!
//! The probes let pass what the bridge throws. Constructors and static initialisers have none.

mod roles;

pub use roles::{MAX_INDEX, Refusal, Role, Roles};

use weighbridge_bytecode::Result;
use weighbridge_bytecode::patch::{Need, OldPc, PoolEditor, Position, Sequence, keeps_parameters};
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, Instruction, Member, access, op};

use crate::Engine;
use crate::contract::{AGAIN, CHECKPOINT};
use crate::kind::{MethodSites, ProbeStrategy};
use crate::method::{self, from_entry_to_end};
use crate::skip::{self, SkipReason};

/// The probes of one class's methods; `roles` gives those of a method by its name.
#[derive(Clone, Copy, Debug)]
pub struct WorkProbe<'a, R> {
    /// Internal name of the bridge class.
    pub bridge: &'a str,
    /// What the methods of this name are; it is not asked for `<init>` and `<clinit>`.
    pub roles: R,
}

/// What is done at a site of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkProbeCall {
    /// A call of the method starts or ends.
    Method(method::MethodProbeCall),
    /// The method asks whether it has to end.
    Checkpoint,
    /// The method is out of memory, and asks whether to run again.
    Again {
        /// As that of its entry.
        id: u32,
        /// The local variable with the number of its entry.
        local: u16,
    },
}

/// What was refused in the last class.
#[derive(Debug, Default)]
pub struct Memory {
    /// Each with its reason.
    pub refused: Vec<Refusal>,
}

/// Puts probes into methods whose calls are work.
pub type Works = Engine<WorkProbeCall, Memory>;

impl<R: Fn(&[u8]) -> Roles> WorkProbe<'_, R> {
    fn find_roles(&self, method: &Member<'_>) -> Result<Roles> {
        let name = method.name()?;
        Ok(if name.starts_with(b"<") { Roles::default() } else { (self.roles)(name) })
    }
}

impl<R: Fn(&[u8]) -> Roles> ProbeStrategy for WorkProbe<'_, R> {
    type Call = WorkProbeCall;
    type Memory = Memory;

    /// The handler of `again`: `ldc_w; wide lload; invokestatic; ifeq; pop; goto_w; athrow`, with an exception on the stack.
    const NEED: Need = Need { bytes: 20, stack: 4, locals: 2, constants: 34 };

    fn class(&self, class: &ClassFile<'_>, memory: &mut Memory) -> Result<Option<SkipReason>> {
        memory.refused.clear();
        if let Some(reason) = skip::of_any_kind(class)? {
            return Ok(Some(reason));
        }
        for method in class.methods()? {
            let method = method?;
            if method.access_flags & access::NATIVE != 0 && !self.find_roles(&method)?.is_empty() {
                memory.refused.push(Refusal::new(&method, "a native method has no code")?);
            }
        }
        Ok(None)
    }

    fn may_have_sites(&self, method: &Member<'_>, _: &Memory) -> Result<bool> {
        Ok(!self.find_roles(method)?.is_empty())
    }

    fn method(
        &self,
        class: &ClassFile<'_>,
        method: &Member<'_>,
        code: &CodeAttribute<'_>,
        memory: &mut Memory,
        sites: &mut MethodSites<'_, WorkProbeCall>,
    ) -> Result<Option<SkipReason>> {
        let mut roles = self.find_roles(method)?;
        if roles.retry.is_some() && !keeps_parameters(class, method, code)? {
            roles.retry = None;
            memory.refused.push(Refusal::new(method, "it cannot run again, because its arguments are not kept")?);
        }
        if roles.checkpoint {
            for instruction in code.instructions() {
                let instruction = instruction?;
                if instruction.pc == 0 || jumps_back(&instruction, code)? {
                    sites.add(OldPc(instruction.pc), Position::Before, WorkProbeCall::Checkpoint);
                }
            }
        }
        if let Some(id) = roles.id() {
            if roles.retry.is_some() {
                sites.guard(OldPc(0)..OldPc(code.length()), WorkProbeCall::Again { id, local: code.max_locals });
            }
            from_entry_to_end(class, method, code, id, sites, WorkProbeCall::Method)?;
        }
        sites.sort();
        Ok(None)
    }

    fn number(&self, call: WorkProbeCall) -> u32 {
        match call {
            WorkProbeCall::Method(call) => call.id(),
            WorkProbeCall::Again { id, .. } => id,
            WorkProbeCall::Checkpoint => 0,
        }
    }

    fn caught(&self, call: WorkProbeCall) -> Option<&'static str> {
        matches!(call, WorkProbeCall::Again { .. }).then_some("java/lang/OutOfMemoryError")
    }

    fn assemble(
        &self,
        call: WorkProbeCall,
        _: &ClassFile<'_>,
        pool: &mut PoolEditor<'_>,
        sequence: &mut Sequence,
    ) -> Result<()> {
        match call {
            WorkProbeCall::Method(call) => call.assemble(self.bridge, 0, pool, sequence)?,
            WorkProbeCall::Checkpoint => {
                let method = CHECKPOINT.constant(self.bridge, pool)?;
                sequence.invoke(op::INVOKESTATIC, method, 0, 0);
            }
            WorkProbeCall::Again { id, local } => {
                let method = AGAIN.constant(self.bridge, pool)?;
                sequence.start_handler().int(id as i32, pool)?.load_long(local);
                let give_up = sequence.invoke(op::INVOKESTATIC, method, 3, 1).jump(op::IFEQ, 1);
                sequence.raw(&[op::POP], 1, 0).restart().land(give_up).rethrow();
            }
        }
        Ok(())
    }
}

/// Whether an instruction can jump to itself or to an earlier one. A jump to the first instruction polls there.
fn jumps_back(instruction: &Instruction<'_>, code: &CodeAttribute<'_>) -> Result<bool> {
    if instruction.branches() {
        for operand in instruction.branch_operands(code.length()) {
            if (1..=instruction.pc).contains(&operand?.target) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
