//! The tables of `heap threads` for people.

use std::io::{self, Write};

use weighbridge_outside::printable;

use super::{SharedEntry, Thread, ThreadReport, ThreadSummary};
use crate::text::TextOptions;
use weighbridge_table::section::{heading, opening};
use weighbridge_table::text_table::{TextColumn, more, render};
use weighbridge_table::units::{ByteUnit, bytes, count_with_noun};

/// Ids shown in a cell.
const MOST_IDS: usize = 4;

impl ThreadReport {
    /// Writes tables for people.
    pub fn text(&self, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
        let lines = self.dump.lines().into_iter().chain(Self::MEANING.map(str::to_owned)).chain([self.statement()]);
        opening("Heap by thread", lines, options, output)?;
        let ranked: Vec<&Thread> = self.ranked(&self.rankings.total).collect();
        let shown = options.top_rows(&ranked);
        writeln!(output)?;
        heading("Threads", options, output)?;
        writeln!(output, "{}{}", threads(shown, options), more(ranked.len(), shown.len()))?;
        for thread in shown.iter().filter(|thread| thread.total_bytes > 0) {
            writeln!(output)?;
            heading(&format!("Frames of {}", printable(&title(thread))), options, output)?;
            writeln!(output, "{}", rows(thread, options))?;
        }
        for (title, entries) in
            [("Shared by frames of one thread", &self.frame_shared), ("Shared by threads", &self.thread_shared)]
        {
            if entries.is_empty() {
                continue;
            }
            let shown = options.top_rows(entries);
            writeln!(output)?;
            heading(title, options, output)?;
            writeln!(output, "{}{}", shared(shown, options), more(entries.len(), shown.len()))?;
        }
        Ok(())
    }

    /// The sums.
    pub(super) fn statement(&self) -> String {
        let ThreadSummary { proprietary_bytes, shared_bytes, threads, .. } = self.summary;
        format!(
            "{}: {} held by single threads, {} by several",
            count_with_noun(threads, "thread", "threads"),
            bytes(proprietary_bytes),
            bytes(shared_bytes)
        )
    }
}

/// A thread's name and number.
pub(super) fn title(thread: &Thread) -> String {
    let name = if thread.name.is_empty() { "(without a name)" } else { &thread.name };
    format!("{name} (thread {})", thread.thread)
}

/// The first ids of a list.
pub(super) fn few(ids: &[String]) -> String {
    let mut text = ids[..ids.len().min(MOST_IDS)].join(" ");
    if ids.len() > MOST_IDS {
        text += &format!(" and {} more", ids.len() - MOST_IDS);
    }
    text
}

fn threads(shown: &[&Thread], options: &TextOptions) -> String {
    let unit = ByteUnit::or_bytes(shown.iter().map(|thread| Some(thread.total_bytes)));
    let columns = [
        TextColumn::name("thread"),
        TextColumn::number("number"),
        TextColumn::number(&format!("proprietary\n{}", unit.name())),
        TextColumn::number(&format!("shared\n{}", unit.name())),
        TextColumn::number(&format!("total\n{}", unit.name())),
    ];
    let cells = shown.iter().map(|thread| {
        vec![
            thread.name.clone(),
            thread.thread.to_string(),
            unit.cell(thread.proprietary_bytes),
            unit.cell(thread.shared_bytes),
            unit.cell(thread.total_bytes),
        ]
    });
    render(&columns, cells.collect(), options)
}

fn rows(thread: &Thread, options: &TextOptions) -> String {
    let unit = ByteUnit::or_bytes(thread.frames.iter().map(|row| Some(row.proprietary_bytes)));
    let columns = [
        TextColumn::number("frame"),
        TextColumn::name("method"),
        TextColumn::name("kind").spare(2),
        TextColumn::number(&format!("proprietary\n{}", unit.name())),
        TextColumn::name("shared").spare(1),
    ];
    let cells = thread.frames.iter().map(|row| {
        vec![
            row.index.map_or(String::new(), |index| index.to_string()),
            row.method.clone(),
            row.kind.to_owned(),
            unit.cell(row.proprietary_bytes),
            few(&[row.frame_shared.as_slice(), &row.thread_shared].concat()),
        ]
    });
    render(&columns, cells.collect(), options)
}

fn shared(entries: &[SharedEntry], options: &TextOptions) -> String {
    let unit = ByteUnit::or_bytes(entries.iter().map(|entry| Some(entry.shared_bytes)));
    let columns = [
        TextColumn::name("entry"),
        TextColumn::name("class"),
        TextColumn::name("object").spare(2),
        TextColumn::number(unit.name()),
        TextColumn::name("threads"),
        TextColumn::name("refers to").spare(1),
    ];
    let cells = entries.iter().map(|entry| {
        let threads: Vec<String> = entry.threads.iter().map(u32::to_string).collect();
        vec![
            entry.id.clone(),
            entry.class.clone(),
            entry.object.clone(),
            unit.cell(entry.shared_bytes),
            few(&threads),
            few(&[entry.frame_shared.as_slice(), &entry.thread_shared].concat()),
        ]
    });
    render(&columns, cells.collect(), options)
}
