//! The life of one object.

use crate::event::ObjectId;

/// Where an object comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// A probe saw it being made.
    Made,
    /// It was made while the trace ran, but no probe saw that: it is born at the event that names it first.
    Met,
    /// It existed when the trace began. No bytes were allocated for it.
    Existed,
}

/// The life of one object. It lives from the event of its birth up to the one before its death. Events count from 0 in the
/// order of the whole program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Life {
    /// Its number.
    pub object: ObjectId,
    /// The number of its class; 0 if it is unknown.
    pub class: u32,
    /// The number of the code that made it; 0 if it is unknown.
    pub site: u32,
    /// Its size; 0 if its class is unknown.
    pub bytes: u64,
    /// How many elements an array has.
    pub length: Option<u32>,
    /// The event that made it, or that named it first.
    pub born: u64,
    /// Bytes allocated up to its birth, itself included if it was allocated.
    pub allocated: u64,
    /// The first event after which it lives no more; `None` if it lives at the end.
    pub died: Option<u64>,
    /// Bytes allocated up to the last event after which it lived; so what its death itself allocates does not count.
    pub died_allocated: Option<u64>,
    /// The last event that touched it; or the last one before the end of a method whose `this` it was. The time from
    /// there to its death is its drag.
    pub last_used: u64,
    /// Bytes allocated up to its last use.
    pub last_used_allocated: u64,
    /// The event at which the method of its site ended, in whose call it was made; `None` if that method still runs at
    /// the end, or is not known.
    pub method_end: Option<u64>,
    /// How many of its fields or elements ever held a reference that an event stored.
    pub stored: u32,
    /// Where it comes from.
    pub origin: Origin,
}

impl Life {
    /// Whether it lives after an event.
    pub fn lives_after(&self, event: u64) -> bool {
        self.born <= event && self.died.is_none_or(|died| event < died)
    }

    /// What births are sorted by.
    pub(crate) fn by_birth(&self) -> (u64, u64, u64) {
        (self.born, self.object.0, 0)
    }

    /// What deaths are sorted by.
    pub(crate) fn by_death(&self) -> (u64, u64, u64) {
        (self.died.unwrap_or(u64::MAX), self.born, self.object.0)
    }

    /// Bytes allocated while it lived, its own included; up to the end if it lives then. `allocated` are the bytes
    /// allocated up to the end.
    pub fn span(&self, allocated: u64) -> u64 {
        let own = if self.origin == Origin::Existed { 0 } else { self.bytes };
        (self.died_allocated.unwrap_or(allocated) + own).saturating_sub(self.allocated)
    }
}

/// Objects of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Sum {
    /// Counts one more object.
    pub fn add(&mut self, bytes: u64) {
        self.objects += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}
