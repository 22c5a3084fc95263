//! Tables: names on the left, numbers on the right, and one line below the header.

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, TableStyle};
use weighbridge_outside::printable;

use crate::section::{FAINT, TextOptions, ink};
use crate::units::count;

/// Width of a name column if the terminal is narrow; longer names wrap.
const NAME_WIDTH: usize = 24;

/// Spaces around a cell, one on each side, and one between columns.
const PADDING: usize = 3;

/// A column. Names wrap if there is no room, numbers never do.
pub struct TextColumn {
    title: String,
    number: bool,
    /// If there is no room, columns with the highest rank are left out first; rank 0 is always shown.
    rank: u8,
    hidden: bool,
}

impl TextColumn {
    /// A left-aligned column whose cells may wrap.
    pub fn name(title: &str) -> Self {
        TextColumn { title: title.to_owned(), number: false, rank: 0, hidden: false }
    }

    /// A right-aligned column whose cells never wrap.
    pub fn number(title: &str) -> Self {
        TextColumn { number: true, ..TextColumn::name(title) }
    }

    /// The column may be left out; those with the highest rank are left out first.
    pub fn spare(self, rank: u8) -> Self {
        TextColumn { rank, ..self }
    }

    /// The column is shown only if something is known of it. If hidden, it does not count as left out.
    pub fn only_if(self, known: bool) -> Self {
        TextColumn { hidden: !known, ..self }
    }

    /// The title in one line, without its last line, which is the unit.
    fn title_without_unit(&self) -> String {
        let lines = self.title.rsplit_once('\n').map_or(self.title.as_str(), |(title, _unit)| title);
        lines.replace('\n', " ")
    }

    fn width(&self, cells: impl Iterator<Item = usize>) -> usize {
        let title = self.title.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        let widest = cells.max().unwrap_or(0).max(title);
        PADDING + if self.number { widest } else { widest.min(NAME_WIDTH) }
    }
}

/// Lays out rows below a header, in the terminal's width if there is one. Titles may have several lines.
pub fn render(columns: &[TextColumn], rows: Vec<Vec<String>>, options: &TextOptions) -> String {
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|text| printable(text)).collect()).collect();
    let (shown, left_out) = fitting(columns, &rows, options.width);
    let mut table = Table::new();
    let mut style = TableStyle::new();
    style.header_separator = style.header_separator.fill('-').junction(' ');
    table.load_style(style);
    table.set_content_arrangement(ContentArrangement::Disabled);
    if let Some(width) = options.width {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        // Without the margin that `indented` adds.
        table.set_width(width.saturating_sub(1));
    }
    let cell = |text: &str, column: &TextColumn| {
        Cell::new(text).set_alignment(match column.number {
            false => CellAlignment::Left,
            true => CellAlignment::Right,
        })
    };
    table.set_header(shown.iter().map(|&i| cell(&columns[i].title, &columns[i])));
    for row in rows {
        table.add_row(shown.iter().map(|&i| cell(&row[i], &columns[i])));
    }
    for (column, &i) in table.column_iter_mut().zip(&shown) {
        if columns[i].number {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    let mut text = indented(&table.to_string(), options);
    if !left_out.is_empty() {
        let titles = left_out.iter().map(|&i| columns[i].title_without_unit());
        text += &format!("\n  not shown at this width: {}", titles.collect::<Vec<_>>().join("; "));
    }
    text
}

/// The note below a table that rows were left out; empty if none were.
pub fn more(rows: usize, shown: usize) -> String {
    match rows.saturating_sub(shown) {
        0 => String::new(),
        left => format!("\n  ... and {} more (--top)", count(left as u64)),
    }
}

/// A figure, or a dash if it is not known.
pub fn format_or_dash(value: Option<u64>, text: fn(u64) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), text)
}

/// The columns that fit a width, and those that do not.
fn fitting(columns: &[TextColumn], rows: &[Vec<String>], width: Option<u16>) -> (Vec<usize>, Vec<usize>) {
    let mut shown: Vec<usize> = (0..columns.len()).filter(|&i| !columns[i].hidden).collect();
    let mut left_out = Vec::new();
    let Some(width) = width else { return (shown, left_out) };
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(i, column)| column.width(rows.iter().map(|row| row[i].chars().count())))
        .collect();
    while shown.iter().map(|&i| widths[i]).sum::<usize>() > usize::from(width) {
        let ranked = (0..shown.len()).filter(|&at| columns[shown[at]].rank > 0);
        let Some(column) = ranked.max_by_key(|&at| columns[shown[at]].rank) else { break };
        left_out.push(shown.remove(column));
    }
    left_out.sort_unstable();
    (shown, left_out)
}

/// Indents a table by one column. Titles and the line below them are faint.
fn indented(table: &str, options: &TextOptions) -> String {
    let rule = table.lines().position(|line| line.trim_start().starts_with('-'));
    let lines = table.lines().enumerate().map(|(index, line)| {
        let line = format!(" {}", line.trim_end());
        if rule.is_some_and(|rule| index <= rule) { ink(&line, FAINT, options) } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}
