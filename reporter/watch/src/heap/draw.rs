//! A dump as cells of a terminal, and the boxes around taking it.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Cell, Clear, Paragraph, Row, Table, Widget, Wrap};
use weighbridge_reporter::printable;

use super::{Dump, View};
use crate::cells::{fitted, fitted_start};

const KEYS: &str = "Enter open · Esc back · p proprietary · s shared · t total · r what ends with threads · q quit";

/// Draws the dump into `area`.
pub(crate) fn draw(view: &View, area: Rect, buffer: &mut Buffer) {
    let about = view.figures.describe_dump();
    let lines = about.len().min(usize::from(area.height / 4)) as u16;
    let [head, title, table, keys] = Layout::vertical([
        Constraint::Length(lines),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(area);
    // The last lines say more: what it cost, and the sums.
    let first = about.len() - usize::from(lines);
    for (y, line) in (head.y..).zip(&about[first..]) {
        Line::from(fitted_start(&printable(line), head.width)).render(Rect { y, height: 1, ..head }, buffer);
    }
    let page = view.page();
    let bold = Style::new().add_modifier(Modifier::BOLD);
    Line::from(fitted_start(&printable(&page.title), title.width)).style(bold).render(title, buffer);
    let fixed: u16 = page.head.iter().map(|(_, width, _)| width + 1).sum();
    let name = table.width.saturating_sub(fixed.saturating_sub(1));
    let width = |column: usize| if column == 0 { name } else { page.head[column].1 };
    let cell = |column: usize, text: &str| {
        let line = Line::from(match column {
            0 => fitted(text, usize::from(name)),
            _ => fitted_start(&printable(text), width(column)),
        });
        Cell::from(if page.head[column].2 { line.right_aligned() } else { line })
    };
    let header = Row::new(page.head.iter().enumerate().map(|(column, (title, ..))| cell(column, title))).style(bold);
    let visible = usize::from(table.height.saturating_sub(1));
    let first = (view.selected() + 1).saturating_sub(visible);
    let rows = page.rows.iter().enumerate().skip(first).take(visible).map(|(index, row)| {
        let chosen = if index == view.selected() { Modifier::REVERSED } else { Modifier::empty() };
        let cells = row.cells.iter().enumerate().map(|(column, text)| cell(column, text));
        Row::new(cells.collect::<Vec<_>>()).style(Style::new().add_modifier(chosen))
    });
    let widths = (0..page.head.len()).map(|column| Constraint::Length(width(column)));
    Table::new(rows, widths).header(header).column_spacing(1).render(table, buffer);
    let faint = Style::new().add_modifier(Modifier::DIM);
    Line::from(fitted_start(KEYS, keys.width)).style(faint).render(keys, buffer);
}

/// Draws over the tables what is asked or said of a dump that is not shown.
pub(crate) fn draw_box(dump: &Dump, process: Option<u32>, area: Rect, buffer: &mut Buffer) {
    let process = process.map_or_else(String::new, |pid| format!(" of process {pid}"));
    let text = match dump {
        Dump::None | Dump::Shown(_) => return,
        Dump::Asks => "The program stands still while its JVM writes the dump, a second or more for each gigabyte \
             of heap. The dump is read and deleted.\n\nEnter takes it, Esc does not."
            .to_owned(),
        Dump::Taking => "The JVM writes the dump, then it is read. Esc goes back to the tables.".to_owned(),
        Dump::Failed(why) => format!("{}\n\nAny key closes this.", printable(why)),
    };
    let width = 64.min(area.width);
    let height = 9.min(area.height);
    let middle = Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    Clear.render(middle, buffer);
    let block = Block::bordered().title(format!(" Heap dump{process} "));
    Paragraph::new(text).wrap(Wrap { trim: true }).block(block).render(middle, buffer);
}
