//! Each read and each write of a field reports its site, except by reflection and method handles.

use weighbridge_bytecode::Result;
use weighbridge_bytecode::patch::{Need, OldPc, PoolEditor, Position, Sequence};
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, Member, op};

use crate::Engine;
use crate::contract::{READ, WRITE};
use crate::kind::{Kind, MethodSites};
use crate::skip::SkipReason;

/// The probes of one class's accesses of fields.
#[derive(Clone, Copy, Debug)]
pub struct FieldProbe<'a> {
    /// Internal name of the bridge class.
    pub bridge: &'a str,
    /// The number of the first site; the others follow in the order of methods and pcs.
    pub first_site: u32,
}

/// What is done at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its number.
    pub site: u32,
    /// True for a write.
    pub is_write: bool,
}

/// Puts field probes into classes.
pub type Fields = Engine<Call, ()>;

impl Kind for FieldProbe<'_> {
    type Call = Call;
    type Memory = ();

    const NEED: Need = Need { bytes: 6, stack: 1, locals: 0, constants: 12 };

    fn method(
        &self,
        _: &ClassFile<'_>,
        _: &Member<'_>,
        code: &CodeAttribute<'_>,
        (): &mut (),
        sites: &mut MethodSites<'_, Call>,
    ) -> Result<Option<SkipReason>> {
        for instruction in code.instructions() {
            let instruction = instruction?;
            // Access to a static field may initialise its class, which may fail, so the probe comes after it.
            let (position, is_write) = match instruction.opcode() {
                op::GETFIELD => (Position::Before, false),
                op::PUTFIELD => (Position::Before, true),
                op::GETSTATIC => (Position::After, false),
                op::PUTSTATIC => (Position::After, true),
                _ => continue,
            };
            let site = self.first_site + sites.found();
            sites.add(OldPc(instruction.pc), position, Call { site, is_write });
        }
        Ok(None)
    }

    fn number(&self, call: Call) -> u32 {
        call.site
    }

    fn assemble(
        &self,
        call: Call,
        _: &ClassFile<'_>,
        pool: &mut PoolEditor<'_>,
        sequence: &mut Sequence,
    ) -> Result<()> {
        let method = if call.is_write { WRITE } else { READ }.constant(self.bridge, pool)?;
        sequence.int(call.site as i32, pool)?.invoke(op::INVOKESTATIC, method, 1, 0);
        Ok(())
    }
}
