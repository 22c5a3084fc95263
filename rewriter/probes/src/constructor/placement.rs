//! Where in a constructor the probe is, and which local variable holds `this` there.

use super::clones::CloneMethods;
use super::site::{ObjectOperand, Placement};
use crate::is_bridge_name;
use crate::skip::SkipReason;
use crate::this_flow::{InitCall, init_calls};
use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{
    ClassFile, CodeAttribute, Member, StackMapFrameKind, StackMapFrames, VerificationType, descriptor::Parameters,
    mutf8, op,
};

/// What to do with a constructor.
pub(super) enum Decision {
    /// Put probes at `Memory::found`.
    Probe(Placement),
    /// It delegates to `this(...)` or never completes.
    Nothing,
    /// Leave the class alone.
    Skip(SkipReason),
}

/// Decides where the probes of methods go; its memory is reused.
#[derive(Debug, Default)]
pub struct Memory {
    /// The sites of the last constructor: the `return`, or the `invokespecial` of `super(...)`.
    pub(super) found: Vec<(u32, ObjectOperand)>,
    /// The constants of the class that name a `clone()`.
    pub(super) clones: CloneMethods,
    /// Its constructors register nothing: the class is abstract, and the probes of a superclass register the objects of its
    /// subclasses, or it only tells copies.
    pub(super) has_no_objects: bool,
    /// A constructor that calls a bridge class was rewritten already.
    pub(super) ends_at_bridges: bool,
}

impl Memory {
    pub(super) fn decide(
        &mut self,
        class: &ClassFile<'_>,
        constructor: &Member<'_>,
        code: &CodeAttribute<'_>,
    ) -> Result<Decision> {
        self.found.clear();
        let mut overwrites_local_0 = false;
        for instruction in code.instructions() {
            let instruction = instruction?;
            match instruction.opcode() {
                op::RETURN => self.found.push((instruction.pc, ObjectOperand::Local(0))),
                op::INVOKESTATIC
                    if self.ends_at_bridges && is_bridge_name(class.pool.member_class(instruction.index())?) =>
                {
                    return Ok(Decision::Skip(SkipReason::AlreadyRewritten));
                }
                // A long in local 65,535 would also write local 0, but no JVM loads such a method.
                _ => overwrites_local_0 |= matches!(instruction.stored_local(), Some((0, _))),
            }
        }
        let calls = match init_calls(class, constructor, code)? {
            Ok(calls) => calls,
            Err(reason) => return Ok(Decision::Skip(reason)),
        };
        if self.found.is_empty() || calls.iter().all(|call| call.delegates) {
            return Ok(Decision::Nothing);
        }
        let at_returns = !overwrites_local_0
            && calls.iter().all(|call| !call.delegates && call.this_local == Some(0))
            && self.keeps_this_at_returns(code, constructor.descriptor()?, &calls)?;
        if at_returns {
            return Ok(Decision::Probe(Placement::Returns));
        }
        self.after_super(constructor.descriptor()?, &calls)
    }

    /// The sites after each `super(...)`.
    fn after_super(&mut self, constructor: &[u8], calls: &[InitCall]) -> Result<Decision> {
        self.found.clear();
        for call in calls.iter().filter(|call| !call.delegates) {
            match call.this_local {
                Some(local) => self.found.push((call.pc, ObjectOperand::Local(local))),
                None => {
                    let constructor = mutf8::decode(constructor).into_owned();
                    return Ok(Decision::Skip(SkipReason::ThisNotKept { constructor }));
                }
            }
        }
        Ok(Decision::Probe(Placement::AfterSuper))
    }

    /// Whether the verifier also knows that local 0 is an initialised object at each `return`.
    ///
    /// No instruction stores to local 0, so the type checker takes its type from the last frame before the `return`
    /// (JVMS §4.10.1). The older verifier merges the types of all paths: there only a handler over the `<init>` call
    /// makes local 0 unusable.
    fn keeps_this_at_returns(&self, code: &CodeAttribute<'_>, constructor: &[u8], calls: &[InitCall]) -> Result<bool> {
        let Some(table) = code.stack_map_table() else {
            let covered = code.handlers().any(|h| {
                let range = u32::from(h.start_pc)..u32::from(h.end_pc);
                calls.iter().any(|call| range.contains(&call.pc))
            });
            return Ok(!covered);
        };
        let mut local_0 = VerificationType::UninitializedThis;
        let mut locals = 1;
        for parameter in Parameters::from_descriptor(constructor)? {
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

/// Before a `return`, `UninitializedThis` of an earlier frame has become the object: the verifier lets no constructor
/// return without that.
fn holds_object(local_0: VerificationType) -> bool {
    matches!(local_0, VerificationType::Object(_) | VerificationType::UninitializedThis)
}
