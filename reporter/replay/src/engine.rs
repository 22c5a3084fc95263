//! Takes events, and keeps what each object, variable and static field holds.

use crate::error::ReplayErrorKind;
use crate::event::{Event, ObjectId};
use crate::heap::{Born, ReplayHeap};
use crate::life::Origin;
use crate::lives::Lives;
use crate::names::Names;
use crate::objects::NO_LENGTH;
use crate::reach::{Reach, reach};
use crate::replayed::{Moment, MomentOf, Replayed};
use crate::settings::Settings;
use crate::stacks::{Calls, Stack};

/// How often the memory is looked at, in events.
const LOOK: u64 = 64;

/// Takes the events of a program one after the other, and finds the lives of its objects: see `reach.rs` for when an object
/// lives. Needs some 130 bytes for each object in memory, and 4 to 16 for each field or element that ever held a
/// reference.
#[derive(Debug)]
pub struct Engine<'n> {
    heap: ReplayHeap<'n>,
    stacks: Vec<Stack>,
    calls: Calls,
}

impl<'n> Engine<'n> {
    /// Before the first event.
    pub fn new(names: &'n Names, settings: &Settings) -> Self {
        Engine { heap: ReplayHeap::new(names, settings), stacks: Vec::new(), calls: Calls::default() }
    }

    /// Takes the next event. Threads are numbered from 0, one after the other.
    ///
    /// # Errors
    /// The memory does not suffice, or a temporary file cannot be written.
    #[inline]
    pub fn take(&mut self, thread: u32, event: &Event) -> Result<(), ReplayErrorKind> {
        match *event {
            Event::Made { class, site, object } => {
                let born = Born { object, class, site, length: NO_LENGTH, origin: Origin::Made };
                self.record_birth(thread, &born)?;
            }
            Event::MadeArray { class, site, length, object } => {
                self.record_birth(thread, &Born { object, class, site, length, origin: Origin::Made })?;
            }
            Event::Met { class, length, object, existed } => {
                let origin = if existed { Origin::Existed } else { Origin::Met };
                self.heap.birth(&Born { object, class, site: 0, length, origin })?;
            }
            Event::Field { field, holder, value } => {
                let (holder, value) = (self.heap.index(holder)?, self.heap.indices(value)?);
                let class = self.heap.state(holder).class;
                let key = self.heap.classes.key_of_field(field, class);
                self.heap.store(holder, key, value, (false, true));
            }
            Event::Static { field, value } => {
                let value = self.heap.indices(value)?;
                let before = self.heap.statics.set_field(&self.heap.classes, field, value);
                self.heap.lose(before);
                self.heap.touch(value);
            }
            Event::Element { index, array, value } => {
                let (array, value) = (self.heap.index(array)?, self.heap.indices(value)?);
                self.heap.store(array, index.min(i32::MAX as u32), value, (true, true));
            }
            Event::Memory { offset, holder, value } => {
                let (holder, value) = (self.heap.index(holder)?, self.heap.indices(value)?);
                self.heap.store_at(holder, offset, value, true);
            }
            Event::Copy { from, to, count, source, target } => {
                let (source, target) = (self.heap.index(source)?, self.heap.index(target)?);
                self.heap.copy(source, target, [from, to, count]);
            }
            Event::Local { slot, value } => self.local(thread, slot, value)?,
            Event::Enter { method } => self.enter(thread, method),
            Event::Exit { unwound, result } => self.exit(thread, unwound, result)?,
            Event::Caught { unwound } => (0..unwound).map_while(|_| self.leave(thread)).for_each(drop),
            Event::Holds { slot, holder, value } => {
                let (holder, value) = (self.heap.index(holder)?, self.heap.index(value)?);
                let class = self.heap.state(holder).class;
                if self.heap.classes.is_array(class) {
                    let index = slot.min(i32::MAX as u64) as u32;
                    self.heap.store(holder, index, Some(value), (true, false));
                } else {
                    self.heap.store_at(holder, slot, Some(value), false);
                }
            }
            Event::Use { object } => {
                let object = self.heap.index(object)?;
                self.heap.touch(Some(object));
            }
            Event::Keep { object } => {
                let object = self.heap.index(object)?;
                self.heap.touch(Some(object));
                self.heap.keep(Some(object));
            }
            Event::Begin { thread: object } => {
                let object = self.heap.indices(object)?;
                let before = std::mem::replace(&mut self.stack(thread).thread, object);
                self.heap.lose(before);
                self.heap.touch(object);
            }
            Event::End { thread: object } => {
                let object = self.heap.indices(object)?;
                while self.leave(thread).is_some() {}
                let before = self.stack(thread).thread.take();
                self.heap.lose(before);
                self.heap.touch(object);
            }
        }
        self.heap.totals.events += 1;
        if self.heap.totals.events.is_multiple_of(LOOK) && self.heap.retired.is_some() {
            self.retire_dead_objects()
        } else {
            Ok(())
        }
    }

    /// The birth of an object by a site: it was made in the topmost call of the method of the site.
    fn record_birth(&mut self, thread: u32, born: &Born) -> Result<(), ReplayErrorKind> {
        if let Some(index) = self.heap.birth(born)? {
            let method = self.heap.classes.method_of_site(born.site);
            let call = stack_of(&mut self.stacks, thread).call_of(method, &mut self.calls);
            self.heap.objects.birth[index as usize].call = call;
        }
        Ok(())
    }

    /// Something outside of the trace happened before the next event.
    pub fn mark(&mut self, text: &str) {
        let event = self.heap.totals.events.saturating_sub(1);
        let what = MomentOf::Mark(text.to_owned());
        self.heap.totals.marks.push(Moment { event, allocated: self.heap.totals.allocated, what });
    }

    fn stack(&mut self, thread: u32) -> &mut Stack {
        stack_of(&mut self.stacks, thread)
    }

    fn local(&mut self, thread: u32, slot: u16, value: Option<ObjectId>) -> Result<(), ReplayErrorKind> {
        let value = self.heap.indices(value)?;
        let stack = self.stack(thread);
        let frame = stack.top();
        let before = stack.set(&frame, slot, value);
        self.heap.lose(before);
        self.heap.touch(value);
        if frame.facts.keeps.is_some_and(|arguments| slot < arguments) {
            self.heap.keep(value);
        }
        Ok(())
    }

    fn enter(&mut self, thread: u32, method: u32) {
        let facts = self.heap.classes.method(method);
        if facts.noted {
            let (event, allocated) = (self.heap.totals.events, self.heap.totals.allocated);
            self.heap.totals.moments.push(Moment { event, allocated, what: MomentOf::Method(method) });
        }
        self.stack(thread).enter(method, facts);
    }

    fn exit(&mut self, thread: u32, unwound: u32, result: Option<ObjectId>) -> Result<(), ReplayErrorKind> {
        let result = self.heap.indices(result)?;
        let mut keeps = false;
        for _ in 0..=unwound {
            let Some(result_is_kept) = self.leave(thread) else { break };
            keeps = result_is_kept;
        }
        self.heap.touch(result);
        if keeps {
            self.heap.keep(result);
        }
        Ok(())
    }

    /// Ends the running method of a thread. Whether the virtual machine keeps its result.
    fn leave(&mut self, thread: u32) -> Option<bool> {
        let (event, allocated) = (self.heap.totals.events, self.heap.totals.allocated);
        let objects = &mut self.heap.objects.state;
        let frame = self.stacks.get_mut(thread as usize)?.leave(&mut self.calls, event, |index, this| {
            let state = &mut objects[index as usize];
            if state.lost < event {
                (state.lost, state.lost_allocated) = (event, allocated);
            }
            if this {
                let last = event.saturating_sub(1);
                if state.used < last {
                    (state.used, state.used_allocated) = (last, allocated);
                }
            }
        })?;
        Some(frame.facts.keeps.is_some())
    }

    /// Finds what is dead now.
    fn reach(&mut self) -> Reach {
        let roots = self.stacks.iter().flat_map(Stack::roots).chain(self.heap.statics.roots());
        reach(&mut self.heap.objects, roots, self.heap.totals.events)
    }

    /// Removes dead objects from memory if there are too many.
    fn retire_dead_objects(&mut self) -> Result<(), ReplayErrorKind> {
        let used = self.heap.bytes() + self.calls.bytes();
        if !self.heap.retired.as_ref().is_some_and(|retired| retired.is_due(used)) {
            return Ok(());
        }
        let reach = self.reach();
        self.heap.totals.collections += 1;
        let Some(retired) = &mut self.heap.retired else { return Ok(()) };
        retired.retire(&mut self.heap.objects, &mut self.calls, reach, self.heap.totals.events)
    }

    /// The lives of all objects.
    ///
    /// # Errors
    /// A temporary file cannot be written.
    pub fn finish(mut self) -> Result<Replayed, ReplayErrorKind> {
        let reach = self.reach();
        self.heap.totals.threads = self.stacks.len() as u32;
        let files = self.heap.retired.and_then(|retired| retired.files);
        let lives = Lives::new(self.heap.objects, self.calls, reach, files)?;
        Ok(Replayed { lives, ..self.heap.totals })
    }
}

fn stack_of(stacks: &mut Vec<Stack>, thread: u32) -> &mut Stack {
    let thread = thread as usize;
    if stacks.len() <= thread {
        stacks.resize_with(thread + 1, Stack::default);
    }
    &mut stacks[thread]
}
