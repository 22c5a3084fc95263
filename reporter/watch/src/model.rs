//! What is shown: a recording, and the user's choices.

use weighbridge_reporter::heap::threads::Figures;

use crate::columns::Column;
use crate::heap::{Dump, View};
use crate::key::{Key, PAGE, Reaction};
use crate::recorded::Recorded;
use crate::rows::{Row, Table};

/// The recording, the chosen table, order, filter and row, and whether the moment is frozen.
#[derive(Debug, Clone)]
pub struct Model {
    /// The name of the recording.
    title: String,
    /// The newest state of the recording.
    pub recorded: Recorded,
    /// The state of its file.
    pub status: Status,
    frozen: Option<Box<Recorded>>,
    table: Table,
    sort: Column,
    ascending: bool,
    filter: String,
    typing: bool,
    help: bool,
    selected: usize,
    /// The process of which a heap dump can be taken.
    process: Option<u32>,
    dump: Dump,
}

/// The state of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// There is nothing to show yet, for this reason.
    Waiting(String),
    /// The file is being read: percent of its bytes.
    Reading(u64),
    /// The whole file was read; more may come.
    Following,
    /// The whole file was read; it is not known whether its JVM still runs.
    Unattended,
    /// Nothing more will come, for this reason.
    Over(String),
}

impl Model {
    /// Shows components by their bytes, of a file that was not read yet.
    pub fn new(title: &str) -> Self {
        Model {
            title: title.to_owned(),
            recorded: Recorded::default(),
            status: Status::Waiting("not looked at yet".to_owned()),
            frozen: None,
            table: Table::Components,
            sort: Column::Bytes,
            ascending: false,
            filter: String::new(),
            typing: false,
            help: false,
            selected: 0,
            process: None,
            dump: Dump::None,
        }
    }

    /// The process of which a heap dump can be taken; none of a file.
    pub fn of_process(self, process: Option<u32>) -> Self {
        Model { process, ..self }
    }

    /// What a heap dump tells, or why there is none. Nothing happens if nobody waits for it any more.
    pub fn dumped(&mut self, told: Result<Figures, String>) {
        if let Dump::Taking = self.dump {
            self.dump = match told {
                Ok(figures) => Dump::Shown(Box::new(View::new(figures))),
                Err(why) => Dump::Failed(why),
            };
        }
    }

    /// Starts with another table, order or filter.
    pub fn with(self, table: Table, sort: Column, filter: &str) -> Self {
        Model { table, sort, filter: filter.to_owned(), ..self }
    }

    /// Handles a key.
    pub fn key(&mut self, key: Key) -> Reaction {
        if key == Key::Interrupt {
            return Reaction::Quit;
        }
        if self.help {
            self.help = false;
            return Reaction::Stay;
        }
        if self.typing {
            self.type_filter(key);
            return Reaction::Stay;
        }
        if !matches!(self.dump, Dump::None) {
            return self.key_of_dump(key);
        }
        match key {
            Key::Char('q') => return Reaction::Quit,
            Key::Escape if self.filter.is_empty() => return Reaction::Quit,
            Key::Escape => self.refilter(String::new()),
            Key::Char('?') => self.help = true,
            Key::Char('/') => self.typing = true,
            Key::Char(' ') => {
                self.frozen = match self.frozen {
                    None => Some(Box::new(self.recorded.clone())),
                    Some(_) => None,
                }
            }
            Key::Char('t') => {
                self.dump = match (self.process, &self.status) {
                    (None, _) => Dump::Failed("A heap dump is of a running program: watch a process id.".to_owned()),
                    (_, Status::Over(why)) => Dump::Failed(format!("The program runs no more: {why}")),
                    _ => Dump::Asks,
                }
            }
            Key::Char('d') if self.process.is_some() => return Reaction::Examine,
            Key::Char('r') => self.ascending = !self.ascending,
            Key::Char(letter) => {
                if let Some(column) = Column::ALL.into_iter().find(|column| column.letter() == Some(letter)) {
                    self.sort_by(column);
                }
            }
            Key::Left => self.sort_beside(-1),
            Key::Right => self.sort_beside(1),
            Key::Tab => self.turn(1),
            Key::BackTab => self.turn(Table::ALL.len() - 1),
            Key::Up => self.selected = self.selected.saturating_sub(1),
            Key::Down => self.selected += 1,
            Key::PageUp => self.selected = self.selected.saturating_sub(PAGE),
            Key::PageDown => self.selected += PAGE,
            Key::Home => self.selected = 0,
            Key::End => self.selected = usize::MAX,
            Key::Enter | Key::Backspace | Key::Interrupt => {}
        }
        self.selected = self.selected.min(self.rows().len().saturating_sub(1));
        Reaction::Stay
    }

    fn key_of_dump(&mut self, key: Key) -> Reaction {
        match (&mut self.dump, key) {
            (Dump::Asks, Key::Enter | Key::Char('y')) => {
                self.dump = Dump::Taking;
                return Reaction::Dump;
            }
            (Dump::Failed(_), _) => self.dump = Dump::None,
            (_, Key::Char('q')) => return Reaction::Quit,
            (Dump::Shown(view), key) => {
                if !view.key(key) {
                    self.dump = Dump::None;
                }
            }
            (Dump::Asks, _) | (Dump::Taking, Key::Escape) => self.dump = Dump::None,
            (Dump::Taking | Dump::None, _) => {}
        }
        Reaction::Stay
    }

    fn type_filter(&mut self, key: Key) {
        match key {
            Key::Char(c) => self.refilter(format!("{}{c}", self.filter)),
            Key::Backspace => {
                let mut filter = self.filter.clone();
                filter.pop();
                self.refilter(filter);
            }
            Key::Escape => {
                self.typing = false;
                self.refilter(String::new());
            }
            Key::Enter => self.typing = false,
            _ => {}
        }
    }

    fn refilter(&mut self, filter: String) {
        self.filter = filter;
        self.selected = 0;
    }

    fn sort_by(&mut self, column: Column) {
        self.ascending = self.sort == column && !self.ascending;
        self.sort = column;
    }

    fn sort_beside(&mut self, by: isize) {
        // The trend has no order.
        let columns: Vec<Column> =
            Column::of(self.table, u16::MAX).into_iter().filter(|column| *column != Column::Trend).collect();
        let at = columns.iter().position(|column| *column == self.sort).unwrap_or(0);
        let next = (at as isize + by).rem_euclid(columns.len() as isize);
        self.sort = columns[next as usize];
        self.ascending = false;
    }

    fn turn(&mut self, by: usize) {
        self.table = Table::ALL[(self.table as usize + by) % Table::ALL.len()];
        self.selected = 0;
        if !Column::of(self.table, u16::MAX).contains(&self.sort) {
            self.sort = Column::Bytes;
        }
    }

    /// The rows to show: filtered and sorted, equal ones by name.
    pub fn rows(&self) -> Vec<&Row> {
        let wanted = self.filter.to_lowercase();
        let matches = |text: &str| text.to_lowercase().contains(&wanted);
        let all = self.shown().rows(self.table).iter();
        let mut rows: Vec<&Row> =
            all.filter(|row| matches(&row.name) || row.component.as_deref().is_some_and(matches)).collect();
        rows.sort_by(|a, b| {
            let order = self.sort.compare(a, b);
            let order = if self.ascending { order } else { order.reverse() };
            order.then_with(|| a.name.cmp(&b.name)).then_with(|| a.component.cmp(&b.component))
        });
        rows
    }

    /// The recording at the frozen moment, or now.
    pub(crate) fn shown(&self) -> &Recorded {
        self.frozen.as_deref().unwrap_or(&self.recorded)
    }

    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// Whether the moment is frozen.
    pub fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }

    /// The table that is shown.
    pub fn table(&self) -> Table {
        self.table
    }

    pub(crate) fn sort(&self) -> (Column, bool) {
        (self.sort, self.ascending)
    }

    /// The filter, and whether it is being typed.
    pub(crate) fn filter(&self) -> (&str, bool) {
        (&self.filter, self.typing)
    }

    pub(crate) fn help(&self) -> bool {
        self.help
    }

    /// The process of which a heap dump can be taken.
    pub fn process(&self) -> Option<u32> {
        self.process
    }

    pub(crate) fn dump(&self) -> &Dump {
        &self.dump
    }

    pub(crate) fn selected(&self) -> usize {
        self.selected
    }
}
