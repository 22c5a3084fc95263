//! Each `new` and each creation of an array reports its site. Objects that other code makes (`clone`, reflection, native
//! code) have no site.

use weighbridge_bytecode::Result;
use weighbridge_bytecode::patch::{Need, OldPc, PoolEditor, Position, Sequence};
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, Member, op};

use crate::Engine;
use crate::contract::ALLOCATE;
use crate::kind::{Kind, MethodSites};
use crate::skip::SkipReason;

/// The probes of one class's allocation sites.
#[derive(Clone, Copy, Debug)]
pub struct AllocationProbe<'a> {
    /// Internal name of the bridge class.
    pub bridge: &'a str,
    /// The number of the first site; the others follow in the order of methods and pcs.
    pub first_site: u32,
}

/// The number of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call(pub u32);

/// Puts allocation probes into classes.
pub type Allocations = Engine<Call, ()>;

impl Kind for AllocationProbe<'_> {
    type Call = Call;
    type Memory = ();

    const NEED: Need = Need { bytes: 6, stack: 1, locals: 0, constants: 6 };

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
            let position = match instruction.opcode() {
                // After it the object is not initialised yet, and nothing can be done with it.
                op::NEW => Position::Before,
                op::NEWARRAY | op::ANEWARRAY | op::MULTIANEWARRAY => Position::After,
                _ => continue,
            };
            let site = self.first_site + sites.found();
            sites.add(OldPc(instruction.pc), position, Call(site));
        }
        Ok(None)
    }

    fn number(&self, Call(site): Call) -> u32 {
        site
    }

    fn assemble(
        &self,
        Call(site): Call,
        _: &ClassFile<'_>,
        pool: &mut PoolEditor<'_>,
        sequence: &mut Sequence,
    ) -> Result<()> {
        let method = ALLOCATE.constant(self.bridge, pool)?;
        sequence.int(site as i32, pool)?.invoke(op::INVOKESTATIC, method, 1, 0);
        Ok(())
    }
}
