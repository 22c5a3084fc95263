//! When each object died: Merlin's algorithm (Hertz, Blackburn, Moss, McKinley, Stefanovic: Error-free garbage collection
//! traces, SIGMETRICS 2002).
//!
//! An object lives after an event if a chain of references leads to it from a static field, a local variable of a method
//! that runs, or the virtual machine; or if the event itself touches it or what leads to it: a value that was made or
//! returned lies on the operand stack until the next event uses it. It dies at the first event after which this is never
//! so again.
//!
//! While events come, each object keeps the last event at which it lost a reference or was touched. Most objects die
//! later than that says: when what refers to them dies. Fields of dead objects do not change, so at the end every dead
//! object still refers to what it kept alive. Going through the dead objects, those that lived longest first, each
//! gives its death to what it refers to. So an object is visited once.

use std::collections::HashMap;

use crate::event::{Event, Holder, ObjectId, Timed};
use crate::lives::{Life, Lives};

/// Takes events, and finds the deaths at the end. Needs some 100 bytes for each object, and 40 for each field that ever held
/// a reference.
#[derive(Debug, Default)]
pub struct Merlin {
    events: u64,
    allocated: u64,
    index_of: HashMap<ObjectId, usize>,
    lives: Vec<Life>,
    /// Side by side with the lives: the first event after which nothing is known to hold it.
    lost: Vec<u64>,
    held: HashMap<(Holder, u64), usize>,
    threads: HashMap<u32, Vec<Frame>>,
}

/// A method that runs.
#[derive(Debug, Default)]
struct Frame {
    /// Few: a list is quicker than a map.
    locals: Vec<(u32, usize)>,
}

/// An event that cannot be: it names an object that was never made, or makes one again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unknown {
    /// The number of the event, from 0.
    pub event: u64,
    /// The object.
    pub object: ObjectId,
}

impl Merlin {
    /// Takes the next event.
    ///
    /// # Errors
    /// The event names an object that was not made before, or makes one that was. It is not taken then.
    pub fn take(&mut self, timed: &Timed) -> Result<(), Unknown> {
        match &timed.event {
            Event::Allocate { object, bytes, class, site } => {
                let index = self.lives.len();
                if self.index_of.contains_key(object) {
                    return Err(self.unknown(*object));
                }
                self.index_of.insert(*object, index);
                self.allocated += bytes;
                self.lives.push(Life {
                    object: *object,
                    class: *class,
                    site: *site,
                    bytes: *bytes,
                    born: self.events,
                    allocated: self.allocated,
                    died: None,
                    last_used: self.events,
                });
                self.lost.push(self.events + 1);
            }
            Event::Store { holder, slot, target } => {
                let target = self.indices(*target)?;
                if let Holder::Object(object) = holder {
                    let holder = self.index(*object)?;
                    self.touch(holder);
                }
                let before = match target {
                    Some(target) => self.held.insert((*holder, *slot), target),
                    None => self.held.remove(&(*holder, *slot)),
                };
                self.lose(before);
                self.touch_all(target);
            }
            Event::Local { slot, target } => {
                let target = self.indices(*target)?;
                let frame = self.frame(timed.thread);
                let at = frame.locals.iter().position(|(known, _)| known == slot);
                let before = at.map(|at| frame.locals.swap_remove(at).1);
                frame.locals.extend(target.map(|target| (*slot, target)));
                self.lose(before);
                self.touch_all(target);
            }
            Event::Enter { .. } => self.threads.entry(timed.thread).or_default().push(Frame::default()),
            Event::Exit { result } => {
                let result = self.indices(*result)?;
                let frame = self.threads.entry(timed.thread).or_default().pop().unwrap_or_default();
                frame.locals.iter().for_each(|(_, local)| self.lose(Some(*local)));
                self.touch_all(result);
            }
            Event::Use { object } => {
                let object = self.index(*object)?;
                self.touch(object);
            }
        }
        self.events += 1;
        Ok(())
    }

    fn frame(&mut self, thread: u32) -> &mut Frame {
        let frames = self.threads.entry(thread).or_default();
        if frames.is_empty() {
            // A thread whose first method was entered before the trace began.
            frames.push(Frame::default());
        }
        frames.last_mut().unwrap_or_else(|| unreachable!("a frame was pushed"))
    }

    fn unknown(&self, object: ObjectId) -> Unknown {
        Unknown { event: self.events, object }
    }

    fn index(&self, object: ObjectId) -> Result<usize, Unknown> {
        self.index_of.get(&object).copied().ok_or_else(|| self.unknown(object))
    }

    fn indices(&self, object: Option<ObjectId>) -> Result<Option<usize>, Unknown> {
        object.map(|object| self.index(object)).transpose()
    }

    /// It lives after this event, and dies at the next one if nothing else holds it.
    fn touch(&mut self, index: usize) {
        self.lost[index] = self.events + 1;
        self.lives[index].last_used = self.events;
    }

    fn touch_all(&mut self, index: Option<usize>) {
        index.into_iter().for_each(|index| self.touch(index));
    }

    /// A reference to it is gone: it dies at this event if nothing else holds it.
    fn lose(&mut self, index: Option<usize>) {
        if let Some(index) = index {
            self.lost[index] = self.lost[index].max(self.events);
        }
    }

    /// Births and deaths of all objects.
    pub fn finish(mut self) -> Lives {
        let references = self.references();
        let mut found = vec![false; self.lives.len()];
        let mut open: Vec<usize> = Vec::new();
        let locals = self.threads.values().flatten().flat_map(|frame| frame.locals.iter().map(|(_, local)| *local));
        let fixed = self.held.iter().filter(|((holder, _), _)| !matches!(holder, Holder::Object(_)));
        let roots: Vec<usize> = fixed.map(|(_, target)| *target).chain(locals).collect();
        let mut pass = |from: &mut Vec<usize>, lives: &mut [Life], died: Option<u64>| {
            while let Some(index) = from.pop() {
                if !found[index] {
                    found[index] = true;
                    lives[index].died = died;
                    from.extend(&references[index]);
                }
            }
        };
        open.extend(roots);
        pass(&mut open, &mut self.lives, None);
        let mut order: Vec<usize> = (0..self.lives.len()).collect();
        order.sort_by_key(|index| std::cmp::Reverse(self.lost[*index]));
        for index in order {
            open.push(index);
            // What the last event touched lives at the end.
            let died = Some(self.lost[index]).filter(|died| *died < self.events);
            pass(&mut open, &mut self.lives, died);
        }
        Lives { events: self.events, allocated: self.allocated, all: self.lives }
    }

    /// What each object refers to at the end, or referred to when it died.
    fn references(&self) -> Vec<Vec<usize>> {
        let mut references = vec![Vec::new(); self.lives.len()];
        for ((holder, _), target) in &self.held {
            if let Holder::Object(object) = holder
                && let Some(index) = self.index_of.get(object)
            {
                references[*index].push(*target);
            }
        }
        references
    }
}
