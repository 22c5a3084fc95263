//! A trend for people.

use std::io::{self, Write};

use weighbridge_outside::printable;

use super::{Series, Trend, TrendLine};
use crate::history::evenly;
use crate::text::TextOptions;
use weighbridge_table::section::opening;
use weighbridge_table::text_table::{TextColumn, more, render};
use weighbridge_table::units::{bytes, count, signed};

/// Builds of a sparkline.
const MOST: usize = 24;
const BARS: [char; 8] =
    ['\u{2581}', '\u{2582}', '\u{2583}', '\u{2584}', '\u{2585}', '\u{2586}', '\u{2587}', '\u{2588}'];

impl Trend {
    /// Writes tables of components and classes, the largest change that counts first.
    pub fn text(&self, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
        opening("Trend", &[printable(&self.span())], options, output)?;
        for (title, name, all) in
            [("By component", "Component", &self.components), ("By class", "Class", &self.classes)]
        {
            if all.is_empty() {
                continue;
            }
            writeln!(output)?;
            opening(title, &[] as &[&str], options, output)?;
            let shown = &all[..options.top.unwrap_or(usize::MAX).min(all.len())];
            writeln!(output, "{}{}", table(name, shown, options), more(all.len(), shown.len()))?;
        }
        writeln!(
            output,
            "\nA change counts (grew, shrank) if it is beyond two standard errors of both builds; `~` marks values of\n\
             samples, `-` was not measured. A build: the median of the changes over all pairs of builds. Own bytes first."
        )
    }
}

fn table(name: &str, rows: &[Series], options: &TextOptions) -> String {
    let columns = [
        TextColumn::name(name),
        TextColumn::name("Own bytes"),
        TextColumn::number("First"),
        TextColumn::number("Last"),
        TextColumn::number("Change"),
        TextColumn::number("A build").spare(3),
        TextColumn::name("Trend"),
        TextColumn::name("Live\nobjects").spare(2),
        TextColumn::number("First").spare(2),
        TextColumn::number("Last").spare(2),
    ];
    let cells = rows.iter().map(|row| {
        let (own, live) = (&row.own_bytes, &row.live);
        vec![
            row.name().to_owned(),
            own.verdict.word().to_owned(),
            end(own, own.first, bytes, true),
            end(own, own.last, bytes, false),
            own.change.map_or_else(unknown, |change| signed(change.into(), bytes)),
            own.per_build.map_or_else(unknown, |slope| signed(slope.round() as i128, bytes)),
            sparkline(&own.values),
            live.verdict.word().to_owned(),
            end(live, live.first, count, true),
            end(live, live.last, count, false),
        ]
    });
    render(&columns, cells.collect(), options)
}

fn unknown() -> String {
    "-".to_owned()
}

/// The first or the last value, marked if it is of a sample.
fn end(line: &TrendLine, value: Option<u64>, written: fn(u64) -> String, first: bool) -> String {
    let Some(value) = value else { return unknown() };
    let mut errors = line.errors.iter().flatten();
    let error = if first { errors.next() } else { errors.next_back() };
    let mark = if error.is_some_and(|error| *error > 0.0) { "~" } else { "" };
    format!("{mark}{}", written(value))
}

/// A bar for each build, from the least value to the greatest; a dot where it was not measured.
fn sparkline(values: &[Option<u64>]) -> String {
    let shown = evenly(values, MOST);
    let known = || shown.iter().filter_map(|value| **value);
    let (Some(least), Some(most)) = (known().min(), known().max()) else { return String::new() };
    let bar = |value: &&Option<u64>| match value {
        None => '\u{b7}',
        Some(_) if least == most => BARS[0],
        Some(value) => {
            let part = (*value - least) as f64 / (most - least) as f64;
            BARS[(part * (BARS.len() - 1) as f64).round() as usize]
        }
    };
    shown.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_goes_from_the_least_to_the_greatest_and_has_a_dot_for_what_is_not_known() {
        assert_eq!(sparkline(&[Some(10), None, Some(17), Some(24)]), "\u{2581}\u{b7}\u{2585}\u{2588}");
        assert_eq!(sparkline(&[Some(3), Some(3)]), "\u{2581}\u{2581}");
        assert_eq!(sparkline(&[None]), "");
        assert_eq!(sparkline(&[Some(1); 100]).chars().count(), MOST);
    }
}
