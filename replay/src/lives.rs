//! Births and deaths of all objects of a program.

use std::collections::BTreeMap;

use crate::event::ObjectId;

/// The life of one object. It lives from the event of its birth up to the one before its death.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Life {
    /// Its number.
    pub object: ObjectId,
    /// The number of its class.
    pub class: u32,
    /// Where it was made.
    pub site: u32,
    /// Its size.
    pub bytes: u64,
    /// The event that made it, from 0.
    pub born: u64,
    /// Bytes allocated up to its birth, itself included.
    pub allocated: u64,
    /// The first event after which it lives no more; `None` if it lives at the end.
    pub died: Option<u64>,
    /// The last event that touched it: the time from there to its death is its drag.
    pub last_used: u64,
}

impl Life {
    /// Whether it lives after an event.
    pub fn lives_after(&self, event: u64) -> bool {
        self.born <= event && self.died.is_none_or(|died| event < died)
    }
}

/// The lives of all objects, in the order of their births.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lives {
    /// How many events there were.
    pub events: u64,
    /// Bytes allocated in all.
    pub allocated: u64,
    /// One for each object.
    pub all: Vec<Life>,
}

/// Objects of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Lives {
    /// What lives after an event, by the key of each object: its class, or where it was made.
    pub fn live_by<K: Ord>(&self, event: u64, key: impl Fn(&Life) -> K) -> BTreeMap<K, Sum> {
        let mut sums: BTreeMap<K, Sum> = BTreeMap::new();
        let born = self.all.partition_point(|life| life.born <= event);
        for life in self.all[..born].iter().filter(|life| life.lives_after(event)) {
            let sum = sums.entry(key(life)).or_default();
            sum.objects += 1;
            sum.bytes += life.bytes;
        }
        sums
    }

    /// Bytes allocated up to an event, those of the event included.
    pub fn allocated_at(&self, event: u64) -> u64 {
        let born = self.all.partition_point(|life| life.born <= event);
        self.all[..born].last().map_or(0, |life| life.allocated)
    }

    /// How many bytes were allocated while an object lived, its own included; to the end if it lives then.
    pub fn span(&self, life: &Life) -> u64 {
        let until = life.died.map_or(self.allocated, |died| self.allocated_at(died.saturating_sub(1)));
        until - (life.allocated - life.bytes)
    }
}
