//! A recording that grows, folded as far as it was read; a report of it is made when somebody asks.

use weighbridge_live::recordings::Takes;
use weighbridge_recording::{Footer, Header, Line};
use weighbridge_reporter::{Aggregate, Aggregator, Folded};

/// What was read so far.
pub(super) struct Growing {
    name: String,
    folded: Folded,
    header: Option<Header>,
    end: Option<Footer>,
    /// Since the last [`Growing::take_changed`].
    changed: bool,
}

impl Growing {
    pub(super) fn new(name: &str) -> Self {
        Growing { name: name.to_owned(), folded: Folded::new(name), header: None, end: None, changed: false }
    }

    /// Whether there is something new since the last time.
    pub(super) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// The lines so far; the report of them is made without keeping the reader waiting.
    pub(super) fn folded(&self) -> Option<Folded> {
        (!self.folded.is_empty()).then(|| self.folded.clone())
    }

    pub(super) fn program(&self) -> Option<&str> {
        self.header.as_ref()?.jvm.main.as_deref()
    }
}

/// The same aggregate that `report` makes.
pub(super) fn aggregate(folded: Folded) -> Aggregate {
    let mut aggregator = Aggregator::new();
    aggregator.add(folded);
    aggregator.finish()
}

impl Takes for Growing {
    fn line(&mut self, line: Line) {
        match &line {
            Line::Header(header) => (self.header, self.end) = (Some(header.clone()), None),
            Line::Footer(footer) => self.end = Some(footer.clone()),
            _ => {}
        }
        self.folded.line(line);
        self.changed = true;
    }

    fn restart(&mut self) {
        *self = Growing { changed: true, ..Growing::new(&self.name) };
    }

    fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    fn end(&self) -> Option<&Footer> {
        self.end.as_ref()
    }
}
