//! Constructors register the object that they complete. The call of `super(...)` is found by following
//! `uninitializedThis`. The probe is before each `return` if local 0 is provably `this` there, else right after
//! `super(...)`. After a `super.clone()` of the JDK a probe registers the copy. A class for which this cannot be proven is
//! skipped with a reason.

mod call;
mod clones;
mod placement;
mod probe;

pub use call::is_blind;
pub use placement::{Call, ObjectOperand, Placement};
pub use probe::{ConstructorProbe, MAX_ID, Objects, Track};

use placement::Decision;
pub use placement::Memory;
use weighbridge_bytecode::patch::{Need, OldPc, PoolEditor, Position, Sequence};
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, Member, access};
use weighbridge_bytecode::{Error, ErrorKind, Result};

use crate::kind::{Kind, MethodSites};
use crate::skip::{self, SkipReason};
use crate::{Engine, Rewritten, is_bridge_name};

/// Puts constructor probes into classes.
pub type Constructors = Engine<Call, Memory>;

/// What became of a class.
pub type Outcome = crate::Outcome<Call>;

impl Kind for ConstructorProbe<'_> {
    type Call = Call;
    type Memory = Memory;

    /// `wide aload; invokevirtual; ldc_w; ldc_w; invokestatic`; the constants of `countAll`, `getClass` and `copied`.
    const NEED: Need = Need { bytes: 16, stack: 4, locals: 0, constants: 24 };

    fn class(&self, class: &ClassFile<'_>, memory: &mut Memory) -> Result<Option<SkipReason>> {
        if self.id > MAX_ID {
            let message = format!("the class id {} is above {MAX_ID}", self.id);
            return Err(Error::new(ErrorKind::Limit, message));
        }
        memory.jdk_clones = clones::jdk_clones(class)?;
        // A trace tells of objects beside those that count them.
        memory.ends_at_bridges = is_bridge_name(self.bridge.as_bytes());
        memory.has_no_objects = self.objects == Objects::Own && class.access_flags & access::ABSTRACT != 0;
        skip::by_header(class)
    }

    fn may_have_sites(&self, method: &Member<'_>, memory: &Memory) -> Result<bool> {
        Ok(!memory.jdk_clones.is_empty() || method.is_constructor()?)
    }

    fn method(
        &self,
        class: &ClassFile<'_>,
        method: &Member<'_>,
        code: &CodeAttribute<'_>,
        memory: &mut Memory,
        sites: &mut MethodSites<'_, Call>,
    ) -> Result<Option<SkipReason>> {
        let decision = match method.is_constructor()? {
            true if memory.has_no_objects => return Ok(None),
            true => memory.decide(class, method, code)?,
            false => memory.decide_on_clones(code)?,
        };
        let placement = match decision {
            Decision::Probe(placement) => placement,
            Decision::Nothing => return Ok(None),
            Decision::Skip(reason) => return Ok(Some(reason)),
        };
        let position = match placement {
            Placement::Returns => Position::Before,
            Placement::AfterSuper | Placement::AfterClone => Position::After,
        };
        for &(pc, object) in &memory.found {
            sites.add(OldPc(pc), position, Call { object, placement });
        }
        Ok(None)
    }

    fn nothing_found(&self) -> SkipReason {
        match self.objects {
            Objects::All => SkipReason::NoConstructor,
            Objects::Own => SkipReason::OnlySubclasses,
        }
    }

    fn number(&self, _: Call) -> u32 {
        // All calls load the same number. `NEED` has room for it.
        0
    }

    fn assemble(
        &self,
        call: Call,
        class: &ClassFile<'_>,
        pool: &mut PoolEditor<'_>,
        sequence: &mut Sequence,
    ) -> Result<()> {
        match call.object {
            ObjectOperand::Top => call::copied(self, pool, sequence),
            ObjectOperand::Local(local) => call::constructed(self, local, class, pool, sequence),
        }
    }
}

impl Rewritten<Call> {
    /// True if a method registers copies that it makes.
    pub fn copies(&self) -> bool {
        self.sites.iter().any(|(site, _)| site.call.placement == Placement::AfterClone)
    }

    /// How many constructors have probes.
    pub fn constructors(&self) -> usize {
        let in_constructors = self.sites.iter().filter(|(site, _)| site.call.placement != Placement::AfterClone);
        let mut methods: Vec<u16> = in_constructors.map(|(site, _)| site.method).collect();
        methods.dedup();
        methods.len()
    }
}
