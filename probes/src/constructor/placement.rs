//! Where in a constructor the probe is, and which local variable holds `this` there.

use super::clones;
use crate::is_bridge_name;
use crate::skip::SkipReason;
use crate::this_flow::ThisFlow;
use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{
    CodeAttribute, CpIndex, Pool, StackMapFrameKind, StackMapFrames, VerificationType, descriptor::Parameters, op,
};

/// Where the probe of a constructor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Before each `return`: the object is complete, and one whose constructor throws is not registered.
    Returns,
    /// Directly after each `super(...)`, where a later part of the constructor puts something else into local 0.
    AfterSuper,
    /// Directly after a `super.clone()` of the JDK, in any method: no constructor of the copy runs.
    AfterClone,
}

/// How a probe gets the object that it registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectOperand {
    /// In a local variable.
    Local(u16),
    /// On top of the operand stack, where the probe leaves it.
    Top,
}

/// What is done at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The new object.
    pub object: ObjectOperand,
    /// Where the probe is.
    pub placement: Placement,
}

/// What to do with a constructor.
pub(super) enum Decision {
    /// Put probes at `Memory::found`.
    Probe(Placement),
    /// It delegates to `this(...)` or never completes.
    Nothing,
    /// Leave the class alone.
    Skip(SkipReason),
}

/// Decides constructor after constructor with the same memory.
#[derive(Debug, Default)]
pub struct Memory {
    /// The sites of the method decided last: the `return`, or the `invokespecial` of `super(...)` or `super.clone()`.
    pub(super) found: Vec<(u32, ObjectOperand)>,
    /// The constants of the class's calls of a `clone` of the JDK.
    pub(super) jdk_clones: Vec<CpIndex>,
    /// The class's constructors complete objects of subclasses only, which others register.
    pub(super) is_only_abstract: bool,
    flow: ThisFlow,
}

impl Memory {
    pub(super) fn decide(
        &mut self,
        code: &CodeAttribute<'_>,
        constructor: &[u8],
        pool: &Pool<'_>,
        this_class: &[u8],
    ) -> Result<Decision> {
        self.found.clear();
        let mut overwrites_local_0 = false;
        for instruction in code.instructions() {
            let instruction = instruction?;
            match instruction.opcode() {
                op::RETURN => self.found.push((instruction.pc, ObjectOperand::Local(0))),
                op::INVOKESTATIC if is_bridge_name(pool.member_class(instruction.index())?) => {
                    return Ok(Decision::Skip(SkipReason::AlreadyRewritten));
                }
                // A long in local 65,535 would wrap; no such method loads.
                _ => overwrites_local_0 |= matches!(instruction.stored_local(), Some((0, _))),
            }
        }
        if let Some(reason) = self.flow.follow(code, pool, this_class)? {
            return Ok(Decision::Skip(reason.of_constructor(constructor)));
        }
        let calls = &self.flow.calls;
        if self.found.is_empty() || calls.iter().all(|call| call.delegates) {
            return Ok(Decision::Nothing);
        }
        let at_returns = !overwrites_local_0
            && calls.iter().all(|call| !call.delegates && call.this_local == Some(0))
            && self.keeps_this_at_returns(code, constructor)?;
        if at_returns {
            return Ok(Decision::Probe(Placement::Returns));
        }
        self.after_super(constructor)
    }

    /// The sites behind each `super(...)`.
    fn after_super(&mut self, constructor: &[u8]) -> Result<Decision> {
        self.found.clear();
        for call in self.flow.calls.iter().filter(|call| !call.delegates) {
            match call.this_local {
                Some(local) => self.found.push((call.pc, ObjectOperand::Local(local))),
                None => {
                    let reason = SkipReason::ThisNotKept { constructor: String::new() };
                    return Ok(Decision::Skip(reason.of_constructor(constructor)));
                }
            }
        }
        Ok(Decision::Probe(Placement::AfterSuper))
    }

    /// Finds the sites of a method that is no constructor.
    pub(super) fn decide_on_clones(&mut self, code: &CodeAttribute<'_>) -> Result<Decision> {
        let Memory { found, jdk_clones, .. } = self;
        found.clear();
        clones::calls(code, jdk_clones, |pc| found.push((pc, ObjectOperand::Top)))?;
        Ok(match self.found.is_empty() {
            true => Decision::Nothing,
            false => Decision::Probe(Placement::AfterClone),
        })
    }

    /// Whether the verifier, too, knows that local 0 is an initialised object at each `return`.
    ///
    /// The type checker knows of local 0 what the last frame before the `return` says, for nothing stores to it
    /// (JVMS §4.10.1). The older verifier merges what it finds on the paths: only a handler over the `<init>` call
    /// makes local 0 unusable there.
    fn keeps_this_at_returns(&self, code: &CodeAttribute<'_>, constructor: &[u8]) -> Result<bool> {
        let Some(table) = code.stack_map_table() else {
            let covered = code.handlers().any(|h| {
                let range = u32::from(h.start_pc)..u32::from(h.end_pc);
                self.flow.calls.iter().any(|call| range.contains(&call.pc))
            });
            return Ok(!covered);
        };
        let mut local_0 = VerificationType::UninitializedThis;
        let mut locals = 1;
        for parameter in Parameters::of(constructor)? {
            parameter?;
            locals += 1;
        }
        let mut returns = self.found.iter().map(|&(pc, _)| pc).peekable();
        for frame in StackMapFrames::new(table)? {
            let frame = frame?;
            while returns.next_if(|&pc| pc < frame.pc).is_some() {
                if !holds_object(local_0) {
                    return Ok(false);
                }
            }
            match frame.kind {
                StackMapFrameKind::Same | StackMapFrameKind::SameLocals1StackItem => {}
                StackMapFrameKind::Chop(dropped) => {
                    locals -= i32::from(dropped);
                    if locals <= 0 {
                        local_0 = VerificationType::Top;
                    }
                }
                StackMapFrameKind::Append(_) | StackMapFrameKind::Full => {
                    if frame.kind == StackMapFrameKind::Full {
                        locals = 0;
                        local_0 = VerificationType::Top;
                    }
                    if locals <= 0
                        && let Some(first) = frame.locals().next()
                    {
                        local_0 = first?;
                    }
                    locals += i32::from(frame.counts.0);
                }
            }
        }
        Ok(returns.peek().is_none() || holds_object(local_0))
    }
}

/// `UninitializedThis` in force before a `return` has become the object since: the verifier lets no constructor
/// return before.
fn holds_object(local_0: VerificationType) -> bool {
    matches!(local_0, VerificationType::Object(_) | VerificationType::UninitializedThis)
}
