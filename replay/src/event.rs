//! What happens in a program, as far as it decides how long objects live.

/// An object, by the number that it got when it was made. Numbers are not used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u64);

/// Where a reference is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Holder {
    /// A static field.
    Static,
    /// A field or an element of this object.
    Object(ObjectId),
    /// What native code or the virtual machine holds: a JNI global reference, a class, a lock.
    Machine,
}

/// One event of one thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// An object was made.
    Allocate {
        /// Its number, which no object had before.
        object: ObjectId,
        /// Its size.
        bytes: u64,
        /// The number of its class.
        class: u32,
        /// The number of the place in the code.
        site: u32,
    },
    /// A reference was stored, in place of the one that was there. `None` is `null`.
    Store {
        /// In what.
        holder: Holder,
        /// The number of the field, or the index of the element: different for everything that one holder can hold.
        slot: u64,
        /// To what.
        target: Option<ObjectId>,
    },
    /// A local variable of the thread's running method got a value, or its block ended (`None`).
    Local {
        /// The number of the variable.
        slot: u32,
        /// The value.
        target: Option<ObjectId>,
    },
    /// A method was called. Its arguments are local variables that get their values next.
    Enter {
        /// The number of the method.
        method: u32,
    },
    /// The running method returned or threw.
    Exit {
        /// What it returned or threw.
        result: Option<ObjectId>,
    },
    /// An object was read, called, compared or locked.
    Use {
        /// The object.
        object: ObjectId,
    },
}

/// An event with its thread. Traces have them in an order in which they can have happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timed {
    /// The number of the thread.
    pub thread: u32,
    /// What it did.
    pub event: Event,
}
