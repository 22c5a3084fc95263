//! Writes traces, for tests.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::Value;

use weighbridge_contract::{EVENT_MORE, EVENT_NULL};

use crate::block::{BlockKind, MAGIC, pack};
use crate::content::{put_varint, put_zigzag};
use crate::event::{Event, ObjectId};

/// Writes a trace. Events come in an order in which they can have happened; the clock counts by itself.
#[derive(Debug)]
pub struct TraceWriter<W: Write> {
    out: W,
    clock: u64,
    block_bytes: usize,
    threads: BTreeMap<u64, OpenBlock>,
}

/// The block that a thread fills.
#[derive(Debug, Default)]
struct OpenBlock {
    content: Vec<u8>,
    clock: u64,
    object: u64,
}

impl<W: Write> TraceWriter<W> {
    /// Begins a trace. A block is written when it has so many bytes.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(mut out: W, block_bytes: usize) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        Ok(TraceWriter { out, clock: 0, block_bytes, threads: BTreeMap::new() })
    }

    /// Writes a block of names: a line for each value.
    ///
    /// # Errors
    /// Those of `out`, or the block is too large.
    pub fn names(&mut self, lines: &[Value]) -> io::Result<()> {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.block(BlockKind::Names, text.as_bytes())
    }

    /// Adds an event that happens now.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn event(&mut self, thread: u64, event: &Event) -> io::Result<()> {
        self.event_at(self.clock, thread, event)
    }

    /// Adds an event that happens at a time; a thread's events come in order.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn event_at(&mut self, clock: u64, thread: u64, event: &Event) -> io::Result<()> {
        let open = self.threads.entry(thread).or_default();
        if open.content.is_empty() {
            put_varint(&mut open.content, thread);
            put_varint(&mut open.content, clock);
            (open.clock, open.object) = (clock, 0);
        }
        if open.clock < clock {
            open.content.push(0);
            put_varint(&mut open.content, clock - open.clock);
            open.clock = clock;
        }
        open.event(event);
        if event.counts() {
            open.clock += 1;
        }
        self.clock = self.clock.max(open.clock);
        if open.content.len() >= self.block_bytes { self.flush(thread) } else { Ok(()) }
    }

    /// Writes a block of events with this content, sound or not.
    ///
    /// # Errors
    /// Those of `out`, or the block is too large.
    pub fn events(&mut self, content: &[u8]) -> io::Result<()> {
        self.block(BlockKind::Events, content)
    }

    /// Writes what a thread has so far.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn flush(&mut self, thread: u64) -> io::Result<()> {
        let content = self.threads.get_mut(&thread).map(|open| std::mem::take(&mut open.content)).unwrap_or_default();
        if content.is_empty() { Ok(()) } else { self.block(BlockKind::Events, &content) }
    }

    fn block(&mut self, kind: BlockKind, content: &[u8]) -> io::Result<()> {
        self.out.write_all(&pack(kind, content).map_err(io::Error::other)?)
    }

    /// Writes the rest and the block that ends the trace.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn finish(mut self) -> io::Result<W> {
        let threads: Vec<u64> = self.threads.keys().copied().collect();
        for thread in threads {
            self.flush(thread)?;
        }
        self.block(BlockKind::End, &[])?;
        self.out.flush()?;
        Ok(self.out)
    }
}

impl OpenBlock {
    fn event(&mut self, event: &Event) {
        let code = event.code();
        match *event {
            Event::Caught { unwound } => self.put_event(code | EVENT_MORE, &[0, unwound.into()], &[]),
            Event::Made { class, site, object } => self.put_event(code, &[class.into(), site.into()], &[object]),
            Event::MadeArray { class, site, length, object } => {
                self.put_event(code, &[class.into(), site.into(), length.into()], &[object]);
            }
            Event::Met { class, length, object, existed } => {
                let code = if existed { code | EVENT_MORE } else { code };
                self.put_event(code, &[class.into(), length.into()], &[object]);
            }
            Event::Field { field, holder, value } => self.put_value(code, &[field.into()], Some(holder), value),
            Event::Static { field, value } => self.put_value(code, &[field.into()], None, value),
            Event::Element { index, array, value } => self.put_value(code, &[index.into()], Some(array), value),
            Event::Memory { offset, holder, value } => self.put_value(code, &[offset], Some(holder), value),
            Event::Copy { from, to, count, source, target } => {
                self.put_event(code, &[from.into(), to.into(), count.into()], &[source, target]);
            }
            Event::Local { slot, value } => self.put_value(code, &[slot.into()], None, value),
            Event::Enter { method } => self.put_event(code, &[method.into()], &[]),
            Event::Exit { unwound: 0, result } => self.put_value(code, &[], None, result),
            Event::Exit { unwound, result } => self.put_value(code | EVENT_MORE, &[unwound.into()], None, result),
            Event::Holds { slot, holder, value } => self.put_event(code, &[slot], &[holder, value]),
            Event::Use { object } | Event::Keep { object } => self.put_event(code, &[], &[object]),
            Event::Begin { thread } => self.put_value(code, &[], None, thread),
            Event::End { thread } => self.put_value(code | EVENT_MORE, &[], None, thread),
        }
    }

    fn put_value(&mut self, code: u8, numbers: &[u64], holder: Option<ObjectId>, value: Option<ObjectId>) {
        let code = if value.is_none() { code | EVENT_NULL } else { code };
        match (holder, value) {
            (Some(holder), Some(value)) => self.put_event(code, numbers, &[holder, value]),
            (Some(object), None) | (None, Some(object)) => self.put_event(code, numbers, &[object]),
            (None, None) => self.put_event(code, numbers, &[]),
        }
    }

    fn put_event(&mut self, code: u8, numbers: &[u64], objects: &[ObjectId]) {
        self.content.push(code);
        numbers.iter().for_each(|number| put_varint(&mut self.content, *number));
        for object in objects {
            put_zigzag(&mut self.content, object.0.wrapping_sub(self.object).cast_signed());
            self.object = object.0;
        }
    }
}
