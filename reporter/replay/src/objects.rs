//! The objects in memory.

use crate::life::{Life, Origin};
use crate::numbers::Numbers;
use crate::slots::{Memory, Slots};
use crate::stacks::Calls;

/// There are fewer objects in memory than this.
pub(crate) const MOST_OBJECTS: u64 = 0x7fff_fff0;
/// The death of an object that lives at the end.
pub(crate) const NEVER: u64 = u64::MAX;
/// The length of what is no array.
pub(crate) const NO_LENGTH: u32 = u32::MAX;

/// What events change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ObjectState {
    /// The first event after which nothing is known to hold it.
    pub(crate) lost: u64,
    pub(crate) lost_allocated: u64,
    pub(crate) used: u64,
    pub(crate) used_allocated: u64,
    pub(crate) class: u32,
    pub(crate) slots: Slots,
    /// It is a root for good.
    pub(crate) kept: bool,
    /// The entry has no object.
    pub(crate) free: bool,
    /// An event named it that was not its birth, so that its class is not known.
    pub(crate) guessed: bool,
}

/// What is known from the birth on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Birth {
    pub(crate) object: u64,
    pub(crate) born: u64,
    pub(crate) allocated: u64,
    pub(crate) bytes: u64,
    /// The call that made it, see [`Calls`].
    pub(crate) call: u64,
    pub(crate) site: u32,
    pub(crate) length: u32,
    pub(crate) stored: u32,
    /// Of a `Class` object the number of the class that it stands for.
    pub(crate) stands_for: u32,
    pub(crate) origin: Origin,
}

/// Bytes of an object in the tables.
const OBJECT_BYTES: u64 = (size_of::<ObjectState>() + size_of::<Birth>()) as u64;

/// The objects in memory. `state` and `birth` have the same indices: apart, because most events need only the first.
#[derive(Debug)]
pub(crate) struct Objects {
    pub(crate) state: Vec<ObjectState>,
    pub(crate) birth: Vec<Birth>,
    pub(crate) numbers: Numbers,
    pub(crate) memory: Memory,
    /// Entries that are free.
    free: Vec<u32>,
}

impl Objects {
    pub(crate) fn new() -> Self {
        Objects {
            state: Vec::new(),
            birth: Vec::new(),
            numbers: Numbers::new(0),
            memory: Memory::default(),
            free: Vec::new(),
        }
    }

    /// Adds an object. `None` if there are too many.
    pub(crate) fn add(&mut self, state: ObjectState, birth: Birth) -> Option<u32> {
        let index = match self.free.pop() {
            Some(index) => {
                self.state[index as usize] = state;
                self.birth[index as usize] = birth;
                index
            }
            None => {
                let index = u32::try_from(self.state.len()).ok().filter(|index| u64::from(*index) < MOST_OBJECTS)?;
                self.state.push(state);
                self.birth.push(birth);
                index
            }
        };
        self.numbers.add(birth.object, index);
        Some(index)
    }

    /// How many objects there are.
    pub(crate) fn len(&self) -> usize {
        self.state.len() - self.free.len()
    }

    /// The indices of all objects.
    pub(crate) fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.state).filter(|(_, state)| !state.free).map(|(index, _)| index)
    }

    /// Removes objects that nothing in memory refers to.
    pub(crate) fn remove(&mut self, dead: &[u32]) {
        for index in dead {
            let state = &mut self.state[*index as usize];
            self.memory.release(&mut state.slots);
            state.free = true;
            self.free.push(*index);
        }
        // Low ones first, so that what is used stays together.
        self.free.sort_unstable_by(|a, b| b.cmp(a));
        let mut numbers = Numbers::new(self.len());
        self.indices().for_each(|index| numbers.add(self.birth[index as usize].object, index));
        self.numbers = numbers;
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.len() as u64 * OBJECT_BYTES + self.numbers.bytes() + self.memory.bytes()
    }

    /// The life of an object whose death is known.
    pub(crate) fn life(&self, index: u32, calls: &Calls) -> Life {
        let (state, birth) = (&self.state[index as usize], &self.birth[index as usize]);
        let died = Some(state.lost).filter(|died| *died != NEVER);
        Life {
            object: crate::event::ObjectId(birth.object),
            class: state.class,
            site: birth.site,
            bytes: birth.bytes,
            length: Some(birth.length).filter(|length| *length != NO_LENGTH),
            born: birth.born,
            allocated: birth.allocated,
            died,
            died_allocated: died.map(|_| state.lost_allocated),
            last_used: state.used,
            last_used_allocated: state.used_allocated,
            method_end: calls.end_of(birth.call),
            stored: birth.stored,
            origin: birth.origin,
        }
    }
}
