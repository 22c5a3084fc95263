//! Each `new` and each creation of an array tells its site. Objects that other code makes (`clone`, reflection, native
//! code) have no site.

use weighbridge_bytecode::Result;
use weighbridge_bytecode::patch::{Need, OldPc, PoolEditor, Position, Sequence};
use weighbridge_bytecode::read::{ClassFile, ClassSummary, CodeAttribute, Member, op};

use crate::Engine;
use crate::contract::ALLOCATE;
use crate::kind::{Kind, MethodSites};
use crate::skip::{self, SkipReason};

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

/// Sites found in the class so far.
#[derive(Debug, Default)]
pub struct Memory(u32);

/// Puts allocation probes into classes.
pub type Allocations = Engine<Call, Memory>;

impl Kind for AllocationProbe<'_> {
    type Call = Call;
    type Memory = Memory;

    const NEED: Need = Need { bytes: 6, stack: 1, locals: 0, constants: 6 };

    fn class(&self, class: &ClassFile<'_>, memory: &mut Memory) -> Result<Option<SkipReason>> {
        memory.0 = 0;
        Ok(skip::of_any_kind(&ClassSummary::of(class)?))
    }

    fn method(
        &self,
        _: &ClassFile<'_>,
        _: &Member<'_>,
        code: &CodeAttribute<'_>,
        memory: &mut Memory,
        sites: &mut MethodSites<'_, Call>,
    ) -> Result<Option<SkipReason>> {
        for instruction in code.instructions() {
            let instruction = instruction?;
            let position = match instruction.opcode() {
                // Behind it the object is not initialised yet, and nothing can be done with it.
                op::NEW => Position::Before,
                op::NEWARRAY | op::ANEWARRAY | op::MULTIANEWARRAY => Position::After,
                _ => continue,
            };
            sites.add(OldPc(instruction.pc), position, Call(self.first_site + memory.0));
            memory.0 += 1;
        }
        Ok(None)
    }

    fn nothing_found(&self) -> SkipReason {
        SkipReason::NoSite
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
