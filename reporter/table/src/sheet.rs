//! A report of lines and tables, for people and as a page.

use std::io::{self, Write};

use serde::{Serialize, Serializer};

use crate::page::{Page, escaped, unfolds};
use crate::section::TextOptions;
use crate::section::opening;
use crate::text_table::{TextColumn, more, render};
use crate::units::{ByteUnit, bytes, count, percent, signed};

/// A report.
#[derive(Debug, Clone, Default)]
pub struct Sheet {
    /// The heading.
    pub title: &'static str,
    /// Sentences below it.
    pub lines: Vec<String>,
    /// The tables, in their order.
    pub tables: Vec<SheetTable>,
}

/// A table and the lines about it.
#[derive(Debug, Clone, Default)]
pub struct SheetTable {
    /// By what it is asked for; empty if its title says it.
    pub key: &'static str,
    /// The heading.
    pub title: String,
    /// Sentences below it.
    pub lines: Vec<String>,
    /// Titles of the columns; a narrow terminal shows the first ones.
    pub head: Vec<&'static str>,
    /// Keys of the columns, empty for those that only people see; none if their titles say it.
    pub keys: Vec<&'static str>,
    /// If a terminal has no room, columns with the highest rank are left out first; by their order if there are none.
    pub ranks: Vec<u8>,
    /// A cell for each column.
    pub rows: Vec<Vec<SheetCell>>,
    /// Whether `--top` cuts it.
    pub may_be_cut: bool,
    /// Replaces a table without rows; may be empty.
    pub none: &'static str,
    /// Of a tree: the level of each row; a row comes before those below it.
    pub levels: Vec<usize>,
}

/// A cell; a column has cells of one kind.
#[derive(Debug, Clone)]
pub enum SheetCell {
    /// A name or a word.
    Text(String),
    /// Objects, or other things.
    Count(u64),
    /// Bytes.
    Bytes(u64),
    /// Nanoseconds; shown as milliseconds.
    Span(u64),
    /// A difference of objects.
    MoreObjects(i64),
    /// A difference of bytes.
    MoreBytes(i64),
    /// A part and its whole.
    Share(u64, u64),
    /// An empty cell in a column of numbers.
    Nothing,
}

impl SheetCell {
    /// A name or a word.
    pub fn text(text: impl Into<String>) -> Self {
        SheetCell::Text(text.into())
    }

    pub(crate) fn is_number(&self) -> bool {
        !matches!(self, SheetCell::Text(_))
    }

    fn bytes(&self) -> Option<u64> {
        match self {
            SheetCell::Bytes(bytes) => Some(*bytes),
            SheetCell::MoreBytes(bytes) => Some(bytes.unsigned_abs()),
            _ => None,
        }
    }

    pub(crate) fn in_unit(&self, unit: ByteUnit) -> String {
        match self {
            SheetCell::Text(text) => text.clone(),
            SheetCell::Count(n) => count(*n),
            SheetCell::Bytes(n) => unit.cell(*n),
            SheetCell::Span(ns) => milliseconds(*ns),
            SheetCell::MoreObjects(n) => signed((*n).into(), count),
            SheetCell::MoreBytes(n) => signed((*n).into(), |n| unit.cell(n)),
            SheetCell::Share(part, whole) => percent(*part, *whole).unwrap_or_default(),
            SheetCell::Nothing => String::new(),
        }
    }

    /// As a cell of a page: HTML, numbers to the last digit.
    pub fn exact(&self) -> String {
        match self {
            SheetCell::Text(text) => escaped(text),
            SheetCell::Count(n) | SheetCell::Bytes(n) => count(*n),
            SheetCell::Span(ns) => milliseconds(*ns),
            SheetCell::MoreObjects(n) | SheetCell::MoreBytes(n) => signed((*n).into(), count),
            SheetCell::Share(part, whole) => percent(*part, *whole).unwrap_or_default(),
            SheetCell::Nothing => String::new(),
        }
    }
}

impl Serialize for SheetCell {
    /// Times are nanoseconds; what is not known is `null`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            SheetCell::Text(text) => serializer.serialize_str(text),
            SheetCell::Count(n) | SheetCell::Bytes(n) | SheetCell::Span(n) => serializer.serialize_u64(*n),
            SheetCell::MoreObjects(n) | SheetCell::MoreBytes(n) => serializer.serialize_i64(*n),
            SheetCell::Share(part, whole) if *whole > 0 => serializer.serialize_f64(*part as f64 / *whole as f64),
            SheetCell::Share(..) | SheetCell::Nothing => serializer.serialize_none(),
        }
    }
}

fn milliseconds(ns: u64) -> String {
    let tenths = ns.div_ceil(50_000) / 2;
    format!("{}.{}", count(tenths / 10), tenths % 10)
}

/// Rows of a tree below this level are not indented further in text.
const DEEPEST: usize = 30;

impl Sheet {
    /// One report of two, with the title of the first.
    pub fn with_sheet(mut self, other: Sheet) -> Sheet {
        self.lines.extend(other.lines);
        self.tables.extend(other.tables);
        self
    }

    /// Writes tables for people.
    pub fn text(&self, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
        opening(self.title, &self.lines, options, output)?;
        for table in &self.tables {
            writeln!(output)?;
            opening(&table.title, &table.lines, options, output)?;
            match table.rows.is_empty() {
                true if table.none.is_empty() => {}
                true => writeln!(output, "  {}", table.none)?,
                false => writeln!(output, "{}", table.text(options))?,
            }
        }
        Ok(())
    }

    /// Writes one page that needs no other file.
    pub fn html(&self, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
        let mut page = Page::new(self.title);
        page.lines(self.lines.iter().cloned());
        for table in &self.tables {
            let rows = table.top_rows(options);
            if rows.is_empty() {
                page.heading(&table.title);
                let none = Some(table.none.to_owned()).filter(|none| !none.is_empty());
                page.lines(table.lines.iter().cloned().chain(none));
                continue;
            }
            if !table.levels.is_empty() {
                page.heading(&table.title);
                page.lines(table.lines.iter().cloned());
                let mut html = String::new();
                table.unfolding(0..rows.len(), &mut html);
                page.raw(&html);
                continue;
            }
            let cells = rows.iter().map(|row| row.iter().map(SheetCell::exact).collect());
            // Some titles name the unit.
            let heads = table.heads(rows, |_| "bytes").into_iter().map(|head| head.replace("bytes\nbytes", "bytes"));
            page.table(&table.title, &heads.collect::<Vec<_>>(), cells.collect());
            page.lines(table.lines.iter().cloned());
        }
        page.write(output)
    }
}

impl SheetTable {
    pub(crate) fn top_rows(&self, options: &TextOptions) -> &[Vec<SheetCell>] {
        let top = options.top.filter(|_| self.may_be_cut).unwrap_or(usize::MAX);
        &self.rows[..top.min(self.rows.len())]
    }

    /// The titles of the columns; those of bytes have the unit below them.
    pub(crate) fn heads(&self, rows: &[Vec<SheetCell>], unit: impl Fn(usize) -> &'static str) -> Vec<String> {
        let in_bytes = |at: usize| rows.iter().any(|row| row[at].bytes().is_some());
        let head = |(at, title): (usize, &&str)| match in_bytes(at) {
            true => format!("{title}\n{}", unit(at)),
            false => (*title).to_owned(),
        };
        self.head.iter().enumerate().map(head).collect()
    }

    /// The unit of each column.
    pub(crate) fn units(&self, rows: &[Vec<SheetCell>]) -> Vec<ByteUnit> {
        (0..self.head.len()).map(|column| ByteUnit::or_bytes(rows.iter().map(|row| row[column].bytes()))).collect()
    }

    fn text(&self, options: &TextOptions) -> String {
        let shown = self.top_rows(options);
        let units = self.units(shown);
        let column = |(at, title): (usize, &String)| {
            let number = shown.iter().all(|row| row[at].is_number());
            let column = if number { TextColumn::number(title) } else { TextColumn::name(title) };
            match self.ranks.get(at) {
                Some(rank) => column.spare(*rank),
                None if at < 2 => column,
                None => column.spare(at as u8),
            }
        };
        let heads = self.heads(shown, |at| units[at].name());
        let columns: Vec<TextColumn> = heads.iter().enumerate().map(column).collect();
        let cells = shown.iter().enumerate().map(|(at, row)| {
            let level = self.levels.get(at).map_or(0, |level| *level.min(&DEEPEST));
            let mut cells: Vec<String> = row.iter().zip(&units).map(|(cell, unit)| cell.in_unit(*unit)).collect();
            cells[0].insert_str(0, &"  ".repeat(level));
            cells
        });
        render(&columns, cells.collect(), options) + &more(self.rows.len(), shown.len())
    }
}

impl SheetTable {
    /// Rows of a tree as parts of a page that unfold.
    fn unfolding(&self, rows: std::ops::Range<usize>, html: &mut String) {
        let mut at = rows.start;
        while at < rows.end {
            let level = self.levels[at];
            let below = (at + 1..rows.end).find(|next| self.levels[*next] <= level).unwrap_or(rows.end);
            let line = self.line(&self.rows[at]);
            if below == at + 1 {
                *html += &format!("<p>{line}</p>\n");
            } else {
                // A row with a single child is open: the reader has no choice.
                let directly = (at + 1..below).filter(|next| self.levels[*next] == level + 1).count();
                *html += &format!("{}{line}</summary>\n", unfolds(level, level == 0 || directly == 1));
                self.unfolding(at + 1..below, html);
                *html += "</details>\n";
            }
            at = below;
        }
    }

    /// A row as one line, its first cell first.
    fn line(&self, row: &[SheetCell]) -> String {
        let mut line = format!("<b>{}</b>", row[0].exact());
        for (cell, head) in row.iter().zip(&self.head).skip(1) {
            match cell {
                SheetCell::Nothing => {}
                SheetCell::Text(text) if text.is_empty() => {}
                SheetCell::Text(text) => line += &format!(" <span class=q>{head} {}</span>", escaped(text)),
                SheetCell::Bytes(n) => {
                    line += &format!(" <span class=q>{head}</span> <span class=n>{}</span>", bytes(*n))
                }
                _ => line += &format!(" <span class=q>{head}</span> <span class=n>{}</span>", cell.exact()),
            }
        }
        line
    }
}

/// Bytes with their share, in a sentence.
pub fn share(part: u64, whole: u64) -> String {
    match percent(part, whole) {
        Some(percent) => format!("{} ({percent})", bytes(part)),
        None => bytes(part),
    }
}
