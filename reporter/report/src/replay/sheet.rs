//! A replay for people: lines and tables.

use std::io::{self, Write};

use super::beside_tables;
use super::figures::ReplayReport;
use super::held_tables;
use super::tables;
use crate::history::evenly;
use crate::json;
use crate::text::TextOptions;
use weighbridge_table::sheet::{Sheet, SheetTable};
use weighbridge_table::units::{bytes, count, count_with_noun, percent};

/// Entries of a method whose tables people see; JSON has more.
const MOST_ENTRIES: usize = 10;

impl ReplayReport {
    /// Writes the report for programs. The same figures give the same bytes.
    pub fn json(&self, output: &mut impl Write) -> io::Result<()> {
        json::pretty(self, output)
    }

    /// Writes tables for people.
    pub fn text(&self, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
        self.sheet().text(options, output)
    }

    /// Keeps the rows of the classes that are wanted. Totals, curve and modes are those of all.
    pub fn only(&mut self, wanted: impl Fn(&str) -> bool) {
        self.classes.retain(|row| wanted(&row.class));
        self.sites.retain(|row| wanted(&row.class));
        self.never_read.retain(|row| wanted(&row.class));
        if let Some(peak) = &mut self.peak {
            peak.classes.retain(|row| wanted(&row.class));
            peak.sites.retain(|row| wanted(&row.class));
        }
        for entry in self.at.iter_mut().flat_map(|entered| &mut entered.shown) {
            entry.classes.retain(|row| wanted(&row.class));
        }
        for snapshot in self.recording.iter_mut().flat_map(|beside| &mut beside.snapshots) {
            snapshot.classes.retain(|row| wanted(&row.class));
        }
    }

    /// The lines that come first.
    pub(super) fn lines(&self) -> Vec<String> {
        let totals = &self.totals;
        let mut lines = vec![format!(
            "{}: {} of {}{}",
            self.trace.file,
            count_with_noun(totals.events, "event", "events"),
            count_with_noun(totals.threads.into(), "thread", "threads"),
            [("Java ", &self.trace.java_version), ("", &self.trace.vm)]
                .iter()
                .filter(|(_, text)| !text.is_empty())
                .map(|(before, text)| format!(", {before}{text}"))
                .collect::<String>()
        )];
        let at_end = percent(totals.live_at_end_bytes, totals.allocated_bytes);
        lines.push(format!(
            "{} allocated, {}; {}{} live at the end",
            count_with_noun(totals.objects, "object", "objects"),
            bytes(totals.allocated_bytes),
            bytes(totals.live_at_end_bytes),
            at_end.map_or_else(String::new, |share| format!(" ({share})"))
        ));
        if let Some(peak) = &self.peak {
            lines.push(format!(
                "peak: {} live after event {}, when {} were allocated",
                bytes(peak.live_bytes),
                count(peak.event),
                bytes(peak.allocated_bytes)
            ));
        }
        if let Some(mean) = self.utilization.mean {
            lines.push(format!(
                "utilization, live to allocated bytes: {} on average over all bytes allocated, {} at the peak, {} at the end",
                tables::share(Some(mean)),
                tables::share(self.utilization.at_peak),
                tables::share(self.utilization.at_end)
            ));
        }
        lines.push(
            "deaths are those of reachability: local variables hold until they are set or their method ends, so a \
                    compiler may let objects die earlier"
                .to_owned(),
        );
        lines.extend(self.doubts.iter().cloned());
        lines
    }

    /// The tables, in the order of a reader's questions.
    pub(super) fn tables(&self) -> Vec<SheetTable> {
        let mut all = Vec::new();
        if let Some(peak) = &self.peak {
            all.extend([held_tables::at_peak(peak), held_tables::sites_at_peak(peak)]);
        }
        all.extend([
            tables::lives("Lives by class", &self.classes),
            tables::lives("Lives by allocation site", &self.sites),
            tables::died_in_method(self),
            tables::never_filled(self),
            tables::never_read(self),
            tables::modes(self),
        ]);
        for entered in &self.at {
            let shown = evenly(&entered.shown, MOST_ENTRIES);
            all.extend(shown.into_iter().map(|entry| held_tables::entry(entered, entry)));
            if entered.shown.is_empty() {
                let title = format!("Entries into {}", entered.method);
                all.push(SheetTable { title, none: "it was never entered", ..SheetTable::default() });
            } else if entered.shown.len() > MOST_ENTRIES {
                let title = format!("More entries into {}", entered.method);
                let lines = vec![format!(
                    "{} in all; JSON has the tables of {}",
                    count_with_noun(entered.entries, "entry", "entries"),
                    count(entered.shown.len() as u64)
                )];
                all.push(SheetTable { title, lines, ..SheetTable::default() });
            }
        }
        all.extend(self.recording.iter().flat_map(beside_tables::tables));
        all
    }

    fn sheet(&self) -> Sheet {
        Sheet { title: TITLE, lines: self.lines(), tables: self.tables() }
    }
}

/// The title of the report.
pub(super) const TITLE: &str = "Lives of objects, exact";
