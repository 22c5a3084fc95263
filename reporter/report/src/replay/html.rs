//! A replay as one page that needs no other file: tables, and charts that the page's program draws.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;

use super::figures::ReplayReport;
use super::sheet::TITLE;
use crate::text::TextOptions;
use weighbridge_table::page::{Page, embedded, escaped, unfolds};
use weighbridge_table::sheet::{SheetCell, SheetTable};
use weighbridge_table::units::{bytes, count, count_with_noun};

/// A tree has so many times the rows of a table.
const ROWS_OF_TREE: usize = 20;

/// The figures of the charts, column by column; `reporter/web/src/replay.js` draws them.
#[derive(Serialize)]
struct Charts {
    allocated: Vec<u64>,
    event: Vec<u64>,
    live: Vec<u64>,
    utilization: Vec<Option<f64>>,
    threshold: Vec<u64>,
    peak_so_far: Vec<u64>,
    tolerance: u64,
    peak: u64,
    note: String,
}

impl ReplayReport {
    /// Writes the page. The same figures give the same bytes.
    pub fn html(&self, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
        let mut page = Page::new(TITLE);
        page.lines(self.lines());
        if self.curve.len() > 1 {
            page.heading("Live over allocated bytes");
            page.raw(&format!(
                "<div id=curves></div>\n<noscript><p>Charts need JavaScript.</p></noscript>\n\
                 <script type=\"application/json\" id=\"replay\">{}</script>\n",
                embedded(&self.charts())?
            ));
        }
        if self.lives.objects > 0 {
            page.heading("How long objects live");
            page.raw(&self.histogram());
        }
        for table in self.tables() {
            write_table(&mut page, &table, options);
        }
        page.write(output)
    }

    fn charts(&self) -> Charts {
        let note = match self.changes > self.curve.len() as u64 {
            true => format!(
                "Of {} that changed live bytes, the least and the greatest of each five-hundredth of the allocated bytes \
                 are drawn: no peak is missing.",
                count_with_noun(self.changes, "event", "events")
            ),
            false => String::new(),
        };
        let points = || self.curve.iter();
        Charts {
            allocated: points().map(|point| point.allocated_bytes).collect(),
            event: points().map(|point| point.event).collect(),
            live: points().map(|point| point.live_bytes).collect(),
            utilization: points().map(|point| point.utilization).collect(),
            threshold: points().map(|point| point.threshold_bytes).collect(),
            peak_so_far: points().map(|point| point.peak_so_far_bytes).collect(),
            tolerance: self.curve_tolerance_bytes,
            peak: self.peak.as_ref().map_or(0, |peak| peak.live_bytes),
            note,
        }
    }

    /// A bar for each power of two, with its number of objects.
    fn histogram(&self) -> String {
        const BAR: f64 = 22.0;
        const HEIGHT: f64 = 120.0;
        let all = &self.lives.spans.histogram;
        let first = all.iter().position(|objects| *objects > 0).unwrap_or(0);
        let most = all.iter().max().copied().unwrap_or(0).max(1) as f64;
        let mut bars = String::new();
        for (index, objects) in all.iter().enumerate().skip(first) {
            let x = (index - first) as f64 * BAR;
            let height = (*objects as f64 / most * HEIGHT).max(if *objects > 0 { 1.0 } else { 0.0 });
            let from = 1_u64.checked_shl(index.saturating_sub(1) as u32).filter(|_| index > 0).unwrap_or(0);
            let told = format!("from {} on: {}", bytes(from), count_with_noun(*objects, "object", "objects"));
            // Writing to a string does not fail.
            let _ = write!(
                bars,
                "<rect x={x:.1} y={:.1} width={:.1} height={height:.1}><title>{}</title></rect>",
                HEIGHT - height,
                BAR - 3.0,
                escaped(&told)
            );
            if (index - first) % 4 == 0 {
                let _ = write!(
                    bars,
                    "<text x={x:.1} y={:.1} font-size=11 opacity=0.7>{}</text>",
                    HEIGHT + 14.0,
                    escaped(&short(from))
                );
            }
        }
        let width = (all.len() - first) as f64 * BAR + 40.0;
        let spans = &self.lives.spans;
        let label = format!(
            "{}: half of them died, or the program ended, within {} of allocation",
            count_with_noun(self.lives.objects, "object", "objects"),
            bytes(spans.median_at_most)
        );
        format!(
            "<p>{}. A bar for each power of two of bytes allocated while an object lived; the tallest has {} objects. Point at \
             one for its number.</p>\n<div class=scroll tabindex=0 role=group aria-label=\"Life spans\"><svg role=img \
             aria-label=\"{}\" width={width} height={h} viewBox=\"0 0 {width} {h}\" fill=currentColor>{bars}</svg></div>\n",
            escaped(&label),
            count(most as u64),
            escaped(&label),
            h = HEIGHT + 20.0,
        )
    }
}

/// A power of two for an axis: `64`, `4 KiB`.
fn short(n: u64) -> String {
    let units = ["", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"];
    let unit = (n.max(1).ilog2() / 10) as usize;
    format!("{}{}", n >> (10 * unit), units[unit.min(units.len() - 1)])
}

fn write_table(page: &mut Page, table: &SheetTable, options: &TextOptions) {
    // Most rows of a tree are folded away.
    let top = options.top.map(|top| if table.levels.is_empty() { top } else { top.saturating_mul(ROWS_OF_TREE) });
    let shown = top.filter(|_| table.may_be_cut).unwrap_or(usize::MAX).min(table.rows.len());
    let rows = &table.rows[..shown];
    if rows.is_empty() {
        page.heading(&table.title);
        let none = Some(table.none.to_owned()).filter(|none| !none.is_empty());
        page.lines(table.lines.iter().cloned().chain(none));
        return;
    }
    if table.levels.is_empty() {
        let is_bytes = |column: usize| rows.iter().any(|row| matches!(row[column], SheetCell::Bytes(_)));
        let head = |(column, title): (usize, &&str)| match is_bytes(column) {
            true => format!("{title}\nbytes"),
            false => (*title).to_owned(),
        };
        let heads: Vec<String> = table.head.iter().enumerate().map(head).collect();
        page.table(&table.title, &heads, rows.iter().map(|row| row.iter().map(SheetCell::exact).collect()).collect());
    } else {
        page.heading(&table.title);
        let mut tree = String::new();
        unfolding(table, rows, 0..rows.len(), &mut tree);
        page.raw(&tree);
    }
    page.lines(table.lines.iter().cloned());
    if shown < table.rows.len() {
        page.lines([format!("{} more rows are not shown (--top).", count((table.rows.len() - shown) as u64))]);
    }
}

/// Rows of a tree that unfold.
fn unfolding(table: &SheetTable, rows: &[Vec<SheetCell>], part: std::ops::Range<usize>, html: &mut String) {
    let mut at = part.start;
    while at < part.end {
        let level = table.levels[at];
        let below = (at + 1..part.end).find(|next| table.levels[*next] <= level).unwrap_or(part.end);
        let mut line = format!("<b>{}</b>", rows[at][0].exact());
        for (cell, head) in rows[at].iter().zip(&table.head).skip(1) {
            let text = if let SheetCell::Bytes(n) = cell { bytes(*n) } else { cell.exact() };
            // Writing to a string does not fail.
            let _ = write!(line, " <span class=q>{head}</span> <span class=n>{text}</span>");
        }
        if below == at + 1 {
            let _ = writeln!(html, "<p>{line}</p>");
        } else {
            let directly = (at + 1..below).filter(|next| table.levels[*next] == level + 1).count();
            let _ = writeln!(html, "{}{line}</summary>", unfolds(level, directly == 1 && level > 0));
            unfolding(table, rows, at + 1..below, html);
            html.push_str("</details>\n");
        }
        at = below;
    }
}
