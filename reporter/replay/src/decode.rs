//! The events of a block.

use weighbridge_contract::{EVENT_CODE, EVENT_MORE, EVENT_NULL, EVENTS, EventForm, event_code};

use crate::content::{Content, Wrong};
use crate::event::{Event, ObjectId};

/// Clocks are below this, so that a [`Key`] has room for a bit more.
const MOST: u64 = 1 << 62;

/// How the event is written that begins with a byte.
fn form_of(byte: u8) -> &'static EventForm {
    &EVENTS[usize::from(byte & EVENT_CODE)]
}

/// When an event happened: events of all threads are put together by this, then by thread. Twice the time, and one more
/// if the event counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EventTime(u64);

impl EventTime {
    /// Of the earliest event at a time.
    pub(crate) fn first(clock: u64) -> Self {
        EventTime(clock.min(MOST) << 1)
    }

    pub(crate) fn clock(self) -> u64 {
        self.0 >> 1
    }
}

/// The thread and the clock with which the content of a block begins.
pub(crate) fn head(content: &mut Content) -> Result<(u64, u64), Wrong> {
    let thread = content.varint()?;
    let clock = content.varint()?;
    if clock < MOST { Ok((thread, clock)) } else { Err(content.wrong("a clock of more than 62 bits")) }
}

/// The events of a block, one after the other.
#[derive(Debug, Default)]
pub(crate) struct BlockEvents {
    content: Content,
    clock: u64,
    /// The last object operand.
    object: u64,
}

impl BlockEvents {
    /// Reads the head of a content.
    pub(crate) fn new(bytes: Vec<u8>) -> Result<Self, Wrong> {
        let mut content = Content::new(bytes);
        let (_, clock) = head(&mut content)?;
        Ok(BlockEvents { content, clock, object: 0 })
    }

    /// How many bytes it holds in memory; 0 after [`Events::suspend`].
    pub(crate) fn size(&self) -> usize {
        self.content.size()
    }

    /// Frees the content, until [`Events::resume`].
    pub(crate) fn suspend(&mut self) {
        self.content.replace(Vec::new());
    }

    /// Goes on where it was, with the same content.
    pub(crate) fn resume(&mut self, content: Vec<u8>) {
        self.content.replace(content);
    }

    /// When the next event happens. `None` at the end.
    #[inline]
    pub(crate) fn peek(&mut self) -> Result<Option<EventTime>, Wrong> {
        while let Some(byte) = self.content.peek() {
            if byte != event_code::CLOCK {
                return Ok(Some(EventTime(self.clock << 1 | u64::from(form_of(byte).counts))));
            }
            self.content.byte()?;
            self.advance()?;
        }
        Ok(None)
    }

    fn advance(&mut self) -> Result<(), Wrong> {
        let by = self.content.varint()?;
        let clock = self.clock.checked_add(by).filter(|clock| *clock < MOST);
        self.clock = clock.ok_or_else(|| self.content.wrong("a clock of more than 62 bits"))?;
        Ok(())
    }

    /// The next event, after [`Events::peek`] has said that there is one.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Event, Wrong> {
        let byte = self.content.byte()?;
        let (form, null, more) = (form_of(byte), byte & EVENT_NULL != 0, byte & EVENT_MORE != 0);
        let known = EVENT_CODE | EVENT_NULL | EVENT_MORE;
        if byte & !known != 0 || null && !form.nullable || more && form.more.is_empty() {
            return Err(self.content.wrong("a flag that this event does not have"));
        }
        Ok(match form.code {
            event_code::CLOCK if more => {
                self.advance()?;
                Event::Caught { unwound: self.small()? }
            }
            event_code::MADE => Event::Made { class: self.small()?, site: self.small()?, object: self.object()? },
            event_code::ARRAY => Event::MadeArray {
                class: self.small()?,
                site: self.small()?,
                length: self.small()?,
                object: self.object()?,
            },
            event_code::MET => self.read_counted_event(|events| {
                let (class, length) = (events.small()?, events.small()?);
                Ok(Event::Met { class, length, object: events.object()?, existed: more })
            })?,
            event_code::FIELD => self.read_counted_event(|events| {
                let field = events.small()?;
                Ok(Event::Field { field, holder: events.object()?, value: events.value(null)? })
            })?,
            event_code::STATIC => self.read_counted_event(|events| {
                Ok(Event::Static { field: events.small()?, value: events.value(null)? })
            })?,
            event_code::ELEMENT => self.read_counted_event(|events| {
                let index = events.small()?;
                Ok(Event::Element { index, array: events.object()?, value: events.value(null)? })
            })?,
            event_code::MEMORY => self.read_counted_event(|events| {
                let offset = events.content.varint()?;
                Ok(Event::Memory { offset, holder: events.object()?, value: events.value(null)? })
            })?,
            event_code::COPY => self.read_counted_event(|events| {
                let (from, to, count) = (events.small()?, events.small()?, events.small()?);
                Ok(Event::Copy { from, to, count, source: events.object()?, target: events.object()? })
            })?,
            event_code::LOCAL => {
                let slot = self.small()?;
                let slot = u16::try_from(slot).map_err(|_| self.content.wrong("a variable above 65535"))?;
                Event::Local { slot, value: self.value(null)? }
            }
            event_code::ENTER => Event::Enter { method: self.small()? },
            event_code::EXIT => {
                Event::Exit { unwound: if more { self.small()? } else { 0 }, result: self.value(null)? }
            }
            event_code::HOLDS => {
                Event::Holds { slot: self.content.varint()?, holder: self.object()?, value: self.object()? }
            }
            event_code::USE => Event::Use { object: self.object()? },
            event_code::KEEP => Event::Keep { object: self.object()? },
            event_code::THREAD if more => Event::End { thread: self.value(null)? },
            event_code::THREAD => Event::Begin { thread: self.value(null)? },
            _ => return Err(self.content.wrong("an unknown code")),
        })
    }

    #[inline]
    fn read_counted_event(&mut self, read: impl FnOnce(&mut Self) -> Result<Event, Wrong>) -> Result<Event, Wrong> {
        let event = read(self)?;
        self.clock += 1;
        if self.clock < MOST { Ok(event) } else { Err(self.content.wrong("a clock of more than 62 bits")) }
    }

    #[inline]
    fn small(&mut self) -> Result<u32, Wrong> {
        self.content.small()
    }

    #[inline]
    fn object(&mut self) -> Result<ObjectId, Wrong> {
        let difference = self.content.zigzag()?;
        let number = self.object.checked_add_signed(difference);
        self.object = number.ok_or_else(|| self.content.wrong("the number of an object is below 0"))?;
        Ok(ObjectId(self.object))
    }

    #[inline]
    fn value(&mut self, null: bool) -> Result<Option<ObjectId>, Wrong> {
        if null { Ok(None) } else { self.object().map(Some) }
    }
}
