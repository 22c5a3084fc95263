//! The methods that run, and their local variables.

use std::collections::HashMap;

use crate::classes::MethodFacts;

/// The call of an object whose method is not known.
pub(crate) const NO_CALL: u64 = u64::MAX;
/// In the call of an object: the rest is the event at which it ended.
const ENDED: u64 = 1 << 63;
/// A call that still runs.
const RUNNING: u64 = u64::MAX;
/// So many frames are searched for the method of a site. Constructors and what they call lie above it.
const SEARCHED: usize = 256;

/// Calls in which objects were made, and when they ended. A call has a number; an object keeps it, or [`NO_CALL`], or the
/// event at which it ended.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// The number of the first call in `ends`.
    first: u64,
    ends: Vec<u64>,
    /// Calls from before that ran when objects were removed from memory.
    before: HashMap<u64, u64>,
}

impl Calls {
    fn begin(&mut self) -> u64 {
        self.ends.push(RUNNING);
        self.first + self.ends.len() as u64 - 1
    }

    fn end(&mut self, call: u64, event: u64) {
        let at = call.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        match at.and_then(|at| self.ends.get_mut(at)) {
            Some(end) => *end = event,
            None => drop(self.before.insert(call, event)),
        }
    }

    /// When a call ended.
    pub(crate) fn end_of(&self, call: u64) -> Option<u64> {
        if call == NO_CALL {
            return None;
        }
        if call & ENDED != 0 {
            return Some(call & !ENDED);
        }
        let at = call.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        let end = at.and_then(|at| self.ends.get(at)).or_else(|| self.before.get(&call));
        end.copied().filter(|end| *end != RUNNING)
    }

    /// The call, or its end if it has ended: this stays after [`Calls::forget`].
    pub(crate) fn with_end(&self, call: u64) -> u64 {
        self.end_of(call).map_or(call, |event| event | ENDED)
    }

    /// Forgets the calls that have ended. All objects keep what [`Calls::with_end`] says.
    pub(crate) fn forget(&mut self) {
        let running = (self.first..).zip(&self.ends).filter(|(_, end)| **end == RUNNING);
        self.before.extend(running.map(|(call, end)| (call, *end)));
        self.first += self.ends.len() as u64;
        self.ends.clear();
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.ends.len() as u64 * 8
    }
}

/// A method that runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    method: u32,
    pub(crate) facts: MethodFacts,
    locals: usize,
    call: u64,
}

/// What a thread runs.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    frames: Vec<Frame>,
    /// Numbers of variables and what they hold, of all frames: few in each.
    locals: Vec<(u32, Option<u32>)>,
    /// The running `Thread` object.
    pub(crate) thread: Option<u32>,
}

impl Stack {
    pub(crate) fn enter(&mut self, method: u32, facts: MethodFacts) {
        self.frames.push(Frame { method, facts, locals: self.locals.len(), call: NO_CALL });
    }

    /// The running method.
    pub(crate) fn top(&mut self) -> Frame {
        if self.frames.is_empty() {
            // A thread whose first method was entered before the trace began.
            self.enter(0, MethodFacts::default());
        }
        let unknown = Frame { method: 0, facts: MethodFacts::default(), locals: 0, call: NO_CALL };
        self.frames.last().copied().unwrap_or(unknown)
    }

    /// Sets a variable of the running method. What it held before.
    pub(crate) fn set(&mut self, frame: &Frame, slot: u16, value: Option<u32>) -> Option<u32> {
        let slot = u32::from(slot);
        let locals = self.locals.get_mut(frame.locals..).unwrap_or_default();
        match locals.iter_mut().find(|(known, _)| *known == slot) {
            Some((_, held)) => std::mem::replace(held, value),
            None => {
                self.locals.push((slot, value));
                None
            }
        }
    }

    /// Ends the running method: `lose` is told of each reference in a variable, and whether it is `this`.
    pub(crate) fn leave(&mut self, calls: &mut Calls, event: u64, mut lose: impl FnMut(u32, bool)) -> Option<Frame> {
        let frame = self.frames.pop()?;
        for (slot, value) in self.locals.drain(frame.locals.min(self.locals.len())..) {
            if let Some(value) = value {
                lose(value, slot == 0 && frame.facts.instance);
            }
        }
        if frame.call != NO_CALL {
            calls.end(frame.call, event);
        }
        Some(frame)
    }

    /// The topmost call of a method, as an object keeps it.
    pub(crate) fn call_of(&mut self, method: u32, calls: &mut Calls) -> u64 {
        let found = self.frames.iter_mut().rev().take(SEARCHED).find(|frame| frame.method == method);
        let Some(frame) = found.filter(|_| method != 0) else { return NO_CALL };
        if frame.call == NO_CALL {
            frame.call = calls.begin();
        }
        frame.call
    }

    /// What it holds.
    pub(crate) fn roots(&self) -> impl Iterator<Item = u32> + '_ {
        self.locals.iter().filter_map(|(_, value)| *value).chain(self.thread)
    }
}
