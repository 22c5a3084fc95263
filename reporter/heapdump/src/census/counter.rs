//! The counts of one reader. It numbers classes as it meets them, because their records may come later.

use std::collections::HashMap;

use crate::class::{ClassIndex, Classes, UNKNOWN};
use crate::hprof::{ClassRecord, Dump, FieldType, Record};
use crate::index::AddressIndex;
use crate::ranges::Ranges;
use crate::sizes::Evidence;

/// Slots of a reader's caches of classes, and of classes and lengths of arrays.
const RECENT_CLASSES: usize = 1 << 9;
const RECENT_ARRAYS: usize = 1 << 11;

pub(super) struct Counter<'a> {
    /// Gives the next object. Without it, the object of the next record is taken as the next one.
    index: Option<&'a AddressIndex>,
    numbers: HashMap<u64, u32>,
    /// By number: primitive array classes first, then others by address.
    addresses: Vec<u64>,
    recent: Box<[(u64, u32)]>,
    /// By number.
    pub(super) instances: Vec<u64>,
    array_counters: HashMap<(u32, u32), u32>,
    array_objects: Vec<u64>,
    recent_arrays: Box<[(u32, u32, u32)]>,
    pub(super) evidence: Evidence,
    pub(super) records: Vec<ClassRecord>,
    pub(super) ranges: Ranges,
    last: Option<(u64, SeenObject)>,
    /// Records of objects, without those of classes.
    pub(super) objects: u64,
    /// How many of them a record with a higher address follows in the same part of the file.
    pub(super) followed: u64,
}

/// What decides an object's size.
#[derive(Clone, Copy)]
enum SeenObject {
    Instance(u32),
    Array(Option<FieldType>, u32),
}

impl<'a> Counter<'a> {
    pub(super) fn new(index: Option<&'a AddressIndex>) -> Self {
        let primitive = FieldType::PRIMITIVE.len();
        Counter {
            index,
            numbers: HashMap::new(),
            addresses: vec![0; primitive],
            recent: vec![(0, 0); RECENT_CLASSES].into_boxed_slice(),
            instances: vec![0; primitive],
            array_counters: HashMap::new(),
            array_objects: Vec::new(),
            recent_arrays: vec![(u32::MAX, 0, 0); RECENT_ARRAYS].into_boxed_slice(),
            evidence: Evidence::new(primitive),
            records: Vec::new(),
            ranges: Ranges::default(),
            last: None,
            objects: 0,
            followed: 0,
        }
    }

    #[inline]
    pub(super) fn see(&mut self, dump: &Dump, offset: u64, record: Record<'_, '_>) {
        match record {
            Record::Instance { address, class, .. } => {
                let class = self.number(class);
                self.instances[class as usize] += 1;
                self.object(dump, offset, address, SeenObject::Instance(class));
            }
            Record::Objects { address, class, length, .. } => {
                let class = self.number(class);
                self.array(class, length);
                self.object(dump, offset, address, SeenObject::Array(None, length));
            }
            Record::Primitives { address, kind, length, .. } => {
                let class = FieldType::PRIMITIVE.iter().position(|known| *known == kind).unwrap_or(0);
                self.array(class as u32, length);
                self.object(dump, offset, address, SeenObject::Array(Some(kind), length));
            }
            Record::Class(class) => {
                self.evidence.address(class.address);
                self.records.push(*class);
            }
            Record::Root(_) => {}
        }
    }

    #[inline]
    fn object(&mut self, dump: &Dump, offset: u64, address: u64, seen: SeenObject) {
        self.evidence.address(address);
        if self.ranges.see(dump, offset, address) {
            self.last = None;
        }
        if let Some(index) = self.index {
            if let Some(next) = index.find_next_address(address) {
                self.distance(seen, address, next);
            }
            return;
        }
        self.objects += 1;
        if let Some((before, of)) = self.last.replace((address, seen))
            && before <= address
        {
            self.followed += 1;
            self.distance(of, before, address);
        }
    }

    #[inline]
    fn distance(&mut self, seen: SeenObject, address: u64, next: u64) {
        let Some(distance) = Evidence::distance(address, next) else { return };
        match seen {
            SeenObject::Instance(class) => self.evidence.instance(class as usize, distance),
            SeenObject::Array(primitive, length) => self.evidence.array(primitive, length, distance),
        }
    }

    #[inline]
    fn number(&mut self, address: u64) -> u32 {
        let slot = (address >> 3) as usize & (RECENT_CLASSES - 1);
        let (known, number) = self.recent[slot];
        if known == address && address != 0 {
            return number;
        }
        let next = self.addresses.len() as u32;
        let number = *self.numbers.entry(address).or_insert(next);
        if number == next {
            self.addresses.push(address);
            self.instances.push(0);
            self.evidence.grow();
        }
        self.recent[slot] = (address, number);
        number
    }

    #[inline]
    fn array(&mut self, class: u32, length: u32) {
        // Fibonacci hashing (Knuth, TAOCP 6.4).
        let key = u64::from(class) << 32 | u64::from(length);
        let at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 53) as usize;
        let (known_class, known_length, counter) = self.recent_arrays[at];
        let counter = match (known_class, known_length) == (class, length) {
            true => counter,
            false => {
                let next = self.array_objects.len() as u32;
                let counter = *self.array_counters.entry((class, length)).or_insert(next);
                if counter == next {
                    self.array_objects.push(0);
                }
                self.recent_arrays[at] = (class, length, counter);
                counter
            }
        };
        self.array_objects[counter as usize] += 1;
    }

    /// The classes of the numbers.
    pub(super) fn classes(&self, classes: &Classes) -> Vec<ClassIndex> {
        let primitive = FieldType::PRIMITIVE.map(|kind| classes.array_of(kind));
        let others = self.addresses.iter().skip(primitive.len());
        primitive
            .into_iter()
            .chain(others.map(|address| classes.find_by_address(*address).unwrap_or(UNKNOWN)))
            .collect()
    }

    /// How many arrays there are, by number of the class and length.
    pub(super) fn arrays(&self) -> impl Iterator<Item = ((u32, u32), u64)> + '_ {
        self.array_counters.iter().map(|(array, counter)| (*array, self.array_objects[*counter as usize]))
    }
}
