//! Constructors register the object that they complete. The call of `super(...)` is found by following
//! `uninitializedThis`. The probe is before each `return` if local 0 is provably `this` there, else right after
//! `super(...)`. Around each `clone()` probes tell the copy. A class for which this cannot be proven is skipped with a reason.

mod call;
mod clones;
mod placement;
mod probe;
mod site;

pub use call::is_blind;
pub use clones::declares_clone;
pub use probe::{Clones, ConstructorProbe, MAX_ID, Objects, Track};
pub use site::{ConstructorProbeCall, ObjectOperand, Placement};

use placement::Decision;
pub use placement::Memory;
use weighbridge_bytecode::patch::{Need, OldPc, PoolEditor, Position, Sequence};
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, Member, access};
use weighbridge_bytecode::{BytecodeErrorKind, Error, Result};

use crate::kind::{MethodSites, ProbeStrategy};
use crate::skip::{self, SkipReason};
use crate::{Engine, Rewritten, is_bridge_name};

/// Puts constructor probes into classes.
pub type Constructors = Engine<ConstructorProbeCall, Memory>;

/// What became of a class.
pub type Outcome = crate::Outcome<ConstructorProbeCall>;

impl ProbeStrategy for ConstructorProbe<'_> {
    type Call = ConstructorProbeCall;
    type Memory = Memory;

    /// `dup; wide aload; ldc_w; invokestatic; aconst_null; wide astore`; the constants of `countAll`, `getClass`, `cloned` and
    /// `clonedBySuper`.
    const NEED: Need = Need { bytes: 16, stack: 4, locals: 1, constants: 28 };

    fn class(&self, class: &ClassFile<'_>, memory: &mut Memory) -> Result<Option<SkipReason>> {
        if self.id > MAX_ID {
            let message = format!("the class id {} is above {MAX_ID}", self.id);
            return Err(Error::new(BytecodeErrorKind::Limit, message));
        }
        memory.clones.find(class, self.clones)?;
        // A trace tells of objects beside those that count them.
        memory.ends_at_bridges = is_bridge_name(self.bridge.as_bytes());
        memory.has_no_objects = match self.objects {
            Objects::All => false,
            Objects::Own => class.access_flags & access::ABSTRACT != 0,
            Objects::Copies => true,
        };
        skip::by_header(class)
    }

    fn may_have_sites(&self, method: &Member<'_>, memory: &Memory) -> Result<bool> {
        Ok(!memory.clones.are_none() || method.is_constructor()?)
    }

    fn method(
        &self,
        class: &ClassFile<'_>,
        method: &Member<'_>,
        code: &CodeAttribute<'_>,
        memory: &mut Memory,
        sites: &mut MethodSites<'_, ConstructorProbeCall>,
    ) -> Result<Option<SkipReason>> {
        let decision = match method.is_constructor()? && !memory.has_no_objects {
            true => memory.decide(class, method, code)?,
            false => Decision::Nothing,
        };
        let is_constructed = match decision {
            Decision::Probe(placement) => {
                for &(pc, object) in &memory.found {
                    sites.add(OldPc(pc), placement.position(), ConstructorProbeCall { object, placement });
                }
                true
            }
            Decision::Nothing => false,
            Decision::Skip(reason) => return Ok(Some(reason)),
        };
        memory.clones.sites(code, |pc, call| sites.add(OldPc(pc), call.placement.position(), call))?;
        if is_constructed && !memory.clones.are_none() {
            sites.sort();
        }
        Ok(None)
    }

    fn nothing_found(&self) -> SkipReason {
        match self.objects {
            Objects::All => SkipReason::NoConstructor,
            Objects::Own => SkipReason::OnlySubclasses,
            Objects::Copies => SkipReason::NoSite,
        }
    }

    fn number(&self, _: ConstructorProbeCall) -> u32 {
        // All calls load the same number. `NEED` has room for it.
        0
    }

    fn assemble(
        &self,
        call: ConstructorProbeCall,
        class: &ClassFile<'_>,
        pool: &mut PoolEditor<'_>,
        sequence: &mut Sequence,
    ) -> Result<()> {
        match (call.object, call.placement) {
            (ObjectOperand::Top, _) => call::cloned_by_super(self, class, pool, sequence),
            (ObjectOperand::Local(original), Placement::BeforeClone) => {
                call::before_clone(original, sequence);
                Ok(())
            }
            (ObjectOperand::Local(original), Placement::AfterClone) => call::cloned(self, original, pool, sequence),
            (ObjectOperand::Local(this), Placement::Returns | Placement::AfterSuper) => {
                call::constructed(self, this, class, pool, sequence)
            }
        }
    }
}

impl Placement {
    fn position(self) -> Position {
        match self {
            Placement::Returns | Placement::BeforeClone => Position::Before,
            Placement::AfterSuper | Placement::AfterClone => Position::After,
        }
    }

    /// Whether it is at a call of `clone()`, not in the code of a constructor for its object.
    pub fn is_of_clone(self) -> bool {
        matches!(self, Placement::BeforeClone | Placement::AfterClone)
    }
}

impl Rewritten<ConstructorProbeCall> {
    /// How many constructors have probes.
    pub fn constructors(&self) -> usize {
        let in_constructors = self.sites.iter().filter(|(site, _)| !site.call.placement.is_of_clone());
        let mut methods: Vec<u16> = in_constructors.map(|(site, _)| site.method).collect();
        methods.dedup();
        methods.len()
    }
}
