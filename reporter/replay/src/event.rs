//! What happens in a program, as far as it decides how long objects live: the events of `docs/event-trace.md`.

/// An object, by its number in the trace. Numbers are not used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u64);

/// One event of one thread. `None` for an object is `null`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Code 1: an object was made.
    Made {
        /// The number of its class.
        class: u32,
        /// The number of the code that made it.
        site: u32,
        /// The object.
        object: ObjectId,
    },
    /// Code 2: an array was made.
    MadeArray {
        /// The number of its class.
        class: u32,
        /// The number of the code that made it.
        site: u32,
        /// How many elements it has.
        length: u32,
        /// The array.
        object: ObjectId,
    },
    /// Code 3: an object was met that no probe saw being made.
    Met {
        /// The number of its class.
        class: u32,
        /// The length of an array; of a `java.lang.Class` the number of the class that it stands for; else 0.
        length: u32,
        /// The object.
        object: ObjectId,
        /// Whether it existed when the trace began.
        existed: bool,
    },
    /// Code 4: a field is set.
    Field {
        /// The number of the field.
        field: u32,
        /// The object that has the field.
        holder: ObjectId,
        /// The new value.
        value: Option<ObjectId>,
    },
    /// Code 5: a static field is set.
    Static {
        /// The number of the field.
        field: u32,
        /// The new value.
        value: Option<ObjectId>,
    },
    /// Code 6: an element of an array is set.
    Element {
        /// Its index.
        index: u32,
        /// The array.
        array: ObjectId,
        /// The new value.
        value: Option<ObjectId>,
    },
    /// Code 7: memory of an object is set by `Unsafe`.
    Memory {
        /// The offset in the object, in bytes.
        offset: u64,
        /// The object.
        holder: ObjectId,
        /// The new value.
        value: Option<ObjectId>,
    },
    /// Code 8: elements are copied, as by `System.arraycopy`.
    Copy {
        /// The first index in the source.
        from: u32,
        /// The first index in the target.
        to: u32,
        /// How many elements.
        count: u32,
        /// The array that is read.
        source: ObjectId,
        /// The array that is written; it may be the source.
        target: ObjectId,
    },
    /// Code 9: a local variable has a value.
    Local {
        /// The number of the variable.
        slot: u16,
        /// The value.
        value: Option<ObjectId>,
    },
    /// Code 10: a method is entered.
    Enter {
        /// The number of the method.
        method: u32,
    },
    /// Code 11: a method ends.
    Exit {
        /// How many methods that it called have ended before without an event.
        unwound: u32,
        /// What it returned or threw.
        result: Option<ObjectId>,
    },
    /// Code 12: an object that was met refers to this.
    Holds {
        /// The index of the element or the offset of the field.
        slot: u64,
        /// The object that was met.
        holder: ObjectId,
        /// What it refers to.
        value: ObjectId,
    },
    /// Code 13: an object was read, locked or compared.
    Use {
        /// The object.
        object: ObjectId,
    },
    /// Code 14: the virtual machine holds an object from now on.
    Keep {
        /// The object.
        object: ObjectId,
    },
    /// Code 15 without `0x20`: a thread begins.
    Begin {
        /// Its `Thread` object.
        thread: Option<ObjectId>,
    },
    /// Code 15 with `0x20`: a thread ends, and with it all its methods.
    End {
        /// Its `Thread` object.
        thread: Option<ObjectId>,
    },
}

impl Event {
    /// The code in the trace.
    pub fn code(&self) -> u8 {
        match self {
            Event::Made { .. } => 1,
            Event::MadeArray { .. } => 2,
            Event::Met { .. } => 3,
            Event::Field { .. } => 4,
            Event::Static { .. } => 5,
            Event::Element { .. } => 6,
            Event::Memory { .. } => 7,
            Event::Copy { .. } => 8,
            Event::Local { .. } => 9,
            Event::Enter { .. } => 10,
            Event::Exit { .. } => 11,
            Event::Holds { .. } => 12,
            Event::Use { .. } => 13,
            Event::Keep { .. } => 14,
            Event::Begin { .. } | Event::End { .. } => 15,
        }
    }

    /// Whether it takes a number of the clock, because it changes what can be reached from elsewhere.
    pub fn counts(&self) -> bool {
        counts(self.code())
    }
}

/// Whether the events of a code take a number of the clock.
pub(crate) fn counts(code: u8) -> bool {
    (3..=8).contains(&code)
}
