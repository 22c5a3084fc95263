//! Where in a constructor the probe stands, and which local variable holds `this` there.

use super::SkipReason;
use super::clones;
use super::straight::{Straight, is_bridge_call};
use super::this_flow::{InitCall, ThisFlow};
use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{
    CodeAttribute, CpIndex, FrameKind, Frames, Pool, VerificationType, descriptor::Parameters, op,
};

/// Where the probe of a constructor stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Before each `return`: the object is complete, and one whose constructor throws is not registered.
    Returns,
    /// Directly after each `super(...)`, where a later part of the constructor puts something else into local 0.
    AfterSuper,
    /// Directly after a `super.clone()` of the JDK, in any method: no constructor of the copy runs.
    AfterClone,
}

/// Where the object is that a probe registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// In a local variable.
    Local(u16),
    /// On top of the operand stack, where the probe leaves it.
    Top,
}

/// One place for a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The `return`, or the `invokespecial` of `super(...)` or `super.clone()`.
    pub(super) pc: u32,
    /// The new object.
    pub(super) object: Holder,
}

/// What to do with a constructor.
pub(super) enum Decision {
    /// Put probes at `Placer::places`.
    Probe(Placement),
    /// Put one before the `return` at `Placer::places`, the last instruction of code without branches, where the
    /// operand stack has this many slots.
    ProbeStraight { depth: u16 },
    /// It delegates to `this(...)` or never completes.
    Nothing,
    /// Leave the class alone.
    Skip(SkipReason),
}

/// Decides constructor after constructor with the same memory.
#[derive(Debug, Default)]
pub(super) struct Placer {
    pub(super) places: Vec<Place>,
    /// The code has neither branches nor frames, so that a local variable keeps what it gets at the entry.
    pub(super) is_straight: bool,
    flow: ThisFlow,
}

impl Placer {
    /// The calls of `<init>` on `this` in the constructor decided last, in the order of their pcs.
    pub(super) fn calls(&self) -> &[InitCall] {
        &self.flow.calls
    }

    pub(super) fn decide(
        &mut self,
        code: &CodeAttribute<'_>,
        constructor: &[u8],
        pool: &Pool<'_>,
        this_class: &[u8],
    ) -> Result<Decision> {
        self.places.clear();
        self.is_straight = false;
        if let Some(decision) = self.decide_straight(code, constructor, pool, this_class)? {
            return Ok(decision);
        }
        let mut overwrites_local_0 = false;
        for instruction in code.instructions() {
            let instruction = instruction?;
            match instruction.opcode() {
                op::RETURN => self.places.push(Place { pc: instruction.pc, object: Holder::Local(0) }),
                op::INVOKESTATIC if is_bridge_call(&instruction, pool)? => {
                    return Ok(Decision::Skip(SkipReason::AlreadyRewritten));
                }
                // Two slots from local 65,535 on would wrap; no such method loads.
                _ => overwrites_local_0 |= matches!(instruction.stored_local(), Some((0, _))),
            }
        }
        if let Some(reason) = self.flow.follow(code, pool, this_class)? {
            return Ok(Decision::Skip(reason.of_constructor(constructor)));
        }
        let calls = &self.flow.calls;
        if self.places.is_empty() || calls.iter().all(|call| call.delegates) {
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

    /// The common case; `None` for code that has branches or handlers.
    fn decide_straight(
        &mut self,
        code: &CodeAttribute<'_>,
        constructor: &[u8],
        pool: &Pool<'_>,
        this_class: &[u8],
    ) -> Result<Option<Decision>> {
        let Some(straight) = Straight::read(&mut self.flow.state, code, pool, this_class)? else { return Ok(None) };
        let Straight { call, return_pc, depth, overwrites_local_0, calls_bridge } = straight;
        if calls_bridge {
            return Ok(Some(Decision::Skip(SkipReason::AlreadyRewritten)));
        }
        let is_this = !overwrites_local_0 && call.this_local == Some(0);
        let delegates = call.delegates;
        self.flow.calls.clear();
        self.flow.calls.push(call);
        if delegates {
            return Ok(Some(Decision::Nothing));
        }
        self.is_straight = code.stack_map_table().is_none();
        self.places.push(Place { pc: return_pc, object: Holder::Local(0) });
        if is_this && self.keeps_this_at_returns(code, constructor)? {
            return Ok(Some(Decision::ProbeStraight { depth }));
        }
        self.after_super(constructor).map(Some)
    }

    /// The places behind each `super(...)`.
    fn after_super(&mut self, constructor: &[u8]) -> Result<Decision> {
        self.places.clear();
        for call in self.flow.calls.iter().filter(|call| !call.delegates) {
            match call.this_local {
                Some(local) => self.places.push(Place { pc: call.pc, object: Holder::Local(local) }),
                None => {
                    let reason = SkipReason::ThisNotKept { constructor: String::new() };
                    return Ok(Decision::Skip(reason.of_constructor(constructor)));
                }
            }
        }
        Ok(Decision::Probe(Placement::AfterSuper))
    }

    /// Finds the places of a method that is no constructor; `jdk_clones` are its calls' constants.
    pub(super) fn decide_on_clones(&mut self, code: &CodeAttribute<'_>, jdk_clones: &[CpIndex]) -> Result<Decision> {
        self.places.clear();
        clones::calls(code, jdk_clones, |pc| self.places.push(Place { pc, object: Holder::Top }))?;
        Ok(match self.places.is_empty() {
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
        let mut returns = self.places.iter().map(|place| place.pc).peekable();
        for frame in Frames::new(table)? {
            let frame = frame?;
            while returns.next_if(|&pc| pc < frame.pc).is_some() {
                if !holds_object(local_0) {
                    return Ok(false);
                }
            }
            match frame.kind {
                FrameKind::Same | FrameKind::SameLocals1StackItem => {}
                FrameKind::Chop(dropped) => {
                    locals -= i32::from(dropped);
                    if locals <= 0 {
                        local_0 = VerificationType::Top;
                    }
                }
                FrameKind::Append(_) | FrameKind::Full => {
                    if frame.kind == FrameKind::Full {
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
