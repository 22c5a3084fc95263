//! From the number of an object to its index in the tables.

use std::collections::HashMap;

/// No entry. Indices are below 2^31.
const EMPTY: u64 = u64::MAX;
const SMALLEST: usize = 1 << 10;

/// A hash table of the objects in memory. Numbers are identity hash codes: 31 random bits. A table that they index would be
/// as large as there are numbers, so this is open addressing with 8 bytes a slot: one cache line for most look-ups.
#[derive(Debug)]
pub(crate) struct Numbers {
    /// The number in the high half, the index in the low one.
    slots: Vec<u64>,
    shift: u32,
    len: usize,
    /// Numbers that need more than 32 bits.
    far: HashMap<u64, u32>,
}

impl Numbers {
    /// A table with room for so many.
    pub(crate) fn new(objects: usize) -> Self {
        let size = (objects.saturating_mul(2)).max(SMALLEST).next_power_of_two();
        Numbers { slots: vec![EMPTY; size], shift: 64 - size.trailing_zeros(), len: 0, far: HashMap::new() }
    }

    fn first_slot(&self, number: u32) -> usize {
        (u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }

    /// The index of an object.
    #[inline]
    pub(crate) fn get(&self, number: u64) -> Option<u32> {
        let Ok(small) = u32::try_from(number) else { return self.far.get(&number).copied() };
        let mut slot = self.first_slot(small);
        loop {
            let entry = self.slots[slot];
            if entry == EMPTY {
                return None;
            }
            if (entry >> 32) as u32 == small {
                return Some(entry as u32);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// Adds an object that is not in the table.
    pub(crate) fn add(&mut self, number: u64, index: u32) {
        let Ok(small) = u32::try_from(number) else {
            self.far.insert(number, index);
            return;
        };
        if (self.len + 1) * 3 > self.slots.len() * 2 {
            self.grow();
        }
        self.len += 1;
        self.insert_entry(small, index);
    }

    fn insert_entry(&mut self, number: u32, index: u32) {
        let mut slot = self.first_slot(number);
        while self.slots[slot] != EMPTY {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = u64::from(number) << 32 | u64::from(index);
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        let slots = std::mem::replace(&mut self.slots, vec![EMPTY; size]);
        self.shift -= 1;
        for entry in slots.into_iter().filter(|entry| *entry != EMPTY) {
            self.insert_entry((entry >> 32) as u32, entry as u32);
        }
    }

    /// Its bytes in memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.slots.len() as u64 * 8 + self.far.len() as u64 * 24
    }
}
