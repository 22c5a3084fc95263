//! The methods that rewritten code calls on the bridge (docs/probe-contract.md).

use weighbridge_bytecode::Result;
use weighbridge_bytecode::patch::PoolEditor;
use weighbridge_bytecode::read::{CpIndex, mutf8};

/// Number of the contract.
pub const CONTRACT: u32 = 4;

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
/// `Object.clone` has made an object; no constructor ran.
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
/// An object or array is allocated by the site with this number.
pub const ALLOCATE: BridgeMethod = method("allocate", "(I)V");
/// The site with this number reads a field.
pub const READ: BridgeMethod = method("read", "(I)V");
/// The site with this number writes a field.
pub const WRITE: BridgeMethod = method("write", "(I)V");
/// The method that is entered next has an argument, an object or null.
pub const ARGUMENT: BridgeMethod = method("argument", "(Ljava/lang/Object;I)V");
/// An object is used.
pub const USED: BridgeMethod = method("used", "(Ljava/lang/Object;I)V");
/// A method that opens scopes is entered, with an object that tells them or null; returns the value for `exit` and `raise`.
pub const OPENED: BridgeMethod = method("opened", "(Ljava/lang/Object;I)J");
/// A line is reached, or a method without lines is entered, at the site with this number.
pub const HIT: BridgeMethod = method("hit", "(I)V");
