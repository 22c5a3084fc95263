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
pub enum Call {
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

impl Call {
    /// The number that it passes, or 0.
    pub(super) fn number(self) -> u32 {
        match self {
            Call::Enter { method, .. } => method,
            Call::Site { site }
            | Call::Array { site }
            | Call::Arrays { site }
            | Call::Cloned { site }
            | Call::Link { site }
            | Call::Linked { site } => site,
            Call::Put { field }
            | Call::PutOwn { field, .. }
            | Call::PutStatic { field, .. }
            | Call::Read { field }
            | Call::Seen { field }
            | Call::Wrote { field }
            | Call::Written { field } => field,
            Call::Local { slot } | Call::Argument { slot } | Call::Clear { slot } => slot.into(),
            _ => 0,
        }
    }

    /// At most so many bytes.
    pub(super) fn bytes(self) -> u32 {
        match self {
            Call::Made | Call::Constant | Call::Used | Call::UsedBelow | Call::Ended => 5,
            Call::Exit { .. } | Call::ExitWith { .. } | Call::Raise { .. } | Call::Caught { .. } => 2 + LOAD + INVOKE,
            Call::Enter { .. } | Call::Argument { .. } => NUMBER + LOAD + INVOKE,
            Call::PutOwn { .. } => NUMBER + 2 * LOAD + 2 * INVOKE,
            Call::PutStatic { .. } => NUMBER + 5 + INVOKE,
            Call::Element { .. } => 1 + 6 * LOAD + INVOKE,
            Call::Copy { .. } => 15 * LOAD + INVOKE,
            Call::PutAt { .. } => 9 * LOAD + INVOKE,
            Call::Keep { .. } => 8 * LOAD,
            Call::KeepOne { .. } => 2 * LOAD,
            Call::Changed { .. } => LOAD + INVOKE,
            Call::Swapped { .. } | Call::Exchanged { .. } => 1 + 4 * LOAD + INVOKE,
            _ => 2 + NUMBER + INVOKE,
        }
    }

    pub(super) fn assemble(self, bridge: &str, pool: &mut PoolEditor<'_>, code: &mut Sequence) -> Result<()> {
        let (method, pops, pushes) = self.callee();
        let invoked = match self {
            Call::Keep { .. } | Call::KeepOne { .. } => CpIndex(0),
            _ => method.constant(bridge, pool)?,
        };
        let number = self.number();
        match self {
            Call::Enter { depth, .. } => {
                push(number, pool, code)?.invoke(op::INVOKESTATIC, invoked, pops, pushes).store_int(depth);
                return Ok(());
            }
            Call::Raise { depth } => {
                code.start_handler().raw(&[op::DUP], 0, 1).load_int(depth);
                code.invoke(op::INVOKESTATIC, invoked, pops, pushes).rethrow();
                return Ok(());
            }
            Call::Exit { depth } | Call::Caught { depth } => code.load_int(depth),
            Call::ExitWith { depth } => code.raw(&[op::DUP], 0, 1).load_int(depth),
            Call::Argument { slot } => push(number, pool, code.load_reference(slot))?,
            Call::Clear { .. } | Call::Site { .. } | Call::Link { .. } | Call::Seen { .. } | Call::Written { .. } => {
                push(number, pool, code)?
            }
            Call::Local { .. }
            | Call::Array { .. }
            | Call::Arrays { .. }
            | Call::Cloned { .. }
            | Call::Linked { .. }
            | Call::Read { .. } => push(number, pool, code.raw(&[op::DUP], 0, 1))?,
            Call::Made => code.load_reference(0),
            Call::Constant | Call::Used => code.raw(&[op::DUP], 0, 1),
            Call::Put { .. } => push(number, pool, code.raw(&[op::DUP2], 0, 2))?,
            Call::Wrote { .. } => push(number, pool, code.raw(&[op::DUP2], 0, 2).raw(&[op::POP], 1, 0))?,
            Call::UsedBelow => code.raw(&[op::DUP2], 0, 2).raw(&[op::POP], 1, 0),
            Call::PutOwn { this, member, .. } => {
                let [high, low] = member.0.to_be_bytes();
                code.load_reference(this).load_reference(this).raw(&[op::GETFIELD, high, low], 1, 1);
                push(number, pool, code)?
            }
            Call::PutStatic { member, .. } => {
                if let Some(member) = member {
                    // Its class is initialised now, so that what its initialiser stores does not come later.
                    let [high, low] = member.0.to_be_bytes();
                    code.raw(&[op::GETSTATIC, high, low, op::POP], 0, 0);
                }
                push(number, pool, code.raw(&[op::DUP], 0, 1))?
            }
            Call::Element { spare } => {
                code.borrow(2).store_reference(spare).store_int(spare + 1);
                // The array stays where it is.
                code.raw(&[op::DUP], 0, 1);
                code.load_int(spare + 1).load_reference(spare).invoke(op::INVOKESTATIC, invoked, pops, pushes);
                code.load_int(spare + 1).load_reference(spare);
                return Ok(());
            }
            Call::Copy { spare } => {
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
            Call::PutAt { spare } => {
                code.borrow(4).store_reference(spare).store_long(spare + 1).store_reference(spare + 3);
                for last in [true, false] {
                    code.load_reference(spare + 3).load_long(spare + 1).load_reference(spare);
                    if last {
                        code.invoke(op::INVOKESTATIC, invoked, pops, pushes);
                    }
                }
                return Ok(());
            }
            Call::Keep { spare } => {
                code.borrow(5).store_reference(spare).store_reference(spare + 4);
                code.store_long(spare + 1).store_reference(spare + 3);
                code.load_reference(spare + 3).load_long(spare + 1).load_reference(spare + 4).load_reference(spare);
                return Ok(());
            }
            Call::KeepOne { spare } => {
                code.borrow(1).store_reference(spare).load_reference(spare);
                return Ok(());
            }
            Call::Changed { local } => code.load_reference(local),
            Call::Swapped { spare } => {
                code.raw(&[op::DUP], 0, 1).load_reference(spare + 3).load_long(spare + 1).load_reference(spare)
            }
            Call::Exchanged { spare } => {
                code.raw(&[op::DUP], 0, 1).load_reference(spare + 4).load_reference(spare + 3);
                code.load_long(spare + 1).load_reference(spare)
            }
            Call::Ended => code,
        };
        code.invoke(op::INVOKESTATIC, invoked, pops, pushes);
        Ok(())
    }

    /// The method that it calls, with the slots of its parameters and of its result.
    fn callee(self) -> (BridgeMethod, u16, u16) {
        match self {
            Call::Enter { .. } => (to::ENTER, 1, 1),
            Call::Exit { .. } => (to::EXIT, 1, 0),
            Call::ExitWith { .. } | Call::Raise { .. } => (to::EXIT_WITH, 2, 0),
            Call::Caught { .. } => (to::CAUGHT, 1, 0),
            Call::Local { .. } | Call::Argument { .. } => (to::LOCAL, 2, 0),
            Call::Clear { .. } => (to::CLEAR, 1, 0),
            Call::Site { .. } => (to::SITE, 1, 0),
            Call::Made => (to::MADE, 1, 0),
            Call::Array { .. } => (to::ARRAY, 2, 0),
            Call::Arrays { .. } => (to::ARRAYS, 2, 0),
            Call::Cloned { .. } => (to::CLONED, 2, 0),
            Call::Link { .. } => (to::LINK, 1, 0),
            Call::Linked { .. } => (to::LINKED, 2, 0),
            Call::Constant => (to::CONSTANT, 1, 0),
            Call::Put { .. } | Call::PutOwn { .. } => (to::PUT, 3, 0),
            Call::PutStatic { .. } => (to::PUT_STATIC, 2, 0),
            Call::Element { .. } => (to::ELEMENT, 3, 0),
            Call::Copy { .. } => (to::COPY, 5, 0),
            Call::PutAt { .. } | Call::Keep { .. } => (to::PUT_AT, 4, 0),
            Call::Changed { .. } | Call::KeepOne { .. } => (to::CHANGED, 1, 0),
            Call::Swapped { .. } => (to::SWAPPED, 5, 0),
            Call::Exchanged { .. } => (to::EXCHANGED, 6, 0),
            Call::Read { .. } => (to::READ, 2, 0),
            Call::Seen { .. } => (to::SEEN, 1, 0),
            Call::Wrote { .. } => (to::WROTE, 2, 0),
            Call::Written { .. } => (to::WRITTEN, 1, 0),
            Call::Used | Call::UsedBelow => (to::USED, 1, 0),
            Call::Ended => (to::ENDED, 0, 0),
        }
    }
}

/// Pushes a number.
fn push<'s>(number: u32, pool: &mut PoolEditor<'_>, sequence: &'s mut Sequence) -> Result<&'s mut Sequence> {
    kind::push(first(number), number, pool, sequence)
}
