//! What objects and static fields hold, and when each object was last known to be held.

use crate::classes::{NameFacts, WEAK};
use crate::error::ReplayErrorKind;
use crate::event::ObjectId;
use crate::life::Origin;
use crate::names::Names;
use crate::objects::{Birth, MOST_OBJECTS, NO_LENGTH, ObjectState, Objects};
use crate::replayed::Replayed;
use crate::retired::Retired;
use crate::settings::Settings;
use crate::slots::Slots;
use crate::stacks::NO_CALL;
use crate::statics::Statics;

/// The heap of the program.
#[derive(Debug)]
pub(crate) struct ReplayHeap<'n> {
    pub(crate) classes: NameFacts<'n>,
    pub(crate) objects: Objects,
    pub(crate) statics: Statics,
    /// Limit of memory, and what went to files.
    pub(crate) retired: Option<Retired>,
    /// The totals. Its `events` is the number of the event that is taken.
    pub(crate) totals: Replayed,
    /// Elements that are copied.
    copied: Vec<(u32, Option<u32>)>,
}

/// What a birth says.
pub(crate) struct Born {
    pub(crate) object: ObjectId,
    pub(crate) class: u32,
    pub(crate) site: u32,
    /// As in the event.
    pub(crate) length: u32,
    pub(crate) origin: Origin,
}

impl<'n> ReplayHeap<'n> {
    pub(crate) fn new(names: &'n Names, settings: &Settings) -> Self {
        ReplayHeap {
            classes: NameFacts::new(names, settings),
            objects: Objects::new(),
            statics: Statics::default(),
            retired: settings.memory.map(|memory| Retired::new(memory, settings.temporary.clone())),
            totals: Replayed::default(),
            copied: Vec::new(),
        }
    }

    /// Bytes of its tables.
    pub(crate) fn bytes(&self) -> u64 {
        self.objects.bytes() + self.statics.bytes()
    }

    pub(crate) fn state(&mut self, index: u32) -> &mut ObjectState {
        &mut self.objects.state[index as usize]
    }

    /// It lives after this event, and dies at the next one if nothing else holds it.
    #[inline]
    pub(crate) fn touch(&mut self, index: Option<u32>) {
        if let Some(index) = index {
            let (event, allocated) = (self.totals.events, self.totals.allocated);
            let state = self.state(index);
            (state.lost, state.lost_allocated) = (event + 1, allocated);
            (state.used, state.used_allocated) = (event, allocated);
        }
    }

    /// A reference to it is gone: it dies at this event if nothing else holds it.
    #[inline]
    pub(crate) fn lose(&mut self, index: Option<u32>) {
        if let Some(index) = index {
            let (event, allocated) = (self.totals.events, self.totals.allocated);
            let state = self.state(index);
            if state.lost < event {
                (state.lost, state.lost_allocated) = (event, allocated);
            }
        }
    }

    pub(crate) fn keep(&mut self, index: Option<u32>) {
        if let Some(index) = index {
            self.state(index).kept = true;
        }
    }

    #[inline]
    pub(crate) fn index(&mut self, object: ObjectId) -> Result<u32, ReplayErrorKind> {
        match self.objects.numbers.get(object.0) {
            Some(index) => Ok(index),
            None => self.unknown(object),
        }
    }

    #[inline]
    pub(crate) fn indices(&mut self, object: Option<ObjectId>) -> Result<Option<u32>, ReplayErrorKind> {
        object.map(|object| self.index(object)).transpose()
    }

    /// An event names an object that is not in memory.
    fn unknown(&mut self, object: ObjectId) -> Result<u32, ReplayErrorKind> {
        if self.retired.as_ref().is_some_and(|retired| retired.knows(object)) {
            self.totals.revived += 1;
        } else {
            self.totals.unknown += 1;
        }
        let born = Born { object, class: 0, site: 0, length: 0, origin: Origin::Met };
        let index = self.add(&born, 0, NO_LENGTH)?;
        self.state(index).guessed = true;
        Ok(index)
    }

    fn add(&mut self, born: &Born, bytes: u64, length: u32) -> Result<u32, ReplayErrorKind> {
        let totals = &mut self.totals;
        if born.origin == Origin::Existed {
            totals.existed.add(bytes);
        } else {
            totals.allocated = totals.allocated.saturating_add(bytes);
        }
        let state = ObjectState {
            lost: totals.events + 1,
            lost_allocated: totals.allocated,
            used: totals.events,
            used_allocated: totals.allocated,
            class: born.class,
            slots: Slots::default(),
            kept: false,
            free: false,
            guessed: false,
        };
        let birth = Birth {
            object: born.object.0,
            born: totals.events,
            allocated: totals.allocated,
            bytes,
            call: NO_CALL,
            site: born.site,
            length,
            stored: 0,
            stands_for: 0,
            origin: born.origin,
        };
        self.objects.add(state, birth).ok_or(ReplayErrorKind::TooMany(MOST_OBJECTS))
    }

    /// Takes a birth. `None`: it is ignored, because the object is known.
    pub(crate) fn birth(&mut self, born: &Born) -> Result<Option<u32>, ReplayErrorKind> {
        let stands = self.classes.stands_for_classes(born.class);
        let length = if self.classes.is_array(born.class) { born.length } else { NO_LENGTH };
        let bytes = self.classes.bytes(born.class, if length == NO_LENGTH { 0 } else { length });
        let index = match self.objects.numbers.get(born.object.0) {
            None => self.add(born, bytes, length)?,
            Some(index) if self.state(index).guessed => {
                self.known_now(index, born, bytes, length);
                index
            }
            Some(_) => {
                self.totals.twice += 1;
                return Ok(None);
            }
        };
        if stands {
            // Classes are not unloaded in a trace.
            self.keep(Some(index));
            self.objects.birth[index as usize].stands_for = if born.length == NO_LENGTH { 0 } else { born.length };
        }
        Ok(Some(index))
    }

    /// The birth of an object that an event has named before.
    fn known_now(&mut self, index: u32, born: &Born, bytes: u64, length: u32) {
        let totals = &mut self.totals;
        if born.origin == Origin::Existed {
            totals.existed.add(bytes);
        } else {
            totals.allocated = totals.allocated.saturating_add(bytes);
        }
        let birth = &mut self.objects.birth[index as usize];
        (birth.bytes, birth.length, birth.site, birth.origin) = (bytes, length, born.site, born.origin);
        let state = &mut self.objects.state[index as usize];
        (state.class, state.guessed) = (born.class, false);
        let mut old = std::mem::take(&mut state.slots);
        let mut held = Vec::new();
        self.objects.memory.each(&old, |key, target, event| held.push((key, target, event)));
        self.objects.memory.release(&mut old);
        let element = self.classes.is_array(born.class);
        for (key, target, event) in held {
            let key = self.classes.key_now(born.class, key);
            if key == WEAK {
                self.lose(Some(target));
            } else {
                let slots = &mut self.objects.state[index as usize].slots;
                let change = self.objects.memory.set(slots, key, Some(target), (element, event));
                self.lose(change.before);
            }
        }
        self.touch(Some(index));
    }

    /// Sets a slot. `how`: as [`Memory::set`](crate::slots::Memory::set).
    #[inline]
    pub(crate) fn store(&mut self, holder: u32, key: u32, value: Option<u32>, how: (bool, bool)) {
        self.touch(Some(holder));
        if key != WEAK {
            self.set(holder, key, value, how);
        }
        self.touch(value);
    }

    #[inline]
    fn set(&mut self, holder: u32, key: u32, value: Option<u32>, how: (bool, bool)) {
        let slots = &mut self.objects.state[holder as usize].slots;
        let change = self.objects.memory.set(slots, key, value, how);
        if change.first {
            self.objects.birth[holder as usize].stored += 1;
        }
        self.lose(change.before);
    }

    pub(crate) fn store_at(&mut self, holder: u32, offset: u64, value: Option<u32>, event: bool) {
        let class = self.state(holder).class;
        let stands_for = self.objects.birth[holder as usize].stands_for;
        if stands_for != 0 && !self.classes.has_field(class, offset) {
            self.touch(Some(holder));
            let before = self.statics.set_at(stands_for, offset, value);
            self.lose(before);
            self.touch(value);
        } else {
            let key = self.classes.key_of_offset(class, offset);
            self.store(holder, key, value, (self.classes.is_array(class), event));
        }
    }

    /// Copies elements; what is not known of the source counts as null.
    pub(crate) fn copy(&mut self, source: u32, target: u32, [from, to, count]: [u32; 3]) {
        self.touch(Some(source));
        self.touch(Some(target));
        let mut copied = std::mem::take(&mut self.copied);
        copied.clear();
        let [read, written] = [source, target].map(|index| self.objects.state[index as usize].slots);
        let memory = &self.objects.memory;
        memory.each_in(&written, to, count, |key, _, _| {
            let from = from.saturating_add(key - to);
            if memory.get(&read, from).is_none() {
                copied.push((key, None));
            }
        });
        memory.each_in(&read, from, count, |key, value, _| copied.push((to.saturating_add(key - from), Some(value))));
        for (key, value) in &copied {
            self.set(target, (*key).min(i32::MAX as u32), *value, (true, true));
        }
        self.copied = copied;
    }
}
