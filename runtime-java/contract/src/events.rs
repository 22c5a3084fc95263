//! The events of a trace of every event (docs/event-trace.md): codes, flags, and what each may have.

/// Flag: the last object operand is null and left out.
pub const EVENT_NULL: u8 = 0x10;
/// Flag: [`EventForm::more`].
pub const EVENT_MORE: u8 = 0x20;
/// The bits of the first byte that are the code.
pub const EVENT_CODE: u8 = 0x0f;

/// How an event is written.
#[derive(Clone, Copy, Debug)]
pub struct EventForm {
    /// The low four bits of its first byte: its index in [`EVENTS`].
    pub code: u8,
    /// The name of the code in Java.
    pub name: &'static str,
    /// What it says, in Markdown.
    pub meaning: &'static str,
    /// What it says with [`EVENT_MORE`]; empty if it never has that.
    pub more: &'static str,
    /// The operands, in Markdown.
    pub operands: &'static str,
    /// Whether it may have [`EVENT_NULL`].
    pub nullable: bool,
    /// Whether it takes a number of the clock, because it changes what can be reached from elsewhere.
    pub counts: bool,
}

const fn event(code: u8, name: &'static str, meaning: &'static str, operands: &'static str) -> EventForm {
    EventForm { code, name, meaning, more: "", operands, nullable: false, counts: false }
}

impl EventForm {
    const fn or(self, more: &'static str) -> Self {
        EventForm { more, ..self }
    }

    const fn or_null(self) -> Self {
        EventForm { nullable: true, ..self }
    }

    const fn that_counts(self) -> Self {
        EventForm { counts: true, ..self }
    }
}

/// The bit at each code whose event is so.
pub fn event_bits(is_so: impl Fn(&EventForm) -> bool) -> u16 {
    EVENTS.iter().filter(|event| is_so(event)).map(|event| 1 << event.code).sum()
}

/// The codes.
pub mod event_code {
    #![allow(missing_docs, reason = "EVENTS says what they mean")]
    pub const CLOCK: u8 = 0;
    pub const MADE: u8 = 1;
    pub const ARRAY: u8 = 2;
    pub const MET: u8 = 3;
    pub const FIELD: u8 = 4;
    pub const STATIC: u8 = 5;
    pub const ELEMENT: u8 = 6;
    pub const MEMORY: u8 = 7;
    pub const COPY: u8 = 8;
    pub const LOCAL: u8 = 9;
    pub const ENTER: u8 = 10;
    pub const EXIT: u8 = 11;
    pub const HOLDS: u8 = 12;
    pub const USE: u8 = 13;
    pub const KEEP: u8 = 14;
    pub const THREAD: u8 = 15;
}

/// All events, by code.
pub const EVENTS: [EventForm; 16] = [
    event(event_code::CLOCK, "CLOCK", "the clock goes on", "by how much; `0x20`: how many methods")
        .or("methods that the running one called have ended by exceptions without saying so, and the running one goes on"),
    event(event_code::MADE, "MADE", "an object was made", "class, site, object"),
    event(event_code::ARRAY, "ARRAY", "an array was made", "class, site, length, object"),
    event(
        event_code::MET,
        "MET",
        "an object was met that no probe saw being made",
        "class, length of an array or else 0; for a `java.lang.Class` the number of the class that it stands for (0 if unknown); object",
    )
    .or("it existed when the trace began")
    .that_counts(),
    event(event_code::FIELD, "FIELD", "a field is set", "field, holder object, value object or null").or_null().that_counts(),
    event(event_code::STATIC, "STATIC", "a static field is set", "field, value object or null").or_null().that_counts(),
    event(event_code::ELEMENT, "ELEMENT", "an element is set", "index, array object, value object or null").or_null().that_counts(),
    event(
        event_code::MEMORY,
        "MEMORY",
        "memory of an object is set by `Unsafe`: a field, an element, or of a `Class` a static field",
        "offset, holder object, value object or null",
    )
    .or_null()
    .that_counts(),
    event(
        event_code::COPY,
        "COPY",
        "elements are copied (`System.arraycopy`); source and target may overlap or be the same",
        "position in the source, position in the target, how many, source object, target object",
    )
    .that_counts(),
    event(
        event_code::LOCAL,
        "LOCAL",
        "a local variable has a value; parameters have theirs after code 10",
        "number of the variable, value object or null",
    )
    .or_null(),
    event(event_code::ENTER, "ENTER", "a method is entered", "method"),
    event(event_code::EXIT, "EXIT", "a method ends", "[how many,] result or exception object, or null")
        .or("methods that it called have ended before without saying so, by exceptions, and an operand says how many")
        .or_null(),
    event(
        event_code::HOLDS,
        "HOLDS",
        "an object that was just made or met refers to this, set by code without probes. For a `Class` the slot is the offset of a static field",
        "index of an element or offset of a field, holder object, value object",
    ),
    event(event_code::USE, "USE", "an object is used: read, locked, compared", "object"),
    event(
        event_code::KEEP,
        "KEEP",
        "the virtual machine holds an object from now on: a constant, a JNI reference",
        "object",
    ),
    event(event_code::THREAD, "THREAD", "a thread begins", "the `Thread` object; null if there is none")
        .or("it ends, and with it all its methods")
        .or_null(),
];
