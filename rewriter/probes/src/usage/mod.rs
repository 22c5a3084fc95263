//! Objects report that they are used: a method of theirs is entered, or a field of theirs is read or written.
//!
//! Not seen are what reflection and method handles do with fields, and writes of `long` and `double` fields from outside: the
//! object is below both slots of the value, which inserted code must not move. A constructor is no use of its own object.

use weighbridge_bytecode::Result;
use weighbridge_bytecode::patch::{Need, OldPc, PoolEditor, Position, Sequence};
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, Member, access, op};

use crate::Engine;
use crate::contract::USED;
use crate::kind::{MethodSites, ProbeStrategy};
use crate::skip::SkipReason;

/// The probes of one class.
#[derive(Clone, Copy, Debug)]
pub struct UsageProbe<'a, W> {
    /// Internal name of the bridge class.
    pub bridge: &'a str,
    /// What each call passes.
    pub id: u32,
    /// Classes, by internal name, whose fields are of interest when this class reads or writes them.
    pub wanted: W,
}

/// What is done at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageProbeCall {
    /// `this` is used.
    This,
    /// The object on top of the stack is about to give a field.
    Read,
    /// The object below the value on top of the stack is about to take it.
    Write,
}

/// Puts usage probes into classes.
pub type Usages = Engine<UsageProbeCall, ()>;

impl<W: Fn(&[u8]) -> bool> ProbeStrategy for UsageProbe<'_, W> {
    type Call = UsageProbeCall;
    type Memory = ();

    /// `dup2; pop; ldc_w; invokestatic`.
    const NEED: Need = Need { bytes: 8, stack: 3, locals: 0, constants: 12 };

    fn method(
        &self,
        class: &ClassFile<'_>,
        method: &Member<'_>,
        code: &CodeAttribute<'_>,
        (): &mut (),
        sites: &mut MethodSites<'_, UsageProbeCall>,
    ) -> Result<Option<SkipReason>> {
        let own = class.name()?;
        let has_this = method.access_flags & access::STATIC == 0;
        let is_constructor = method.is_constructor()?;
        if has_this && !is_constructor {
            sites.add(OldPc(0), Position::Entry, UsageProbeCall::This);
        }
        let mut is_this = false;
        for instruction in code.instructions() {
            let instruction = instruction?;
            let opcode = instruction.opcode();
            let after_this = std::mem::replace(&mut is_this, has_this && opcode == op::ALOAD_0);
            if !matches!(opcode, op::GETFIELD | op::PUTFIELD) {
                continue;
            }
            let field = class.pool.member_ref(instruction.index())?;
            let call = match opcode {
                op::GETFIELD if !after_this => UsageProbeCall::Read,
                op::PUTFIELD if !matches!(field.descriptor, b"J" | b"D") => UsageProbeCall::Write,
                _ => continue,
            };
            // `this` may not be initialised.
            if (self.wanted)(field.class) && !(is_constructor && field.class == own) {
                sites.add(OldPc(instruction.pc), Position::Before, call);
            }
        }
        Ok(None)
    }

    fn number(&self, _: UsageProbeCall) -> u32 {
        self.id
    }

    fn assemble(
        &self,
        call: UsageProbeCall,
        _: &ClassFile<'_>,
        pool: &mut PoolEditor<'_>,
        sequence: &mut Sequence,
    ) -> Result<()> {
        let method = USED.constant(self.bridge, pool)?;
        match call {
            UsageProbeCall::This => sequence.load_reference(0),
            UsageProbeCall::Read => sequence.raw(&[op::DUP], 0, 1),
            UsageProbeCall::Write => sequence.raw(&[op::DUP2], 0, 2).raw(&[op::POP], 1, 0),
        };
        sequence.int(self.id as i32, pool)?.invoke(op::INVOKESTATIC, method, 2, 0);
        Ok(())
    }
}
