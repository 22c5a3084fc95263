//! The keys, and what the figures mean, over the table.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Paragraph, Widget};

use crate::trend::MOMENTS;

const KEYS: &str = "\
Tab          next table: components, classes, threads, tags
← →          sort by the column beside
n b g l a    sort by name, bytes, growth, live, allocated;
s m o c      a second, age, oldest, component; again: reverse
r            reverse          ↑ ↓ PgUp PgDn Home End: select
/            filter by name or component (Esc clears)
space        freeze this moment; again: go on
t            heap dump of the process: what its threads hold
d            what is wrong with it: the doctor, who asks first
q Esc Ctrl-C quit";

/// Draws the help in the middle of `area`.
pub(crate) fn draw(area: Rect, buffer: &mut Buffer) {
    let figures = format!(
        "Own: bytes held by a row's objects alone, up to objects of\n\
         others. Deep: all bytes that they reach. ~ estimated,\n\
         ≥ a lower bound, - not measured. Trend: the last {MOMENTS} snap-\n\
         shots at most, from 0. A minute: median slope of the bytes\n\
         over them; without a collection garbage counts as live.\n\
         Age: collections that half of the objects survived."
    );
    let lines: Vec<Line> = KEYS.lines().chain(figures.lines()).map(|line| Line::from(line.to_owned())).collect();
    let (width, height) = (64.min(area.width), (lines.len() as u16 + 2).min(area.height));
    let middle = Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    Clear.render(middle, buffer);
    let block = Block::bordered().title(" Keys (any key closes) ");
    Paragraph::new(lines).block(block).render(middle, buffer);
}
