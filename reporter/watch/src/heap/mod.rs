//! A heap dump of the watched program: threads by what they hold, and from each to its frames, entries, objects, classes.
//!
//! The figures are those of `weighbridge heap threads`; nothing is computed here.

mod draw;
mod pages;

use weighbridge_reporter::heap::threads::ThreadReport;

use crate::key::{KeyPress, PAGE};
pub(crate) use draw::{draw, draw_box};

/// The state of the dump that the key `t` asks for.
#[derive(Debug, Clone, Default)]
pub(crate) enum Dump {
    /// Nobody has asked for one.
    #[default]
    None,
    /// Whether it shall be taken.
    Asks,
    /// It is being taken and read.
    Taking,
    /// There is none, for this reason.
    Failed(String),
    /// It is shown.
    Shown(Box<View>),
}

/// A dump that is shown: the page, and those above it.
#[derive(Debug, Clone)]
pub(crate) struct View {
    figures: ThreadReport,
    by: RankCriterion,
    /// Never empty.
    levels: Vec<Level>,
}

/// By what threads and sets are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RankCriterion {
    Proprietary,
    Shared,
    Total,
}

/// A page, and its selected row.
#[derive(Debug, Clone)]
struct Level {
    subject: PageSubject,
    selected: usize,
}

/// What a page is about.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PageSubject {
    /// All threads.
    Threads,
    /// What ends with each thread, and with the best sets.
    Sets,
    /// The threads of a set.
    Set(usize),
    /// The frames of a thread, by its serial number, and their entries.
    Thread(u32),
    /// The neighbours of an entry's object and class.
    Entry(String),
}

impl View {
    pub(crate) fn new(figures: ThreadReport) -> View {
        View { figures, by: RankCriterion::Total, levels: vec![Level { subject: PageSubject::Threads, selected: 0 }] }
    }

    /// Handles a key; false if it leaves the dump.
    pub(crate) fn key(&mut self, key: KeyPress) -> bool {
        match key {
            KeyPress::Escape | KeyPress::Backspace | KeyPress::Left if self.levels.len() > 1 => drop(self.levels.pop()),
            KeyPress::Escape => return false,
            KeyPress::Enter | KeyPress::Right => self.open(),
            KeyPress::Char('p') => self.rank(RankCriterion::Proprietary),
            KeyPress::Char('s') => self.rank(RankCriterion::Shared),
            KeyPress::Char('t') => self.rank(RankCriterion::Total),
            KeyPress::Char('r') | KeyPress::Tab | KeyPress::BackTab => {
                let subject =
                    if self.subject() == &PageSubject::Sets { PageSubject::Threads } else { PageSubject::Sets };
                self.levels = vec![Level { subject, selected: 0 }];
            }
            key => {
                let last = self.page().rows.len().saturating_sub(1);
                let selected = self.selected();
                let moved = match key {
                    KeyPress::Up => selected.saturating_sub(1),
                    KeyPress::Down => selected + 1,
                    KeyPress::PageUp => selected.saturating_sub(PAGE),
                    KeyPress::PageDown => selected + PAGE,
                    KeyPress::Home => 0,
                    KeyPress::End => last,
                    _ => selected,
                };
                if let Some(level) = self.levels.last_mut() {
                    level.selected = moved.min(last);
                }
            }
        }
        true
    }

    fn open(&mut self) {
        let subject = self.page().rows.get(self.selected()).and_then(|row| row.opens.clone());
        self.levels.extend(subject.map(|subject| Level { subject, selected: 0 }));
    }

    fn rank(&mut self, by: RankCriterion) {
        self.by = by;
        if let Some(level) = self.levels.last_mut() {
            level.selected = 0;
        }
    }

    fn subject(&self) -> &PageSubject {
        self.levels.last().map_or(&PageSubject::Threads, |level| &level.subject)
    }

    fn selected(&self) -> usize {
        self.levels.last().map_or(0, |level| level.selected)
    }
}
