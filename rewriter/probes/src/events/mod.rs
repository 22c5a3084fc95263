//! Every event that decides how long objects live: objects and arrays that are made, references that are stored (fields, static
//! fields, elements, local variables), methods that are entered and left, and uses of objects.
//!
//! An object tells its birth in `Object.<init>`; the code that calls its constructor tells the site before. What this class
//! file does by `Unsafe`, `System.arraycopy` and `clone` is told where it calls them. Not told: what native code does, and what
//! hidden classes do, which no agent sees.
//!
//! A method without anything to tell but reads of fields tells neither its entry nor its end.

mod call;
mod flow;
mod natives;
mod numbers;
mod sites;

use weighbridge_bytecode::Result;
use weighbridge_bytecode::patch::{Need, PoolEditor, Sequence, room};
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, Member};

pub use call::EventProbeCall;
pub use numbers::Numbers;

use crate::Engine;
use crate::kind::{MethodSites, ProbeStrategy};
use crate::skip::SkipReason;

/// The probes of one class.
#[derive(Clone, Copy, Debug)]
pub struct EventProbe<'a, N> {
    /// Internal name of the class that they call.
    pub bridge: &'a str,
    /// What their numbers stand for.
    pub numbers: N,
}

/// Puts the probes into classes.
pub type Events = Engine<EventProbeCall, ()>;

impl<N: Numbers> ProbeStrategy for EventProbe<'_, N> {
    type Call = EventProbeCall;
    type Memory = ();

    /// Without the code, whose length [`EventProbe`] checks itself: the sites are of very different lengths.
    const NEED: Need = Need { bytes: 0, stack: 8, locals: 9, constants: 130 };

    fn method(
        &self,
        class: &ClassFile<'_>,
        method: &Member<'_>,
        code: &CodeAttribute<'_>,
        (): &mut (),
        sites: &mut MethodSites<'_, EventProbeCall>,
    ) -> Result<Option<SkipReason>> {
        let Some(found) = sites::find(&self.numbers, class, method, code)? else {
            let reason = "it has subroutines, or too many paths to follow".to_owned();
            self.numbers.skip_method(class, method, reason);
            return Ok(None);
        };
        // One method that is too large must not leave the others of its class without probes.
        let need = Need { bytes: found.bytes(), ..Self::NEED };
        if let Err(full) = room(code, 1, need) {
            self.numbers.skip_method(class, method, full.to_string());
            return Ok(None);
        }
        found.into_sites(sites);
        Ok(None)
    }

    fn number(&self, call: EventProbeCall) -> u32 {
        call::base(call.number())
    }

    fn assemble(
        &self,
        call: EventProbeCall,
        _: &ClassFile<'_>,
        pool: &mut PoolEditor<'_>,
        sequence: &mut Sequence,
    ) -> Result<()> {
        call.assemble(self.bridge, pool, sequence)
    }
}
