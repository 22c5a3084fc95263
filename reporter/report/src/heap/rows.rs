//! The rows of a question about a dump, whatever its columns are.

use std::io::{self, Write};

use serde::Serialize;
use weighbridge_outside::printable_json;

use super::{FORMAT, Facts};
use crate::export::Cells;
use crate::text::TextOptions;
use weighbridge_table::cells::CsvWriter;
use weighbridge_table::json_text::json_line;
use weighbridge_table::page::{Page, escaped};
use weighbridge_table::section::opening;
use weighbridge_table::text_table::{TextColumn, more, render};
use weighbridge_table::units::{count, count_with_noun};

/// Characters of a text that a table shows.
const WIDEST: usize = 120;

/// What was asked.
#[derive(Debug, Clone, Serialize)]
pub struct Question {
    format: u32,
    /// The dump.
    pub dump: Facts,
    /// The statement that gave the rows.
    pub statement: String,
    /// Whether texts of the program are shown: `shown`, `redacted`, or `none` if the rows have none.
    pub values: &'static str,
    /// The columns.
    pub columns: Vec<Heading>,
    /// The title of the report.
    #[serde(skip)]
    pub title: &'static str,
    /// What has to be known of the figures.
    pub notes: Vec<String>,
}

/// A column.
#[derive(Debug, Clone, Serialize)]
pub struct Heading {
    /// Its name.
    pub name: String,
    /// `address`, `name`, `content`, `count`, `bytes` or `number`; absent for an expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
}

/// A value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum QueryValue {
    /// Not there.
    Null,
    /// An integer.
    Integer(i64),
    /// A number with a fraction.
    Real(f64),
    /// Text.
    Text(String),
}

/// Values of the program in a report.
pub const SHOWN: &str = "shown";
/// Replaced by their length.
pub const REDACTED: &str = "redacted";

impl Question {
    /// A question about a dump.
    pub fn new(title: &'static str, dump: Facts, statement: String, columns: Vec<Heading>) -> Self {
        Question { format: FORMAT, dump, statement, values: "none", columns, title, notes: Vec::new() }
    }

    /// Writes a table for people: the first rows, of so many.
    pub fn text(
        &self,
        rows: &[Vec<QueryValue>],
        total: u64,
        options: &TextOptions,
        output: &mut impl Write,
    ) -> io::Result<()> {
        opening(self.title, self.dump.lines().into_iter().chain(self.lines(total)), options, output)?;
        writeln!(output)?;
        let column = |(at, heading): (usize, &Heading)| match numeric(rows, at) {
            true => TextColumn::number(&heading.name),
            false => TextColumn::name(&heading.name),
        };
        let columns: Vec<TextColumn> = self.columns.iter().enumerate().map(column).collect();
        let cells = rows.iter().map(|row| row.iter().map(format_value).collect());
        writeln!(output, "{}{}", render(&columns, cells.collect(), options), more(total as usize, rows.len()))
    }

    /// Writes one page that needs no other file.
    pub fn html(&self, rows: &[Vec<QueryValue>], total: u64, output: &mut impl Write) -> io::Result<()> {
        let mut page = Page::new(self.title);
        page.lines(self.dump.lines().into_iter().chain(self.lines(total)));
        let head: Vec<&str> = self.columns.iter().map(|heading| heading.name.as_str()).collect();
        let cells = rows.iter().map(|row| row.iter().map(|value| escaped(&format_value(value))).collect());
        page.table("Rows", &head, cells.collect());
        page.lines((total > rows.len() as u64).then(|| left_out(total, rows.len())));
        page.write(output)
    }

    fn lines(&self, total: u64) -> Vec<String> {
        let mut lines = vec![count_with_noun(total, "row", "rows")];
        match self.values {
            SHOWN => lines.push("texts of the program are shown: do not pass this on unread (--redact)".to_owned()),
            REDACTED => lines.push(
                "texts of the program are redacted: [length #mark]; equal texts have equal marks (--no-redact)"
                    .to_owned(),
            ),
            _ => {}
        }
        lines.extend(self.notes.iter().cloned());
        lines
    }
}

/// The line that says how many rows are not in a report.
pub fn left_out(total: u64, rows: usize) -> String {
    format!("{} of {} rows are left out (--top)", count(total - rows as u64), count(total))
}

/// Rows as CSV, written one by one.
pub struct Csv<W: Write>(CsvWriter<W>);

impl<W: Write> Csv<W> {
    /// Writes the head.
    pub fn begin(question: &Question, cells: Cells, output: W) -> io::Result<Self> {
        let mut sheet = CsvWriter::new(cells, output);
        sheet.record(question.columns.iter().map(|heading| heading.name.clone()))?;
        Ok(Csv(sheet))
    }

    /// Writes a row; `NULL` is an empty cell.
    pub fn row(&mut self, row: &[QueryValue]) -> io::Result<()> {
        self.0.record(row.iter().map(|value| match value {
            QueryValue::Null => String::new(),
            QueryValue::Integer(n) => n.to_string(),
            QueryValue::Real(x) => x.to_string(),
            QueryValue::Text(text) => text.clone(),
        }))
    }

    /// Writes what is left.
    pub fn end(self) -> io::Result<()> {
        self.0.finish()
    }
}

/// Rows as JSON, written one by one: the keys of [`Question`], `rows`, and how many there are.
pub struct Json<W: Write> {
    output: W,
    first: bool,
}

impl<W: Write> Json<W> {
    /// Writes what comes before the rows.
    pub fn begin(question: &Question, mut output: W) -> io::Result<Self> {
        let mut head = printable_json(&serde_json::to_string_pretty(question)?).into_owned();
        // Without the brace and the newline before it.
        head.truncate(head.len() - 2);
        write!(output, "{head},\n  \"rows\": [")?;
        Ok(Json { output, first: true })
    }

    /// Writes a row, as an array in a line.
    pub fn row(&mut self, row: &[QueryValue]) -> io::Result<()> {
        let separator = if std::mem::take(&mut self.first) { "" } else { "," };
        write!(self.output, "{separator}\n    {}", json_line(&row)?)
    }

    /// Writes what comes after the rows.
    pub fn end(mut self, total: u64) -> io::Result<()> {
        let end = if self.first { "" } else { "\n  " };
        write!(self.output, "{end}],\n  \"rows_total\": {total}\n}}\n")
    }
}

/// Whether a column is right-aligned.
fn numeric(rows: &[Vec<QueryValue>], at: usize) -> bool {
    let mut values = rows.iter().map(|row| &row[at]).filter(|value| **value != QueryValue::Null).peekable();
    values.peek().is_some() && values.all(|value| !matches!(value, QueryValue::Text(_)))
}

fn format_value(value: &QueryValue) -> String {
    match value {
        QueryValue::Null => String::new(),
        QueryValue::Integer(n) if *n < 0 => format!("-{}", count(n.unsigned_abs())),
        QueryValue::Integer(n) => count(n.unsigned_abs()),
        QueryValue::Real(x) => format!("{x:.3}"),
        QueryValue::Text(text) => match text.char_indices().nth(WIDEST) {
            Some((end, _)) => format!("{}\u{2026}", &text[..end]),
            None => text.clone(),
        },
    }
}
