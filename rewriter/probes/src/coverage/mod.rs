//! Each method reports that it was entered, and each line that it was reached (JVMS §4.7.12).
//!
//! A line has as many sites as it has entries in the `LineNumberTable`: a loop's condition often has two. It was reached if one
//! of them was.

use weighbridge_bytecode::Result;
use weighbridge_bytecode::patch::{Need, OldPc, PoolEditor, Position, Sequence};
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, Member, op};

use crate::Engine;
use crate::contract::HIT;
use crate::kind::{self, MethodSites, ProbeStrategy};
use crate::skip::SkipReason;

/// The probes of one class's lines.
#[derive(Clone, Copy, Debug)]
pub struct CoverageProbe<'a> {
    /// Internal name of the bridge class.
    pub bridge: &'a str,
    /// The number of the first site; the others follow in the order of methods and pcs.
    pub first_id: u32,
}

/// A line start that reports when it is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoverageProbeCall {
    /// Its number.
    pub id: u32,
    /// The line that begins here; 0 for none, which only the first instruction of a method may have.
    pub line: u16,
}

/// Puts coverage probes into classes.
pub type Coverage = Engine<CoverageProbeCall, Vec<(u32, u16)>>;

impl ProbeStrategy for CoverageProbe<'_> {
    type Call = CoverageProbeCall;
    /// Where the lines of a method begin.
    type Memory = Vec<(u32, u16)>;

    /// `ldc_w; sipush; iadd; invokestatic`.
    const NEED: Need = Need { bytes: 10, stack: 2, locals: 0, constants: 12 };

    fn method(
        &self,
        _: &ClassFile<'_>,
        _: &Member<'_>,
        code: &CodeAttribute<'_>,
        lines: &mut Vec<(u32, u16)>,
        sites: &mut MethodSites<'_, CoverageProbeCall>,
    ) -> Result<Option<SkipReason>> {
        code.lines(lines)?;
        // Of two lines at one pc the last is that of the code.
        lines.sort_by_key(|&(pc, _)| pc);
        if lines.first().is_none_or(|&(pc, _)| pc != 0) {
            lines.insert(0, (0, 0));
        }
        let mut entries = lines.iter().copied().peekable();
        for instruction in code.instructions() {
            let pc = instruction?.pc;
            // An entry that is no instruction's is nobody's line.
            while entries.next_if(|&(at, _)| at < pc).is_some() {}
            let mut line = None;
            while let Some((_, here)) = entries.next_if(|&(at, _)| at == pc) {
                line = Some(here);
            }
            if let Some(line) = line {
                let id = self.first_id + sites.site_count();
                sites.add(OldPc(pc), Position::Before, CoverageProbeCall { id, line });
            }
        }
        Ok(None)
    }

    fn number(&self, call: CoverageProbeCall) -> u32 {
        kind::base(self.first_id, call.id)
    }

    fn assemble(
        &self,
        call: CoverageProbeCall,
        _: &ClassFile<'_>,
        pool: &mut PoolEditor<'_>,
        sequence: &mut Sequence,
    ) -> Result<()> {
        let method = HIT.constant(self.bridge, pool)?;
        kind::push(self.first_id, call.id, pool, sequence)?.invoke(op::INVOKESTATIC, method, 1, 0);
        Ok(())
    }
}
