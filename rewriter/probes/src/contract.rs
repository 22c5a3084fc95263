//! The methods that rewritten code calls on the bridge (docs/probe-contract.md).

use weighbridge_bytecode::Result;
use weighbridge_bytecode::patch::PoolEditor;
use weighbridge_bytecode::read::{CpIndex, mutf8};

/// Number of the contract.
pub const CONTRACT: u32 = 5;

/// A method of the bridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BridgeMethod {
    /// Its name.
    pub name: &'static str,
    /// Its descriptor.
    pub descriptor: &'static str,
}

impl BridgeMethod {
    /// A Methodref of it.
    pub(crate) fn constant(self, bridge: &str, pool: &mut PoolEditor<'_>) -> Result<CpIndex> {
        pool.method_ref(&mutf8::encode(bridge), self.name.as_bytes(), self.descriptor.as_bytes())
    }
}

const fn method(name: &'static str, descriptor: &'static str) -> BridgeMethod {
    BridgeMethod { name, descriptor }
}

/// An object of the class itself is complete.
pub const LIVE: BridgeMethod = method("live", "(Ljava/lang/Object;I)V");
/// An object is complete; those of subclasses are ignored.
pub const LIVE_OWN: BridgeMethod = method("liveOwn", "(Ljava/lang/Object;Ljava/lang/Class;I)V");
/// An object is complete; those of subclasses without probes are registered, too.
pub const LIVE_ALL: BridgeMethod = method("liveAll", "(Ljava/lang/Object;Ljava/lang/Class;I)V");
/// As [`LIVE`], counted only.
pub const COUNT: BridgeMethod = method("count", "(I)V");
/// As [`LIVE_OWN`], counted only; takes the object's class.
pub const COUNT_OWN: BridgeMethod = method("countOwn", "(Ljava/lang/Class;Ljava/lang/Class;I)V");
/// As [`LIVE_ALL`], counted only; takes the object's class.
pub const COUNT_ALL: BridgeMethod = method("countAll", "(Ljava/lang/Class;Ljava/lang/Class;I)V");
/// `clone()` of an object has given the first object; the second is the original.
pub const CLONED: BridgeMethod = method("cloned", "(Ljava/lang/Object;Ljava/lang/Object;I)V");
/// `super.clone()` in a method of the class has given an object.
pub const CLONED_BY_SUPER: BridgeMethod = method("clonedBySuper", "(Ljava/lang/Object;Ljava/lang/Class;I)V");
/// The same for traces.
pub const COPIED: BridgeMethod = method("copied", "(Ljava/lang/Object;I)V");
/// A method is entered; returns the value for `exit` and `raise`.
pub const ENTER: BridgeMethod = method("enter", "(I)J");
/// A method returns.
pub const EXIT: BridgeMethod = method("exit", "(IJ)V");
/// A method ends by an exception, which is rethrown.
pub const RAISE: BridgeMethod = method("raise", "(IJ)V");
/// A method is about to start, or a loop to run once more; it may throw what ends them.
pub const CHECKPOINT: BridgeMethod = method("checkpoint", "()V");
/// A method has thrown an `OutOfMemoryError`; true if it is to run again.
pub const AGAIN: BridgeMethod = method("again", "(IJ)Z");
/// The method that is entered next has an argument, an object or null.
pub const ARGUMENT: BridgeMethod = method("argument", "(Ljava/lang/Object;I)V");
/// An object is used.
pub const USED: BridgeMethod = method("used", "(Ljava/lang/Object;I)V");
/// A method that opens scopes is entered, with an object that tells them or null; returns the value for `exit` and `raise`.
pub const OPENED: BridgeMethod = method("opened", "(Ljava/lang/Object;I)J");
/// A line is reached, or a method without lines is entered, at the site with this number.
pub const HIT: BridgeMethod = method("hit", "(I)V");

/// What the probes of every event call.
pub(crate) mod events {
    use super::{BridgeMethod, method};

    /// A method is entered; gives the depth of its frame.
    pub(crate) const ENTER: BridgeMethod = method("enter", "(I)I");
    /// The method whose frame has this depth ends.
    pub(crate) const EXIT: BridgeMethod = method("exit", "(I)V");
    /// It ends with a result or an exception.
    pub(crate) const EXIT_WITH: BridgeMethod = method("exitWith", "(Ljava/lang/Object;I)V");
    /// It goes on after an exception.
    pub(crate) const CAUGHT: BridgeMethod = method("caught", "(I)V");
    /// A local variable has a value.
    pub(crate) const LOCAL: BridgeMethod = method("local", "(Ljava/lang/Object;I)V");
    /// A local variable has no reference any more.
    pub(crate) const CLEAR: BridgeMethod = method("clear", "(I)V");
    /// The next object is made by this site.
    pub(crate) const SITE: BridgeMethod = method("site", "(I)V");
    /// An object is made.
    pub(crate) const MADE: BridgeMethod = method("made", "(Ljava/lang/Object;)V");
    /// An array is made.
    pub(crate) const ARRAY: BridgeMethod = method("array", "(Ljava/lang/Object;I)V");
    /// An array of arrays is made, with those in it.
    pub(crate) const ARRAYS: BridgeMethod = method("arrays", "(Ljava/lang/Object;I)V");
    /// An object is made without a constructor.
    pub(crate) const CLONED: BridgeMethod = method("cloned", "(Ljava/lang/Object;I)V");
    /// The call site may make an object of a hidden class.
    pub(crate) const LINK: BridgeMethod = method("link", "(I)V");
    /// It has given an object.
    pub(crate) const LINKED: BridgeMethod = method("linked", "(Ljava/lang/Object;I)V");
    /// A constant is used.
    pub(crate) const CONSTANT: BridgeMethod = method("constant", "(Ljava/lang/Object;)V");
    /// A field of the first object gets the second.
    pub(crate) const PUT: BridgeMethod = method("put", "(Ljava/lang/Object;Ljava/lang/Object;I)V");
    /// A static field gets an object.
    pub(crate) const PUT_STATIC: BridgeMethod = method("putStatic", "(Ljava/lang/Object;I)V");
    /// An element of an array gets an object.
    pub(crate) const ELEMENT: BridgeMethod = method("element", "(Ljava/lang/Object;ILjava/lang/Object;)V");
    /// Elements are copied.
    pub(crate) const COPY: BridgeMethod = method("copy", "(Ljava/lang/Object;ILjava/lang/Object;II)V");
    /// Memory of an object gets a reference.
    pub(crate) const PUT_AT: BridgeMethod = method("putAt", "(Ljava/lang/Object;JLjava/lang/Object;)V");
    /// It has, if true.
    pub(crate) const SWAPPED: BridgeMethod = method("swapped", "(ZLjava/lang/Object;JLjava/lang/Object;)V");
    /// It has, if the first two are the same.
    pub(crate) const EXCHANGED: BridgeMethod =
        method("exchanged", "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;JLjava/lang/Object;)V");
    /// Fields of an object were set by code without probes.
    pub(crate) const CHANGED: BridgeMethod = method("changed", "(Ljava/lang/Object;)V");
    /// A field of an object is read.
    pub(crate) const READ: BridgeMethod = method("read", "(Ljava/lang/Object;I)V");
    /// A field is read.
    pub(crate) const SEEN: BridgeMethod = method("seen", "(I)V");
    /// A field of an object gets a primitive value.
    pub(crate) const WROTE: BridgeMethod = method("wrote", "(Ljava/lang/Object;I)V");
    /// A field gets a primitive value.
    pub(crate) const WRITTEN: BridgeMethod = method("written", "(I)V");
    /// An object is used.
    pub(crate) const USED: BridgeMethod = method("used", "(Ljava/lang/Object;)V");
    /// The thread ends.
    pub(crate) const ENDED: BridgeMethod = method("ended", "()V");
}
