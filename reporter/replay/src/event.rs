//! What happens in a program, as far as it decides how long objects live: the events of `docs/event-trace.md`.

use weighbridge_contract::{EVENTS, event_code};

/// An object, by its number in the trace. Numbers are not used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u64);

/// One event of one thread. `None` for an object is `null`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The running method goes on after an exception.
    Caught {
        /// How many methods that it called have ended by it without an event.
        unwound: u32,
    },
    /// An object was made.
    Made {
        /// The number of its class.
        class: u32,
        /// The number of the code that made it.
        site: u32,
        /// The object.
        object: ObjectId,
    },
    /// An array was made.
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
    /// An object was met that no probe saw being made.
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
    /// A field is set.
    Field {
        /// The number of the field.
        field: u32,
        /// The object that has the field.
        holder: ObjectId,
        /// The new value.
        value: Option<ObjectId>,
    },
    /// A static field is set.
    Static {
        /// The number of the field.
        field: u32,
        /// The new value.
        value: Option<ObjectId>,
    },
    /// An element of an array is set.
    Element {
        /// Its index.
        index: u32,
        /// The array.
        array: ObjectId,
        /// The new value.
        value: Option<ObjectId>,
    },
    /// Memory of an object is set by `Unsafe`.
    Memory {
        /// The offset in the object, in bytes.
        offset: u64,
        /// The object.
        holder: ObjectId,
        /// The new value.
        value: Option<ObjectId>,
    },
    /// Elements are copied, as by `System.arraycopy`.
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
    /// A local variable has a value.
    Local {
        /// The number of the variable.
        slot: u16,
        /// The value.
        value: Option<ObjectId>,
    },
    /// A method is entered.
    Enter {
        /// The number of the method.
        method: u32,
    },
    /// A method ends.
    Exit {
        /// How many methods that it called have ended before without an event.
        unwound: u32,
        /// What it returned or threw.
        result: Option<ObjectId>,
    },
    /// An object that was met refers to this.
    Holds {
        /// The index of the element or the offset of the field.
        slot: u64,
        /// The object that was met.
        holder: ObjectId,
        /// What it refers to.
        value: ObjectId,
    },
    /// An object was read, locked or compared.
    Use {
        /// The object.
        object: ObjectId,
    },
    /// The virtual machine holds an object from now on.
    Keep {
        /// The object.
        object: ObjectId,
    },
    /// A thread begins.
    Begin {
        /// Its `Thread` object.
        thread: Option<ObjectId>,
    },
    /// A thread ends, and with it all its methods.
    End {
        /// Its `Thread` object.
        thread: Option<ObjectId>,
    },
}

impl Event {
    /// The code in the trace.
    pub fn code(&self) -> u8 {
        match self {
            Event::Caught { .. } => event_code::CLOCK,
            Event::Made { .. } => event_code::MADE,
            Event::MadeArray { .. } => event_code::ARRAY,
            Event::Met { .. } => event_code::MET,
            Event::Field { .. } => event_code::FIELD,
            Event::Static { .. } => event_code::STATIC,
            Event::Element { .. } => event_code::ELEMENT,
            Event::Memory { .. } => event_code::MEMORY,
            Event::Copy { .. } => event_code::COPY,
            Event::Local { .. } => event_code::LOCAL,
            Event::Enter { .. } => event_code::ENTER,
            Event::Exit { .. } => event_code::EXIT,
            Event::Holds { .. } => event_code::HOLDS,
            Event::Use { .. } => event_code::USE,
            Event::Keep { .. } => event_code::KEEP,
            Event::Begin { .. } | Event::End { .. } => event_code::THREAD,
        }
    }

    /// Whether it takes a number of the clock, because it changes what can be reached from elsewhere.
    pub fn counts(&self) -> bool {
        EVENTS[usize::from(self.code())].counts
    }
}
