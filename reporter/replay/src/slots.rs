//! What each object holds: the references in its fields or elements.

use std::collections::HashMap;

/// A word without a reference. Others have the index of an object.
const NULL: u32 = 0x7fff_ffff;
/// In a word: an event stored a reference here once.
const STORED: u32 = 1 << 31;
/// More fields than this are in a map.
const MOST_FIELDS: u32 = 32;
/// The smallest piece of memory, in words.
const UNIT: usize = 4;
/// Elements up to this index are in a row, whatever is between them. Larger ones are only as long as that wastes little.
const SHORT: u32 = 512;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum SlotStorage {
    #[default]
    Nothing,
    /// Pairs of a key and a word, in no order: few.
    Fields,
    /// A word for each key from 0 on.
    Elements,
    /// In a map.
    Map,
}

/// What one object holds, by key: the offset of a field or the index of an element.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Slots {
    /// The piece of memory, in units; or the index of the map.
    at: u32,
    /// How many pairs or words there are.
    len: u32,
    /// The piece has `UNIT << log` words.
    log: u8,
    kind: SlotStorage,
}

/// What a slot held before, and whether this is the first reference that an event stores in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SlotChange {
    pub(crate) before: Option<u32>,
    pub(crate) first: bool,
}

/// The memory of all slots.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    words: Vec<u32>,
    /// Pieces that are not used, by their size.
    free: Vec<Vec<u32>>,
    maps: Vec<HashMap<u32, u32>>,
    free_maps: Vec<u32>,
    used: u64,
}

fn target(word: u32) -> Option<u32> {
    Some(word & !STORED).filter(|target| *target != NULL)
}

impl Memory {
    /// Sets a slot. `element`: the key is an index. `event`: by an event, and not what an object was met with.
    #[inline]
    pub(crate) fn set(
        &mut self,
        slots: &mut Slots,
        key: u32,
        value: Option<u32>,
        (element, event): (bool, bool),
    ) -> SlotChange {
        let word = match value {
            None => self.find(slots, key),
            Some(_) => Some(self.find_or_add(slots, key, element)),
        };
        let Some(word) = word else { return SlotChange::default() };
        let before = target(*word);
        let stored = if event && value.is_some() { STORED } else { *word & STORED };
        let first = stored & !*word != 0;
        *word = value.unwrap_or(NULL) | stored;
        SlotChange { before, first }
    }

    fn start(slots: &Slots) -> usize {
        slots.at as usize * UNIT
    }

    #[inline]
    fn find(&mut self, slots: &Slots, key: u32) -> Option<&mut u32> {
        let start = Memory::start(slots);
        match slots.kind {
            SlotStorage::Nothing => None,
            SlotStorage::Fields => {
                let pairs = self.words.get_mut(start..start + 2 * slots.len as usize)?;
                pairs.chunks_exact_mut(2).find(|pair| pair[0] == key).map(|pair| &mut pair[1])
            }
            SlotStorage::Elements if key < slots.len => self.words.get_mut(start + key as usize),
            SlotStorage::Elements => None,
            SlotStorage::Map => self.maps.get_mut(slots.at as usize)?.get_mut(&key),
        }
    }

    fn find_or_add(&mut self, slots: &mut Slots, key: u32, element: bool) -> &mut u32 {
        if slots.kind == SlotStorage::Nothing {
            slots.kind = if element { SlotStorage::Elements } else { SlotStorage::Fields };
        }
        let room = match slots.kind {
            SlotStorage::Fields => {
                self.find(slots, key).is_some() || slots.len < MOST_FIELDS && self.reserve(slots, 2 * (slots.len + 1))
            }
            SlotStorage::Elements => {
                key < slots.len
                    || (key < SHORT || key / 4 < slots.len) && key < NULL - 1 && self.reserve(slots, key + 1)
            }
            SlotStorage::Nothing | SlotStorage::Map => false,
        };
        if !room && slots.kind != SlotStorage::Map {
            self.move_to_map(slots);
        }
        let start = Memory::start(slots);
        match slots.kind {
            SlotStorage::Fields => {
                let len = slots.len as usize;
                let pairs = &mut self.words[start..start + (2 * (len + 1)).min(UNIT << slots.log)];
                let at = pairs.chunks_exact(2).take(len).position(|pair| pair[0] == key).unwrap_or_else(|| {
                    (pairs[2 * len], pairs[2 * len + 1]) = (key, NULL);
                    slots.len += 1;
                    len
                });
                &mut pairs[2 * at + 1]
            }
            SlotStorage::Elements => {
                if key >= slots.len {
                    self.words[start + slots.len as usize..=start + key as usize].fill(NULL);
                    slots.len = key + 1;
                }
                &mut self.words[start + key as usize]
            }
            SlotStorage::Nothing | SlotStorage::Map => {
                let used = &mut self.used;
                self.maps[slots.at as usize].entry(key).or_insert_with(|| {
                    *used += 16;
                    NULL
                })
            }
        }
    }

    /// Makes room for so many words. `false` if there is none.
    fn reserve(&mut self, slots: &mut Slots, words: u32) -> bool {
        if slots.len > 0 && words as usize <= UNIT << slots.log {
            return true;
        }
        let log = (words as usize).div_ceil(UNIT).next_power_of_two().trailing_zeros() as u8;
        let Some(at) = self.piece(log) else { return false };
        let (from, to) = (Memory::start(slots), at as usize * UNIT);
        if slots.len > 0 {
            self.words.copy_within(from..from + (UNIT << slots.log), to);
            self.give_back(slots);
        }
        (slots.at, slots.log) = (at, log);
        true
    }

    fn piece(&mut self, log: u8) -> Option<u32> {
        let words = UNIT << log;
        let free = self.free.get_mut(usize::from(log)).and_then(Vec::pop);
        let at = match free {
            Some(at) => at,
            None => {
                let at = u32::try_from(self.words.len() / UNIT).ok()?;
                self.words.resize(self.words.len() + words, NULL);
                at
            }
        };
        self.used += words as u64 * 4;
        Some(at)
    }

    fn give_back(&mut self, slots: &Slots) {
        let log = usize::from(slots.log);
        if self.free.len() <= log {
            self.free.resize(log + 1, Vec::new());
        }
        self.free[log].push(slots.at);
        self.used -= (UNIT as u64 * 4) << log;
    }

    fn move_to_map(&mut self, slots: &mut Slots) {
        let mut map = HashMap::new();
        let start = Memory::start(slots);
        match slots.kind {
            SlotStorage::Fields => {
                let pairs = self.words[start..start + 2 * slots.len as usize].chunks_exact(2);
                map.extend(pairs.map(|pair| (pair[0], pair[1])));
            }
            SlotStorage::Elements => {
                let words = self.words[start..start + slots.len as usize].iter();
                map.extend((0..).zip(words.copied()).filter(|(_, word)| *word != NULL));
            }
            SlotStorage::Nothing | SlotStorage::Map => {}
        }
        if slots.len > 0 {
            self.give_back(slots);
        }
        self.used += 16 * map.len() as u64;
        let at = match self.free_maps.pop() {
            Some(at) => {
                self.maps[at as usize] = map;
                at
            }
            None => {
                self.maps.push(map);
                (self.maps.len() - 1) as u32
            }
        };
        *slots = Slots { at, len: 0, log: 0, kind: SlotStorage::Map };
    }

    /// What a slot holds.
    pub(crate) fn get(&self, slots: &Slots, key: u32) -> Option<u32> {
        let start = Memory::start(slots);
        let word = match slots.kind {
            SlotStorage::Nothing => None,
            SlotStorage::Fields => {
                let pairs = self.words[start..start + 2 * slots.len as usize].chunks_exact(2);
                pairs.into_iter().find(|pair| pair[0] == key).map(|pair| pair[1])
            }
            SlotStorage::Elements => (key < slots.len).then(|| self.words[start + key as usize]),
            SlotStorage::Map => self.maps[slots.at as usize].get(&key).copied(),
        };
        word.and_then(target)
    }

    /// All references of an object, with their keys, and whether an event stored in the slot.
    #[inline]
    pub(crate) fn each(&self, slots: &Slots, take: impl FnMut(u32, u32, bool)) {
        self.each_in(slots, 0, u32::MAX, take);
    }

    /// Those of so many keys from one on.
    #[inline]
    pub(crate) fn each_in(&self, slots: &Slots, from: u32, count: u32, mut take: impl FnMut(u32, u32, bool)) {
        let keys = from..from.saturating_add(count);
        let mut entry = |key: u32, word: u32| {
            if let Some(target) = target(word)
                && keys.contains(&key)
            {
                take(key, target, word & STORED != 0);
            }
        };
        let start = Memory::start(slots);
        match slots.kind {
            SlotStorage::Nothing => {}
            SlotStorage::Fields => {
                let pairs = self.words[start..start + 2 * slots.len as usize].chunks_exact(2);
                pairs.for_each(|pair| entry(pair[0], pair[1]));
            }
            SlotStorage::Elements => {
                let (first, end) = (from.min(slots.len), keys.end.min(slots.len));
                let words = &self.words[start + first as usize..start + end as usize];
                (first..).zip(words).for_each(|(key, word)| entry(key, *word));
            }
            SlotStorage::Map => self.maps[slots.at as usize].iter().for_each(|(key, word)| entry(*key, *word)),
        }
    }

    /// Frees what an object held.
    pub(crate) fn release(&mut self, slots: &mut Slots) {
        match slots.kind {
            SlotStorage::Nothing => {}
            SlotStorage::Fields | SlotStorage::Elements if slots.len == 0 => {}
            SlotStorage::Fields | SlotStorage::Elements => self.give_back(slots),
            SlotStorage::Map => {
                let map = std::mem::take(&mut self.maps[slots.at as usize]);
                self.used = self.used.saturating_sub(16 * map.len() as u64);
                self.free_maps.push(slots.at);
            }
        }
        *slots = Slots::default();
    }

    /// The bytes that slots use.
    pub(crate) fn bytes(&self) -> u64 {
        self.used
    }
}
