//! The methods of a class as text, before and after their probes.

use serde::Serialize;

use crate::error::{Error, JarErrorKind, Result};
use weighbridge_bytecode::patch::NewPc;
use weighbridge_bytecode::read::{ClassFile, PoolOffsets, print};
use weighbridge_probes::Site;
use weighbridge_probes::constructor::{
    ConstructorProbe, ConstructorProbeCall, Constructors, ObjectOperand, Outcome, Placement,
};

/// A method and its probes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExplainedMethod {
    /// Name and descriptor: `<init>(I)V`.
    pub method: String,
    /// In the order of their pcs; none in a class that is skipped.
    pub probes: Vec<Probe>,
    /// Its code as [`print::method`] shows it.
    pub before: String,
    /// The same with the probes; `None` in a class that is skipped.
    pub after: Option<String>,
}

/// One probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Probe {
    /// `before return`, `after super(...)`, `after super.clone()`, `before clone()` or `after clone()`.
    pub placement: &'static str,
    /// The pc of that instruction in the original code.
    pub old_pc: u32,
    /// The pc of the probe's first instruction in the new code.
    pub new_pc: u32,
}

impl Probe {
    fn from_site((site, new_pc): &(Site<ConstructorProbeCall>, NewPc)) -> Probe {
        Probe {
            placement: match site.call.placement {
                Placement::Returns => "before return",
                Placement::AfterSuper => "after super(...)",
                Placement::BeforeClone => "before clone()",
                Placement::AfterClone => match site.call.object {
                    ObjectOperand::Top => "after super.clone()",
                    ObjectOperand::Local(_) => "after clone()",
                },
            },
            old_pc: site.at.0,
            new_pc: new_pc.0,
        }
    }
}

/// The methods that a run puts probes into.
pub(super) fn methods(content: &[u8], probe: &ConstructorProbe<'_>) -> Result<Vec<ExplainedMethod>> {
    let (mut old_memory, mut new_memory) = (PoolOffsets::default(), PoolOffsets::default());
    let old = ClassFile::read(content, &mut old_memory)?;
    let rewritten = match Constructors::default().rewrite(&old, probe)? {
        Outcome::Rewritten(rewritten) => rewritten,
        Outcome::Skipped(reason) => {
            let message = format!("the class was accepted at first and is refused now: {reason}");
            return Err(Error::new(JarErrorKind::Internal, message));
        }
    };
    let new = ClassFile::read(&rewritten.bytes, &mut new_memory)?;
    let mut methods = Vec::new();
    // Rewriting keeps the number and order of the methods.
    for (before, after) in old.methods()?.zip(new.methods()?) {
        let (before, after) = (before?, after?);
        let sites = rewritten.sites.iter().filter(|(site, _)| site.method == before.index);
        let probes: Vec<Probe> = sites.map(Probe::from_site).collect();
        if !probes.is_empty() {
            methods.push(ExplainedMethod {
                method: before.title(),
                probes,
                before: print::method(&old, &before)?,
                after: Some(print::method(&new, &after)?),
            });
        }
    }
    Ok(methods)
}

/// The constructors of a class that stays as it is.
pub(super) fn constructors(content: &[u8]) -> Result<Vec<ExplainedMethod>> {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(content, &mut memory)?;
    let mut methods = Vec::new();
    for method in class.methods()? {
        let method = method?;
        if method.name()? == b"<init>" {
            let before = print::method(&class, &method)?;
            methods.push(ExplainedMethod { method: method.title(), probes: Vec::new(), before, after: None });
        }
    }
    Ok(methods)
}
