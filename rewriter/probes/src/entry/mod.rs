//! Methods that open scopes: `opened(object, id)` at the entry returns a number, which goes to `exit` or `raise` at the end, as
//! that of [`crate::method`]. Objects that carry scopes tell that they are made.

use weighbridge_bytecode::Result;
use weighbridge_bytecode::patch::{Need, OldPc, PoolEditor, Position, Sequence, keeps_parameters};
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, Member, access, op};

use crate::Engine;
use crate::contract::{LIVE, OPENED};
use crate::kind::{MethodSites, ProbeStrategy};
use crate::method::{self, from_entry_to_end, parameters};
use crate::skip::SkipReason;

/// What a method opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenedEntry {
    /// What its calls pass.
    pub id: u32,
    /// The argument, from 0, that goes with it; `this` if none, or null if the method has no such object.
    pub argument: Option<u8>,
}

/// The probes of one class; `entry` says by its name what a method opens.
#[derive(Clone, Copy, Debug)]
pub struct EntryProbe<'a, E> {
    /// Internal name of the bridge class.
    pub bridge: &'a str,
    /// What the constructors pass when they return, if they tell.
    pub made: Option<u32>,
    /// By the name of a method.
    pub entry: E,
}

/// What is done at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are the same as in those of methods")]
pub enum EntryProbeCall {
    /// The method is entered; `object`: the local variable with it.
    Open { id: u32, local: u16, object: Option<u16> },
    /// It ends.
    End(method::MethodProbeCall),
    /// A constructor returns.
    Made { id: u32 },
}

/// Puts entry probes into classes.
pub type Entries = Engine<EntryProbeCall, ()>;

impl<E: Fn(&[u8]) -> Option<OpenedEntry>> ProbeStrategy for EntryProbe<'_, E> {
    type Call = EntryProbeCall;
    type Memory = ();

    /// `ldc_w; wide lload; invokestatic; athrow`, with an exception on the stack.
    const NEED: Need = Need { bytes: 12, stack: 4, locals: 2, constants: 30 };

    fn method(
        &self,
        class: &ClassFile<'_>,
        method: &Member<'_>,
        code: &CodeAttribute<'_>,
        (): &mut (),
        sites: &mut MethodSites<'_, EntryProbeCall>,
    ) -> Result<Option<SkipReason>> {
        if method.is_constructor()? {
            let made = self.made.filter(|_| keeps_parameters(class, method, code).unwrap_or(false));
            for instruction in code.instructions().filter(|_| made.is_some()) {
                let instruction = instruction?;
                if let (op::RETURN, Some(id)) = (instruction.opcode(), made) {
                    sites.add(OldPc(instruction.pc), Position::Before, EntryProbeCall::Made { id });
                }
            }
        } else if let Some(entry) = (self.entry)(method.name()?) {
            let object = carrier(method, entry.argument)?;
            from_entry_to_end(class, method, code, entry.id, sites, |call| match call {
                method::MethodProbeCall::Enter { id, local } => EntryProbeCall::Open { id, local, object },
                end => EntryProbeCall::End(end),
            })?;
        }
        Ok(None)
    }

    fn number(&self, call: EntryProbeCall) -> u32 {
        match call {
            EntryProbeCall::Open { id, .. } | EntryProbeCall::Made { id } => id,
            EntryProbeCall::End(call) => call.id(),
        }
    }

    fn assemble(
        &self,
        call: EntryProbeCall,
        _: &ClassFile<'_>,
        pool: &mut PoolEditor<'_>,
        sequence: &mut Sequence,
    ) -> Result<()> {
        match call {
            EntryProbeCall::Open { id, local, object } => {
                match object {
                    Some(object) => sequence.load_reference(object),
                    None => sequence.null(),
                };
                let method = OPENED.constant(self.bridge, pool)?;
                sequence.int(id as i32, pool)?.invoke(op::INVOKESTATIC, method, 2, 2).store_long(local);
            }
            EntryProbeCall::End(call) => call.assemble(self.bridge, 0, pool, sequence)?,
            EntryProbeCall::Made { id } => {
                let method = LIVE.constant(self.bridge, pool)?;
                sequence.load_reference(0).int(id as i32, pool)?.invoke(op::INVOKESTATIC, method, 2, 0);
            }
        }
        Ok(())
    }
}

/// The local variable that has `this`, or an argument that is an object, at the entry of a method.
fn carrier(method: &Member<'_>, argument: Option<u8>) -> Result<Option<u16>> {
    Ok(match argument {
        None => (method.access_flags & access::STATIC == 0).then_some(0),
        Some(argument) => parameters(method)?.get(usize::from(argument)).copied().flatten(),
    })
}
