//! A trend as one page that needs no other file, no network and no script: tables with a chart of each row.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::{Series, Trend, TrendLine};
use crate::text::TextOptions;
use weighbridge_table::page::{Page, escaped};
use weighbridge_table::units::{bytes, count, signed};

/// Width and height of a chart, CSS pixels.
const CHART: (f64, f64) = (160.0, 36.0);

impl Trend {
    /// Writes the page. The same trend gives the same bytes.
    pub fn html(&self, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
        let mut page = Page::new("Memory over builds");
        page.lines([format!("{}.", self.span())]);
        page.lines([
            "A change counts (grew, shrank) if it is beyond two standard errors of both builds. A build: the median of the \
             changes over all pairs of builds. Each chart goes from 0 to the greatest value; point at a build for its value."
                .to_owned(),
        ]);
        for (title, name, all) in
            [("By component", "Component", &self.components), ("By class", "Class", &self.classes)]
        {
            let shown = &all[..options.top.unwrap_or(usize::MAX).min(all.len())];
            if shown.is_empty() {
                continue;
            }
            let head = [name, "Chart", "Own bytes", "First", "Last", "Change", "A build", "Live", "First", "Last"];
            page.table(title, &head, shown.iter().map(|row| self.cells(row)).collect());
            if shown.len() < all.len() {
                page.lines([format!("{} more rows are not shown (--top).", count((all.len() - shown.len()) as u64))]);
            }
        }
        page.write(output)
    }

    fn cells(&self, row: &Series) -> Vec<String> {
        let (own, live) = (&row.own_bytes, &row.live);
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "\u{2013}".to_owned());
        vec![
            escaped(row.name()),
            self.chart(row.name(), own),
            own.verdict.word().to_owned(),
            or_dash(own.first.map(bytes)),
            or_dash(own.last.map(bytes)),
            or_dash(own.change.map(|change| signed(change.into(), bytes))),
            or_dash(own.per_build.map(|slope| signed(slope.round() as i128, bytes))),
            live.verdict.word().to_owned(),
            or_dash(live.first.map(count)),
            or_dash(live.last.map(count)),
        ]
    }

    /// A line through the values of all builds, with a point for each. Where a value is not known, the line is broken.
    fn chart(&self, name: &str, line: &TrendLine) -> String {
        let (width, height) = CHART;
        let most = line.values.iter().flatten().max().copied().unwrap_or(0).max(1) as f64;
        let last = line.values.len().saturating_sub(1).max(1) as f64;
        let at = |index: usize, value: u64| {
            let x = 4.0 + index as f64 / last * (width - 8.0);
            let y = height - 4.0 - value as f64 / most * (height - 8.0);
            (x, y)
        };
        let (mut path, mut points, mut broken) = (String::new(), String::new(), true);
        for (index, value) in line.values.iter().enumerate() {
            let Some(value) = value else {
                broken = true;
                continue;
            };
            let (x, y) = at(index, *value);
            // Writing to a string does not fail.
            let _ = write!(path, "{}{x:.1} {y:.1}", if broken { "M" } else { "L" });
            let label = self.builds.get(index).map_or("", |build| &build.label);
            let told = escaped(&format!("{label}: {}", bytes(*value)));
            let _ = write!(points, "<circle cx={x:.1} cy={y:.1} r=2.5><title>{told}</title></circle>");
            broken = false;
        }
        let ends = line
            .first
            .zip(line.last)
            .map_or_else(String::new, |(first, last)| format!(": own bytes from {} to {}", bytes(first), bytes(last)));
        format!(
            "<svg role=img aria-label=\"{}\" width={width} height={height} viewBox=\"0 0 {width} {height}\" fill=currentColor>\
             <path d=\"{path}\" fill=none stroke=currentColor stroke-width=1.5 />{points}</svg>",
            escaped(&format!("{name}{ends}"))
        )
    }
}
