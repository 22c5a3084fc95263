//! The code at each kind of site.

use weighbridge_bytecode::Result;
use weighbridge_bytecode::patch::{PoolEditor, Sequence};
use weighbridge_bytecode::read::{CpIndex, op};

use crate::contract::{BridgeMethod, events as to};
use crate::kind;

/// What is done at a site. `depth` is the local variable with the depth of the method's frame; `spare` the first one that the
/// method does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are the same in all")]
pub enum EventProbeCall {
    /// The method is entered.
    Enter { method: u32, depth: u16 },
    /// It returns nothing, or a primitive value.
    Exit { depth: u16 },
    /// It returns the reference on top of the stack.
    ExitWith { depth: u16 },
    /// It ends by an exception.
    Raise { depth: u16 },
    /// An exception of a method that it called is caught.
    Caught { depth: u16 },
    /// The reference on top of the stack goes into a local variable.
    Local { slot: u16 },
    /// A local variable has a reference: of a parameter, or `this` after `super(...)`.
    Argument { slot: u16 },
    /// A local variable loses its reference to a primitive value.
    Clear { slot: u16 },
    /// The constructor of a new object is about to be called.
    Site { site: u32 },
    /// `this` is made: the end of `Object.<init>`.
    Made,
    /// An array is on top of the stack.
    Array { site: u32 },
    /// An array of arrays is on top of the stack.
    Arrays { site: u32 },
    /// An object that no constructor has made is on top of the stack.
    Cloned { site: u32 },
    /// A call site is about to be called, which may make an object of a hidden class.
    Link { site: u32 },
    /// Its result is on top of the stack.
    Linked { site: u32 },
    /// A constant is on top of the stack.
    Constant,
    /// A reference on top of the stack goes into a field of the object below.
    Put { field: u32 },
    /// A field of `this` was set before `super(...)`.
    PutOwn { field: u32, this: u16, member: CpIndex },
    /// A reference on top of the stack goes into a static field; `member` is read first, if its class may not be initialised.
    PutStatic { field: u32, member: Option<CpIndex> },
    /// A reference on top of the stack goes into an element.
    Element { spare: u16 },
    /// `System.arraycopy` is called.
    Copy { spare: u16 },
    /// `Unsafe` sets memory: `(Object, long, Object)`.
    PutAt { spare: u16 },
    /// `Unsafe` may set memory; the arguments are kept.
    Keep { spare: u16 },
    /// It has, if the boolean on top of the stack says so.
    Swapped { spare: u16 },
    /// It has, if the reference on top of the stack is what was expected.
    Exchanged { spare: u16 },
    /// The reference on top of the stack is kept for [`Call::Changed`].
    KeepOne { spare: u16 },
    /// Code without probes has set fields of the object in a local variable.
    Changed { local: u16 },
    /// A field of the object on top of the stack is read.
    Read { field: u32 },
    /// A field of `this`, or a static field, is read.
    Seen { field: u32 },
    /// A primitive value of one slot goes into a field of the object below.
    Wrote { field: u32 },
    /// Another primitive value goes into a field.
    Written { field: u32 },
    /// The object on top of the stack is used.
    Used,
    /// The object below the top of the stack is used.
    UsedBelow,
    /// The thread ends.
    Ended,
}

/// The number whose constant a number needs, if it is a large one.
pub(super) fn base(number: u32) -> u32 {
    kind::base(first(number), number)
}

/// The numbers of a class come from all over: those that are close share a constant.
fn first(number: u32) -> u32 {
    number & !(i16::MAX as u32)
}

/// `ldc_w; sipush; iadd`.
const NUMBER: u32 = 7;
/// `wide aload`.
const LOAD: u32 = 4;
const INVOKE: u32 = 3;

impl EventProbeCall {
    /// The number that it passes, or 0.
    pub(super) fn number(self) -> u32 {
        match self {
            EventProbeCall::Enter { method, .. } => method,
            EventProbeCall::Site { site }
            | EventProbeCall::Array { site }
            | EventProbeCall::Arrays { site }
            | EventProbeCall::Cloned { site }
            | EventProbeCall::Link { site }
            | EventProbeCall::Linked { site } => site,
            EventProbeCall::Put { field }
            | EventProbeCall::PutOwn { field, .. }
            | EventProbeCall::PutStatic { field, .. }
            | EventProbeCall::Read { field }
            | EventProbeCall::Seen { field }
            | EventProbeCall::Wrote { field }
            | EventProbeCall::Written { field } => field,
            EventProbeCall::Local { slot } | EventProbeCall::Argument { slot } | EventProbeCall::Clear { slot } => {
                slot.into()
            }
            _ => 0,
        }
    }

    /// At most so many bytes.
    pub(super) fn bytes(self) -> u32 {
        match self {
            EventProbeCall::Made
            | EventProbeCall::Constant
            | EventProbeCall::Used
            | EventProbeCall::UsedBelow
            | EventProbeCall::Ended => 5,
            EventProbeCall::Exit { .. }
            | EventProbeCall::ExitWith { .. }
            | EventProbeCall::Raise { .. }
            | EventProbeCall::Caught { .. } => 2 + LOAD + INVOKE,
            EventProbeCall::Enter { .. } | EventProbeCall::Argument { .. } => NUMBER + LOAD + INVOKE,
            EventProbeCall::PutOwn { .. } => NUMBER + 2 * LOAD + 2 * INVOKE,
            EventProbeCall::PutStatic { .. } => NUMBER + 5 + INVOKE,
            EventProbeCall::Element { .. } => 1 + 6 * LOAD + INVOKE,
            EventProbeCall::Copy { .. } => 15 * LOAD + INVOKE,
            EventProbeCall::PutAt { .. } => 9 * LOAD + INVOKE,
            EventProbeCall::Keep { .. } => 8 * LOAD,
            EventProbeCall::KeepOne { .. } => 2 * LOAD,
            EventProbeCall::Changed { .. } => LOAD + INVOKE,
            EventProbeCall::Swapped { .. } | EventProbeCall::Exchanged { .. } => 1 + 4 * LOAD + INVOKE,
            _ => 2 + NUMBER + INVOKE,
        }
    }

    pub(super) fn assemble(self, bridge: &str, pool: &mut PoolEditor<'_>, code: &mut Sequence) -> Result<()> {
        let (method, pops, pushes) = self.callee();
        let invoked = match self {
            EventProbeCall::Keep { .. } | EventProbeCall::KeepOne { .. } => CpIndex(0),
            _ => method.constant(bridge, pool)?,
        };
        let number = self.number();
        match self {
            EventProbeCall::Enter { depth, .. } => {
                push(number, pool, code)?.invoke(op::INVOKESTATIC, invoked, pops, pushes).store_int(depth);
                return Ok(());
            }
            EventProbeCall::Raise { depth } => {
                code.start_handler().raw(&[op::DUP], 0, 1).load_int(depth);
                code.invoke(op::INVOKESTATIC, invoked, pops, pushes).rethrow();
                return Ok(());
            }
            EventProbeCall::Exit { depth } | EventProbeCall::Caught { depth } => code.load_int(depth),
            EventProbeCall::ExitWith { depth } => code.raw(&[op::DUP], 0, 1).load_int(depth),
            EventProbeCall::Argument { slot } => push(number, pool, code.load_reference(slot))?,
            EventProbeCall::Clear { .. }
            | EventProbeCall::Site { .. }
            | EventProbeCall::Link { .. }
            | EventProbeCall::Seen { .. }
            | EventProbeCall::Written { .. } => push(number, pool, code)?,
            EventProbeCall::Local { .. }
            | EventProbeCall::Array { .. }
            | EventProbeCall::Arrays { .. }
            | EventProbeCall::Cloned { .. }
            | EventProbeCall::Linked { .. }
            | EventProbeCall::Read { .. } => push(number, pool, code.raw(&[op::DUP], 0, 1))?,
            EventProbeCall::Made => code.load_reference(0),
            EventProbeCall::Constant | EventProbeCall::Used => code.raw(&[op::DUP], 0, 1),
            EventProbeCall::Put { .. } => push(number, pool, code.raw(&[op::DUP2], 0, 2))?,
            EventProbeCall::Wrote { .. } => push(number, pool, code.raw(&[op::DUP2], 0, 2).raw(&[op::POP], 1, 0))?,
            EventProbeCall::UsedBelow => code.raw(&[op::DUP2], 0, 2).raw(&[op::POP], 1, 0),
            EventProbeCall::PutOwn { this, member, .. } => {
                let [high, low] = member.0.to_be_bytes();
                code.load_reference(this).load_reference(this).raw(&[op::GETFIELD, high, low], 1, 1);
                push(number, pool, code)?
            }
            EventProbeCall::PutStatic { member, .. } => {
                if let Some(member) = member {
                    // Its class is initialised now, so that what its initialiser stores does not come later.
                    let [high, low] = member.0.to_be_bytes();
                    code.raw(&[op::GETSTATIC, high, low, op::POP], 0, 0);
                }
                push(number, pool, code.raw(&[op::DUP], 0, 1))?
            }
            EventProbeCall::Element { spare } => {
                code.borrow(2).store_reference(spare).store_int(spare + 1);
                // The array stays where it is.
                code.raw(&[op::DUP], 0, 1);
                code.load_int(spare + 1).load_reference(spare).invoke(op::INVOKESTATIC, invoked, pops, pushes);
                code.load_int(spare + 1).load_reference(spare);
                return Ok(());
            }
            EventProbeCall::Copy { spare } => {
                code.borrow(5).store_int(spare).store_int(spare + 1).store_reference(spare + 2);
                code.store_int(spare + 3).store_reference(spare + 4);
                for last in [true, false] {
                    code.load_reference(spare + 4).load_int(spare + 3).load_reference(spare + 2);
                    code.load_int(spare + 1).load_int(spare);
                    if last {
                        code.invoke(op::INVOKESTATIC, invoked, pops, pushes);
                    }
                }
                return Ok(());
            }
            EventProbeCall::PutAt { spare } => {
                code.borrow(4).store_reference(spare).store_long(spare + 1).store_reference(spare + 3);
                for last in [true, false] {
                    code.load_reference(spare + 3).load_long(spare + 1).load_reference(spare);
                    if last {
                        code.invoke(op::INVOKESTATIC, invoked, pops, pushes);
                    }
                }
                return Ok(());
            }
            EventProbeCall::Keep { spare } => {
                code.borrow(5).store_reference(spare).store_reference(spare + 4);
                code.store_long(spare + 1).store_reference(spare + 3);
                code.load_reference(spare + 3).load_long(spare + 1).load_reference(spare + 4).load_reference(spare);
                return Ok(());
            }
            EventProbeCall::KeepOne { spare } => {
                code.borrow(1).store_reference(spare).load_reference(spare);
                return Ok(());
            }
            EventProbeCall::Changed { local } => code.load_reference(local),
            EventProbeCall::Swapped { spare } => {
                code.raw(&[op::DUP], 0, 1).load_reference(spare + 3).load_long(spare + 1).load_reference(spare)
            }
            EventProbeCall::Exchanged { spare } => {
                code.raw(&[op::DUP], 0, 1).load_reference(spare + 4).load_reference(spare + 3);
                code.load_long(spare + 1).load_reference(spare)
            }
            EventProbeCall::Ended => code,
        };
        code.invoke(op::INVOKESTATIC, invoked, pops, pushes);
        Ok(())
    }

    /// The method that it calls, with the slots of its parameters and of its result.
    fn callee(self) -> (BridgeMethod, u16, u16) {
        match self {
            EventProbeCall::Enter { .. } => (to::ENTER, 1, 1),
            EventProbeCall::Exit { .. } => (to::EXIT, 1, 0),
            EventProbeCall::ExitWith { .. } | EventProbeCall::Raise { .. } => (to::EXIT_WITH, 2, 0),
            EventProbeCall::Caught { .. } => (to::CAUGHT, 1, 0),
            EventProbeCall::Local { .. } | EventProbeCall::Argument { .. } => (to::LOCAL, 2, 0),
            EventProbeCall::Clear { .. } => (to::CLEAR, 1, 0),
            EventProbeCall::Site { .. } => (to::SITE, 1, 0),
            EventProbeCall::Made => (to::MADE, 1, 0),
            EventProbeCall::Array { .. } => (to::ARRAY, 2, 0),
            EventProbeCall::Arrays { .. } => (to::ARRAYS, 2, 0),
            EventProbeCall::Cloned { .. } => (to::CLONED, 2, 0),
            EventProbeCall::Link { .. } => (to::LINK, 1, 0),
            EventProbeCall::Linked { .. } => (to::LINKED, 2, 0),
            EventProbeCall::Constant => (to::CONSTANT, 1, 0),
            EventProbeCall::Put { .. } | EventProbeCall::PutOwn { .. } => (to::PUT, 3, 0),
            EventProbeCall::PutStatic { .. } => (to::PUT_STATIC, 2, 0),
            EventProbeCall::Element { .. } => (to::ELEMENT, 3, 0),
            EventProbeCall::Copy { .. } => (to::COPY, 5, 0),
            EventProbeCall::PutAt { .. } | EventProbeCall::Keep { .. } => (to::PUT_AT, 4, 0),
            EventProbeCall::Changed { .. } | EventProbeCall::KeepOne { .. } => (to::CHANGED, 1, 0),
            EventProbeCall::Swapped { .. } => (to::SWAPPED, 5, 0),
            EventProbeCall::Exchanged { .. } => (to::EXCHANGED, 6, 0),
            EventProbeCall::Read { .. } => (to::READ, 2, 0),
            EventProbeCall::Seen { .. } => (to::SEEN, 1, 0),
            EventProbeCall::Wrote { .. } => (to::WROTE, 2, 0),
            EventProbeCall::Written { .. } => (to::WRITTEN, 1, 0),
            EventProbeCall::Used | EventProbeCall::UsedBelow => (to::USED, 1, 0),
            EventProbeCall::Ended => (to::ENDED, 0, 0),
        }
    }
}

/// Pushes a number.
fn push<'s>(number: u32, pool: &mut PoolEditor<'_>, sequence: &'s mut Sequence) -> Result<&'s mut Sequence> {
    kind::push(first(number), number, pool, sequence)
}
