//! Puts the events of all threads in one order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::content::Wrong;
use crate::decode::{BlockEvents, EventTime};
use crate::error::Error;
use crate::event::Event;
use crate::trace::{Located, ReadSeek, Trace};

/// The blocks of a thread: one of them is in memory.
#[derive(Debug, Default)]
struct Lane<'t> {
    /// Those that are not read yet, in reverse.
    blocks: Vec<&'t Located>,
    /// The one that is read.
    block: Option<(&'t Located, BlockEvents)>,
}

/// All threads of a trace. The one whose next event is the earliest comes first; at the same time one whose event does not
/// count, then the one with the lowest number.
pub(crate) struct Merge<'t> {
    trace: &'t Trace,
    reader: Box<dyn ReadSeek>,
    lanes: Vec<Lane<'t>>,
    heads: BinaryHeap<Reverse<(EventTime, u32)>>,
    /// Bytes of blocks in memory, and how many there may be.
    loaded: usize,
    most: usize,
}

impl<'t> Merge<'t> {
    /// `most`: about so many bytes of blocks may be in memory.
    pub(crate) fn new(trace: &'t Trace, most: usize) -> Result<Self, Error> {
        let mut lanes: Vec<Lane> = trace.threads().iter().map(|_| Lane::default()).collect();
        for block in trace.located().iter().rev() {
            if let Some(lane) = lanes.get_mut(block.thread as usize) {
                lane.blocks.push(block);
            }
        }
        let first =
            |lane: &Lane| lane.blocks.last().map(|block| Reverse((EventTime::first(block.clock), block.thread)));
        let heads = lanes.iter().filter_map(first).collect();
        Ok(Merge { trace, reader: trace.reader()?, lanes, heads, loaded: 0, most })
    }

    /// Gives all events to `take`, with the index of their thread and their time.
    pub(crate) fn run(
        &mut self,
        mut take: impl FnMut(u32, EventTime, &Event) -> Result<(), Error>,
    ) -> Result<(), Error> {
        while let Some(Reverse((key, thread))) = self.heads.pop() {
            let Some(lane) = self.lanes.get_mut(thread as usize) else { continue };
            let Some(block) = lane.block.as_ref().map(|(block, _)| *block).or_else(|| lane.blocks.pop()) else {
                continue;
            };
            let file = self.trace.file();
            let error = |wrong: Wrong| Error::inside(file, block.offset(), wrong.at as u64, wrong.reason.to_owned());
            let events = match &mut lane.block {
                Some((_, events)) if events.size() > 0 => events,
                Some((_, events)) => {
                    events.resume(self.trace.content(&mut *self.reader, block)?);
                    self.loaded += events.size();
                    events
                }
                empty => {
                    let events = BlockEvents::new(self.trace.content(&mut *self.reader, block)?).map_err(error)?;
                    self.loaded += events.size();
                    &mut empty.insert((block, events)).1
                }
            };
            let other = self.heads.peek().map(|Reverse(head)| *head);
            let mut next = events.peek().map_err(error)?;
            while let Some(key) = next
                && other.is_none_or(|other| (key, thread) < other)
            {
                let event = events.next().map_err(error)?;
                take(thread, key, &event)?;
                next = events.peek().map_err(error)?;
            }
            let next = match next {
                Some(key) => Some(key),
                None => {
                    self.loaded -= events.size();
                    lane.block = None;
                    // A block of a sound trace does not begin before the last one ended.
                    lane.blocks.last().map(|block| EventTime::first(block.clock).max(key))
                }
            };
            self.heads.extend(next.map(|key| Reverse((key, thread))));
            if self.loaded > self.most {
                self.suspend();
            }
        }
        Ok(())
    }

    /// Frees all blocks. Each is read again when its turn comes.
    fn suspend(&mut self) {
        self.lanes.iter_mut().filter_map(|lane| lane.block.as_mut()).for_each(|(_, events)| events.suspend());
        self.loaded = 0;
    }
}
