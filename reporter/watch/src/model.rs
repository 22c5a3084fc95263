//! What is shown: a recording, and the user's choices.

use weighbridge_reporter::heap::threads::ThreadReport;

use crate::columns::WatchColumn;
use crate::heap::{Dump, View};
use crate::key::{KeyPress, PAGE, Reaction};
use crate::recorded::Recorded;
use crate::rows::{WatchRow, WatchTable};

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
    table: WatchTable,
    sort: WatchColumn,
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
            table: WatchTable::Components,
            sort: WatchColumn::Bytes,
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
    pub fn dumped(&mut self, told: Result<ThreadReport, String>) {
        if let Dump::Taking = self.dump {
            self.dump = match told {
                Ok(figures) => Dump::Shown(Box::new(View::new(figures))),
                Err(why) => Dump::Failed(why),
            };
        }
    }

    /// Starts with another table, order or filter.
    pub fn with_table(self, table: WatchTable, sort: WatchColumn, filter: &str) -> Self {
        Model { table, sort, filter: filter.to_owned(), ..self }
    }

    /// Handles a key.
    pub fn key(&mut self, key: KeyPress) -> Reaction {
        if key == KeyPress::Interrupt {
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
            KeyPress::Char('q') => return Reaction::Quit,
            KeyPress::Escape if self.filter.is_empty() => return Reaction::Quit,
            KeyPress::Escape => self.refilter(String::new()),
            KeyPress::Char('?') => self.help = true,
            KeyPress::Char('/') => self.typing = true,
            KeyPress::Char(' ') => {
                self.frozen = match self.frozen {
                    None => Some(Box::new(self.recorded.clone())),
                    Some(_) => None,
                }
            }
            KeyPress::Char('t') => {
                self.dump = match (self.process, &self.status) {
                    (None, _) => Dump::Failed("A heap dump is of a running program: watch a process id.".to_owned()),
                    (_, Status::Over(why)) => Dump::Failed(format!("The program runs no more: {why}")),
                    _ => Dump::Asks,
                }
            }
            KeyPress::Char('d') if self.process.is_some() => return Reaction::Examine,
            KeyPress::Char('r') => self.ascending = !self.ascending,
            KeyPress::Char(letter) => {
                if let Some(column) = WatchColumn::ALL.into_iter().find(|column| column.letter() == Some(letter)) {
                    self.sort_by(column);
                }
            }
            KeyPress::Left => self.sort_beside(-1),
            KeyPress::Right => self.sort_beside(1),
            KeyPress::Tab => self.turn(1),
            KeyPress::BackTab => self.turn(WatchTable::ALL.len() - 1),
            KeyPress::Up => self.selected = self.selected.saturating_sub(1),
            KeyPress::Down => self.selected += 1,
            KeyPress::PageUp => self.selected = self.selected.saturating_sub(PAGE),
            KeyPress::PageDown => self.selected += PAGE,
            KeyPress::Home => self.selected = 0,
            KeyPress::End => self.selected = usize::MAX,
            KeyPress::Enter | KeyPress::Backspace | KeyPress::Interrupt => {}
        }
        self.selected = self.selected.min(self.rows().len().saturating_sub(1));
        Reaction::Stay
    }

    fn key_of_dump(&mut self, key: KeyPress) -> Reaction {
        match (&mut self.dump, key) {
            (Dump::Asks, KeyPress::Enter | KeyPress::Char('y')) => {
                self.dump = Dump::Taking;
                return Reaction::Dump;
            }
            (Dump::Failed(_), _) => self.dump = Dump::None,
            (_, KeyPress::Char('q')) => return Reaction::Quit,
            (Dump::Shown(view), key) => {
                if !view.key(key) {
                    self.dump = Dump::None;
                }
            }
            (Dump::Asks, _) | (Dump::Taking, KeyPress::Escape) => self.dump = Dump::None,
            (Dump::Taking | Dump::None, _) => {}
        }
        Reaction::Stay
    }

    fn type_filter(&mut self, key: KeyPress) {
        match key {
            KeyPress::Char(c) => self.refilter(format!("{}{c}", self.filter)),
            KeyPress::Backspace => {
                let mut filter = self.filter.clone();
                filter.pop();
                self.refilter(filter);
            }
            KeyPress::Escape => {
                self.typing = false;
                self.refilter(String::new());
            }
            KeyPress::Enter => self.typing = false,
            _ => {}
        }
    }

    fn refilter(&mut self, filter: String) {
        self.filter = filter;
        self.selected = 0;
    }

    fn sort_by(&mut self, column: WatchColumn) {
        self.ascending = self.sort == column && !self.ascending;
        self.sort = column;
    }

    fn sort_beside(&mut self, by: isize) {
        // The trend has no order.
        let columns: Vec<WatchColumn> = WatchColumn::select_for_table(self.table, u16::MAX)
            .into_iter()
            .filter(|column| *column != WatchColumn::Trend)
            .collect();
        let at = columns.iter().position(|column| *column == self.sort).unwrap_or(0);
        let next = (at as isize + by).rem_euclid(columns.len() as isize);
        self.sort = columns[next as usize];
        self.ascending = false;
    }

    fn turn(&mut self, by: usize) {
        self.table = WatchTable::ALL[(self.table as usize + by) % WatchTable::ALL.len()];
        self.selected = 0;
        if !WatchColumn::select_for_table(self.table, u16::MAX).contains(&self.sort) {
            self.sort = WatchColumn::Bytes;
        }
    }

    /// The rows to show: filtered and sorted, equal ones by name.
    pub fn rows(&self) -> Vec<&WatchRow> {
        let wanted = self.filter.to_lowercase();
        let matches = |text: &str| text.to_lowercase().contains(&wanted);
        let all = self.shown_recording().rows(self.table).iter();
        let mut rows: Vec<&WatchRow> =
            all.filter(|row| matches(&row.name) || row.component.as_deref().is_some_and(matches)).collect();
        rows.sort_by(|a, b| {
            let order = self.sort.compare(a, b);
            let order = if self.ascending { order } else { order.reverse() };
            order.then_with(|| a.name.cmp(&b.name)).then_with(|| a.component.cmp(&b.component))
        });
        rows
    }

    /// The recording at the frozen moment, or now.
    pub(crate) fn shown_recording(&self) -> &Recorded {
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
    pub fn table(&self) -> WatchTable {
        self.table
    }

    pub(crate) fn sort(&self) -> (WatchColumn, bool) {
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
